# Sourced by live tests that run studies: a scratch folder of their own, words to check with, and a
# look for leftovers at the end, however it ends. $1 of the test is the plumb program.
# shellcheck shell=bash
plumb=$(readlink -f "$1")
scratch=$(mktemp -d /var/tmp/plumb-live-XXXXXX)
chmod 0711 "$scratch"
export PLUMB_SCRATCH=$scratch/scratch
results=$scratch/results

skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

fail() {
	printf 'FAILED: %s\n' "$*" >&2
	exit 1
}

# What of ours is there still: mounts, loop devices, control groups, folders, journals.
leftovers() {
	grep -F "$scratch" /proc/self/mountinfo
	# A deleted backing file shows as "(deleted)": its path is still there.
	grep -lF "$scratch" /sys/block/loop*/loop/backing_file 2>/dev/null
	for folder in "$PLUMB_SCRATCH"/rigs/* "$PLUMB_SCRATCH"/journal/*; do
		[ -e "$folder" ] && printf '%s\n' "$folder"
	done
	for rig in $(cat "$scratch"/rigs-seen 2>/dev/null); do
		ls -d /sys/fs/cgroup/*/"$rig" /sys/fs/cgroup/"$rig" /run/plumb/"$rig" 2>/dev/null
	done
	return 0
}

finish() {
	code=$?
	trap - EXIT
	ls "$PLUMB_SCRATCH"/rigs 2>/dev/null >>"$scratch"/rigs-seen
	if [ $code -ne 0 ] && [ $code -ne 77 ]; then
		find "$PLUMB_SCRATCH" -name '*.log' -exec tail -n 20 {} + 2>/dev/null
	fi
	"$plumb" clean >"$scratch"/clean.log 2>&1 || cat "$scratch"/clean.log
	left=$(leftovers)
	if [ -n "$left" ]; then
		printf 'FAILED: left behind:\n%s\n' "$left" >&2
		[ $code -ne 0 ] || code=1
	fi
	rm -rf --one-file-system "$scratch"
	exit $code
}
trap finish EXIT
trap 'exit 130' INT TERM

# The study on stdin as a file.
study() { # NAME
	cat >"$scratch/$1.ini"
}

# Run a study and hold its exit code against the one expected; output in $scratch/out.
run() { # CODE STUDY [OPTION...]
	local expected=$1 name=$2 code
	shift 2
	"$plumb" run "$scratch/$name.ini" -r "$results" "$@" >"$scratch"/out 2>&1
	code=$?
	if [ $code -ne "$expected" ]; then
		cat "$scratch"/out
		fail "run $name: exit code $code, expected $expected"
	fi
}

# The last output holds this text.
says() {
	grep -qF -- "$1" "$scratch"/out || {
		cat "$scratch"/out
		fail "the output does not say: $1"
	}
}

# Trials of a study in a state.
count_trials() { # STUDY STATE
	"$plumb" list -r "$results" "$1" | awk -v state="$2" '$6 == state' | wc -l
}

# Id of the first trial of a cell.
trial_of() { # STUDY CELL
	"$plumb" list -r "$results" "$1" | awk -v cell="$2" '$7 == cell { print $1; exit }'
}

# What a trial's record says about a name, as read back.
fact() { # TRIAL NAME
	"$plumb" show -r "$results" "$1" | sed '1,/^read back/d' |
		awk -v name="$2" '$1 == name { print $2; exit }'
}

need_root() {
	[ "$(id -u)" = 0 ] || skip 'needs root'
}
