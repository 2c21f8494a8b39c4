#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Block devices under embedded ZFS, one with sectors of 4096 bytes: taken only when given up by name, past
# the page cache, held alone, found again by import. Loop devices stand for disks.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"
[ "$(id -u)" = 0 ] && [ -e /dev/loop-control ] || {
	echo "SKIP: needs root and loop devices"
	rm -rf "$scratch"
	exit 77
}
truncate -s 300M "$scratch/a" "$scratch/b"
a=$(losetup --find --show "$scratch/a") || die "no loop device"
b=$(losetup --find --show --sector-size 4096 "$scratch/b")
trap 'cleanup; losetup -d "$a" "$b"' EXIT
[ -b "$b" ] || die "no loop device with sectors of 4096 bytes"

refused() { # WORDS COMMAND...
	local words=$1
	shift
	"$@" >"$scratch/out" 2>&1 && fail "accepted: $*"
	grep -q -- "$words" "$scratch/out" || fail "$*: $(cat "$scratch/out")"
}
refused 'block device.*--destroy' z create tank "$a"
refused 'block device.*--destroy' z create tank "file:path=$a"
refused 'block device.*--destroy' z create --destroy "$b" tank "$a"
[ "$(du -k "$scratch/a" | cut -f1)" = 0 ] || fail "a refused disk was written to"
mkfs.ext4 -q "$a" && mkdir "$scratch/ext4" && mount "$a" "$scratch/ext4" || die "ext4 on $a"
refused 'in use' z create --destroy "$a" tank "$a"
umount "$scratch/ext4"

# Another name of the same disk counts as its name.
ln -s "$a" "$scratch/disk-a"
z create --destroy "$scratch/disk-a" --destroy "$b" -m "$mount" tank "$a" log "$b" || die "create"
pid=$(zfsd_pid)
for disk in "$a" "$b"; do
	fd=$(find "/proc/$pid/fd" -lname "$disk" | head -n 1)
	flags=$(sed -n 's/^flags:[[:space:]]*//p' "/proc/$pid/fdinfo/$(basename "$fd")")
	[ $((flags & 8#40000)) != 0 ] || fail "$disk is not open with O_DIRECT: $flags"
	refused 'in use' mkfs.ext4 -q -F "$disk"
	zdb -l "$disk" >"$scratch/label" || fail "no label on $disk"
	grep -q "type: 'disk'" "$scratch/label" || fail "the label of $disk has another type: $(grep type: "$scratch/label")"
done
grep -q 'ashift: 12' "$scratch/label" || fail "sectors of 4096 bytes: $(grep ashift "$scratch/label")"
size=$(z list -Hp -t pool -o size tank)
[ "$size" -gt $((200 << 20)) ] && [ "$size" -le $((300 << 20)) ] || fail "a disk of 300M gives a pool of $size"
dd if=/dev/urandom of="$mount/file" bs=1M count=40 conv=fsync status=none || fail "write"
dd if=/dev/urandom of="$mount/log" bs=8k count=50 oflag=dsync status=none || fail "synchronous write"
sum=$(cat "$mount/file" "$mount/log" | md5sum)
PLUMB_ZFS_FOLDER=$scratch/second refused 'in use' z import -d "$a" -d "$b" tank

# Killed, so that there is a log to replay from the second disk.
kill_daemon
z import -f -d "$a" -d "$b" tank && z mount tank "$mount" || die "import"
[ "$(cat "$mount/file" "$mount/log" | md5sum)" = "$sum" ] || fail "the files differ after the import"
z export -f tank || fail "export"
zdb -e -p /dev -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb: $(tail -n 3 "$scratch/zdb")"
grep -q 'No leaks' "$scratch/zdb" || fail "zdb: $(tail -n 5 "$scratch/zdb")"
exit "$failed"
