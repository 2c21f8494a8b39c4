#!/bin/bash
# plumb doctor changes nothing: its system calls are watched, its statements are counted and
# replayed to see their locks, and a user's exclusive lock does not hold it up.
# shellcheck disable=SC2154 # variables of cluster.sh
. "$(dirname "$0")/../lib/cluster.sh"
test_begin "$@"
command -v strace >/dev/null || test_skip "strace is not installed"
cluster_start "$scratch/a" -c log_statement=all -c log_min_duration_statement=-1 \
	-c "log_line_prefix='%a|'"
connection=$(cluster_connection "$scratch/a")
cluster_sql "$scratch/a" "CREATE TABLE t (i int); INSERT INTO t VALUES (1)"

# 1. System calls: no file is opened for writing, made, renamed, removed or changed, but the output.
strace -f -qq -o "$scratch/trace" -e trace=file,desc,network \
	"$plumb_program" doctor "$connection" --seconds 1 --output "$scratch/answer" --fail-on never ||
	fail "doctor under strace"
[ -s "$scratch/answer" ] || fail "no answer was written"
# What writes by its nature, and opens that ask for writing.
grep -E '^[0-9]+ +(open|openat|creat)\(' "$scratch/trace" |
	grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|creat\(' |
	grep -vE '"/dev/(null|tty)"' | grep -vF "$scratch/answer" >"$scratch/opened"
[ ! -s "$scratch/opened" ] || fail "opened for writing: $(cat "$scratch/opened")"
calls='rename|renameat|renameat2|unlink|unlinkat|rmdir|mkdir|mkdirat|link|linkat|symlink|symlinkat'
calls="$calls|truncate|ftruncate|fallocate|chmod|fchmod|fchmodat|chown|fchown|fchownat|lchown"
calls="$calls|utime|utimes|utimensat|futimesat|setxattr|fsetxattr|removexattr|mknod|mknodat|mount"
calls="$calls|umount2|pwrite64|pwritev|copy_file_range|sync|syncfs|fsync|fdatasync|swapoff"
grep -E "^[0-9]+ +($calls)\(" "$scratch/trace" | grep -vF "$scratch/answer" |
	grep -vE ' (fsync|fchmod)\([0-9]+' >"$scratch/changed"
[ ! -s "$scratch/changed" ] || fail "changed: $(cat "$scratch/changed")"
# fsync and fchmod name a descriptor: it must be one of the output's.
others=$(awk -v answer="$scratch" '
	/ openat?\(/ { fd = $NF; name[$1 "," fd] = $0 }
	/ (fsync|fchmod)\(/ { match($0, /\([0-9]+/); fd = substr($0, RSTART + 1, RLENGTH - 1)
		if (index(name[$1 "," fd], answer) == 0) print $0 }' "$scratch/trace")
[ -z "$others" ] || fail "flushed or changed: $others"
# The control: the same net catches a program that writes.
strace -f -qq -o "$scratch/control" -e trace=file,desc sh -c "echo x >'$scratch/written'"
grep -E '^[0-9]+ +(open|openat)\(' "$scratch/control" | grep -q 'O_WRONLY' ||
	fail "the net catches nothing"

# 2. Statements: at most 20, and each takes AccessShare locks only.
sed -nE 's/^plumb doctor\|LOG:  statement: //p' "$scratch/a/log" >"$scratch/statements"
count=$(wc -l <"$scratch/statements")
[ "$count" -ge 10 ] && [ "$count" -le 20 ] || fail "$count statements were sent"
while read -r statement; do
	modes=$(cluster_sql "$scratch/a" "BEGIN; $statement; SELECT 'MODE ' || mode FROM pg_locks
		WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid' AND mode <> 'AccessShareLock'" |
		grep '^MODE')
	[ -z "$modes" ] || fail "lock $modes by: $statement"
done <"$scratch/statements"
# The session's own limits
limits=$(strace -f -qq -s 2000 -e trace=network "$plumb_program" doctor "$connection" \
	--fail-on never 2>&1 >/dev/null | grep -o 'statement_timeout=[0-9]*\|default_transaction_read_only=on' | sort -u)
expect_in "time limit" "statement_timeout=5000" "$limits"
expect_in "read only" "default_transaction_read_only=on" "$limits"

# 3. A table locked by somebody does not hold it up.
mkfifo "$scratch/hold"
(as_server "$bin/psql" -X -q -h "$scratch/a" -U postgres -d postgres <"$scratch/hold" >/dev/null) &
exec 7>"$scratch/hold"
echo "BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE;" >&7
for _ in $(seq 100); do
	[ "$(cluster_sql "$scratch/a" "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'
		AND granted AND relation = 't'::regclass")" = 1 ] && break
	read -rt 0.1 <><(:) || true
done
json=$(timeout 20 "$plumb_program" doctor "$connection" --format json --fail-on never) ||
	fail "held up by a lock"
expect_not_in "no part was given up" "canceling statement" "$json"
exec 7>&-
wait
