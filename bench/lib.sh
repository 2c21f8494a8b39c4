# shellcheck shell=bash
# What every script in bench/ shares: the options, alternated runs, medians with their intervals,
# the FIGURE line and the exit code. Sourced, never run:
#
#	. "$(dirname "$0")/lib.sh"
#	bench_begin "$@"
#	plain() { ...; echo "$tps"; }              # last line of output: the value of one run
#	ours() { ...; echo "$tps"; }
#	bench_alternate 7 ours plain               # fills $bench_pairs
#	bench_ratio tps_ratio '>=0.99'             # ours / plain, median of the ratios
#	bench_figure plan_time "$seconds" s '<=1'  # a single number
#	bench_end
#
# A figure is printed as
#	FIGURE name value unit goal>=0.99 ok|short|noise [low high]
# "short": the goal is missed, and where there is an interval all of it misses; "noise": the value
# misses and the interval does not; "report": there is no goal. bench_end exits with 3 when a
# figure is short, with 1 when one could not be measured. --quick asks for a form of at most a
# minute; what it leaves out is named by bench_left_out.
export LC_ALL=C
bench_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bench_name=$(basename "$0")
bench_quick=0
bench_short=0
bench_missing=0
bench_pairs=
bench_scratch=
bench_number='^-?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?$'

bench_die() { printf '%s: %s\n' "$bench_name" "$*" >&2; exit 1; }
bench_note() { printf '# %s\n' "$*"; }

# Read the options; anything that is not one is left in bench_arguments.
bench_begin() {
	bench_arguments=()
	local argument
	for argument in "$@"; do
		case $argument in
		--quick) bench_quick=1 ;;
		-h | --help) sed -nE '2,/^[^#]/s/^# ?//p' "$0"; exit 0 ;;
		-*) bench_die "unknown option $argument" ;;
		*) bench_arguments+=("$argument") ;;
		esac
	done
	bench_note "$bench_name$([ $bench_quick = 0 ] || echo ' --quick'), $(nproc) cores," \
		"$(uname -sr), $(cd "$bench_root" && git describe --always --dirty 2>/dev/null)"
	trap bench_clean EXIT
	trap 'exit 130' INT TERM
}

# A private folder in $bench_scratch, removed at the end. bench_clean_more, if the script defines
# it, runs before (unmount, stop servers).
bench_need_scratch() { # PARENT
	bench_scratch=$(mktemp -d "${1:-/var/tmp}/plumb-bench.XXXXXX") || bench_die "no scratch folder"
}
bench_clean() {
	if declare -F bench_clean_more >/dev/null; then bench_clean_more; fi
	[ -z "$bench_scratch" ] || rm -rf --one-file-system "$bench_scratch"
}

# Build a program of bench/*.c and print its path. PLUMB_BUILD names a build folder that is built
# already (the tests set it).
bench_build_program() { # NAME
	local build=${PLUMB_BUILD:-$bench_root/build}
	if [ -z "${PLUMB_BUILD:-}" ]; then
		[ -f "$build/build.ninja" ] || meson setup "$build" "$bench_root" >&2 || return 1
		nice ninja -C "$build" "bench/$1" >&2 || return 1
	fi
	echo "$build/bench/$1"
}

bench_left_out() { # NAME WHY
	printf 'LEFT-OUT %s: %s\n' "$1" "$2"
}

# bench_seconds COMMAND...: run it, print the wall time; its output goes to stderr.
bench_seconds() {
	local begin=$EPOCHREALTIME status
	"$@" >&2
	status=$?
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }'
	return $status
}

# bench_alternate ROUNDS FIRST SECOND: run both functions in every round, the order changing from
# round to round so that a drift of the machine meets both alike. The last line that a function
# prints is its value. Leaves "first second" a line in $bench_pairs.
bench_alternate() {
	local rounds=$1 first=$2 second=$3 round a b
	bench_pairs=
	for ((round = 1; round <= rounds; round++)); do
		if ((round % 2)); then
			a=$("$first" | tail -1) && b=$("$second" | tail -1)
		else
			b=$("$second" | tail -1) && a=$("$first" | tail -1)
		fi
		if [[ ! $a =~ $bench_number || ! $b =~ $bench_number ]]; then
			bench_note "round $round: '$first' gave '$a', '$second' gave '$b': left out"
			bench_missing=1
			continue
		fi
		bench_note "round $round: $first $a, $second $b"
		bench_pairs+="$a $b"$'\n'
	done
}

# Numbers on stdin, one a line: "median low high coverage n". The interval is the one between two
# order statistics, whatever the distribution: the narrowest symmetric one that holds the median
# with at least 95 %; under six values no such pair exists, and the extremes are given with the
# share they do hold (David and Nagaraja, Order Statistics, section 7.1).
bench_median() {
	sort -g | awk '
	{ value[NR] = $1 }
	END {
		n = NR
		if (!n)
			exit 1
		median = n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2
		# tail = P(fewer than k of n values lie below the median), for k = 1, 2, ...
		term = tail = 0.5 ^ n
		k = 1
		while (k < n / 2) {
			term = term * (n - k + 1) / k
			if (1 - 2 * (tail + term) < 0.95)
				break
			tail += term
			k++
		}
		printf "%.6g %.6g %.6g %.4f %d\n", median, value[k], value[n + 1 - k], 1 - 2 * tail, n
	}'
}

# bench_verdict VALUE GOAL [LOW HIGH]: the last word of a FIGURE line.
bench_verdict() {
	awk -v value="$1" -v goal="$2" -v low="${3:-$1}" -v high="${4:-$1}" 'BEGIN {
		if (goal == "report") { print "report"; exit }
		want = substr(goal, 3) + 0
		if (goal ~ /^>=/)
			print (value >= want ? "ok" : high >= want ? "noise" : "short")
		else if (goal ~ /^<=/)
			print (value <= want ? "ok" : low <= want ? "noise" : "short")
		else
			exit 1
	}' || bench_die "goal '$2' is neither >=N, <=N nor report"
}

# bench_figure NAME VALUE UNIT GOAL [LOW HIGH]
bench_figure() {
	local verdict
	if [[ ! $2 =~ $bench_number ]]; then
		printf 'FIGURE %s - %s goal%s missing\n' "$1" "$3" "$4"
		bench_missing=1
		return
	fi
	verdict=$(bench_verdict "$2" "$4" "${5:-}" "${6:-}") || exit 1
	printf 'FIGURE %s %s %s %s %s%s\n' "$1" "$2" "$3" "$([ "$4" = report ] && echo no-goal || echo "goal$4")" \
		"$verdict" "${5:+ [$5 $6]}"
	[ "$verdict" != short ] || bench_short=1
}

# bench_ratio NAME GOAL: first / second of $bench_pairs, median of the ratios with its interval.
bench_ratio() {
	local median low high coverage n
	read -r median low high coverage n < <(awk 'NF == 2 && $2 > 0 { printf "%.9g\n", $1 / $2 }' <<<"$bench_pairs" |
		bench_median)
	[ -z "${n:-}" ] || bench_note "$1: $n ratios, the interval holds the median with $coverage"
	bench_figure "$1" "${median:--}" ratio "$2" "${low:-}" "${high:-}"
}

bench_end() {
	[ $bench_missing = 0 ] || exit 1
	[ $bench_short = 0 ] || exit 3
	exit 0
}
