#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# plumb doctor on PostgreSQL over plumb-zfsd: it is OpenZFS to it, not a foreign FUSE; properties,
# layout, record sizes and counters come from the daemon and the files.
# Arguments: plumb, folder of this script.
. "$2/zfsd_lib.sh"
doctor() { "$plumb" doctor --connection "host=$scratch/sock user=postgres dbname=postgres" --fail-on never "$@"; }
ids() { sed -nE '/"findings"/,/"memory_ledger"/s/^ *"id": "([A-Z0-9]+)".*/\1/p' "$scratch/answer"; }
look() { doctor --format json "$@" >"$scratch/answer" || die "plumb doctor"; }
found() { ids | grep -qx "$1" || fail "$1 is not found"; }
quiet() { ! ids | grep -qx "$1" || fail "$1 is found"; }
has() { grep -qF -- "$1" "$scratch/answer" || fail "no '$1' in the answer"; }

for disk in a b c; do truncate -s 1G "$scratch/$disk"; done
z create -o ashift=12 -O recordsize=8K -O sync=disabled -O compression=off tank raidz1 \
	"$scratch/a" "$scratch/b" "$scratch/c" || die "create"
z mount tank "$mount" || die "mount"
pg_init
pg_start
as_server pgbench -i -s 2 -q postgres >/dev/null 2>&1 || die "pgbench -i"

look
has '"class": "zfs-embedded"'
for id in DUR01 DUR06 LAY04 LAY11 LAY21 LAY22 LAY23 SYN16; do found $id; done
for id in DUR04 DUR08 DUR26 LAY01; do quiet $id; done
has '"text": "plumb zfs set sync=standard tank"'
has '"text": "plumb zfs set sync=disabled tank"'
has '"pool_kind": "raidz1 of 3 disks"'
has 'ARC limit of plumb-zfsd'

# Puts right what it says; files keep the record size they were born with.
z set sync=standard recordsize=32K compression=lz4 tank || die "set"
z snapshot tank@one || die "snapshot"
look --seconds 2
for id in DUR01 LAY04 LAY11 SYN16; do quiet $id; done
found LAY01
has '"asked": "32K"'
doctor --collect "$scratch/facts" || die "collect"
grep -q '"name": "one"' "$scratch/facts" || fail "the snapshot is not seen"
grep -qE '"record_bytes": 8192' "$scratch/facts" || fail "record sizes are not seen"

# A user who may not ask the daemon: said, and nothing about ZFS is called fine.
as_server "$plumb" doctor --connection "host=$scratch/sock dbname=postgres" --fail-on never \
	--verbose >"$scratch/answer" 2>&1 || {
	cp "$plumb" "$scratch/plumb-copy" && chmod 755 "$scratch/plumb-copy"
	as_server "$scratch/plumb-copy" doctor --connection "host=$scratch/sock dbname=postgres" \
		--fail-on never --verbose >"$scratch/answer" || fail "as the server's user"
}
tr -s '\n ' ' ' <"$scratch/answer" >"$scratch/words"
grep -qF "can't be asked" "$scratch/words" || fail "the daemon that can't be asked is not told"
grep -q 'DUR01' "$scratch/words" || fail "DUR01 is not among the skipped"
pg_stop
z unmount tank
z export tank
exit $failed
