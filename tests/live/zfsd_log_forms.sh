#!/bin/bash
# Which form a write takes in the intent log is what the kernel's rules say: copied into the record, fetched
# at the commit, or written in place and pointed at; by size, kind of open, logbias, sync and log devices.
# Arguments: plumb-zfsd zfsd_request.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"

forms() { # indirect copied need_copy, since the mount
	ask '{"command":"stats","name":"tank"}'
	jq -r '.result.pools[0].datasets[] | select(.name == "tank") | .zil | "\(.indirect) \(.copied) \(.need_copy)"' "$scratch/reply"
}
number=0
# expect WHAT INDIRECT COPIED NEED_COPY DD-OPTION...: one write of a new file adds so many records of each form;
# of those fetched at the commit only whether there are any, because the library cuts them to its log blocks.
expect() {
	local what=$1 wanted="$2 $3 $4" before after added
	read -r -a before <<<"$(forms)"
	dd if=/dev/urandom of="$scratch/mnt/file$((++number))" count=1 status=none "${@:5}" || fail "$what: dd"
	read -r -a after <<<"$(forms)"
	added="$((after[0] - before[0])) $((after[1] - before[1])) $((after[2] > before[2]))"
	[ "$added" = "$wanted" ] || fail "$what: indirect, copied, fetched: $added instead of $wanted"
}
set_property() { ask "{\"command\":\"set\",\"name\":\"tank\",\"properties\":{$1}}"; }

truncate -s 512M "$scratch/disk" "$scratch/log-disk"
start_daemon --arc-max 64M
data="{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}"
log="{\"type\":\"stripe\",\"log\":true,\"devices\":[\"$scratch/log-disk\"]}"
make_pool() { # VDEVS
	ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[$1]}"
	ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
}
make_pool "$data"
expect '4K, O_DSYNC' 0 1 0 bs=4k oflag=dsync
expect '8K, O_DSYNC: more than a record takes' 0 0 1 bs=8k oflag=dsync
expect '8K, fsync' 0 0 1 bs=8k conv=fsync
expect '4K, fsync' 0 0 1 bs=4k conv=fsync
expect '32K, fsync' 1 0 0 bs=32k conv=fsync
expect '31K, fsync' 0 0 1 bs=31k conv=fsync
expect '64K, O_DSYNC' 1 0 0 bs=64k oflag=dsync
expect '512K, fsync: four blocks of 128K' 4 0 0 bs=512k conv=fsync
expect 'nobody waits' 0 0 0 bs=8k
set_property '"logbias":"throughput"'
expect '8K, logbias=throughput' 1 0 0 bs=8k conv=fsync
set_property '"logbias":"latency","sync":"always"'
expect '4K, sync=always' 0 1 0 bs=4k
set_property '"sync":"disabled"'
expect '8K, sync=disabled' 0 0 0 bs=8k conv=fsync
ask '{"command":"destroy","name":"tank","force":true}'
make_pool "$data,$log"
expect '64K, fsync, a log device' 0 0 1 bs=64k conv=fsync
expect '4K, O_DSYNC, a log device' 0 1 0 bs=4k oflag=dsync
set_property '"logbias":"throughput"'
expect '64K, logbias=throughput, a log device' 1 0 0 bs=64k conv=fsync
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
