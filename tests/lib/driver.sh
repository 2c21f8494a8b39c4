# Sourced by live tests of single workload drivers: a scratch folder of their own, runs of driver_run
# and words to check their records with. $1 of the test is driver_run.
# shellcheck shell=bash
run=$(readlink -f "$1")
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch" # the server's user must get through
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

failed=0
fail() {
	printf 'FAILED: %s\n' "$*"
	failed=1
}

# One run that must succeed; its record is in $scratch/NAME.
play() { # NAME TYPE SETTING...
	local name=$1
	shift
	"$run" "$scratch/rig" "$@" >"$scratch/$name" 2>"$scratch/$name.err" ||
		fail "$name: $(cat "$scratch/$name.err")"
}

# One run that must fail, and say so.
refused() { # TEXT TYPE SETTING...
	local text=$1
	shift
	"$run" "$scratch/rig" "$@" >"$scratch/out" 2>&1 && fail "it went well: $*"
	grep -qF -- "$text" "$scratch/out" || fail "$*: no '$text' in: $(cat "$scratch/out")"
}

# A run's record holds values above zero.
has() { # NAME METRIC...
	local name=$1 metric
	shift
	for metric in "$@"; do
		grep -qE "^sample run $metric [0-9.]*[1-9]" "$scratch/$name" || fail "$name: no $metric"
	done
}
