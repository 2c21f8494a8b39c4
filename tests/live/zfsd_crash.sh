#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Kills of the daemon under load, again and again: PostgreSQL under pgbench with 4 clients, a ledger
# of acknowledged commits kept outside, and four processes that create, rename, unlink, truncate and
# append. After each kill: import, replay, mount; the server starts, every acknowledged commit is
# there, the four folders are in a state that they may be in; zdb finds no leak and no bad checksum.
# Modes: kill (the host keeps what was written), cut (what was not flushed is lost, as in a power
# cut), lie (a disk whose flushes do nothing) and noflush (a daemon that asks for none): both must be
# convicted, or this test could not fail.
# Arguments: plumb, folder of the helper programs, this folder, mode, rounds, seed, layout (disk, log: a disk
# and a log device, raidz1: three disks, each losing what was not flushed by itself).
. "$3/zfsd_lib.sh"
helpers=$2
mode=$4
rounds=$5
RANDOM=${6:-7}

layout=${7:-disk}

case $layout in
disk) disks=(a) words=(a) ;;
log) disks=(a b) words=(a log b) ;;
raidz1) disks=(a b c) words=(raidz1 a b c) ;;
*) die "no layout '$layout'" ;;
esac
case $mode in
kill) shims= ;;
cut) shims=';volatile=64M' ;;
lie) shims=';volatile=1G;lie=yes' ;;
noflush)
	shims=';volatile=1G'
	printf '#!/bin/sh\nexec "%s" "$@" --no-cache-flush\n' \
		"$(realpath "${PLUMB_ZFSD:-$(dirname "$plumb")/zfsd/plumb-zfsd}")" >"$scratch/zfsd"
	chmod +x "$scratch/zfsd"
	export PLUMB_ZFSD=$scratch/zfsd
	;;
*) die "no mode '$mode'" ;;
esac

# In modes lie and noflush nobody may stop at the first wrong state: it is what is looked for.
wrong() {
	echo "round $round: $*"
	[ "$mode" = lie ] || [ "$mode" = noflush ] && exit 0
	tail -n 15 "$scratch/sock/server.log"
	exit 1
}

begin_load() {
	as_server pgbench -n -c 4 -j 2 -T 600 postgres >"$scratch/pgbench.out" 2>&1 &
	as_server "$helpers/commit_ledger" run "host=$scratch/sock dbname=postgres" "$scratch/shared/ledger" 4 >>"$scratch/commits" 2>&1 &
	for n in 1 2 3 4; do
		rm -rf "$mount/names/$n"
		mkdir "$mount/names/$n" && sync "$mount/names" # there for good: not to be found is a fault
		"$helpers/namespace_load" run "$mount/names/$n" "$scratch/state.$n" "$RANDOM" >>"$scratch/operations" 2>&1 &
	done
}

check_all() {
	local n
	z import -f "${disk_options[@]}" >/dev/null 2>"$scratch/why" || wrong "import: $(cat "$scratch/why")"
	z mount tank "$mount" 2>"$scratch/why" || wrong "mount: $(cat "$scratch/why")"
	for n in 1 2 3 4; do
		"$helpers/namespace_load" verify "$mount/names/$n" "$scratch/state.$n" || wrong "folder $n is in a state it may not be in"
	done
	# The dead postmaster may still be a zombie of somebody: its lock files would be honoured.
	rm -f "$data/postmaster.pid" "$scratch/sock/".s.PGSQL.*
	as_server pg_ctl -D "$data" -l "$scratch/sock/server.log" -w -t 120 start >/dev/null 2>&1 || wrong "the server does not start"
	as_server "$helpers/commit_ledger" verify "host=$scratch/sock dbname=postgres" "$scratch/shared/ledger" || wrong "acknowledged commits are gone"
	[ "$(sql 'SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(bbalance) FROM pgbench_branches)')" = t ] ||
		wrong "balances differ"
}

check_blocks() {
	pg_stop
	z unmount tank && z export tank || die "export"
	zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || wrong "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
	z import "${disk_options[@]}" >/dev/null && z mount tank "$mount" || die "import after zdb"
	pg_start
}

round=0
disk_options=()
for disk in "${disks[@]}"; do
	truncate -s 2G "$scratch/$disk"
	disk_options+=(-d "file:path=$scratch/$disk$shims")
done
for ((i = 0; i < ${#words[@]}; i++)); do
	case ${words[i]} in ?) words[i]="file:path=$scratch/${words[i]}" ;; esac
done
mkdir "$scratch/shared"
chown postgres: "$scratch/shared"
z create -O recordsize=8K -O compression=lz4 -m "$mount" tank "${words[@]}" || exit 1
mkdir "$mount/names"
pg_init
pg_start
as_server pgbench -i -q -s 2 postgres >/dev/null 2>&1 || die "pgbench -i"
sql 'CREATE TABLE commit_ledger (client int, n bigint)' || die "ledger"
pg_stop
z unmount tank && z export tank && z import "${disk_options[@]}" >/dev/null && z mount tank "$mount" ||
	die "import with ${disk_options[*]}"
pg_start
for round in $(seq "$rounds"); do
	head -n 1 "$data/postmaster.pid" >"$scratch/postmaster.pid"
	begin_load
	sleep "$((RANDOM % 3)).$((RANDOM % 10))"
	kill_daemon
	kill_server "$(cat "$scratch/postmaster.pid")"
	wait
	check_all
	[ $((round % 10)) = 0 ] || [ "$round" = "$rounds" ] && check_blocks
done
pg_stop
echo "$rounds rounds, mode $mode, layout $layout: $(awk '{ n += $2 } END { print n + 0 }' "$scratch/commits") acknowledged commits," \
	"$(awk '{ n += $2 } END { print n + 0 }' "$scratch/operations") operations on names"
[ "$mode" = lie ] || [ "$mode" = noflush ] && die "mode $mode was not convicted in $rounds rounds"
exit $failed
