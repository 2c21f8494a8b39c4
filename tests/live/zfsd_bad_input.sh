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
refused 'busy\|mounted' z export tank
refused 'none' z create tank/none/deep
z create tank/ds || fail "dataset"
refused 'already' z create tank/ds
refused 'none' z rollback tank/ds@none
z snapshot tank@s && refused 'already' z snapshot tank@s
mkdir "$scratch/full" && touch "$scratch/full/x"
refused 'not empty' z mount tank/ds "$scratch/full"
refused 'No such file' z mount tank/ds "$scratch/nowhere"
refused 'mounted' z mount tank "$mount"
# A second daemon must not get the disk of the first.
refused 'attached' env PLUMB_ZFS_FOLDER="$scratch/run2" "$plumb" zfs import -f -d "$scratch/a"
z unmount tank && z export tank || fail "export"
refused 'tank\|other' z import -d "$scratch/a" other
refused 'pool' z create new "$scratch/a"
dd if=/dev/urandom of="$scratch/b" bs=1M count=4 conv=notrunc status=none
refused 'pool\|label' z import -d "$scratch/b"
refused 'pool\|label' z import -d "$scratch/noise"
PATH=$scratch:$PATH
z import -d "$scratch/a" >/dev/null && z destroy tank || fail "the pool is no longer usable"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after the last pool"
[ -e /etc/zfs/zpool.cache ] && [ -n "$(find /etc/zfs/zpool.cache -newer "$scratch/a" 2>/dev/null)" ] && fail "the system's zpool.cache was touched"
exit $failed
