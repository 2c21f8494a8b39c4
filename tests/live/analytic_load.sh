#!/bin/bash
# The analytic loader and queries on real servers: pages of 8K of the distribution and of 32K of our
# own build. Both must hold the same data (checksums of the generator), give the same results, and
# the binary and the text form must load the same rows. Argument: driver_run.
# shellcheck disable=SC2154 # scratch, failed and the words come from driver.sh
set -u
. "$(dirname "$0")/../lib/driver.sh"

small='analytic workload.scale=0.02 workload.passes=2'
# shellcheck disable=SC2086 # words
{
	play distribution_8k $small
	play built_32k $small postgres.block_size=32K
	play text_8k $small workload.format=text workload.jobs=3
}

# The generator's known sums: tests/unit/test_analytic_generator.c has those of other scales.
grep -qx 'fact analytic.parcel.checksum 98681 rows d7f6ffe0b6350fe0' "$scratch/distribution_8k" ||
	fail "the parcels are not those of scale 0.02"
for name in built_32k text_8k; do
	for what in '^fact query\..*\.result ' '^note 0 verified'; do
		diff <(grep -E "$what" "$scratch/distribution_8k") <(grep -E "$what" "$scratch/$name") ||
			fail "$name: other results than 8K pages of the distribution"
	done
done
diff <(grep '\.checksum' "$scratch/distribution_8k") <(grep '\.checksum' "$scratch/built_32k") ||
	fail "checksums differ between page sizes"
[ "$(grep -cE '^fact query\.q[0-9]+\.result' "$scratch/distribution_8k")" = 22 ] || fail "not 22 results"
[ "$(grep -cE '^sample run query_q[0-9]+_(cold|warm)_ns [1-9]' "$scratch/built_32k")" = 44 ] ||
	fail "not 44 times"
grep -E '^note [12] (result|plan)-changed' "$scratch"/*k && fail "a plan or result changed between passes"

# A query that takes too long is recorded, and the run goes on: q09 takes seconds, q14 milliseconds.
play timeout analytic workload.scale=0.1 workload.passes=2 workload.queries='q09 q14' \
	workload.query_timeout=100ms
grep -q '^note 1 query-timeout query q09' "$scratch/timeout" || fail "the time limit left no note"
grep -q '^sample run query_q09_' "$scratch/timeout" && fail "a query that was cut off has a time"
grep -q '^sample run queries_' "$scratch/timeout" && fail "a total lacks the query that was cut off"
has timeout query_q14_cold_ns query_q14_warm_ns

# Somebody else changes data and planner in the middle of a run: both are flagged, neither is fatal.
"$run" "$scratch/rig" analytic workload.scale=0.1 workload.passes=20 workload.queries='q11 q19' \
	>"$scratch/changed" 2>"$scratch/changed.err" &
runner=$!
bindir=$(pg_config --bindir)
ask() {
	"$bindir/psql" -qAtX -h "$scratch/rig/s" -U postgres -c "$1" 2>>"$scratch/psql.err"
}
for _ in $(seq 1200); do
	[ "$(ask "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT d.zone, d.country%'")" = 1 ] && break
	sleep 0.05
done
ask "UPDATE depot SET zone = 9" || fail "$(tail -3 "$scratch/psql.err")"
ask 'ALTER SYSTEM SET enable_hashjoin = off'
ask 'SELECT pg_reload_conf()' >/dev/null
wait $runner || fail "a plan or result that changed ended the run: $(cat "$scratch/changed.err")"
grep -q '^note 1 plan-changed query q11' "$scratch/changed" || fail "a plan that changed is not flagged"
grep -q '^note 2 result-changed query q11' "$scratch/changed" || fail "a result that changed is not flagged"
exit $failed
