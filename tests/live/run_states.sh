#!/bin/bash
# Several runs inside one set-up: each starts from the loaded state again, cold where the study says
# so, with the settings of its own cell; a study that was run goes on and does not run twice.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

study states <<'END'
[study]
name = states
[device]
size = 1G
[filesystem]
type = ext4
[postgresql.conf]
synchronous_commit = on, off
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 2s
repeats = 1
runs = 2
start_state = cold
END
run 0 states
[ "$(count_trials states 'done')" = 4 ] || fail 'not all trials are done'
for trial in $("$plumb" list -r "$results" states | awk '$6 == "done" { print $1 }'); do
	"$plumb" show -r "$results" "$trial" >"$scratch"/shown
	grep -q 'rig.restore *image' "$scratch"/shown || fail 'the loaded state is not kept as an image'
	grep -q 'run.start_state *cold' "$scratch"/shown || fail 'the start state is not told'
	grep -q 'sums of tellers and branches agree' "$scratch"/shown || fail 'not verified'
done
# Setting by cell, although one set-up served all.
for value in on off; do
	trial=$(trial_of states "synchronous_commit=$value")
	[ "$(fact "$trial" postgresql.conf.synchronous_commit)" = $value ] ||
		fail "synchronous_commit = $value is not in force in its cell"
done
[ "$("$plumb" list -r "$results" states | awk '$6 == "done"' | wc -l)" = 4 ] || fail 'not 4'

run 0 states
says '4 from earlier runs'
sed -i 's/measure = 2s/measure = 3s/' "$scratch"/states.ini
run 1 states
says 'changed'

# What a run wrote is not there in the next one: each leaves the start time of its server in a table,
# and divides by zero where it finds one of another server.
cat >"$scratch"/marks.sql <<'END'
INSERT INTO mark SELECT pg_postmaster_start_time() ON CONFLICT DO NOTHING;
SELECT 1 / (CASE WHEN count(*) = 1 THEN 1 ELSE 0 END) FROM mark;
END
printf 'CREATE TABLE mark (started timestamptz PRIMARY KEY);\n' >"$scratch"/marks-init.sql
for type in ext4 directory; do
	study "marks-$type" <<END
[study]
name = marks-$type
[device]
size = 1G
[filesystem]
type = $type
[workload]
type = sql
init_script = $scratch/marks-init.sql
script = $scratch/marks.sql
clients = 2
[design]
warmup = 1s
measure = 1s
repeats = 1
runs = 3
END
	run 0 "marks-$type"
	[ "$(count_trials "marks-$type" 'done')" = 3 ] || fail "$type: a run saw what another one wrote"
done

# A directory has no image: its tree is copied.
study tree <<'END'
[study]
name = tree
[filesystem]
type = directory
[workload]
scale = 1
clients = 1
[design]
warmup = 0
measure = 1s
repeats = 1
runs = 2
checkpoint = none
END
run 0 tree
[ "$(fact "$("$plumb" list -r "$results" tree | awk '$6 == "done" { print $1; exit }')" rig.restore)" = tree ] ||
	fail 'a directory is not restored as a tree'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
