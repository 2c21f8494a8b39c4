#!/bin/bash
# SIGINT and SIGTERM in every phase: an orderly stop within 10 seconds, what was sealed is kept,
# nothing is left behind, and the same command goes on. A second plumb on the same results is
# refused, naming the first.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

study stop <<'END'
[study]
name = stop
[device]
size = 1G
[filesystem]
type = ext4
[workload]
scale = 5
clients = 2
[design]
warmup = 1s
measure = 2s
repeats = 3
END

wait_for_phase() { # PHASE
	for _ in $(seq 600); do
		grep -q "\"phase\": *\"$1\"" "$scratch"/events 2>/dev/null && return 0
		kill -0 "$pid" 2>/dev/null || { cat "$scratch"/out; fail "ended before phase $1"; }
		sleep 0.05
	done
	fail "phase $1 was never reached"
}

stop_in() { # SIGNAL PHASE [group]: to plumb, or to all of its process group, as Ctrl-C does
	rm -f "$scratch"/events
	# Not as a job of this shell: those ignore SIGINT.
	setsid "$plumb" run "$scratch"/stop.ini -r "$results" -e "$scratch"/events \
		>"$scratch"/out 2>&1 &
	pid=$!
	wait_for_phase "$2"
	begin=$(date +%s%N)
	kill -"$1" -- "${3:+-}$pid"
	wait "$pid"
	code=$?
	took=$(($(date +%s%N) - begin))
	[ $code = 2 ] || { cat "$scratch"/out; fail "$1 in $2: exit code $code"; }
	[ $took -lt 10000000000 ] || fail "$1 in $2: took $((took / 1000000)) ms"
	says 'what was sealed is kept'
	[ "$(count_trials stop failed)" = 0 ] || fail "$1 in $2: a stopped trial is called failed"
	[ -z "$(leftovers)" ] || fail "$1 in $2: left behind: $(leftovers)"
}

for phase in initdb load run; do
	stop_in INT $phase group
done
stop_in INT run
stop_in TERM load
stop_in TERM closing
sealed=$(count_trials stop 'done')

# Two at once.
"$plumb" run "$scratch"/stop.ini -r "$results" >"$scratch"/first 2>&1 &
first=$!
for _ in $(seq 200); do
	grep -q set-up "$scratch"/first && break
	sleep 0.05
done
run 1 stop
says "$first"
wait $first || { cat "$scratch"/first; fail 'the first one failed'; }
[ "$(count_trials stop 'done')" = 3 ] || fail 'not all trials are done'
[ "$sealed" -le 3 ] || fail 'more than planned'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
