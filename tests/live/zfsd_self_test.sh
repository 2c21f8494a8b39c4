#!/bin/bash
# The daemon's self-test of the installed library passes as any user, is remembered, and fails in words
# where it can't be made; no daemon serves without it, whoever starts it.
# Argument: plumb-zfsd.
set -u
zfsd=$1
scratch=$(mktemp -d /var/tmp/plumb-self-test.XXXXXX) || exit 1
daemon=''
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; rm -rf "$scratch"' EXIT
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

# Started by hand: the library that fails serves nobody; one that passes is tested once.
mkdir -m 700 "$scratch/run" "$scratch/fake"
printf '#!/bin/sh\necho "this pool leaks" >&2\nexit 2\n' >"$scratch/fake/zdb"
chmod 755 "$scratch/fake/zdb"
PATH=$scratch/fake:$PATH timeout 100 "$zfsd" --socket "$scratch/run/s" --proof "$scratch/proof" 2>"$scratch/why"
[ $? = 1 ] || fail "a daemon whose library fails: $(cat "$scratch/why")"
grep -q 'self-test of the OpenZFS library: .*this pool leaks' "$scratch/why" || fail "no reason: $(cat "$scratch/why")"
[ ! -e "$scratch/run/s" ] || fail "it listened before the test"
for turn in first second; do
	"$zfsd" --socket "$scratch/run/s" --proof "$scratch/proof" --log "$scratch/by_hand" --ready-fd 1 >"$scratch/ready" &
	daemon=$!
	for ((i = 0; i < 3000; i++)); do grep -q READY "$scratch/ready" && break || sleep 0.02; done
	grep -q READY "$scratch/ready" || fail "the $turn start: $(tail -5 "$scratch/by_hand")"
	kill "$daemon"
	wait "$daemon" || fail "the $turn start ended with $?: $(tail -5 "$scratch/by_hand")"
	daemon=''
done
passed=("$scratch"/proof/passed-*)
[ -f "${passed[0]}" ] || fail "a start by hand left no pass"
[ "$(grep -c 'self-test passed' "$scratch/by_hand")" = 1 ] || fail "tested twice, or not at all"
exit 0
