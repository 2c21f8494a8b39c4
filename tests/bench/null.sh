#!/bin/bash
# bench/null on simulated runs in the form of the published ones, where set-ups differ by luck only:
# the rates are those of the method and the naive test is fooled; on set-ups that do differ it exits
# with 3; on the published runs, where they are at hand, every figure holds.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work/out"; exit 1; }

# 12 cells of 7 set-ups of 3 runs: 0.95 % between set-ups, 0.53 % between runs (Box-Muller).
# slope: what each doubling of the WAL page does, 0 in truth.
runs() { # SLOPE
	awk -v slope="$1" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
	BEGIN {
		srand(7)
		for (cell = 0; cell < 12; cell++)
			for (wal = 1; wal <= 64; wal *= 2) {
				level = 100000 * exp(0.0095 * normal() + slope * log(wal) / log(2))
				for (run = 1; run <= 3; run++)
					printf "1,tvondra_block_pgbench,,,,system,,,,,,,8,%d,,,on,,,pgbench-select-only,,,%d,,%d,tps,%.1f,1/s,simulated,\n",
						wal, cell, run, level * exp(0.0053 * normal())
			}
	}'
}

runs 0 >"$work/null.csv"
PLUMB_PUBLISHED_CSV=$work/null.csv "$root/bench/null" >"$work/out" || [ $? = 3 ] || fail "could not run"
# 5 % is what normal luck gives on average, so a dozen cells may lie on either side of the goal.
within() { # NAME LOW HIGH
	awk -v name="$1" -v low="$2" -v high="$3" '$2 == name && $3 >= low && $3 <= high { found = 1 }
		END { exit !found }' "$work/out" || fail "$1 is not within $2 to $3"
}
within null_false_verdicts 2 8
within null_false_by_margin 0 1
within naive_t_test_false 20 70
within planted_excluded 80 100

runs 0.02 >"$work/slope.csv"
status=0
PLUMB_PUBLISHED_CSV=$work/slope.csv "$root/bench/null" >"$work/out" || status=$?
[ $status = 3 ] || fail "set-ups that differ by 2 % a step: exit $status, not 3"

PLUMB_PUBLISHED_CSV=$work/missing.csv "$root/bench/null" >"$work/out" || fail "missing data are no failure"
grep -q '^LEFT-OUT null_false_verdicts' "$work/out" || fail "left-out figures are not named"

"$root/bench/null" >"$work/out" || fail "figures short on the published runs"
cat "$work/out"
