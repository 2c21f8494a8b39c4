#!/bin/bash
# The daemon's memory stays within arc_max + dirty_data_max + 256 MiB under writes, copies, reads and a
# load of names at once; where a memory cgroup can be had, one of that size is its limit.
# Arguments: plumb-zfsd zfsd_request [arc_max in MiB].
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"
arc=${3:-512}
dirty=$((arc / 4))
bound=$((arc + dirty + 256))
group=''
for folder in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	mkdir "$folder/plumb-test-$$" 2>/dev/null || continue
	for file in memory.limit_in_bytes memory.max; do
		[ -z "$group" ] && [ -e "$folder/plumb-test-$$/$file" ] &&
			echo "${bound}M" >"$folder/plumb-test-$$/$file" && group=$folder/plumb-test-$$
	done
	[ -n "$group" ] && break
	rmdir "$folder/plumb-test-$$"
done
clean_more() {
	[ -n "$daemon" ] && wait "$daemon" 2>/dev/null
	for _ in $(seq 50); do
		[ -z "$group" ] || rmdir "$group" 2>/dev/null && break
		sleep 0.1
	done
}

truncate -s $((arc * 12))M "$scratch/disk"
start_daemon --arc-max ${arc}M --dirty-data-max ${dirty}M --workers 100
[ -z "$group" ] || echo "$daemon" >"$group/cgroup.procs" || fail "the daemon can't be limited"
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}],\"dataset_properties\":{\"recordsize\":\"8K\",\"compression\":\"lz4\"}}"
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
# Half of it can be compressed: blocks of many sizes.
for ((i = 0; i < 64; i++)); do
	head -c 512K /dev/urandom
	head -c 512K /dev/zero | tr '\0' x
done >"$scratch/data"
pieces=$((arc / 128))
[ $pieces -le 4 ] || pieces=$((arc / 256)) # twice the cache in all is enough to fill it
names() {
	local i
	mkdir "$1"
	for ((i = 0; i < 3000; i++)); do echo "$i" >"$1/file-$i"; done
	ls -l "$1" >/dev/null
	rm -r "$1"
}
load() {
	local i
	for ((i = 0; i < pieces; i++)); do cat "$scratch/data"; done >"$scratch/mnt/first-$1"
	for i in 1 2; do
		cp "$scratch/mnt/first-$1" "$scratch/mnt/copy-$1" && cat "$scratch/mnt/first-$1" "$scratch/mnt/copy-$1" >/dev/null
		rm "$scratch/mnt/copy-$1"
	done
}
workers=()
for i in 1 2 3 4; do
	load "$i" &
	workers+=($!)
	names "$scratch/mnt/names-$i" &
	workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker" || fail "a load ended badly"; done
most=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$daemon/status") || fail "the daemon has gone: out of memory?"
ask '{"command":"stats"}'
size=$(grep -oE '"size_bytes": ?[0-9]+' "$scratch/reply" | head -n 1 | grep -oE '[0-9]+$')
[ "$((size >> 20))" -ge $((arc / 2)) ] || fail "the load did not fill the cache: $((size >> 20)) MiB"
echo "at most $most MiB resident, $bound allowed${group:+, in a memory cgroup}"
[ "$most" -le "$bound" ] || fail "$most MiB resident, more than $bound"
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
