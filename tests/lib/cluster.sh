# shellcheck shell=bash
# Private PostgreSQL servers and filesystems for live tests: sourced by a test, which calls
# test_begin first. Everything lies in $scratch and is taken down on any exit.
#
#	. "$(dirname "$0")/../lib/cluster.sh"
#	test_begin "$@"                    # $1: the plumb program
#	cluster_start "$scratch/a" -c fsync=off
#	plumb doctor $(cluster_connection "$scratch/a")
set -u
export LC_ALL=C
scratch=
failures=0
bin= # folder of the server's programs
clusters=()
mounts=()
loops=()

test_begin() {
	plumb_program=$(readlink -f "${1:?which plumb: build/src/plumb}") || exit 1
	scratch=$(mktemp -d /var/tmp/plumb-test.XXXXXX) || exit 1
	chmod 755 "$scratch"
	trap test_end EXIT
	trap 'exit 130' INT TERM
	bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
	[ -n "$bin" ] || bin=$(pg_config --bindir 2>/dev/null)
	[ -x "$bin/postgres" ] || test_skip "no PostgreSQL server is installed"
}
plumb() { "$plumb_program" "$@"; }
test_skip() { printf 'SKIP: %s\n' "$*"; exit 77; }
fail() { printf 'FAIL: %.1500s\n' "$*"; failures=$((failures + 1)); }
# expect WHAT WANTED GOT
expect() { [ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"; }
expect_in() { grep -qF -- "$2" <<<"$3" || fail "$1: no '$2' in: $3"; }
expect_not_in() { ! grep -qF -- "$2" <<<"$3" || fail "$1: '$2' in: $3"; }

test_end() {
	local status=$? one
	trap - EXIT
	for one in "${clusters[@]:-}"; do
		[ -z "$one" ] || as_server "$bin/pg_ctl" -D "$one" -m immediate -w stop >/dev/null 2>&1
	done
	for one in "${mounts[@]:-}"; do
		[ -z "$one" ] || umount "$one" 2>/dev/null || umount -l "$one" 2>/dev/null
	done
	for one in "${loops[@]:-}"; do
		[ -z "$one" ] || losetup -d "$one" 2>/dev/null
	done
	[ -z "$scratch" ] || rm -rf --one-file-system "$scratch"
	[ "$status" = 0 ] && [ "$failures" != 0 ] && status=1
	exit "$status"
}

# As root the server's programs run as the user postgres.
as_server() {
	if [ "$(id -u)" = 0 ]; then
		(cd / && runuser -u postgres -- "$@")
	else
		"$@"
	fi
}

# cluster_make FOLDER [initdb option ...]: not started
cluster_make() {
	local folder=$1
	shift
	mkdir -p "$folder"
	[ "$(id -u)" != 0 ] || chown postgres "$folder"
	as_server "$bin/initdb" -D "$folder/data" -A trust -U postgres --no-sync "$@" \
		>"$scratch/initdb.log" 2>&1 || { cat "$scratch/initdb.log"; fail initdb; exit 1; }
}
# cluster_start FOLDER [server option ...]: makes it if need be
cluster_start() {
	local folder=$1
	shift
	[ -d "$folder/data" ] || cluster_make "$folder"
	clusters+=("$folder/data")
	as_server "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 \
		-o "-c listen_addresses='' -k $folder $*" start >/dev/null ||
		{ cat "$folder/log"; fail "server does not start"; exit 1; }
}
cluster_stop() { as_server "$bin/pg_ctl" -D "$1/data" -m fast -w stop >/dev/null; }
cluster_connection() { echo "--connection=host=$1 user=${2:-postgres} dbname=postgres"; }
cluster_sql() { # FOLDER SQL
	as_server "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$1" -U postgres -d postgres -c "$2"
}

# loop_mount TYPE SIZE FOLDER [mkfs option ...] -- [mount options]
loop_mount() {
	local type=$1 size=$2 folder=$3 loop options=()
	shift 3
	while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
	[ $# = 0 ] || shift
	[ "$(id -u)" = 0 ] || test_skip "needs root for loop mounts"
	truncate -s "$size" "$folder.img"
	"mkfs.$type" -q "${options[@]}" "$folder.img" >/dev/null || { fail "mkfs.$type"; exit 1; }
	loop=$(losetup --find --show "$folder.img") || { fail losetup; exit 1; }
	loops+=("$loop")
	mkdir -p "$folder"
	mount -t "$type" ${1:+-o "$1"} "$loop" "$folder" || { fail "mount $type"; exit 1; }
	mounts+=("$folder")
}

# Ids of the findings in doctor's JSON on stdin, one a line.
finding_ids() { sed -nE '/"findings"/,/"memory_ledger"|"quiet_count"/s/^ *"id": "([A-Z0-9]+)".*/\1/p'; }
