#!/bin/bash
# The load driver: pgbench -i by part, COPY of a user's file, pg_restore of a user's dump, and files
# that are broken. Argument: driver_run.
# shellcheck disable=SC2154 # scratch, failed and the words come from driver.sh
set -u
. "$(dirname "$0")/../lib/driver.sh"

play pgbench load workload.scale=1 workload.foreign_keys=on
has pgbench load_s load_generate_s load_keys_s load_foreign_keys_s load_index_s load_vacuum_s \
	load_analyze_s cpu_client_user_ns cpu_client_system_ns
grep -q '^note 0 verified' "$scratch/pgbench" || fail "the accounts were not counted"

echo 'CREATE TABLE fruit (id int, name text);' >"$scratch/schema.sql"
printf 'id,name\n1,"pear, green"\n2,quince\n' >"$scratch/fruit.csv"
play copy load workload.schema="$scratch/schema.sql" workload.copy="fruit=$scratch/fruit.csv"
has copy load_schema_s load_copy_s load_s
grep -q '^fact load.rows 2' "$scratch/copy" || fail "the rows of the copy were not counted"
# Paths count from where plumb was started, not from the folder that the programs run in.
cd "$scratch" || exit 1
play relative load workload.schema=schema.sql workload.copy=fruit=fruit.csv
cd / || exit 1
has relative load_schema_s load_copy_s load_s
echo 'id,name' >"$scratch/none.csv"
refused 'no row' load workload.schema="$scratch/schema.sql" workload.copy="fruit=$scratch/none.csv"

# A dump made by hand in the plain form of pg_restore's folder format would be a copy of a format:
# take one from a server instead, through psql's own environment of driver_run's kind.
bindir=$(pg_config --bindir)
[ -x "$bindir/pg_dump" ] || bindir=$(dirname "$(ls -1 /usr/lib/postgresql/*/bin/pg_dump | tail -1)")
data=$scratch/server
user=$([ "$(id -u)" = 0 ] && echo "runuser -u postgres --")
install -d ${user:+-o postgres} -m 700 "$data"
(
	cd /
	$user "$bindir/initdb" -D "$data/d" -U postgres >/dev/null 2>&1
	$user "$bindir/pg_ctl" -D "$data/d" -w -l "$data/log" \
		-o "-c listen_addresses='' -k $data" start >/dev/null
	$user "$bindir/psql" -qh "$data" -U postgres -c 'CREATE TABLE a AS SELECT generate_series(1, 1000) n'
	$user "$bindir/pg_dump" -Fc -h "$data" -U postgres postgres
	$user "$bindir/pg_ctl" -D "$data/d" -m immediate stop >/dev/null
) >"$scratch/a.dump"
chmod 644 "$scratch/a.dump"
play dump load workload.dump="$scratch/a.dump"
has dump load_restore_s load_s

head -c 300 "$scratch/a.dump" >"$scratch/cut.dump"
chmod 644 "$scratch/cut.dump"
refused pg_restore load workload.dump="$scratch/cut.dump"
refused /nonexistent load workload.copy='fruit=/nonexistent'
exit $failed
