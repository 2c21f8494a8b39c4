#!/bin/bash
# The analytic loader and queries on real servers: pages of 8K of the distribution and of 32K of our
# own build. Both must hold the same data (checksums of the generator), give the same results, and
# the binary and the text form must load the same rows. Argument: driver_run.
set -u
run=$1
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT

failed=0
fail() {
	echo "$*"
	failed=1
}

play() { # NAME SETTINGS...: one run, its record in NAME
	local name=$1
	shift
	"$run" "$scratch/rig" analytic workload.scale=0.02 workload.passes=2 "$@" \
		>"$scratch/$name" 2>"$scratch/$name.err" || fail "$name: $(cat "$scratch/$name.err")"
}

play distribution_8k
play built_32k postgres.block_size=32K
play text_8k workload.format=text workload.jobs=3

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

# A query that takes too long is recorded, and the run goes on.
play timeout workload.scale=0.3 workload.queries='q09 q14' workload.query_timeout=1s
if grep -q '^sample run query_q09_cold_ns' "$scratch/timeout"; then
	echo "q09 ended within a second here: the time limit was not reached"
else
	grep -q '^note 1 query-timeout query q09' "$scratch/timeout" || fail "the time limit left no note"
fi
grep -q '^sample run query_q14_warm_ns' "$scratch/timeout" || fail "the query after the slow one did not run"
exit $failed
