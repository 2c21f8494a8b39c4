#!/bin/bash
# OpenZFS of the kernel under a real server: layouts, log and cache devices and every property that a study
# may name are in force as read back; states are kept and brought back by export and import; plumb killed at
# any moment leaves nothing that "plumb clean" does not take away.
# usage: kernel_zfs.sh PLUMB
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
# shellcheck source=tests/live/needs-kernel/kernel-lib.sh
. "$(dirname "$0")/kernel-lib.sh"
need_kernel_zfs --time 560 -- "$0" "$@"
. "$(dirname "$0")/../../lib/live.sh"

study layouts <<'END'
[study]
name = layouts
[machine]
memory = 512M
[device]
size = 512M
[filesystem]
type = zfs-kernel
[postgresql.conf]
shared_buffers = 16MB
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 1s
repeats = 1
[arm stripe]
filesystem.recordsize = 8K
filesystem.compression = zstd-3
filesystem.checksum = sha256
filesystem.copies = 2
filesystem.reservation = 16M
filesystem.autotrim = on
filesystem.redundant_metadata = some
filesystem.secondarycache = metadata
[arm mirrors]
filesystem.layout = 2 x mirror 2
filesystem.recordsize = 32K
filesystem.compression = off
filesystem.logbias = throughput
filesystem.sync = always
filesystem.compatibility = openzfs-2.1-linux
[arm raidz1]
filesystem.layout = raidz1 3
filesystem.log = 1
filesystem.cache = 1
filesystem.ashift = 13
filesystem.recordsize = 16K
filesystem.atime = on
filesystem.relatime = off
filesystem.primarycache = metadata
filesystem.redundant_metadata = most
filesystem.xattr = dir
filesystem.dnodesize = auto
filesystem.quota = 400M
[arm raidz2]
filesystem.layout = raidz2 4
[arm raidz3]
filesystem.layout = raidz3 5
filesystem.sync = disabled
END
# In emulation a window may take longer than it should, which marks a trial: what is read back holds all the same.
measured() { # STUDY
	"$plumb" list -r "$results" "$1" | awk '$6 == "done" || $6 == "spoiled" { print $1 }'
}
run 0 layouts
[ "$(measured layouts | wc -l)" = 5 ] || { cat "$scratch/out"; fail 'not all trials are done'; }
same() { # CELL FACT VALUE
	local value
	value=$(fact "$(trial_of layouts "$1")" "$2")
	[ "$value" = "$3" ] || fail "$1: $2 is '$value', not '$3'"
}
for cell in stripe mirrors raidz1 raidz2 raidz3; do
	same $cell filesystem.engine kernel
	same $cell filesystem.type_mounted zfs
	same $cell filesystem.pool.health ONLINE
	same $cell machine.memory 512M
	same $cell zfs.txg_timeout 5s
	"$plumb" show -r "$results" "$(trial_of layouts $cell)" >"$scratch/shown"
	for metric in zfs_arc_hits zfs_zil_commits zfs_txg_count zfs_dataset_write_bytes filesystem_used_bytes \
		filesystem_available_bytes filesystem_pool_alloc_bytes filesystem_pool_free_bytes device_write_bytes; do
		awk -v m=$metric '$1 == m && $2 + 0 >= 0 { found = 1 } END { exit !found }' "$scratch/shown" ||
			fail "$cell: $metric is not recorded"
	done
done
while read -r cell key value; do same "$cell" "filesystem.$key" "$value"; done <<'END'
stripe recordsize 8K
stripe compression zstd-3
stripe checksum sha256
stripe copies 2
stripe reservation 16M
stripe autotrim on
stripe redundant_metadata some
stripe secondarycache metadata
mirrors recordsize 32K
mirrors compression off
mirrors logbias throughput
mirrors sync always
mirrors compatibility openzfs-2.1-linux
raidz1 ashift 13
raidz1 recordsize 16K
raidz1 atime on
raidz1 relatime off
raidz1 primarycache metadata
raidz1 redundant_metadata most
raidz1 xattr dir
raidz1 dnodesize auto
raidz1 quota 400M
raidz3 sync disabled
END
"$plumb" report -r "$results" layouts >"$scratch/report" || fail 'no report'
! grep -q setting-differs "$scratch/report" || { cat "$scratch/report"; fail 'a setting differs from what was asked for'; }
awk '/^Write ledger/ { ledger = 1 } ledger && /B .*B .*B .*B / { found = 1 } END { exit !found }' \
	"$scratch/report" || { cat "$scratch/report"; fail 'no write ledger'; }
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"

# One set-up, two runs of each cell, each cold from the loaded state.
study states <<'END'
[study]
name = states
[device]
size = 512M
[filesystem]
type = zfs-kernel
layout = mirror 2
log = 1
[postgresql.conf]
synchronous_commit = on, off
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 1s
repeats = 1
start_state = cold
END
run 0 states
[ "$(measured states | wc -l)" = 2 ] || { cat "$scratch/out"; fail 'states: not all trials are done'; }
for trial in $(measured states); do
	"$plumb" show -r "$results" "$trial" >"$scratch"/shown
	grep -q 'rig.restore *image' "$scratch"/shown || fail 'the loaded state is not kept as an image'
	grep -q 'run.start_state *cold' "$scratch"/shown || fail 'the start state is not told'
	grep -q 'sums of tellers and branches agree' "$scratch"/shown || fail 'not verified'
done

# The machine's ARC is compared, never set.
sed -e 's/name = states/name = arc/' -e '/^\[device\]/i [zfs]\narc_max = 77M' "$scratch/states.ini" | study arc
run 1 arc
says 'zfs_arc_max'

# kill -9 at a step of a set-up; every second time the next run cleans by itself.
pools() { zpool list -H -o name 2>/dev/null | grep '^plumb-'; }
sed -e 's/name = states/name = kill/' -e 's/repeats = 1/repeats = 20/' "$scratch/states.ini" | study kill
for step in 3 9 12; do
	rm -f "$scratch/events"
	"$plumb" run "$scratch/kill.ini" -r "$results" -q -e "$scratch/events" >"$scratch/out" 2>&1 &
	pid=$!
	for _ in $(seq 1200); do
		reached=$(grep -c '"phase"' "$scratch/events" 2>/dev/null)
		[ "${reached:-0}" -lt $step ] || break
		sleep 0.05
	done
	[ "${reached:-0}" -ge $step ] || { cat "$scratch/out"; fail "kill: step $step was not reached"; }
	ls "$PLUMB_SCRATCH"/rigs >>"$scratch"/rigs-seen 2>/dev/null
	kill -9 $pid 2>/dev/null || { cat "$scratch/out"; fail "kill: it ended before step $step"; }
	wait $pid 2>/dev/null
	"$plumb" clean >"$scratch/cleaned" 2>&1 || { cat "$scratch/cleaned"; fail "kill at step $step: clean failed"; }
	[ -z "$(leftovers)$(pools)" ] || { cat "$scratch/cleaned"; fail "kill at step $step: left behind: $(leftovers) $(pools)"; }
done
echo 'five layouts, states by image, three kills: as asked for, and nothing left'
