#!/bin/bash
# plumb compare and plumb gate: a change that is there is found, one that is not isn't, unpaired cells
# and other environments are named, and the exit codes are those a build server needs.
# usage: compare_gate.sh PLUMB MAKE_STUDY
set -eu
plumb=$(readlink -f "$1") make_study=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
study() { # NAME REPEATS LEVELS
	printf '[study]\nname = %s\n[filesystem]\ntype = ext4\nfs_block_size = %s\n[workload]\ntype = pgbench\n[design]\nrepeats = %s\n' \
		"$1" "$3" "$2" >"$1.ini"
}
code() { # WANTED COMMAND...
	local wanted=$1 status=0
	shift
	"$@" >out 2>&1 || status=$?
	[ $status = "$wanted" ] || fail "exit $status, not $wanted: $* $(cat out)"
}
says() { grep -qF -- "$1" out || fail "it does not say '$1': $(cat out)"; }

study old 6 '4K, 1K'
study same 6 '4K, 1K'
study slow 6 '4K, 1K, 2K'
study few 2 '4K, 1K'
"$make_study" plumb-results old.ini noise=0.004
"$make_study" plumb-results same.ini noise=0.004 stream=2 fact.machine.memory=8G
"$make_study" plumb-results slow.ini noise=0.004 stream=3 filesystem.fs_block_size=1K:0.9
"$make_study" plumb-results few.ini noise=0.004 stream=4

code 0 "$plumb" compare old slow
says 'fs_block_size=1K'
says 'slower'
says 'fs_block_size=2K'
says 'the later study'
says '2 cells compared by tps_charged: 0 better, 1 worse'
code 0 "$plumb" compare old same
says '0 better, 0 worse'
says 'machine.memory'
code 0 "$plumb" compare old few
says 'set-ups: no interval below 3'
code 0 "$plumb" compare old slow --metric latency_p95_ns --margin 5%
says 'latency_p95_ns'
says '1 worse'
code 0 "$plumb" compare old slow --format csv
says 'schema_version,study,cell,setups_before'
code 0 "$plumb" compare old slow --format json
jq -e ".schema_version" out >/dev/null || fail "no JSON: $(cat out)"
code 1 "$plumb" compare old slow --format html
code 1 "$plumb" compare old nothing
says "there is no study 'nothing'"
code 1 "$plumb" compare old slow --metric nonsense
says 'has no nonsense'

"$plumb" export old --output old.plumb >/dev/null
code 3 "$plumb" gate slow --baseline old.plumb --fail-if 'tps slower 3%'
says 'FAIL'
code 0 "$plumb" gate slow --baseline old.plumb --fail-if 'tps slower 20%'
code 0 "$plumb" gate same --baseline old.plumb --fail-if 'tps slower 3%'
says 'pass'
code 3 "$plumb" gate slow --baseline old.plumb --fail-if 'latency_p99_ns worse 3%'
code 3 "$plumb" gate slow --baseline old --fail-if 'latency_p99_ns larger 3%'
code 0 "$plumb" gate slow --baseline plumb-results:old --fail-if 'latency_p99_ns smaller 3%'
code 2 "$plumb" gate few --baseline old.plumb --fail-if 'tps slower 3%'
says "can't tell"
study part 6 '4K'
"$make_study" plumb-results part.ini noise=0.004 stream=5
code 2 "$plumb" gate part --baseline old.plumb --fail-if 'tps slower 3%'
says 'missing'
code 1 "$plumb" gate slow --baseline old.plumb --fail-if 'tps slowr 3%'
says "did you mean 'slower'"
code 1 "$plumb" gate slow --baseline old.plumb --fail-if 'tps slower'
code 1 "$plumb" gate slow --baseline old.plumb --fail-if 'tps slower 0%'
code 1 "$plumb" gate slow --fail-if 'tps slower 3%'
printf 'garbage' >garbage.plumb
code 1 "$plumb" gate slow --baseline garbage.plumb --fail-if 'tps slower 3%'

# A study whose own control fails says nothing, and the gate neither.
printf '[study]\nname = shaky\n[filesystem]\ntype = ext4\nfs_block_size = 4K, 1K\n[workload]\ntype = pgbench\n[design]\nrepeats = 6\ncontrols = on\n' >shaky.ini
"$make_study" plumb-results shaky.ini noise=0.004 aa=0.9
code 2 "$plumb" gate shaky --baseline old.plumb --fail-if 'tps slower 3%'
says "this machine can't tell"
[ -z "$(ls -d "${TMPDIR:-/tmp}"/plumb-study.* 2>/dev/null)" ] || fail "an unpacked study is left behind"
