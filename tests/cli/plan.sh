#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# plumb plan: the same study and seed give the same plan, another seed another order; JSON and text
# say the same; nothing is touched.
. "$(dirname "$0")/lib.sh"

study order 'seed = 3'
sed -i 's/^repeats = 1/repeats = 6\ncontrols = no/; s/^fake_tps.*/fake_tps = 50, 2, 3, 4/' order.ini
expect 0 "$plumb" plan order.ini
says out '4 cells:'
says out '6 blocks, 6 set-ups, 24 trials, seed 3:'
says out '(baseline)'
cp out first
expect 0 "$plumb" plan order.ini --seed 3
cmp -s out first || fail 'the same seed gave another plan'
expect 0 "$plumb" plan order.ini --seed 4
cmp -s out first && fail 'another seed gave the same plan'
expect 0 "$plumb" plan order.ini --format json
jq -e '.schema_version == 1 and (.cells | length) == 4 and (.trials | length) == 24 and
	(.trials | map(.trial_id) | unique | length) == 24 and .seed == 3 and
	(.trials | group_by(.block) | all(length == 4)) and .estimated_s > 0' out >/dev/null ||
	fail "the JSON is not right: $(head -c 400 out)"
expect 1 "$plumb" plan order.ini --format yaml
ls -A >files
[ ! -e plumb-results ] && [ ! -e scratch ] || fail "plan made something: $(cat files)"
end
