#!/bin/bash
# Three of the shipped studies from end to end in their small form, shrunk further (one set-up, less
# data) so that a CI machine runs them in minutes: every trial is measured, every published pair
# stands in the report, and without three set-ups nothing is claimed. Arguments: plumb, the folder
# of studies.
set -u
plumb=$(realpath "$1")
studies=$2
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
if [ "$(id -u)" != 0 ]; then
	echo "SKIP: block devices need root"
	exit 77
fi

failed=0
fail() {
	echo "$*"
	failed=1
}

# shrink STUDY [section.key=value ...]: a copy with these values in its [small] section.
shrink() {
	local study=$1 copy=$scratch/$1.ini pair
	shift
	cp "$studies/$study.ini" "$copy"
	for pair in "$@"; do
		local key=${pair%%=*} value=${pair#*=}
		sed -i "/^\[small\]/,/^\[/{/^${key//./\\.} *=/d}" "$copy"
		sed -i "s|^\[small\]\$|&\n$key = $value|" "$copy"
	done
}

# run STUDY TRIALS PAIRS: all trials done, this many published pairs, none of them decided.
run() {
	local study=$1 trials=$2 pairs=$3 measured undecided
	"$plumb" run --small --quiet -r "$scratch/results" "$scratch/$study.ini" >"$scratch/log" 2>&1 ||
		{ fail "$study: $(tail -5 "$scratch/log")"; "$plumb" report -r "$scratch/results" "$study"; }
	"$plumb" report --format json -r "$scratch/results" "$study" >"$scratch/report.json" ||
		fail "$study: no report"
	measured=$(jq '[.. | objects | select(has("trials_failed")) | .trials - .trials_failed] | add' "$scratch/report.json")
	[ "$measured" = "$trials" ] || fail "$study: $measured trials done, not $trials"
	undecided=$(jq '[.. | objects | select(.agreement? == "can'"'"'t tell")] | length' "$scratch/report.json")
	[ "$undecided" = "$pairs" ] || fail "$study: $undecided published pairs without a claim, not $pairs"
}

# Pages of 8K and 16K as in the study where they are built already, else the 32K of another test.
small='design.repeats=1 workload.scale=2 device.model=nvme-plp'
built=$("$plumb" pg list | awk '$4 == "8K" && $5 == "1G" { print $2 "-" $3 }')
version=$(sort -rV <<<"$built" | head -1)
if grep -qx -- "${version%-*}-8K" <<<"$built" && grep -qx "${version%-*}-16K" <<<"$built"; then
	# shellcheck disable=SC2086 # words
	shrink block-load $small
	run block-load 4 3
else
	# shellcheck disable=SC2086 # words
	shrink block-load postgres.block_size=32K design.baseline='filesystem.recordsize=16K' $small
	run block-load 2 3
fi
shrink raidz-vs-single design.repeats=1 workload.scale=4 workload.transactions=20 \
	workload.clients='10, 30' device.slow=10 design.warmup=1s
run raidz-vs-single 8 4
# Whether the device was the limit decides on verdicts between these arms: it must be on record.
"$plumb" report --format csv --table trials -r "$scratch/results" raidz-vs-single >"$scratch/trials.csv"
busy=$(python3 -c 'import csv, sys
print(sum(0 < float(row["run.device_busy"] or 0) <= 100 for row in csv.DictReader(sys.stdin)))' <"$scratch/trials.csv")
[ "$busy" = 8 ] || fail "raidz-vs-single: how busy the disks were is known in $busy trials, not in 8"
shrink zfs-ladder design.repeats=1 workload.scale=2 workload.transactions=40 design.warmup=1s
run zfs-ladder 12 11
"$plumb" clean >"$scratch/clean" 2>&1 || fail "clean: $(cat "$scratch/clean")"
exit $failed
