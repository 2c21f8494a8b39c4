#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Wrong use of embedded ZFS: each a clear message, exit 1, nothing left behind.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

# refused WORDS COMMAND...: the command fails with exit 1 and its message holds WORDS.
refused() {
	local words=$1 code
	shift
	"$@" >"$scratch/out" 2>&1
	code=$?
	[ $code = 1 ] || fail "'${*:2}' ended with $code: $(cat "$scratch/out")"
	grep -qi -- "$words" "$scratch/out" || fail "'${*:2}' says '$(cat "$scratch/out")', not '$words'"
}

truncate -s 1G "$scratch/a" "$scratch/b" "$scratch/c"
truncate -s 10M "$scratch/small"
head -c 1048576 /dev/urandom >"$scratch/noise"
truncate -s 1G "$scratch/noise"
refused 'No such file' "$plumb" zfs import -d "$scratch/none"
refused 'No such file' z create tank "$scratch/none"
refused 'in use' z create tank "$scratch/a" "$scratch/a"
refused 'no file in folder' "$plumb" zfs import -d "$mount"
refused 'small\|64' z create tank "$scratch/small"
refused 'at least 2' z create tank mirror "$scratch/a"
refused 'raidz1\|at least' z create tank raidz1 "$scratch/a"
refused 'at least' z create tank raidz3 "$scratch/a" "$scratch/b" "$scratch/c"
refused 'no devices' z create tank
refused 'name' z create 'ta%k' "$scratch/a"
refused 'name' z create mirror "$scratch/a"
refused 'recordsize' z create -O recordsize=5K tank "$scratch/a"
refused 'recordsize' z create -O recordsize=64M tank "$scratch/a"
refused 'compression' z create -O compression=zip tank "$scratch/a"
refused 'recordsiz' z create -O recordsiz=8K tank "$scratch/a"
refused 'ashift' z create -o ashift=30 tank "$scratch/a"
refused 'mount point' z create -m "$scratch/missing" tank "$scratch/a"
refused 'not empty' z create -m "$scratch" tank "$scratch/a"
refused 'special' z create tank "$scratch/a" special "$scratch/b"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after refusals"

z create -m "$mount" tank "$scratch/a" || die "create"
refused 'tank' z create tank "$scratch/b"
refused 'attached' z create other "$scratch/a"
refused 'recordsize' z set recordsize=5K tank
refused 'atime' z set atime=maybe tank
refused 'read-only\|read only' z set used=5G tank
refused 'nosuch' z set nosuch=1 tank
refused 'none' z get recordsize none
refused 'none' z destroy none
refused "no snapshot 'tank@none'" z destroy tank@none
refused 'no snapshot' z destroy tank/none@none
refused 'field' z get -o worth recordsize tank
refused 'in use' bash -c 'cd "$0" && exec "$@"' "$mount" "$plumb" zfs export tank
refused 'in use' bash -c 'cd "$0" && exec "$@"' "$mount" "$plumb" zfs destroy tank
mountpoint -q "$mount" || fail "a refused export or destroy unmounted"
refused 'none' z create tank/none/deep
z create tank/ds || fail "dataset"
refused 'already' z create tank/ds
refused 'none' z rollback tank/ds@none
z snapshot tank@s && refused 'already' z snapshot tank@s
mkdir "$scratch/full" && touch "$scratch/full/x"
refused 'not empty' z mount tank/ds "$scratch/full"
refused 'No such file' z mount tank/ds "$scratch/nowhere"
refused 'mounted' z mount tank "$mount"
refused 'mount point already' z mount tank/ds "$mount"
# A second daemon must not get the disk of the first.
refused 'attached' env PLUMB_ZFS_FOLDER="$scratch/run2" "$plumb" zfs import -f -d "$scratch/a"
z unmount tank && z export tank || fail "export"
refused 'tank\|other' z import -d "$scratch/a" other
refused 'pool' z create new "$scratch/a"
dd if=/dev/urandom of="$scratch/b" bs=1M count=4 conv=notrunc status=none
refused 'pool\|label' z import -d "$scratch/b"
refused 'pool\|label' z import -d "$scratch/noise"
z import -d "$scratch/a" >/dev/null && z destroy tank || fail "the pool is no longer usable"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after the last pool"

