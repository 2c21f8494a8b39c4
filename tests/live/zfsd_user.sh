#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb, bindir, data and failed are set by zfsd_lib.sh
# Embedded ZFS as a plain user: no allow_other and no default_permissions on the mount, nobody else
# gets in, root neither; initdb, a server and pgbench run there; two servers can't share the data
# directory; unmount and export as that user. Without fusermount3: a clear error, nothing left.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

# The build folder may be out of the user's reach.
mkdir -p "$scratch/bin/zfsd" "$scratch/sock"
cp "$plumb" "$scratch/bin/plumb"
cp "${PLUMB_ZFSD:-$(dirname "$plumb")/zfsd/plumb-zfsd}" "$scratch/bin/zfsd/plumb-zfsd"
unset PLUMB_ZFSD
install -d -o postgres -m 700 "$scratch/run" "$scratch/pool" "$scratch/cache"
export XDG_CACHE_HOME=$scratch/cache
chown postgres: "$mount" "$scratch/sock"
as_user() { (cd / && as_server "$@"); }
z() { as_user "$scratch/bin/plumb" zfs "$@"; }
as_user truncate -s 1G "$scratch/pool/a"

unshare --mount --propagation private bash -c 'mount --bind /dev/null "$(command -v fusermount3)" && shift && "$@"' - - \
	setpriv --reuid=postgres --regid=postgres --init-groups env PLUMB_ZFS_FOLDER="$PLUMB_ZFS_FOLDER" \
	"$scratch/bin/plumb" zfs create -m "$mount" tank "$scratch/pool/a" >"$scratch/out" 2>&1
[ $? = 1 ] && grep -q 'fusermount3.*not installed' "$scratch/out" || fail "without fusermount3: $(cat "$scratch/out")"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed where there is no fusermount3"

z create -O recordsize=8K -O compression=lz4 -m "$mount" tank "$scratch/pool/a" || die "create"
[ "$(ps -o user= -p "$(zfsd_pid)")" = postgres ] || fail "the daemon is not the user's: $(ps -o user= -p "$(zfsd_pid)")"
options=$(awk -v m="$mount" '$2 == m { print $4 }' /proc/mounts)
[ -n "$options" ] || die "nothing is mounted on $mount"
case ,$options, in *,allow_other,* | *,default_permissions,*) fail "mount options of a plain user: $options" ;; esac
stat "$mount/." >/dev/null 2>&1 && fail "root gets in"
setpriv --reuid=nobody --regid=nogroup --clear-groups stat "$mount/." >/dev/null 2>&1 && fail "another user gets in"

as_user initdb -D "$data" -A trust --locale=C >"$scratch/initdb.log" 2>&1 || die "initdb: $(tail -n 5 "$scratch/initdb.log")"
settings="-c listen_addresses='' -c unix_socket_directories=$scratch/sock -c shared_buffers=32MB -c full_page_writes=off"
as_user pg_ctl -D "$data" -l "$scratch/sock/server.log" -w -t 120 -o "$settings" start >/dev/null ||
	die "the server did not start: $(tail -n 15 "$scratch/sock/server.log")"
as_user head -n 1 "$data/postmaster.pid" >"$scratch/postmaster.pid"
as_user pgbench -i -q -s 1 postgres >/dev/null 2>&1 || fail "pgbench -i"
as_user pgbench -c 4 -j 2 -t 50 postgres >"$scratch/pgbench" 2>&1 || fail "pgbench: $(tail -n 3 "$scratch/pgbench")"
[ "$(cd / && sql 'SELECT sum(abalance) = (SELECT sum(delta) FROM pgbench_history) FROM pgbench_accounts')" = t ] ||
	fail "balances and history differ"
as_user pg_ctl -D "$data" -o "$settings -c port=5433" -w start >"$scratch/second" 2>&1 &&
	fail "a second server started on the same data directory"
z unmount tank >"$scratch/out" 2>&1 && fail "a mount in use was unmounted"
as_user pg_ctl -D "$data" -m fast -w -t 120 stop >/dev/null || fail "the server does not stop"
wait_gone "$(cat "$scratch/postmaster.pid")" # it stands in the data directory a little longer than its file
z unmount tank && z export tank || die "unmount, export"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after the export"
grep -q " $mount " /proc/mounts && fail "the mount stayed"
zdb -e -p "$scratch/pool" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
