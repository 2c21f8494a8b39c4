#!/bin/bash
# Emulated disks under a study: a model keeps its rate, a disk whose daemon is killed makes the trial
# FAILED and the study goes on, and so does a disk whose backing filesystem is full.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

common='[device]
size = 512M
[filesystem]
type = ext4
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 4s
repeats = 1
'
printf '[study]\nname = models\n%s[arm plain]\ndevice.store = file\n[arm ram]\ndevice.store = ram\n[arm disk]\ndevice.model = hdd-7200\ndevice.store = ram\n' \
	"$common" | study models
run 0 models
[ "$(count_trials models 'done')" = 3 ] || fail 'not all trials are done'
tps() { # CELL
	"$plumb" report -r "$results" --format csv models | awk -F, -v cell="$1" '$3 == cell { print int($8) }'
}
# A flush of that disk costs a turn: 8 ms. Two clients commit at most about 240 times a second.
disk=$(tps disk)
ram=$(tps ram)
[ "$disk" -gt 5 ] && [ "$disk" -lt 400 ] || fail "hdd-7200: $disk tps"
[ "$ram" -gt $((2 * disk)) ] || fail "memory $ram tps, disk $disk tps"

# A model faster than this machine's way to it is refused with that way's length and what would do.
printf '[study]\nname = hasty\n%s[device.hasty]\nlike = nvme-plp\noverhead = 100ns\nread = 1us\n[arm disk]\ndevice.store = ram\ndevice.model = hasty\n' \
	"$common" | study hasty
run 2 hasty
[ "$(count_trials hasty void)" = 1 ] || fail 'a model that is too fast was run'
"$plumb" show -r "$results" "$("$plumb" list -r "$results" hasty | awk '$6 == "void" { print $1 }')" \
	>"$scratch"/out
says 'it must take twice that at least (slow='
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"

printf '[study]\nname = killed\n%s[arm disk]\ndevice.store = ram\n' "$common" |
	sed 's/measure = 4s/measure = 10s/; s/repeats = 1/repeats = 2/' | study killed
"$plumb" run "$scratch"/killed.ini -r "$results" -e "$scratch"/events >"$scratch"/out 2>&1 &
pid=$!
for ((i = 0; i < 1200; i++)); do
	grep -q '"phase": *"run"' "$scratch"/events 2>/dev/null && break
	sleep 0.05
done
daemon=$(pgrep -P $pid -x plumb-diskd) || { cat "$scratch"/out; fail 'no plumb-diskd runs'; }
kill -9 "$daemon"
wait $pid
code=$?
[ $code = 2 ] || { cat "$scratch"/out; fail "exit code $code"; }
[ "$(count_trials killed failed)" = 1 ] || fail 'the trial of the killed disk is not failed'
[ "$(count_trials killed 'done')" = 1 ] || fail 'the study did not go on'
"$plumb" show -r "$results" "$("$plumb" list -r "$results" killed | awk '$6 == "failed" { print $1 }')" \
	>"$scratch"/out
says 'the emulated disk behind'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"

# A disk so slow that a sync takes minutes: a stop turns its clock off and still takes less than 10 s.
printf '[study]\nname = slow\n%s[arm disk]\ndevice.store = ram\ndevice.model = hdd-7200\ndevice.slow = 200\n' \
	"$common" | sed 's/scale = 1/scale = 5/' | study slow
rm -f "$scratch"/events
"$plumb" run "$scratch"/slow.ini -r "$results" -e "$scratch"/events >"$scratch"/out 2>&1 &
pid=$!
for ((i = 0; i < 1200; i++)); do
	grep -q '"phase": *"load"' "$scratch"/events 2>/dev/null && break
	sleep 0.05
done
sleep 3
begin=$(date +%s%N)
kill -TERM $pid
wait $pid
code=$?
took=$(($(date +%s%N) - begin))
[ $code = 2 ] || { cat "$scratch"/out; fail "stopped on a slow disk: exit code $code"; }
[ $took -lt 10000000000 ] || fail "the stop took $((took / 1000000)) ms on a slow disk"
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"

# The filesystem that holds the images is full.
truncate -s 330M "$scratch"/small.image
mke2fs -q -t ext4 -m 0 "$scratch"/small.image
mkdir "$scratch"/small
mount -o loop "$scratch"/small.image "$scratch"/small
trap 'umount "$scratch"/small; finish' EXIT
cat >"$scratch"/fill-init.sql <<'END'
CREATE TABLE filler (t text);
ALTER TABLE filler ALTER t SET STORAGE EXTERNAL;
END
printf 'INSERT INTO filler SELECT repeat(md5(g::text), 60) FROM generate_series(1, 20000) g;\n' \
	>"$scratch"/fill.sql
study backing <<END
[study]
name = backing
[device]
size = 2G
folder = $scratch/small
model = none, ebs-gp3
[filesystem]
type = ext4
journal_size = 16M
[workload]
type = sql
init_script = $scratch/fill-init.sql
script = $scratch/fill.sql
clients = 2
[design]
warmup = 0
measure = 60s
repeats = 1
END
run 2 backing
[ "$(count_trials backing failed)" = 2 ] || { cat "$scratch"/out; fail 'a full backing filesystem is not a failed trial'; }
umount "$scratch"/small
trap finish EXIT
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
