#!/bin/bash
# fio and dd for real on a folder: figures that can be, zeros flagged, bad options refused.
# Argument: driver_run.
set -u
run=$1
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT

failed=0
fail() {
	echo "$*"
	failed=1
}
play() { # NAME TYPE SETTINGS...
	local name=$1 type=$2
	shift 2
	"$run" "$scratch/rig" "$type" "$@" >"$scratch/$name" 2>"$scratch/$name.err" ||
		fail "$name: $(cat "$scratch/$name.err")"
}
has() { # NAME METRIC: a positive value
	grep -qE "^sample run $2 [0-9.]*[1-9]" "$scratch/$1" || fail "$1: no $2"
}

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

"$run" "$scratch/rig" fio workload.options='exec_prerun=true' 2>&1 | grep -q 'not allowed' ||
	fail "exec_prerun was accepted"
"$run" "$scratch/rig" fio workload.job_file=/nonexistent 2>&1 | grep -q 'No such file' ||
	fail "a missing job file was accepted"
exit $failed
