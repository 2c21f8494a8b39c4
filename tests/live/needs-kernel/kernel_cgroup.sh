#!/bin/bash
# [machine] memory and cpus on a machine whose control groups are of version 2 alone: read back, and acting on
# server and clients: more memory than allowed is not to be had, and no more processor time passes than allowed.
# usage: kernel_cgroup.sh PLUMB
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
# shellcheck source=tests/live/needs-kernel/kernel-lib.sh
. "$(dirname "$0")/kernel-lib.sh"
need_cgroup_2 --time 280 -- "$0" "$@"
. "$(dirname "$0")/../../lib/live.sh"

study limits <<'END'
[study]
name = limits
[machine]
memory = 192M
cpus = 0.5
[device]
size = 1G
[filesystem]
type = ext4
[postgresql.conf]
shared_buffers = 16MB
[workload]
scale = 12
clients = 2
builtin = select-only
[design]
warmup = 0
measure = 8s
repeats = 1
END
"$plumb" run "$scratch/limits.ini" -r "$results" -e "$scratch/events" >"$scratch/out" 2>&1 &
pid=$!
# The group itself, while the clients run.
group=
for _ in $(seq 2000); do
	group=$(ls -d /sys/fs/cgroup/plumb-* 2>/dev/null | head -n 1)
	! grep -q '"phase":"run"' "$scratch/events" 2>/dev/null || break
	sleep 0.1
done
[ -n "$group" ] || { cat "$scratch/out"; fail 'no control group was made'; }
sleep 1
begin=$(awk '$1 == "usage_usec" { print $2 }' "$group/cpu.stat")
begin_ns=$(date +%s%N)
limit=$(cat "$group/memory.max") quota=$(cat "$group/cpu.max") swap=$(cat "$group/memory.swap.max" 2>/dev/null || echo 0)
members=$(for one in $(cat "$group/cgroup.procs"); do cat "/proc/$one/comm" 2>/dev/null; done | sort | uniq -c | tr -s ' \n' ' ')
sleep 3
used=$(($(awk '$1 == "usage_usec" { print $2 }' "$group/cpu.stat") - begin))
passed=$((($(date +%s%N) - begin_ns) / 1000))
throttled=$(awk '$1 == "nr_throttled" { print $2 }' "$group/cpu.stat")
wait $pid || { cat "$scratch/out"; fail 'the run failed'; }
[ "$limit" = $((192 << 20)) ] || fail "memory.max is $limit"
[ "$quota" = '50000 100000' ] || fail "cpu.max is $quota"
[ "$swap" = 0 ] || fail "memory.swap.max is $swap"
case $members in *postgres*) ;; *) fail "the server is not inside: $members" ;; esac
case $members in *pgbench*) ;; *) fail "the clients are not inside: $members" ;; esac
# Half a processor, and some slack for the last period that was begun.
[ "$used" -le $((passed * 55 / 100)) ] || fail "$used us of processor time in $passed us"
[ "$used" -ge $((passed * 25 / 100)) ] || fail "only $used us of processor time in $passed us: nothing ran against the limit"
[ "${throttled:-0}" -gt 0 ] || fail 'nobody was ever throttled'
trial=$(trial_of limits limits)
[ -n "$trial" ] || trial=$("$plumb" list -r "$results" limits | awk '$6 == "done" || $6 == "spoiled" { print $1; exit }')
[ "$(fact "$trial" machine.cgroup_version)" = 2 ] || fail 'not version 2'
[ "$(fact "$trial" machine.memory)" = 192M ] || fail 'memory is not read back'
[ "$(fact "$trial" machine.cpus)" = 0.5 ] || fail 'cpus are not read back'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"

# A server that needs more than its group may have does not get it: the cell fails, the machine does not.
sed -e 's/name = limits/name = hungry/' -e 's/memory = 192M/memory = 64M/' -e 's/cpus = 0.5/cpus = 2/' \
	-e 's/shared_buffers = 16MB/shared_buffers = 256MB/' "$scratch/limits.ini" | study hungry
"$plumb" run "$scratch/hungry.ini" -r "$results" >"$scratch/out" 2>&1
code=$?
[ $code = 2 ] || { cat "$scratch/out"; fail "hungry: exit code $code, not 2"; }
[ "$(count_trials hungry failed)" = 1 ] || { cat "$scratch/out"; fail 'hungry: the trial did not fail'; }
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
grep -q 'server closed the connection' "$scratch/out" || { cat "$scratch/out"; fail 'hungry: it failed for another reason'; }
printf 'members: %s; %d of %d us processor time\n' "$members" "$used" "$passed"
