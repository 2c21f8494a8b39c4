#!/bin/bash
# plumb doctor on a data directory whose server is down: control file, configuration files with
# includes, documented defaults for the rest; damaged folders are told, not guessed about.
# shellcheck disable=SC2154 # variables of cluster.sh
. "$(dirname "$0")/../lib/cluster.sh"
test_begin "$@"
cluster_make "$scratch/a" --data-checksums
data=$scratch/a/data
mkdir "$data/conf.d"
cat >>"$data/postgresql.conf" <<'END'
full_page_writes = on
shared_buffers = '256MB'   # later lines win
include_dir = 'conf.d'
include_if_exists 'nothing.conf'
primary_conninfo = 'host=db password=secret-word'
END
echo "full_page_writes off" >"$data/conf.d/10-fast.conf"
echo "wal_recycle = 'off'" >"$data/postgresql.auto.conf"

json=$(plumb doctor --data-directory "$data" --bin-directory "$bin" --format json)
expect "exit code" 3 $?
ids=$(finding_ids <<<"$json")
expect_in "the included file counts" DUR04 "$ids"
expect_not_in "checksums are in the control file" DUR10 "$ids"
expect_in "defaults are judged" SYN08 "$ids"
facts=$(plumb doctor --data-directory "$data" --bin-directory "$bin" --collect -)
expect_not_in "no password in the facts" secret-word "$facts"
expect_in "page size from the control file" '"block_size": 8192' "$facts"
expect_in "statistics are not made up" "the server was not asked" "$json"
expect_in "the source of a default is told" "documented default" "$facts"

# The same settings, asked of the running server, lead to the same dangers.
cluster_start "$scratch/a"
running=$(plumb doctor "$(cluster_connection "$scratch/a")" --format json --fail-on never | finding_ids)
expect "running and stopped agree on DUR" "$(grep '^DUR' <<<"$running" | sort)" "$(grep '^DUR' <<<"$ids" | sort)"
cluster_stop "$scratch/a"

echo "this is no setting at all = = '" >>"$data/postgresql.conf"
broken=$(plumb doctor --data-directory "$data" --bin-directory "$bin" --verbose --fail-on never | tr -s '\n ' ' ')
expect_in "broken file is named" "postgresql.conf:" "$broken"
expect_not_in "and its text is not" "no setting at all" "$broken"
: >"$data/global/pg_control"
expect_in "damaged control file" "pg_control" \
	"$(plumb doctor --data-directory "$data" --bin-directory "$bin" --verbose --fail-on never | tr -s '\n ' ' ')"
plumb doctor --data-directory "$scratch/none" --format json >"$scratch/none.json"
expect "no such folder: nothing found" 0 $?
expect_in "no such folder: said" "PG_VERSION can't be read" "$(cat "$scratch/none.json")"
plumb doctor --data-directory "$scratch/none" --nagios >/dev/null
expect "no such folder: unknown for monitoring" 3 $?
