#!/bin/bash
# kill -9 of plumb at random moments of a small study: `plumb clean` leaves nothing, every trial that
# was sealed stays, and the study goes on to its end. $2: how many kills (30).
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root
kills=${2:-30}
RANDOM=4711

study kill <<'END'
[study]
name = kill
[machine]
memory = 256M
[device]
size = 512M
[filesystem]
type = ext4, xfs
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 1s
repeats = 40
runs = 2
END

done_before=0
for ((i = 1; i <= kills; i++)); do
	rm -f "$scratch"/events
	"$plumb" run "$scratch"/kill.ini -r "$results" -q -e "$scratch"/events >"$scratch"/out 2>&1 &
	pid=$!
	# A random step of a set-up with its two runs, and a random moment in it: every step is met,
	# however fast the machine is.
	step=$((RANDOM % 22 + 1))
	for ((wait = 0; wait < 1200; wait++)); do
		reached=$(grep -c '"phase"' "$scratch"/events 2>/dev/null)
		[ "${reached:-0}" -ge $step ] && break
		sleep 0.02
	done
	sleep "0.$(printf '%03d' $((RANDOM % 600)))"
	kill -0 $pid 2>/dev/null || { cat "$scratch"/out; fail "kill $i: it ended by itself"; }
	ls "$PLUMB_SCRATCH"/rigs >>"$scratch"/rigs-seen 2>/dev/null
	kill -9 $pid
	wait $pid 2>/dev/null
	if ((i % 2)); then # the others: the next run cleans by itself
		"$plumb" clean >"$scratch"/cleaned 2>&1 || { cat "$scratch"/cleaned; fail "kill $i: clean failed"; }
		[ -z "$(leftovers)" ] || { cat "$scratch"/cleaned; fail "kill $i: left behind: $(leftovers)"; }
	fi
	done_now=$(count_trials kill 'done')
	[ "$done_now" -ge $done_before ] || fail "kill $i: $done_now trials, there were $done_before"
	[ "$(count_trials kill failed)" = 0 ] || fail "kill $i: a trial failed"
	done_before=$done_now
done
"$plumb" clean >"$scratch"/cleaned 2>&1 || { cat "$scratch"/cleaned; fail 'clean failed'; }
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
[ "$done_before" -gt 0 ] || fail 'no trial was ever sealed'
# It goes on: two more trials are sealed, then a plain stop.
"$plumb" run "$scratch"/kill.ini -r "$results" -q >"$scratch"/out 2>&1 &
pid=$!
for _ in $(seq 300); do
	[ "$(count_trials kill 'done')" -ge $((done_before + 2)) ] && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
[ "$(count_trials kill 'done')" -ge $((done_before + 2)) ] || fail 'the study did not go on'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
printf '%d kills, %d trials sealed in between\n' "$kills" "$done_before"
