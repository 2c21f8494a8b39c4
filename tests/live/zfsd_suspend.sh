#!/bin/bash
# A pool whose disk fails for good is suspended: those who wait and those who come later get EIO within 30
# seconds, and the daemon ends with status 4. The disk is a sparse file on a filesystem that is too small.
# Arguments: plumb-zfsd zfsd_request SECONDS ("": the default).
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"
limit=${3-3}
mkdir -m 700 "$scratch/small"
clean_more() { umount -l "$scratch/small" 2>/dev/null; }

mount -t tmpfs -o size=64M none "$scratch/small" || fail "tmpfs"
truncate -s 1G "$scratch/small/disk"
start_daemon --arc-max 64M ${limit:+--suspend-timeout "$limit"}
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/small/disk\"]}]}"
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
mkdir "$scratch/mnt/folder" "$scratch/ends" && echo old >"$scratch/mnt/folder/old" || fail "a folder"
# waiter NAME COMMAND...: notes status and second of its end; a minute is for ever.
waiter() {
	local name=$1 status
	shift
	timeout -k 1 60 "$@" >"$scratch/ends/$name.said" 2>&1
	status=$?
	echo "$status $SECONDS" >"$scratch/ends/$name"
}
waiter write dd if=/dev/urandom of="$scratch/mnt/file" bs=1M count=400 conv=fsync &
waiters=($!)
for ((i = 0; i < 3000; i++)); do grep -q 'is suspended' "$scratch/log" && break || sleep 0.02; done
grep -q 'is suspended' "$scratch/log" || fail "the log does not say that the pool is suspended"
begin=$SECONDS
small() { waiter "$1" dd if=/dev/zero of="$scratch/mnt/$1" bs=8K count="$2" conv=fsync & waiters+=($!); }
for i in 1 2 3 4 5 6; do small "fsync$i" 1; done
small append 2000
waiter folder sync "$scratch/mnt/folder" & waiters+=($!)
waiter rename bash -c 'mv "$1/old" "$1/new" && sync "$1"' - "$scratch/mnt/folder" & waiters+=($!)
waiter remove bash -c 'rm "$1" && sync "$2"' - "$scratch/mnt/file" "$scratch/mnt/folder" & waiters+=($!)
waiter truncate bash -c 'truncate -s 1G "$1" && sync "$1"' - "$scratch/mnt/long" & waiters+=($!)
waiter socket "$request" "$scratch/run/s" '{"command":"sync","name":"tank"}' & waiters+=($!)
waiter snapshot "$request" "$scratch/run/s" '{"command":"snapshot","name":"tank@s"}' & waiters+=($!)
# Those who come later, until the end: none waits once the first has its answer.
running() { case $(ps -o stat= -p "$daemon") in '' | Z*) return 1 ;; esac; }
while running; do
	came=$SECONDS
	timeout -k 1 60 dd if=/dev/zero of="$scratch/mnt/later" bs=8K count=1 conv=fsync 2>"$scratch/later" && fail "a write onto a lost pool was answered"
	[ $((SECONDS - begin)) -le 30 ] || fail "who came after $((came - begin)) s was answered after $((SECONDS - begin)) s"
	grep -q 'Input/output error' "$scratch/later" && continue
	# Then the kernel has answered, and the daemon has gone.
	for ((i = 0; i < 50; i++)); do running || break; sleep 0.02; done
	running && fail "not EIO: $(cat "$scratch/later")"
done
wait "${waiters[@]}"
wait "$daemon"
status=$?
daemon=''
[ "$status" = 4 ] || fail "the daemon ended with $status, not 4"
longest=0
for name in "$scratch"/ends/*.said; do
	name=$(basename "$name" .said)
	read -r status end <"$scratch/ends/$name"
	[ "$status" != 124 ] && [ "$status" != 137 ] || fail "$name still waits after 60 s"
	[ "$status" != 0 ] || fail "$name was answered as done: $(cat "$scratch/ends/$name.said")"
	[ "$name" = socket ] || [ "$name" = snapshot ] || grep -qE 'Input/output error|not connected|abort' "$scratch/ends/$name.said" ||
		fail "$name: not EIO: $(cat "$scratch/ends/$name.said")"
	[ $((end - begin)) -le "$longest" ] || longest=$((end - begin))
	[ $((end - begin)) -le 30 ] || fail "$name had its answer only after $((end - begin)) s"
done
grep -q 'Input/output error' "$scratch/ends/write.said" || fail "the write: $(cat "$scratch/ends/write.said")"
echo "${#waiters[@]} who waited had their answers within $longest s, the daemon ended after $((SECONDS - begin)) s"

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
