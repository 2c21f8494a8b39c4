#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# plumb run on the fake filesystem and workload, in real time: output, events, resuming, refusing,
# stopping, exit codes.
. "$(dirname "$0")/lib.sh"

study simple
expect 0 "$plumb" run simple.ini --events events.jsonl || end
says out 'study simple: 2 trials'
says out 'trial 2 of 2: done'
says out 'results are in plumb-results'
says out 'No verdict: 1 set-up a cell; below 3 there is no interval, and no claim.'
grep -q $'\r' out && fail 'a status line was drawn without a terminal'
jq -se 'map(.event) as $e | $e[0] == "study-begin" and $e[-1] == "study-end" and
	(map(select(.event == "trial-end" and .state == "done")) | length) == 2 and
	.[0].schema_version == 1 and all(.utc_ns > 0)' events.jsonl >/dev/null ||
	fail "the events are not right: $(head -c 600 events.jsonl)"

# The same command finds nothing left to do.
expect 0 "$plumb" run simple.ini
says out '0 measured now'
says out '2 from earlier runs'

# A changed study is refused, and says what changed.
cp simple.ini kept.ini
sed -i 's/^measure = 1s/measure = 2s/' simple.ini
expect 1 "$plumb" run simple.ini
says err "was 'measure = 1s', now 'measure = 2s'"
cp kept.ini simple.ini
expect 1 "$plumb" run simple.ini --seed 9
says err 'begun with seed 1, not 9'
expect 1 "$plumb" run simple.ini --bindir /somewhere
says err 'given beside the file: postgres.bindir = /somewhere'

# Everything about a trial, by the beginning of its id.
id=$("$plumb" list simple | awk 'NR == 2 { print $1 }')
expect 0 "$plumb" show "${id:0:10}"
says out "trial       $id, attempt 1"
says out 'filesystem.type'
says out 'measured, run'
expect 0 "$plumb" show "$id" --format json --series
jq -e --arg id "$id" '.trial_id == $id and .state == "done" and (.samples | length) > 5 and
	(.settings["filesystem.type"] == "fake")' out >/dev/null || fail 'show --format json is not right'

# A workload that breaks is a result; the run says so.
study broken
sed -i 's/^fake_tps.*/fake_fault = none, run/; /^baseline/d' broken.ini
expect 2 "$plumb" run broken.ini --quiet
expect 0 "$plumb" report broken
says out 'Trials that do not count'
says out 'failed'

# Two at once: the second one is refused and told who runs. The first is then stopped in order.
study long 'runs = 5'
"$plumb" run long.ini --results shared --events long.jsonl >long.out 2>&1 &
first=$!
for _ in $(seq 200); do
	grep -q trial-begin long.jsonl 2>/dev/null && break
	sleep 0.05
done
expect 1 "$plumb" run long.ini --results shared
says err "in use by plumb, process $first,"
says err ', study long'
expect 0 "$plumb" list --results shared
for _ in $(seq 200); do
	grep -q trial-end long.jsonl && break
	sleep 0.05
done
before=$(date +%s)
kill -INT $first
wait $first
code=$?
[ $code = 2 ] || fail "stopped with $code: $(cat long.out)"
[ $(($(date +%s) - before)) -le 10 ] || fail 'stopping took more than 10 s'
grep -q 'what was sealed is kept' long.out || fail "nothing was said: $(cat long.out)"
sealed=$(sqlite3 shared/results.sqlite "SELECT count(*) FROM trial WHERE state = 'done'")
[ "$sealed" -ge 1 ] || fail 'nothing was sealed before the stop'
expect 0 "$plumb" run long.ini --results shared --quiet
total=$(sqlite3 shared/results.sqlite "SELECT count(*) FROM trial WHERE state = 'done'")
[ "$total" = 10 ] || fail "$total trials are done instead of 10"
expect 0 "$plumb" clean
says out 'nothing was left to undo'
end
