#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb, data and failed are set by zfsd_lib.sh
# A server whose filesystem is full gets ENOSPC as ENOSPC: the statement fails with SQLSTATE 53100, the
# server lives on and can read and drop; the space comes back and it can write again.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

truncate -s 512M "$scratch/a"
# Uncompressed: zeros, which PostgreSQL extends files with, would else take no space.
z create -O recordsize=8K -O compression=off -m "$mount" tank "$scratch/a" || exit 1
pg_init
pg_start
sql "CREATE TABLE kept AS SELECT n, md5(n::text) AS text FROM generate_series(1, 20000) n" || die "load"
# Unlogged: what runs out is to be the table's space, not that of the log, which PostgreSQL must PANIC for.
sql "CREATE UNLOGGED TABLE filler (t text)" && sql CHECKPOINT || die "table"
free_mib() { df --output=avail -m "$mount" | tail -n 1; }
dd if=/dev/urandom of="$mount/ballast" bs=1M count=$(($(free_mib) - 60)) conv=fsync status=none || die "ballast"
fill="INSERT INTO filler SELECT repeat(md5(n::text), 30) FROM generate_series(1, 500000) n"
as_server psql -X -q -v VERBOSITY=verbose postgres -c "$fill" >"$scratch/fill" 2>&1 && fail "500 MB went onto a filesystem with 60"
grep -q '53100.*No space left on device' "$scratch/fill" || fail "not 53100: $(head -n 3 "$scratch/fill")"
[ "$(sql "SELECT count(*) FROM kept WHERE text = md5(n::text)")" = 20000 ] || fail "the server does not read on a full filesystem"
grep -qE 'PANIC|terminated by signal' "$scratch/sock/server.log" && fail "the server broke: $(grep -E 'PANIC|terminated' "$scratch/sock/server.log")"
rm "$mount/ballast" || fail "a full filesystem can't be emptied"
sql "DROP TABLE filler" && sql CHECKPOINT || fail "drop"
# ZFS frees in the background, some transaction groups later: wait for the space, not for a time.
deadline=$((SECONDS + 60))
while [ "$(free_mib)" -lt 200 ]; do
	[ $SECONDS -lt $deadline ] || die "the space did not come back in 60 s"
	sleep 0.2
done
sql "INSERT INTO kept SELECT n, md5(n::text) FROM generate_series(20001, 100000) n" && sql CHECKPOINT || fail "not writable after it was emptied"
pg_stop
pg_start
[ "$(sql "SELECT count(*) FROM kept WHERE text = md5(n::text)")" = 100000 ] || fail "rows are missing"
pg_stop
z unmount tank && z export tank || die "export"
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
