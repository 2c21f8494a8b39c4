#!/bin/bash
# An emulated disk carries ext4, XFS and btrfs: mkfs, mount, fio writes and verifies, unmount, check;
# what was written is there after a new attachment.
# usage: disk_filesystems.sh PLUMB PLUMB_DISKD
# shellcheck source=tests/live/needs-kernel/disk-lib.sh
. "$(dirname "$0")/disk-lib.sh"
plumb=${plumb:?} folder=${folder:?} loop=''

check() { # TYPE
	case $1 in
	ext4) e2fsck -fn "$loop" >"$folder/check" 2>&1 ;;
	xfs) xfs_repair -n "$loop" >"$folder/check" 2>&1 ;;
	btrfs) btrfs check --readonly "$loop" >"$folder/check" 2>&1 ;;
	esac || { cat "$folder/check"; fail "$1 is not clean"; }
}

one() { # TYPE OPTIONS-OF-ATTACH...
	local type=$1 disk=$folder/$1.disk mount=$folder/$1
	shift
	if ! command -v "mkfs.$type" >/dev/null || ! grep -qw "$type" /proc/filesystems && ! modprobe "$type" 2>/dev/null; then
		echo "left out: no $type here"
		return
	fi
	attach "$disk" --size 1G "$@"
	"mkfs.$type" "$([ "$type" = ext4 ] && echo -q || echo -f)" "$loop" >"$folder/mkfs" 2>&1 ||
		{ cat "$folder/mkfs"; fail "mkfs.$type"; }
	mkdir "$mount"
	mount "$loop" "$mount"
	mounts+=("$mount")
	fio --name=verify --directory="$mount" --size=48M --bs=4k-64k --rw=randwrite --direct=1 --ioengine=libaio \
		--iodepth=8 --fsync=200 --verify=crc32c --verify_fatal=1 --output="$folder/fio" ||
		{ cat "$folder/fio"; fail "fio verify on $type"; }
	"$plumb" disk detach "$disk" 2>"$folder/busy" && fail "a mounted disk was detached"
	grep -q 'in use' "$folder/busy" || fail "no reason: $(cat "$folder/busy")"
	sha256sum "$mount"/verify* >"$folder/$type.sum"
	umount "$mount"
	check "$type"
	detach "$disk"
	attach "$disk"
	mount "$loop" "$mount"
	sha256sum --quiet -c "$folder/$type.sum" || fail "$type: contents changed"
	umount "$mount"
	detach "$disk"
	echo "$type $*: good"
}

one ext4 --model none
one xfs --volatile 16M
one btrfs --model intel-320
# 4096-byte sectors are what the kernel sees.
attach "$folder/sectors.disk" --size 64M --sector 4096
[ "$(blockdev --getss "$loop")" = 4096 ] || fail "sector of 4096 not passed on"
detach "$folder/sectors.disk"
