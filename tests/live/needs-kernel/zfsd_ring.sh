#!/bin/bash
# The mount's tests and that of a suspended pool once more, with requests over io_uring: the kernel's switch
# for it is set for as long as they run. Before them, that such a mount says so, and that one made with
# the switch off does not.
# Arguments: plumb-zfsd zfsd_request FOLDER-OF-THE-TESTS.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/../zfsd_program_lib.sh"
tests=$3
switch=/sys/module/fuse/parameters/enable_uring
[ -w "$switch" ] || skip "this kernel has no FUSE over io_uring"
[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null || echo 0)" = 0 ] || skip "io_uring is switched off"
before=$(cat "$switch")
clean_more() { echo "$before" >"$switch"; }

truncate -s 1G "$scratch/disk"
start_daemon --arc-max 64M
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}]}"
for value in N Y; do
	echo "$value" >"$switch"
	ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
	# Requests of all kinds from every processor, some larger than a page, some with names as long as can be.
	for ((i = 0; i < $(nproc); i++)); do
		taskset -c "$i" dd if=/dev/urandom of="$scratch/mnt/f$value$i" bs=1M count=3 conv=fsync 2>/dev/null ||
			fail "write from processor $i with the switch at $value"
		taskset -c "$i" cmp "$scratch/mnt/f$value$i" <(cat "$scratch/mnt/f$value$i") || fail "read back"
		name=$(printf "%0255d" "$i")
		taskset -c "$i" ln -s "$name$name" "$scratch/mnt/$name" && [ "$(readlink "$scratch/mnt/$name")" = "$name$name" ] ||
			fail "a long name"
		rm "$scratch/mnt/$name"
	done
	ask '{"command":"mounts"}'
	expected=false
	[ "$value" = Y ] && expected=true
	grep -q "\"ring\":$expected" "$scratch/reply" || fail "switch at $value, but $(cat "$scratch/reply")"
	ask '{"command":"unmount","name":"tank"}'
done
ask '{"command":"shutdown"}'
wait "$daemon"
daemon=''
for name in zfsd_mount zfsd_suspend; do
	bash "$tests/$name.sh" "$zfsd" "$request" || fail "$name with the switch on: status $?"
done
