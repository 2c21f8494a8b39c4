#!/bin/bash
# A pool on a disk with a time model: synchronous writes end, take the time that the model says, and
# the daemon stops in order. A transfer that blocks the model's own thread would hang here.
# Arguments: plumb-zfsd zfsd_request.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"

start_daemon --arc-max 64M
ask '{"command":"create","name":"tank","vdevs":[{"type":"stripe","devices":["ram:size=512M;model=nvme-plp,flush=4ms"]}]}'
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
ask '{"command":"clock","name":"tank","running":true}'
begin=${EPOCHREALTIME/./}
timeout 60 dd if=/dev/zero of="$scratch/mnt/file" bs=8k count=100 oflag=dsync status=none || fail "writes hang"
taken_us=$((${EPOCHREALTIME/./} - begin))
[ "$taken_us" -ge 400000 ] || fail "100 flushes of 4 ms took $taken_us us: the model's clock does not run"
timeout 60 dd if="$scratch/mnt/file" of=/dev/null bs=1M status=none || fail "reads hang"
# A transaction group flushes the disk twice at least: before and after its uberblocks.
sync_ns() {
	ask '{"command":"stats","name":"tank"}'
	grep -oE '"sync_ns": ?[0-9]+' "$scratch/reply" | grep -oE '[0-9]+$'
}
before=$(sync_ns)
begin=${EPOCHREALTIME/./}
echo more >>"$scratch/mnt/file"
ask '{"command":"sync","name":"tank"}'
spent_us=$((($(sync_ns) - before) / 1000))
taken_us=$((${EPOCHREALTIME/./} - begin))
[ "$spent_us" -ge 8000 ] || fail "groups with flushes of 4 ms took $spent_us us in all"
[ "$spent_us" -le "$taken_us" ] || fail "groups took $spent_us us of $taken_us us"
ask '{"command":"clock","name":"tank","running":false}'
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
