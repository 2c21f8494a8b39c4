#!/bin/bash
# A pool whose disk fails for good is suspended: those who wait and those who come later get EIO within 30
# seconds, and the daemon ends with status 4. The disk is a sparse file on a filesystem that is too small.
# Arguments: plumb-zfsd zfsd_request.
set -u
zfsd=$1 request=$2
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || {
	echo "SKIP: needs root and /dev/fuse"
	exit 77
}
scratch=$(mktemp -d /var/tmp/plumb-suspend.XXXXXX) || exit 1
mkdir -m 700 "$scratch/run" "$scratch/mnt" "$scratch/small"
daemon=''
clean() {
	[ -n "$daemon" ] && kill -9 "$daemon" 2>/dev/null
	umount -l "$scratch/mnt" 2>/dev/null
	umount -l "$scratch/small" 2>/dev/null
	rm -rf "$scratch"
}
trap clean EXIT
fail() {
	echo "FAIL: $*"
	tail -5 "$scratch/log"
	exit 1
}
ask() { "$request" "$scratch/run/s" "$1" >"$scratch/reply" || fail "$1: $(cat "$scratch/reply")"; }

mount -t tmpfs -o size=64M none "$scratch/small" || fail "tmpfs"
truncate -s 1G "$scratch/small/disk"
"$zfsd" --socket "$scratch/run/s" --log "$scratch/log" --arc-max 64M --suspend-timeout 3 &
daemon=$!
for ((i = 0; i < 500; i++)); do
	"$request" "$scratch/run/s" '{"command":"ping"}' >/dev/null 2>&1 && break
	sleep 0.02
done
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/small/disk\"]}]}"
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
begin=$SECONDS
timeout 60 dd if=/dev/urandom of="$scratch/mnt/file" bs=1M count=400 conv=fsync 2>"$scratch/dd"
status=$?
[ "$status" = 124 ] && fail "a writer still waits after 60 s"
[ "$status" = 0 ] && fail "400M went onto a disk of 64M"
grep -q 'Input/output error' "$scratch/dd" || fail "not EIO: $(cat "$scratch/dd")"
[ $((SECONDS - begin)) -le 30 ] || fail "EIO only after $((SECONDS - begin)) s"
wait "$daemon"
status=$?
daemon=''
[ "$status" = 4 ] || fail "the daemon ended with $status, not 4"
grep -q 'is suspended' "$scratch/log" || fail "the log does not say that the pool was suspended"
