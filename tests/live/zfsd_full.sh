#!/bin/bash
# A full pool says ENOSPC, can be emptied and filled again; memory stays within arc_max + dirty_data_max +
# 256 MiB all the while; zdb is content afterwards.
# Arguments: plumb-zfsd zfsd_request.
set -u
zfsd=$1 request=$2
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || {
	echo "SKIP: needs root and /dev/fuse"
	exit 77
}
scratch=$(mktemp -d /var/tmp/plumb-full.XXXXXX) || exit 1
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
check_memory() {
	local bytes
	ask '{"command":"stats"}'
	bytes=$(grep -o '"resident_bytes":[0-9]*' "$scratch/reply" | cut -d: -f2)
	[ "$bytes" -le $(((64 + 16 + 256) << 20)) ] || fail "$((bytes >> 20)) MiB resident with arc-max 64M"
}

truncate -s 512M "$scratch/disk"
"$zfsd" --socket "$scratch/run/s" --log "$scratch/log" --arc-max 64M --dirty-data-max 16M &
daemon=$!
for ((i = 0; i < 500; i++)); do
	"$request" "$scratch/run/s" '{"command":"ping"}' >/dev/null 2>&1 && break
	sleep 0.02
done
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}]}"
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
for round in 1 2; do
	dd if=/dev/urandom of="$scratch/mnt/file" bs=128k 2>"$scratch/dd" && fail "round $round: a pool of 512M is never full"
	grep -q 'No space left on device' "$scratch/dd" || fail "round $round: not ENOSPC: $(cat "$scratch/dd")"
	[ "$(stat -c %s "$scratch/mnt/file")" -ge $((300 << 20)) ] || fail "round $round: full after $(stat -c %s "$scratch/mnt/file") bytes"
	check_memory
	mkdir "$scratch/mnt/folder" 2>/dev/null # may fail: it is full
	rm "$scratch/mnt/file" || fail "round $round: a full pool can't be emptied"
	rm -rf "$scratch/mnt/folder"
	ask '{"command":"sync","name":"tank"}'
done
dd if=/dev/urandom of="$scratch/mnt/again" bs=1M count=50 conv=fsync status=none || fail "emptied, but not writable"
check_memory
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
PATH=$PATH:/usr/sbin:/sbin zdb -e -p "$scratch" -bcc tank 2>&1 | grep -q 'No leaks' || fail "zdb finds leaks"
