#!/bin/bash
# A study with its controls on a real server: the planted slowdown slows the copy of the baseline, the
# canary leaves its figures with every trial, and no client is left stopped.
# usage: controls.sh PLUMB
set -eu
plumb=$(readlink -f "$1")
work=$(mktemp -d /var/tmp/plumb-test.XXXXXX)
export PLUMB_SCRATCH=$work/scratch
trap '"$plumb" clean >/dev/null 2>&1 || true; rm -rf --one-file-system "$work"' EXIT
fail() { echo "$*"; exit 1; }
chmod 755 "$work"
mkdir -m 777 "$work/fs"
cat >"$work/controls.ini" <<END
[study]
name = controls
[filesystem]
type = directory
path = $work/fs
[postgresql.conf]
shared_buffers = 64MB
synchronous_commit = off
[workload]
type = pgbench
builtin = select-only
scale = 2
clients = 2
[design]
warmup = 1s
measure = 4s
repeats = 2
controls = on
planted = 50%
canary = on
checkpoint = none
END
cd "$work"
"$plumb" run --quiet controls.ini || fail "the run failed"
"$plumb" report --format csv --table trials >trials.csv
# Names of the columns, then values of a cell: the smallest of the baseline's set-ups and the largest of
# the planted one's need not be apart on a busy machine, their geometric means must be.
awk -F, '{ sub(/\r$/, "") }
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		for (phase = 0; phase < 2; phase++)
			for (kind = 1; kind <= 3; kind++) {
				name = (phase ? "canary-after" : "canary-before") ".canary_" (kind == 1 ? "spin" : kind == 2 ? "copy" : "write") "_ns"
				if (!(name in column) || $column[name] <= 0) { print "no " name; exit 1 }
			}
		cell = $column["cell"]
		sum[cell] += log($column["run.tps"]); count[cell]++
	}
	END {
		for (cell in count) mean[cell] = exp(sum[cell] / count[cell])
		ratio = mean["(planted effect)"] / mean["controls"]
		if (count["(planted effect)"] != 2 || ratio > 0.85) { print "planted 50 %, ratio " ratio; exit 1 }
	}' trials.csv || fail "the controls do not show: $(head -c 2000 trials.csv)"
"$plumb" report >report.txt
grep -q '^Canary ' report.txt && grep -q '^Planted effect' report.txt && grep -q '^A/A control' report.txt ||
	fail "the report does not judge them: $(cat report.txt)"
! ps -eo stat,comm | grep -q '^T.*pgbench' || fail "a client is left stopped"
