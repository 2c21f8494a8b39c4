#!/bin/bash
# A pool whose disk fails for good is suspended: those who wait and those who come later get EIO within 30
# seconds, and the daemon ends with status 4. The disk is a sparse file on a filesystem that is too small.
# Arguments: plumb-zfsd zfsd_request.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"
mkdir -m 700 "$scratch/small"
clean_more() { umount -l "$scratch/small" 2>/dev/null; }

mount -t tmpfs -o size=64M none "$scratch/small" || fail "tmpfs"
truncate -s 1G "$scratch/small/disk"
start_daemon --arc-max 64M --suspend-timeout 3
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

# The same where the disk fails while a pool is made, which holds the list of pools in the library.
clean_more
mount -t tmpfs -o size=1M none "$scratch/small" || fail "tmpfs"
truncate -s 1G "$scratch/small/disk"
start_daemon --arc-max 64M --suspend-timeout 3
begin=$SECONDS
timeout 60 "$request" "$scratch/run/s" \
	"{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/small/disk\"]}]}" >"$scratch/reply"
status=$?
[ "$status" != 124 ] || fail "making a pool on a disk that fails still waits after 60 s"
[ "$status" != 0 ] || fail "a pool was made on a disk of 1M"
[ $((SECONDS - begin)) -le 30 ] || fail "it ended only after $((SECONDS - begin)) s"
wait "$daemon"
status=$?
daemon=''
[ "$status" = 4 ] || fail "the daemon ended with $status, not 4"
