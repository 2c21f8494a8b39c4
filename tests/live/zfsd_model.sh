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
ask '{"command":"clock","name":"tank","running":false}'
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
