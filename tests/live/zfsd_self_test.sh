#!/bin/bash
# The daemon's self-test of the installed library passes as any user, is remembered, and fails in words
# where it can't be made.
# Argument: plumb-zfsd.
set -u
zfsd=$1
scratch=$(mktemp -d /var/tmp/plumb-self-test.XXXXXX) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}
PATH=$PATH:/usr/sbin:/sbin "$zfsd" --self-test "$scratch" --log "$scratch/log" || fail "$(tail -5 "$scratch/log")"
passed=("$scratch"/passed-*)
[ -f "${passed[0]}" ] || fail "the pass was not written down"
[ -e "$scratch/self-test.disk" ] && fail "the disk was left behind"
# Remembered: passes where no file may grow, as a new test needs.
no_files() (
	trap '' XFSZ
	ulimit -f 0
	exec "$zfsd" --self-test "$scratch" 2>&1
)
why=$(no_files) || fail "the pass was forgotten: $why"
rm "${passed[0]}"
why=$(no_files) && fail "passed without a disk"
grep -q 'self-test of the OpenZFS library: disk' <<<"$why" || fail "no reason given: $why"
# Two at once: one tests, the other waits and takes its word.
export PATH=$PATH:/usr/sbin:/sbin
"$zfsd" --self-test "$scratch" --log "$scratch/first" &
"$zfsd" --self-test "$scratch" --log "$scratch/second" || fail "the second of two: $(tail -5 "$scratch/second")"
wait $! || fail "the first of two: $(tail -5 "$scratch/first")"
[ "$(cat "$scratch/first" "$scratch/second" | grep -c 'self-test passed')" = 1 ] || fail "tested twice, or not at all"
"$zfsd" --self-test "$scratch/missing" 2>"$scratch/why" && fail "passed in a folder that does not exist"
exit 0