# A property's value of another type than the property's.
refused 'ashift' z create -o ashift=maybe tank "$scratch/c"
refused 'autotrim' z create -o autotrim=on tank "$scratch/c"
refused 'autotrim' z create -o autotrim=7 tank "$scratch/c"
refused 'copies' z create -O copies=4 tank "$scratch/c"
refused 'quota' z create -O quota=much tank "$scratch/c"
refused 'sync' z create -O sync=8K tank "$scratch/c"
z create -o autotrim=off tank "$scratch/c" && z destroy tank || fail "autotrim=off is what it is, but was refused"

# Parts of a pool: of two stripes one, of a raidz1 of three one; each with what the pool lacks.
parts=("$scratch"/part1 "$scratch"/part2 "$scratch"/part3)
truncate -s 128M "${parts[@]}"
z create tank "${parts[0]}" "${parts[1]}" && z export tank || fail "create two stripes"
refused 'missing' z import -d "${parts[0]}"
refused 'tank' z create other raidz1 "$scratch/c" "${parts[1]}"
z create -f tank raidz1 "${parts[@]}" && z export tank || fail "create raidz1"
refused 'missing' z import -d "${parts[2]}"
z import -d "${parts[0]}" -d "${parts[2]}" >/dev/null && z destroy tank || fail "a raidz1 with one disk missing"

# forge_feature DISK: rename a feature that must be known to read the pool, in each label, whose
# checksum is SHA-256 over the label's 112 KiB with the place it lies at instead of the checksum.
forge_feature() {
	local size at word digest
	size=$(stat -c %s "$1")
	for at in 0 262144 $((size - 524288)) $((size - 262144)); do
		at=$((at + 16384))
		dd if="$1" of="$scratch/label" bs=512 skip=$((at / 512)) count=224 status=none
		LC_ALL=C sed -i 's/com.delphix:hole_birth/com.delphix:hole_BIRTH/g' "$scratch/label"
		for word in $at 0 0 0; do little_endian "$(printf '%016x' "$word")"; done |
			dd of="$scratch/label" bs=1 seek=$((114688 - 32)) conv=notrunc status=none
		digest=$(sha256sum "$scratch/label" | cut -c 1-64)
		for word in 0 16 32 48; do little_endian "${digest:word:16}"; done |
			dd of="$scratch/label" bs=1 seek=$((114688 - 32)) conv=notrunc status=none
		dd if="$scratch/label" of="$1" bs=512 seek=$((at / 512)) conv=notrunc status=none
	done
}
little_endian() { # 16 hexadecimal digits
	local byte
	for byte in 14 12 10 8 6 4 2 0; do printf "\\x${1:byte:2}"; done
}
z create -f tank "${parts[0]}" && z export tank || fail "create what is to be forged"
forge_feature "${parts[0]}"
refused 'newer OpenZFS.*hole_BIRTH' z import -d "${parts[0]}"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after a pool of a newer OpenZFS"
# A label whose checksum is wrong does not count; one good one is enough.
z create -f tank "${parts[1]}" && z export tank || fail "create what is to be damaged"
for at in 0 1 510; do
	dd if=/dev/urandom of="${parts[1]}" bs=256K seek=$at count=1 conv=notrunc status=none
done
z import -d "${parts[1]}" >/dev/null && z export tank || fail "one good label of four was not enough"

# Without /dev/fuse: the pool can be had, its mount not. In a mount namespace of the test's own.
cat >"$scratch/no_fuse" <<'SH'
mkdir "$1/dev" && mount -t tmpfs none "$1/dev" && cp -a /dev/null /dev/zero /dev/urandom /dev/random "$1/dev" &&
	mount --move "$1/dev" /dev || exit 9
shift
"$@"
SH
without_fuse() { unshare --mount --propagation private bash "$scratch/no_fuse" "$scratch" "$@"; }
refused '/dev/fuse' without_fuse "$plumb" zfs create -f -m "$mount" tank "$scratch/c"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed where there is no /dev/fuse"
rmdir "$scratch/dev"
z create tank "$scratch/c" && z destroy tank || fail "create: the pool of a refused mount was left"

grep -q " $scratch" /proc/mounts && fail "left mounted: $(grep " $scratch" /proc/mounts)"
left=$(lsof -t "$scratch/a" "$scratch/b" "$scratch/c" "${parts[@]}" 2>/dev/null)
[ -z "$left" ] || fail "processes still have devices open: $left"
[ -e /etc/zfs/zpool.cache ] && [ -n "$(find /etc/zfs/zpool.cache -newer "$scratch/a" 2>/dev/null)" ] && fail "the system's zpool.cache was touched"
exit $failed
