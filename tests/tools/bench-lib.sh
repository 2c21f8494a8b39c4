#!/bin/bash
# bench/lib.sh: medians and their intervals, verdicts, exit codes, alternation.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # WHAT WANTED GOT
	[ "$2" = "$3" ] || { printf '%s: wanted "%s", got "%s"\n' "$1" "$2" "$3"; exit 1; }
}
bench() { # writes a bench from stdin, runs it, leaves output and status
	{ printf '#!/bin/bash\n# A bench.\n. "%s/bench/lib.sh"\n' "$root"; cat; } >"$work/bench"
	status=0
	bash "$work/bench" "$@" >"$work/out" 2>&1 || status=$?
}

# Known coverages: 1 - 2/2^n for the extremes; for n = 9 the 2nd and 8th hold 0.9609.
(
	. "$root/bench/lib.sh"
	expect 'one value' '5 5 5 0.0000 1' "$(echo 5 | bench_median)"
	expect 'five values' '3 1 5 0.9375 5' "$(printf '%s\n' 5 1 4 2 3 | bench_median)"
	expect 'six values' '3.5 1 6 0.9688 6' "$(seq 6 | bench_median)"
	expect 'nine values' '5 2 8 0.9609 9' "$(seq 9 | sort -R | bench_median)"
	expect 'twenty values' '10.5 6 15 0.9586 20' "$(seq 20 | bench_median)"
	expect 'no value' 'failed' "$(bench_median </dev/null || echo failed)"
	expect 'met' ok "$(bench_verdict 1.6 '>=1.5')"
	expect 'missed' short "$(bench_verdict 1.4 '>=1.5')"
	expect 'missed in the noise' noise "$(bench_verdict 1.4 '>=1.5' 1.2 1.6)"
	expect 'missed beyond the noise' short "$(bench_verdict 1.3 '>=1.5' 1.2 1.4)"
	expect 'at most' ok "$(bench_verdict 0.5 '<=0.6' 0.4 0.7)"
	expect 'more than at most' short "$(bench_verdict 0.9 '<=0.6' 0.7 1)"
)

bench <<'END'
bench_begin "$@"
calls=/dev/null
ours() { echo noise; echo 30; echo ours >>"$bench_scratch/calls"; }
plain() { echo 20; echo plain >>"$bench_scratch/calls"; }
bench_need_scratch "${TMPDIR:-/tmp}"
bench_alternate 4 ours plain
bench_ratio speed '>=1.4'
bench_note "order: $(paste -sd' ' "$bench_scratch/calls")"
bench_note "scratch $bench_scratch"
bench_end
END
expect 'exit code when all is met' 0 $status
grep -qx 'FIGURE speed 1.5 ratio goal>=1.4 ok \[1.5 1.5\]' "$work/out" || { cat "$work/out"; exit 1; }
grep -qx '# order: ours plain plain ours ours plain plain ours' "$work/out" || { cat "$work/out"; exit 1; }
[ ! -e "$(sed -n 's/^# scratch //p' "$work/out")" ] || { echo "scratch folder left"; exit 1; }

bench <<'END'
bench_begin "$@"
bench_figure time 2 s '<=1'
bench_end
END
expect 'exit code when a figure is short' 3 $status
grep -qx 'FIGURE time 2 s goal<=1 short' "$work/out" || { cat "$work/out"; exit 1; }

bench --quick <<'END'
bench_begin "$@"
bad() { echo broken; }
good() { echo 1; }
bench_alternate 2 bad good
bench_ratio speed '>=1'
[ $bench_quick = 0 ] || bench_left_out long "takes an hour"
bench_end
END
expect 'exit code when a figure is missing' 1 $status
grep -qx 'FIGURE speed - ratio goal>=1 missing' "$work/out" || { cat "$work/out"; exit 1; }
grep -qx 'LEFT-OUT long: takes an hour' "$work/out" || { cat "$work/out"; exit 1; }
