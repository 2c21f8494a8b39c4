#!/bin/bash
# shellcheck disable=SC2154 # scratch, plumb and failed are set by zfsd_lib.sh
# No pool before the library's self-test has passed: the first use of a plain user makes it and says so,
# the next ones do not; where it fails there is no daemon.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

mkdir -p "$scratch/bin/zfsd" "$scratch/fake" "$scratch/sock"
cp "$plumb" "$scratch/bin/plumb"
cp "${PLUMB_ZFSD:-$(dirname "$plumb")/zfsd/plumb-zfsd}" "$scratch/bin/zfsd/plumb-zfsd"
unset PLUMB_ZFSD
install -d -o postgres -m 700 "$scratch/run" "$scratch/pool" "$scratch/cache"
chown postgres: "$mount" "$scratch/sock"
export XDG_CACHE_HOME=$scratch/cache
z() { (cd / && as_server "$scratch/bin/plumb" zfs "$@"); }
(cd / && as_server truncate -s 100M "$scratch/pool/a")
printf '#!/bin/sh\necho "this pool leaks" >&2\nexit 2\n' >"$scratch/fake/zdb"
chmod 755 "$scratch/fake/zdb"

PATH=$scratch/fake:$PATH z create tank "$scratch/pool/a" >"$scratch/out" 2>&1
code=$?
[ "$code" = 1 ] || fail "a library that fails its self-test: exit code $code: $(cat "$scratch/out")"
grep -q "OpenZFS 2\.3\..* can't be used: .*self-test" "$scratch/out" || fail "no reason: $(cat "$scratch/out")"
grep -q 'this pool leaks' "$scratch/out" || fail "what zdb said is missing: $(cat "$scratch/out")"
[ -z "$(zfsd_pid)" ] || fail "a daemon runs with a library that failed"
[ "$(head -c 1M "$scratch/pool/a" | tr -d '\0' | wc -c)" = 0 ] || fail "the device was written to"

z create tank "$scratch/pool/a" >"$scratch/out" 2>&1 || die "create: $(cat "$scratch/out")"
grep -q 'has not been tested on this machine: doing so once' "$scratch/out" || fail "nothing said: $(cat "$scratch/out")"
passed=("$scratch"/cache/plumb/zfsd/passed-*)
[ -f "${passed[0]}" ] || fail "the pass is not kept in the user's cache"
z export tank || fail "export"
z import -d "$scratch/pool/a" tank >"$scratch/out" 2>&1 || die "import: $(cat "$scratch/out")"
grep -q 'tested' "$scratch/out" && fail "tested again: $(cat "$scratch/out")"
z destroy tank || fail "destroy"
exit "$failed"
