#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb, data and failed are set by zfsd_lib.sh
# A server whose filesystem is full gets ENOSPC as ENOSPC: the statement fails with SQLSTATE 53100, the
# server lives on, the space comes back and it can write again. What is full is a tablespace on a pool of its
# own: where the write-ahead log has no space PostgreSQL ends itself, and copy on write needs some for it always.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"
space=$scratch/space
trap 'umount -l "$space" 2>/dev/null; cleanup' EXIT

truncate -s 1G "$scratch/a"
truncate -s 256M "$scratch/b"
mkdir "$space"
z create -O recordsize=8K -O compression=lz4 -m "$mount" tank "$scratch/a" || exit 1
# Uncompressed: zeros, which PostgreSQL extends files with, would else take no space.
z create -O recordsize=8K -O compression=off -m "$space" small "$scratch/b" || exit 1
install -d -o postgres -m 700 "$space/ts"
pg_init
pg_start
sql "CREATE TABLESPACE small LOCATION '$space/ts'" || die "tablespace"
sql "CREATE TABLE kept TABLESPACE small AS SELECT n, md5(n::text) AS text FROM generate_series(1, 20000) n" || die "load"
sql "CREATE UNLOGGED TABLE filler (t text) TABLESPACE small" && sql CHECKPOINT || die "table"
free_mib() { df --output=avail -m "$space" | tail -n 1; }
dd if=/dev/urandom of="$space/ballast" bs=1M count=$(($(free_mib) - 60)) conv=fsync status=none || die "ballast"
fill="INSERT INTO filler SELECT repeat(md5(n::text), 30) FROM generate_series(1, 500000) n"
as_server psql -X -q -v VERBOSITY=verbose postgres -c "$fill" >"$scratch/fill" 2>&1 && fail "500 MB went onto a filesystem with 60"
grep -q '53100.*No space left on device' "$scratch/fill" || fail "not 53100: $(head -n 3 "$scratch/fill")"
[ "$(sql 'SELECT 1')" = 1 ] || fail "the server does not answer with a full tablespace"
rm "$space/ballast" || fail "a full filesystem can't be emptied"
# ZFS frees in the background, some transaction groups later: wait for the space, not for a time.
wait_for_space() { # MIB
	local deadline=$((SECONDS + 60))
	while [ "$(free_mib)" -lt "$1" ]; do
		[ $SECONDS -lt $deadline ] || die "$1M did not become free in 60 s: $(free_mib)M"
		sleep 0.2
	done
}
wait_for_space 40
sql "DROP TABLE filler" && sql CHECKPOINT || fail "drop"
wait_for_space 100
[ "$(sql "SELECT count(*) FROM kept WHERE text = md5(n::text)")" = 20000 ] || fail "rows are missing"
sql "INSERT INTO kept SELECT n, md5(n::text) FROM generate_series(20001, 100000) n" && sql CHECKPOINT || fail "not writable after it was emptied"
grep -qE 'PANIC|terminated by signal' "$scratch/sock/server.log" && fail "the server broke: $(grep -E 'PANIC|terminated' "$scratch/sock/server.log")"
pg_stop
pg_start
[ "$(sql "SELECT count(*) FROM kept WHERE text = md5(n::text)")" = 100000 ] || fail "rows are missing after a restart"
pg_stop
z unmount small && z unmount tank && z export small && z export tank || die "export"
mkdir "$scratch/alone" && mv "$scratch/b" "$scratch/alone"
zdb -e -p "$scratch/alone" -bcc small >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
