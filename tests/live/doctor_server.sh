#!/bin/bash
# plumb doctor on a running server with wrong settings: what it finds, its exit codes, its forms,
# and that its own fix script puts right what it complains of.
# shellcheck disable=SC2154 # variables of cluster.sh
. "$(dirname "$0")/../lib/cluster.sh"
test_begin "$@"

cluster_make "$scratch/a"
cat >>"$scratch/a/data/postgresql.conf" <<'END'
fsync = off
full_page_writes = off
random_page_cost = 4
max_connections = 50
END
cluster_start "$scratch/a"
connection=$(cluster_connection "$scratch/a")
cluster_sql "$scratch/a" "CREATE TABLE t AS SELECT generate_series(1, 200000) AS i; CHECKPOINT"
cluster_sql "$scratch/a" "ANALYZE t"

json=$(plumb doctor "$connection" --format json)
expect "exit code with dangers" 3 $?
ids=$(finding_ids <<<"$json")
expect_in "fsync=off is found" DUR03 "$ids"
expect_in "full_page_writes=off is found" DUR04 "$ids"
expect_in "no checksums is found" DUR10 "$ids"
expect_not_in "no ZFS rule fires here" DUR01 "$ids"
expect "worst first" DUR03 "$(head -n 1 <<<"$ids")"
expect_in "verdict" '"verdict": "torn page possible"' "$json"

plumb doctor "$connection" --fail-on never >/dev/null
expect "exit code with --fail-on never" 0 $?
plumb doctor "$connection" --nagios >"$scratch/nagios"
expect "nagios exit code" 2 $?
expect_in "nagios line" "DOCTOR CRITICAL - 2 danger" "$(cat "$scratch/nagios")"
expect "nagios prints one line" 1 "$(wc -l <"$scratch/nagios")"

# One screen; all of it with --verbose.
[ "$(plumb doctor "$connection" | wc -l)" -le 40 ] || fail "the summary is more than a screen"
long=$(plumb doctor "$connection" --verbose)
for word in why risk evidence source "undo  sql"; do expect_in verbose "$word" "$long"; done

# Facts that travel: judged elsewhere they give the same findings.
plumb doctor "$connection" --collect "$scratch/facts.json" || fail "--collect"
expect "facts file mode" 600 "$(stat -c %a "$scratch/facts.json")"
there=$(plumb doctor --facts "$scratch/facts.json" --format json | finding_ids)
expect "the same elsewhere" "$ids" "$there"
expect_not_in "no host name" "\"$(hostname)\"" "$(cat "$scratch/facts.json")"
expect_not_in "no relation name" '"name": "t"' "$(cat "$scratch/facts.json")"
expect_in "names on request" '"name": "t"' "$(plumb doctor "$connection" --names --collect -)"
html=$(plumb doctor --facts "$scratch/facts.json" --format html --fail-on never)
expect_in html "</html>" "$html"
expect_not_in "html asks nobody" "http" "$html"

# The write ledger sees what is written while it looks.
(for _ in 1 2 3 4; do
	cluster_sql "$scratch/a" "INSERT INTO t SELECT generate_series(1, 50000); CHECKPOINT"
done) &
ledger=$(plumb doctor "$connection" --seconds 2 --format json --fail-on never)
wait
expect_in "ledger has a WAL step" '"name": "WAL"' "$ledger"
expect_in "ledger has a device step" '"name": "device"' "$ledger"
wal=$(grep -B3 '"name": "WAL"' <<<"$ledger" | sed -nE 's/.*"bytes": ([0-9]+).*/\1/p' | head -n 1)
[ "${wal:-0}" -gt 1000000 ] || fail "ledger saw ${wal:-no} bytes of WAL"

# The fix script is plain shell, and does what it says.
plumb doctor "$connection" --fix-script --fail-on never >"$scratch/fix.sh"
sh -n "$scratch/fix.sh" || fail "the fix script is no shell script"
before=$(cluster_sql "$scratch/a" "SELECT string_agg(name || setting, ',') FROM pg_settings")
expect "printing changed nothing" "$before" \
	"$(cluster_sql "$scratch/a" "SELECT string_agg(name || setting, ',') FROM pg_settings")"
sed "s|^sql() .*|sql() { $bin/psql -X -q -v ON_ERROR_STOP=1 -h $scratch/a -U postgres -d postgres; }|" \
	"$scratch/fix.sh" >"$scratch/fix-here.sh"
chmod 755 "$scratch/fix-here.sh"
as_server sh "$scratch/fix-here.sh" >"$scratch/fix.out" 2>&1 || { cat "$scratch/fix.out"; fail "fix script"; }
sleep_until_reload() { # the postmaster reloads when its signal arrives
	for _ in $(seq 100); do
		[ "$(cluster_sql "$scratch/a" "SHOW fsync")" = on ] && return
		read -rt 0.1 <><(:) || true
	done
	fail "the reload never came"
}
sleep_until_reload
after=$(plumb doctor "$connection" --format json --fail-on never | finding_ids)
expect_not_in "fixed" DUR03 "$after"
expect_not_in "fixed" DUR04 "$after"

# A value from the command line: the fix says where it must be changed.
cluster_stop "$scratch/a"
cluster_start "$scratch/a" -c wal_recycle=off -c full_page_writes=off
expect_in "command line" "full_page_writes comes from the server's command line" \
	"$(plumb doctor "$connection" --verbose --fail-on never | tr -s '\n ' ' ')"

plumb doctor --connection "host=$scratch/nowhere" >/dev/null 2>"$scratch/error"
expect "no server" 1 $?
expect_in "no server" "nowhere" "$(cat "$scratch/error")"
plumb doctor --connection "host=$scratch/nowhere" --nagios >"$scratch/nagios"
expect "no server, nagios" 3 $?
expect_in "no server, nagios" "DOCTOR UNKNOWN" "$(cat "$scratch/nagios")"
