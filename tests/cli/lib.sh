# For tests of the command line: source it with the program as first argument. Each test has a
# folder of its own, where it stands and which is removed whatever happens; scratch lies there too.
# shellcheck shell=bash
set -u
plumb=$(readlink -f "${1:?which plumb}")
work=$(mktemp -d "${TMPDIR:-/tmp}/plumb-cli-XXXXXX") || exit 1
trap 'cd /; kill $(jobs -p) 2>/dev/null; wait; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work" # the server's user must get through
cd "$work" || exit 1
export PLUMB_SCRATCH=$work/scratch NO_COLOR=1
failed=0

fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# expect CODE COMMAND...: run it; what it prints is in out and err.
expect() {
	local wanted=$1 got
	shift
	"$@" >out 2>err
	got=$?
	[ "$got" = "$wanted" ] && return
	fail "'$*' ended with $got instead of $wanted; it said:"
	tail -n 20 out err
	return 1
}

# says FILE TEXT: FILE (out, err) holds that text.
says() {
	grep -qF -- "$2" "$1" && return
	fail "'$2' is not in $1, which is:"
	tail -n 20 "$1"
	return 1
}

# The smallest study that runs anywhere in seconds: a fake filesystem and workload, real time.
# study NAME [LINE...]: further lines go into [design].
study() {
	local name=$1
	shift
	printf '%s\n' '[study]' "name = $name" '[filesystem]' 'type = fake' '[workload]' 'type = fake' \
		'fake_tps = 50, 100' '[design]' 'baseline = workload.fake_tps=50' 'warmup = 0s' \
		'measure = 1s' 'repeats = 1' "$@" >"$name.ini"
}

end() { exit $failed; }
