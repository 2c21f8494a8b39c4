# Sourced by the live tests of embedded ZFS: a scratch folder, a daemon of the test's own, the life
# of a private PostgreSQL on it. Everything goes at exit, whatever happened.
set -u
plumb=$(realpath "$1") # tests change their folder
scratch=$(mktemp -d /var/tmp/plumb-zfs.XXXXXX) || exit 1
chmod 755 "$scratch"
mount=$scratch/mnt
mkdir "$mount"
export PLUMB_ZFS_FOLDER=$scratch/run
failed=0

if [ ! -x "${PLUMB_ZFSD:-$(dirname "$plumb")/zfsd/plumb-zfsd}" ]; then
	echo "SKIP: plumb-zfsd was not built (libzfslinux-dev 2.3 is missing)"
	rm -rf "$scratch"
	exit 77
fi

fail() {
	echo "FAIL: $*"
	failed=1
}
die() {
	echo "FAIL: $*"
	tail -n 20 "$scratch/run/plumb-zfsd.log" 2>/dev/null
	exit 1
}
z() { "$plumb" zfs "$@"; }
zfsd_pid() { pgrep -f -- "--socket $scratch/run/socket" | head -n 1; }

# Wait until a killed process has gone: nobody may have taken leave of it yet, and while its first thread is
# a zombie others may still hold its locks and files.
wait_gone() {
	local threads
	while kill -0 "$1" 2>/dev/null; do
		threads=("/proc/$1/task"/*)
		[ ${#threads[@]} -gt 1 ] || [ "$(ps -o stat= -p "$1" | cut -c1)" != Z ] || return 0
		sleep 0.05
	done
}

# kill -9 of the daemon, and the dead mount taken away.
kill_daemon() {
	local pid
	pid=$(zfsd_pid)
	[ -n "$pid" ] || return 0
	kill -9 "$pid"
	wait_gone "$pid"
	umount -l "$mount" 2>/dev/null
	rm -f "$scratch/run/socket"
}

# --- PostgreSQL on the mount ---
bindir=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
data=$mount/pg/data
as_server() { setpriv --reuid=postgres --regid=postgres --init-groups env PGHOST="$scratch/sock" PATH="$bindir:$PATH" "$@"; }
pg_init() {
	mkdir -p "$mount/pg" "$scratch/sock"
	chown postgres: "$mount/pg" "$scratch/sock"
	chmod 700 "$mount/pg"
	as_server initdb -D "$data" -A trust --locale=C >"$scratch/initdb.log" 2>&1 || die "initdb: $(tail -n 5 "$scratch/initdb.log")"
	cat >>"$data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$scratch/sock'
full_page_writes = off
wal_init_zero = off
shared_buffers = 32MB
checkpoint_timeout = 30s
restart_after_crash = off
CONF
}
pg_start() {
	as_server pg_ctl -D "$data" -l "$scratch/sock/server.log" -w -t 120 start >/dev/null ||
		die "the server did not start: $(tail -n 15 "$scratch/sock/server.log")"
}
# Until the postmaster has gone: pg_ctl waits for its file only, and it stands in the data directory a
# little longer.
pg_stop() {
	local pid
	pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null)
	as_server pg_ctl -D "$data" -m fast -w -t 120 stop >/dev/null 2>&1 || return
	wait_gone "$pid"
}
# kill -9 of a postmaster and its children at once. The children alone would not do: a backend that
# waits for a lock whose holder is dead waits for ever once nobody is there to end it.
kill_server() { # PID
	local pid
	kill -STOP "$1" 2>/dev/null || return 0
	for pid in $(pgrep -P "$1") "$1"; do
		kill -9 "$pid" 2>/dev/null
		wait_gone "$pid"
	done
}
sql() { as_server psql -X -q -A -t -v ON_ERROR_STOP=1 postgres -c "$1"; }

cleanup() {
	local pid
	pid=$(cat "$scratch/postmaster.pid" 2>/dev/null || head -n 1 "$data/postmaster.pid" 2>/dev/null)
	[ -n "$pid" ] && kill_server "$pid"
	jobs -p | xargs -r kill 2>/dev/null
	wait 2>/dev/null
	pid=$(zfsd_pid)
	if [ -n "$pid" ]; then
		kill -9 "$pid"
		wait_gone "$pid"
	fi
	while umount -l "$mount" 2>/dev/null; do :; done
	[ -d "$scratch/ext4" ] && umount "$scratch/ext4" 2>/dev/null
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
