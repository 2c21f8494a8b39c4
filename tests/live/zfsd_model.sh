#!/bin/bash
# A pool on a disk with a time model: synchronous writes end, take the time that the model says, and
# the daemon stops in order. A transfer that blocks the model's own thread would hang here.
# Arguments: plumb-zfsd zfsd_request.
set -u
zfsd=$1 request=$2
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || {
	echo "SKIP: needs root and /dev/fuse"
	exit 77
}
scratch=$(mktemp -d /var/tmp/plumb-model.XXXXXX) || exit 1
mkdir -m 700 "$scratch/run" "$scratch/mnt"
daemon=''
clean() {
	[ -n "$daemon" ] && kill -9 "$daemon" 2>/dev/null
	umount -l "$scratch/mnt" 2>/dev/null
	rm -rf "$scratch"
}
trap clean EXIT
fail() {
	echo "FAIL: $*"
	tail -5 "$scratch/log"
	exit 1
}
ask() { "$request" "$scratch/run/s" "$1" >"$scratch/reply" || fail "$1: $(cat "$scratch/reply")"; }

"$zfsd" --socket "$scratch/run/s" --log "$scratch/log" --arc-max 64M &
daemon=$!
for ((i = 0; i < 500; i++)); do
	"$request" "$scratch/run/s" '{"command":"ping"}' >/dev/null 2>&1 && break
	sleep 0.02
done
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
