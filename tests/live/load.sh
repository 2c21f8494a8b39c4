#!/bin/bash
# The load driver: pgbench -i by part, COPY of a user's file, pg_restore of a user's dump, and files
# that are broken. Argument: driver_run.
set -u
run=$1
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT

failed=0
fail() {
	echo "$*"
	failed=1
}
play() { # NAME SETTINGS...
	local name=$1
	shift
	"$run" "$scratch/rig" load "$@" >"$scratch/$name" 2>"$scratch/$name.err" ||
		fail "$name: $(cat "$scratch/$name.err")"
}
has() { # NAME METRIC...
	local name=$1 metric
	shift
	for metric in "$@"; do
		grep -q "^sample run $metric " "$scratch/$name" || fail "$name: no $metric"
	done
}

play pgbench workload.scale=1 workload.foreign_keys=on
has pgbench load_s load_generate_s load_keys_s load_foreign_keys_s load_index_s load_vacuum_s \
	load_analyze_s cpu_client_user_ns cpu_client_system_ns
grep -q '^note 0 verified' "$scratch/pgbench" || fail "the accounts were not counted"

echo 'CREATE TABLE fruit (id int, name text);' >"$scratch/schema.sql"
printf 'id,name\n1,"pear, green"\n2,quince\n' >"$scratch/fruit.csv"
play copy workload.schema="$scratch/schema.sql" workload.copy="fruit=$scratch/fruit.csv"
has copy load_schema_s load_copy_s load_s

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
play dump workload.dump="$scratch/a.dump"
has dump load_restore_s load_s

head -c 300 "$scratch/a.dump" >"$scratch/cut.dump"
chmod 644 "$scratch/cut.dump"
"$run" "$scratch/rig" load workload.dump="$scratch/cut.dump" >"$scratch/out" 2>&1 && fail "a cut dump was loaded"
grep -q pg_restore "$scratch/out" || fail "the message does not name pg_restore: $(cat "$scratch/out")"
"$run" "$scratch/rig" load workload.copy='fruit=/nonexistent' >"$scratch/out" 2>&1 && fail "a missing file was loaded"
exit $failed
