#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Random file operations against a copy in memory, with remounts and kills of the daemon between
# them, at a record size that makes many blocks; then fio with checksums over mixed sizes.
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
pid=\$(pgrep -f -- '--socket $scratch/run/socket' | head -n 1)
kill -9 \$pid
while kill -0 \$pid 2>/dev/null && [ "\$(ps -o stat= -p \$pid | cut -c1)" != Z ]; do sleep 0.05; done
umount -l '$mount'
rm -f '$scratch/run/socket'
'$plumb' zfs import -f -d '$scratch/a' >/dev/null && '$plumb' zfs mount tank '$mount'
SH
"$stress" "$mount/file" "$seed" "$operations" "$scratch/remount" "$scratch/kill" || fail "file_stress, seed $seed"
cd "$scratch" && fio --name=verify --filename="$mount/fio" --size=64m --rw=randrw --bsrange=512-128k --verify=crc32c \
	--verify_fatal=1 --fsync=50 --ioengine=psync --minimal >"$scratch/fio" 2>&1 || fail "fio: $(tail -n 5 "$scratch/fio")"
z unmount tank && z export tank
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
