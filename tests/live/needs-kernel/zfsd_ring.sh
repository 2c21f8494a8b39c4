#!/bin/bash
# Requests over io_uring and requests read from /dev/fuse: a mount of each kind says which it is, both carry
# requests of all kinds from every processor, and the kernel's switch is as it was before. Then the mount's
# tests and that of a suspended pool once more with requests read from /dev/fuse; on their own, as root, they
# have io_uring.
# Arguments: plumb-zfsd zfsd_request FOLDER-OF-THE-TESTS plumb.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/../zfsd_program_lib.sh"
tests=$3 plumb=$4
switch=/sys/module/fuse/parameters/enable_uring
[ -w "$switch" ] || skip "this kernel has no FUSE over io_uring"
[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null || echo 0)" = 0 ] || skip "io_uring is switched off"
before=$(cat "$switch")
note=/run/plumb-turned-fuse-io-uring-on
clean_more() { echo "$before" >"$switch"; }

# As a daemon leaves it that was killed while a mount began: the next start turns it off, and so does plumb clean.
left_on() { : >"$note" && echo Y >"$switch"; }
left_on
start_daemon --arc-max 64M
[ "$(cat "$switch")" = N ] && [ ! -e "$note" ] || fail "the next daemon left the switch on"
ask '{"command":"shutdown"}'
wait "$daemon"
left_on
PLUMB_SCRATCH=$scratch/clean "$plumb" clean | grep -q "turned off: $switch" || fail "plumb clean does not speak of the switch"
[ "$(cat "$switch")" = N ] && [ ! -e "$note" ] || fail "plumb clean left the switch on"
echo "$before" >"$switch"

truncate -s 1G "$scratch/disk"
start_daemon --arc-max 64M
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}]}"
for value in true false; do
	if [ $value = false ]; then
		ask '{"command":"shutdown"}'
		wait "$daemon"
		start_daemon --arc-max 64M --no-io-uring
		ask "{\"command\":\"import\",\"devices\":[\"$scratch/disk\"]}"
	fi
	ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
	[ "$(cat "$switch")" = "$before" ] || fail "the switch was $before and is $(cat "$switch")"
	# Requests of all kinds from every processor, some larger than a page, some with names as long as can be.
	for ((i = 0; i < $(nproc); i++)); do
		taskset -c "$i" dd if=/dev/urandom of="$scratch/mnt/f$value$i" bs=1M count=3 conv=fsync 2>/dev/null ||
			fail "write from processor $i, io_uring $value"
		taskset -c "$i" cmp "$scratch/mnt/f$value$i" <(cat "$scratch/mnt/f$value$i") || fail "read back"
		name=$(printf "%0255d" "$i")
		taskset -c "$i" ln -s "$name$name" "$scratch/mnt/$name" && [ "$(readlink "$scratch/mnt/$name")" = "$name$name" ] ||
			fail "a long name"
		rm "$scratch/mnt/$name"
	done
	ask '{"command":"mounts"}'
	grep -q "\"ring\":$value" "$scratch/reply" || fail "expected io_uring $value, but $(cat "$scratch/reply")"
	ask '{"command":"unmount","name":"tank"}'
done
ask '{"command":"shutdown"}'
wait "$daemon"
daemon=''
printf '#!/bin/sh\nexec "%s" --no-io-uring "$@"\n' "$(realpath "$zfsd")" >"$scratch/zfsd"
chmod 755 "$scratch/zfsd"
for name in zfsd_mount zfsd_suspend; do
	bash "$tests/$name.sh" "$scratch/zfsd" "$request" || fail "$name without io_uring: status $?"
done
