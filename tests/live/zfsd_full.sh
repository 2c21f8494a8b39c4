#!/bin/bash
# A full pool says ENOSPC, can be emptied and filled again; memory stays within arc_max + dirty_data_max +
# 256 MiB all the while; zdb is content afterwards.
# Arguments: plumb-zfsd zfsd_request.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"
check_memory() {
	local bytes
	! ldd "$zfsd" | grep -q libasan || return 0 # its shadows count as ours
	ask '{"command":"stats"}'
	bytes=$(grep -o '"resident_bytes":[0-9]*' "$scratch/reply" | cut -d: -f2)
	[ "$bytes" -le $(((64 + 16 + 256) << 20)) ] || fail "$((bytes >> 20)) MiB resident with arc-max 64M"
}

truncate -s 512M "$scratch/disk"
start_daemon --arc-max 64M --dirty-data-max 16M
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
