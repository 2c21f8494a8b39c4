#!/bin/bash
# plumb doctor where it may not see: a role without rights, a folder it can't read, a server on
# another machine. What is not seen is said, with the rules, and is never counted as fine.
# shellcheck disable=SC2154 # variables of cluster.sh
. "$(dirname "$0")/../lib/cluster.sh"
test_begin "$@"
cluster_start "$scratch/a" -c full_page_writes=off
cluster_sql "$scratch/a" "CREATE ROLE nobody_special LOGIN"
connection=$(cluster_connection "$scratch/a" nobody_special)

json=$(plumb doctor "$connection" --format json)
expect "nothing is found where nothing is seen" 0 $?
expect_in "the folder is not told" "the server does not tell this role its data directory" "$json"
skipped=$(sed -n '/"skipped"/,$p' <<<"$json")
for id in DUR01 DUR04 DUR26 LAY18; do expect_in "skipped" "\"id\": \"$id\"" "$skipped"; done
expect_in "settings it may see are judged" '"id": "DUR10"' "$(sed -n '/"findings"/,/"memory_ledger"/p' <<<"$json")"
text=$(plumb doctor "$connection" | tr -s '\n ' ' ')
expect_in "text says it" "skipped" "$text"
expect_in "safety can't be told" "could not be judged" "$text"
plumb doctor "$connection" --nagios >"$scratch/nagios"
expect "nagios: cost found, dangers not judged" 1 $?

# With the folder named, the machine's part is seen and the danger with it.
plumb doctor "$connection" --data-directory "$scratch/a/data" --format json >"$scratch/named"
expect "named folder" 3 $?
expect_in "named folder" DUR04 "$(finding_ids <"$scratch/named")"

# As another user of the system: the folder exists but can't be read.
if [ "$(id -u)" = 0 ]; then
	cp "$plumb_program" "$scratch/plumb"
	chmod 755 "$scratch/plumb"
	text=$(cd / && runuser -u nobody -- "$scratch/plumb" doctor \
		"$(cluster_connection "$scratch/a")" --verbose --fail-on never | tr -s '\n ' ' ')
	expect_in "no permission is said" "Permission denied" "$text"
	expect_in "and which rules it costs" "DUR09" "$text"
	expect_in "the mount is seen all the same" "DUR04" "$text"
fi

# Where the server's processes are not to be seen, the machine is not the server's: what lies there
# under the same names must not be judged.
if [ "$(id -u)" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
	json=$(unshare --pid --fork --mount-proc "$plumb_program" doctor \
		"$(cluster_connection "$scratch/a")" --format json --fail-on never)
	expect_in "another machine" "the server runs on another machine" "$json"
	expect_not_in "nothing of this machine" '"class": "ext4"' "$json"
	expect_in "its own settings are judged" '"id": "DUR10"' "$(sed -n '/"findings"/,/"memory_ledger"/p' <<<"$json")"
fi

# Statements that take too long are given up one by one.
cluster_sql "$scratch/a" "ALTER ROLE nobody_special SET statement_timeout = 1"
timeout 60 "$plumb_program" doctor "$connection" >/dev/null || fail "a slow server stops the doctor"
