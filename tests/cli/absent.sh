#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# Cells that this machine can't run: check, plan, run and every report name them and their reason, the
# others run; a study of which nothing can run is refused with all reasons.
. "$(dirname "$0")/lib.sh"
reason='fake filesystem: not on this machine, as asked'

study some
sed -i '/^fake_tps/d; s/^baseline.*/baseline = filesystem.fails=never/; /^type = fake/{x;s/^/x/;/^x$/{x;s/$/\nfails = never, check/;b};x}' some.ini
expect 0 "$plumb" check some.ini
says out '1 of 2 cells'
says out "1 cell (fails=check): $reason"
"$plumb" check some.ini --format json | jq -e --arg reason "$reason" \
	'.study | .[0].can_run == true and .[1].can_run == false and (.[1].text | endswith($reason))' \
	>/dev/null || fail 'check --format json is not right'
expect 0 "$plumb" plan some.ini
says out "fails=check  (can't run here)"
says out "1 cell (fails=check): $reason"
"$plumb" plan some.ini --format json | jq -e --arg reason "$reason" '.refused == null and
	(.cells | map(.cannot_run) | map(select(. != null)) == [$reason])' >/dev/null ||
	fail 'plan --format json is not right'
expect 0 "$plumb" run some.ini --events events.jsonl
says out "can't run on this machine: 1 cell (fails=check): $reason"
says out "1 of 1 trials done; 1 cell can't run on this machine"
says out "Could not run on this machine: 1 cell (fails=check): $reason."
jq -se --arg reason "$reason" 'any(.event == "message" and (.text | contains($reason)))' \
	events.jsonl >/dev/null || fail 'the events do not tell'
for format in text md html json; do
	expect 0 "$plumb" report some --format $format
	says out "Could not run on this machine: 1 cell"
	says out "$reason"
done
# Beside the verdict in the page: it comes first there.
"$plumb" report some --format html | grep -A1 'class="verdict"' | grep -q 'class="cannot_run"' ||
	fail 'the page does not say it beside its verdict'
"$plumb" report some --format json | jq -e --arg reason "$reason" \
	'.tables.cannot_run == [{"cell": "fails=check", "cell_index": 1, "reason": $reason}]' \
	>/dev/null || fail 'report --format json has no table'

# Elsewhere it reads the same; a folder of an older plumb has no such table.
expect 0 "$plumb" export some --output some.plumb
expect 0 "$plumb" import some.plumb --results other
cmp <("$plumb" report some --format json) <("$plumb" report some --results other --format json) ||
	fail 'the report differs after import'
sqlite3 plumb-results/results.sqlite 'DROP TABLE absent'
expect 0 "$plumb" report some
grep -q 'Could not run' out && fail 'a table that is gone still speaks'
expect 0 "$plumb" export some --output old.plumb
expect 0 "$plumb" import old.plumb --results third
expect 0 "$plumb" run some.ini
says out '1 from earlier runs'
says out 'Could not run on this machine'

study none
sed -i '/^fake_tps/d; /^baseline/d; /^type = fake/{x;s/^/x/;/^x$/{x;s/$/\nfails = check\nspeed = 1, 2/;b};x}' none.ini
expect 1 "$plumb" run none.ini
says err 'nothing of the study can run on this machine'
says err "2 cells (speed=1, speed=2): $reason"
expect 1 "$plumb" check none.ini
says out "2 cells (speed=1, speed=2): $reason"
expect 0 "$plumb" plan none.ini
says out "this machine can't run it: nothing of the study"
end
