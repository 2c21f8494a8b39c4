#!/bin/bash
# PostgreSQL on plumb-zfsd: initdb, pgbench, the daemon killed under load, log replay, PostgreSQL's
# recovery, every acknowledged commit there, zdb content with the pool.
# Arguments: plumb-zfsd zfsd_request.
set -u
zfsd=$1 request=$2

skip() {
	echo "SKIP: $*"
	exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root: the server's user must reach the mount"
[ -c /dev/fuse ] || skip "there is no /dev/fuse"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -x "$bin/initdb" ] || skip "PostgreSQL is not installed"
zdb=$(PATH=$PATH:/usr/sbin:/sbin command -v zdb) || skip "zdb is not installed"

scratch=$(mktemp -d /var/tmp/plumb-zfsd.XXXXXX) || exit 1
chmod 755 "$scratch"
mkdir -m 700 "$scratch/run"
mkdir -m 755 "$scratch/mnt"
mkdir -m 777 "$scratch/out"
daemon=''
bench=''
ledger=''

# pg_ctl waits for the postmaster's file only; it stands in the data directory a little longer.
wait_postmaster() {
	local pid
	pid=$(head -1 "$scratch/out/postmaster")
	while [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do sleep 0.02; done
	rm -f "$scratch/out/postmaster"
}
end_server() {
	local pid
	pid=$(head -1 "$scratch/out/postmaster" 2>/dev/null) || return
	# With its children: one that waits for a lock whose holder is dead would wait for ever.
	# shellcheck disable=SC2046 # a list of numbers
	[ -n "$pid" ] && kill -STOP "$pid" 2>/dev/null && kill -9 $(pgrep -P "$pid") "$pid" 2>/dev/null
	while [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do :; done
	rm -f "$scratch/out/postmaster"
}
clean() {
	[ -n "$bench" ] && kill "$bench" 2>/dev/null
	[ -n "$ledger" ] && kill "$ledger" 2>/dev/null
	[ -n "$daemon" ] && kill -9 "$daemon" 2>/dev/null
	end_server
	umount -l "$scratch/mnt" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$scratch"
}
trap clean EXIT
fail() {
	echo "FAIL: $*"
	tail -20 "$scratch/log" 2>/dev/null
	tail -20 "$scratch/out/server.log" 2>/dev/null
	exit 1
}
ask() {
	"$request" "$scratch/run/s" "$1" || fail "request $1"
}
as_user() {
	runuser -u nobody -- "$@"
}
start_daemon() {

	"$zfsd" --socket "$scratch/run/s" --log "$scratch/log" --arc-max 128M --workers 40 &
	daemon=$!
	for ((i = 0; i < 500; i++)); do
		"$request" "$scratch/run/s" '{"command":"ping"}' >/dev/null 2>&1 && return
		sleep 0.02
	done
	fail "the daemon does not answer"
}
mount_pool() {
	ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
}
start_server() {
	as_user "$bin/pg_ctl" -D "$scratch/mnt/pg/data" -l "$scratch/out/server.log" -w -t 120 start \
		>/dev/null || fail "the server does not start"
	cp "$scratch/mnt/pg/data/postmaster.pid" "$scratch/out/postmaster"
}
query() {
	as_user "$bin/psql" -h "$scratch/out" -p 5433 -d postgres -XAtqc "$1"
}

truncate -s 2G "$scratch/disk"
start_daemon
vdevs="[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}]"
properties='{"recordsize":"8K","compression":"lz4"}'
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":$vdevs,\"dataset_properties\":$properties}" \
	>/dev/null
mount_pool >/dev/null
mkdir "$scratch/mnt/pg"
chown nobody "$scratch/mnt/pg"
as_user "$bin/initdb" -D "$scratch/mnt/pg/data" -A trust -U nobody >/dev/null || fail initdb
cat >>"$scratch/mnt/pg/data/postgresql.conf" <<END
port = 5433
unix_socket_directories = '$scratch/out'
listen_addresses = ''
full_page_writes = off
shared_buffers = 32MB
max_connections = 20
END
start_server
as_user "$bin/pgbench" -h "$scratch/out" -p 5433 -i -q -s 3 postgres 2>"$scratch/out/load" || fail "pgbench -i"
query 'create table ledger (n int primary key)' || fail "create table"

: >"$scratch/out/acknowledged"
# A client that writes down outside what the server has acknowledged.
(n=0; while query "insert into ledger values ($((++n)))" 2>/dev/null; do echo "$n"; done) \
	>"$scratch/out/acknowledged" &
ledger=$!
as_user "$bin/pgbench" -h "$scratch/out" -p 5433 -c 4 -j 2 -T 60 postgres >/dev/null 2>&1 &
bench=$!
for ((i = 0; i < 1000; i++)); do
	[ "$(wc -l <"$scratch/out/acknowledged")" -ge 40 ] && break
	sleep 0.02
done
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
end_server
wait "$ledger" "$bench" 2>/dev/null
bench=''
ledger=''
umount -l "$scratch/mnt"
count=$(wc -l <"$scratch/out/acknowledged")
[ "$count" -ge 40 ] || fail "only $count inserts were acknowledged before the kill"

start_daemon
ask "{\"command\":\"import\",\"devices\":[\"$scratch/disk\"]}" >/dev/null
mount_pool >"$scratch/out/mounted"
grep -q '"records":0' "$scratch/out/mounted" && fail "nothing was replayed: $(cat "$scratch/out/mounted")"
rm -f "$scratch/mnt/pg/data/postmaster.pid" "$scratch"/out/.s.PGSQL.*
start_server
lost=$(query 'select n from ledger' | sort | comm -13 - <(sort "$scratch/out/acknowledged") | wc -l)
[ "$lost" = 0 ] || fail "$lost of $count acknowledged inserts are lost"
sums=$(query 'select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history)')
[ "$sums" = t ] || fail "balances and history differ"
as_user "$bin/pg_ctl" -D "$scratch/mnt/pg/data" -m fast -w stop >/dev/null || fail "the server does not stop"
wait_postmaster
ask '{"command":"shutdown"}' >/dev/null
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
"$zdb" -e -p "$scratch" -bcc tank >"$scratch/out/zdb" 2>&1 || fail "zdb: $(tail -5 "$scratch/out/zdb")"
grep -q 'No leaks' "$scratch/out/zdb" || fail "zdb: $(tail -5 "$scratch/out/zdb")"
echo "$count acknowledged inserts, $(grep -o '"records":[0-9]*' "$scratch/out/mounted") replayed"
