#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Random file operations against a copy in memory, with remounts and kills of the daemon between
# them, at a record size that makes many blocks; then fio with checksums over mixed sizes and truncates.
# Arguments: plumb, file_stress, this folder, operations, seed.
. "$3/zfsd_lib.sh"
stress=$2
operations=${4:-60000}
seed=${5:-1}

truncate -s 1G "$scratch/a"
z create -O recordsize=8K -O compression=lz4 -m "$mount" tank "$scratch/a" || exit 1
cat >"$scratch/remount" <<SH
set -e
'$plumb' zfs unmount tank && '$plumb' zfs export tank
'$plumb' zfs import -d '$scratch/a' >/dev/null && '$plumb' zfs mount tank '$mount'
SH
cat >"$scratch/kill" <<SH
$(declare -f wait_gone)
pid=\$(pgrep -f -- '--socket $scratch/run/socket' | head -n 1)
kill -9 \$pid
wait_gone \$pid
umount -l '$mount'
rm -f '$scratch/run/socket'
'$plumb' zfs import -f -d '$scratch/a' >/dev/null && '$plumb' zfs mount tank '$mount'
SH
"$stress" "$mount/file" "$seed" "$operations" "$scratch/remount" "$scratch/kill" || fail "file_stress, seed $seed"
cd "$scratch" && fio --name=verify --filename="$mount/fio" --size=64m --rw=randrw --bsrange=512-128k --verify=crc32c \
	--verify_fatal=1 --fsync=50 --ioengine=psync --minimal >"$scratch/fio" 2>&1 || fail "fio: $(tail -n 5 "$scratch/fio")"

# Files written in requests of a size that no block has, cut, grown again, and the daemon killed: what is
# left has its checksums, what was grown is zeros.
part() { # FILE REQUEST SIZE FIO-OPTION...
	fio --name=part --filename="$1" --bs="$2" --size="$3" --rw=write --verify=crc32c --verify_fatal=1 --fallocate=none \
		--ioengine=psync --minimal "${@:4}" >"$scratch/fio" 2>&1 || fail "fio $*: $(tail -n 5 "$scratch/fio")"
}
rows='512 65536 512
1000 700000 351000
5120 3000320 1024000
8192 4194304 65536
70000 7000000 490000
131072 16777216 1048576
1000000 20000000 19000000'
while read -r request size cut; do
	part "$mount/part-$request" "$request" "$size" --fsync=7
	truncate -s "$cut" "$mount/part-$request" || fail "truncate"
	part "$mount/part-$request" "$request" "$cut" --verify_only
	truncate -s "$size" "$mount/part-$request" || fail "truncate"
	sync "$mount/part-$request" || fail "sync"
done <<<"$rows"
bash "$scratch/kill" || die "kill, import, mount"
while read -r request size cut; do
	part "$mount/part-$request" "$request" "$cut" --verify_only
	[ "$(stat -c %s "$mount/part-$request")" = "$size" ] || fail "part-$request: $(stat -c %s "$mount/part-$request") bytes, not $size"
	cmp -s -n $((size - cut)) -i "$cut:0" "$mount/part-$request" /dev/zero || fail "part-$request: not zeros where it was grown"
done <<<"$rows"
z unmount tank && z export tank
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
