#!/bin/bash
# fio and dd for real on a folder: figures that can be, zeros flagged, bad options refused.
# Argument: driver_run.
# shellcheck disable=SC2154 # scratch, failed and the words come from driver.sh
set -u
. "$(dirname "$0")/../lib/driver.sh"

for job in seq-read seq-write seq-rw rand-read rand-write rand-rw; do
	play "$job" fio workload.job=$job workload.file_size=8M
	case $job in *-read | *-rw) has "$job" read_bytes_per_s ;; esac
	case $job in *-write | *-rw) has "$job" write_iops ;; esac
	has "$job" io_bytes_per_s
done
printf '[mine]\nrw=randread\nsize=4m\nruntime=1\n' >"$scratch/own.fio"
play own fio workload.job_file="$scratch/own.fio"
has own read_iops
play options fio workload.job=rand-read workload.file_size=8M workload.options='bs=16k'
grep -q 'bs=16k' "$scratch/options" || has options read_iops

play write dd workload.file_size=16M
has write write_bytes_per_s
play zeros dd workload.file_size=16M workload.direction=read workload.data=zeros \
	filesystem.compression=lz4
has zeros read_bytes_per_s
grep -q '^note 1 zeros-compressed' "$scratch/zeros" || fail "zeros on a compressing filesystem are not flagged"

refused 'not allowed' fio workload.options='exec_prerun=true'
refused 'No such file' fio workload.job_file=/nonexistent
exit $failed
