#!/bin/bash
# plumb pg: a build of 32K pages (made if it is not in the cache), found, usable, listed; what is
# refused, what a killed build leaves. Other tests use the build. Argument: plumb.
set -u
plumb=$1
scratch=$(mktemp -d /tmp/plumb-live.XXXXXX) || exit 1
chmod 755 "$scratch"
trap 'umount "$scratch/small" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT

failed=0
fail() {
	echo "$*"
	failed=1
}
refused() { # WORDS ARGUMENTS...: exit 1 and these words
	local words=$1 status
	shift
	env ${cache:+PLUMB_CACHE="$cache"} "$plumb" pg "$@" >"$scratch/out" 2>&1
	status=$?
	[ $status = 1 ] || fail "pg $*: exit $status, not 1"
	grep -q -- "$words" "$scratch/out" || fail "pg $*: no '$words' in: $(cat "$scratch/out")"
}

"$plumb" pg install --block-size 32K >"$scratch/installed" 2>"$scratch/progress" ||
	{ cat "$scratch/progress"; fail "no 32K build"; exit 1; }
bindir=$(sed -n 's/^32K blocks: //p' "$scratch/installed")
for program in postgres initdb pg_ctl psql pgbench pg_waldump pg_controldata pg_checksums pg_amcheck pg_restore; do
	"$bindir/$program" --version >/dev/null || fail "$program does not run"
done
[ -e "$bindir/../lib/postgresql/amcheck.so" ] || [ -e "$bindir/../lib/amcheck.so" ] || fail "no amcheck"
"$plumb" pg list | grep -q "$(basename "$(dirname "$bindir")")" || fail "the list does not have it"
find "$(dirname "$(dirname "$bindir")")" -maxdepth 1 -name '.build-*' | grep . && fail "a half build is left"
# A second call finds it: seconds, not minutes.
began=$SECONDS
"$plumb" pg install --block-size 32K --quiet >/dev/null 2>&1 || fail "not found again"
[ $((SECONDS - began)) -lt 20 ] || fail "an installed build was made again"

# From here in a cache of our own.
cache=$scratch/cache
mkdir "$cache"
refused '1K to 32K' install --block-size 64K
refused 'is no size' install --block-size 8Q
refused 'no PostgreSQL version' install --version fifteen
refused '13 is the oldest' install --version 12
refused "pg list" remove 'x/../y'
refused 'No such file' remove 15.18-b8K-w8K-s1G-00000000
refused 'No such file' install --source "$scratch/none"
mkdir "$scratch/tree"
refused 'no PostgreSQL source tree' install --source "$scratch/tree"
printf "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='12.22'\n" >"$scratch/tree/configure"
refused '13 is the oldest' install --source "$scratch/tree"
printf "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\n" >"$scratch/tree/configure"
refused 'not 14' install --version 14 --source "$scratch/tree"
chmod +x "$scratch/tree/configure"
printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\necho cannot go on >&2\nexit 7\n" \
	>"$scratch/tree/configure"
refused 'cannot go on' install --source "$scratch/tree"
find "$cache" -name '.build-*' | grep . && fail "a failed build left its folder"

# No source package: apt fails, or knows none.
mkdir "$scratch/apt"
printf '#!/bin/sh\necho no route to any mirror >&2\nexit 100\n' >"$scratch/apt/apt-get"
printf '#!/bin/sh\nexit 0\n' >"$scratch/apt/apt-cache"
chmod +x "$scratch/apt/"*
without_source() { # WORDS: what an install with this apt says, the way out included
	env PLUMB_CACHE="$cache" PATH="$scratch/apt:$PATH" "$plumb" pg install --version 15 >"$scratch/out" 2>&1 &&
		fail "built without a source package"
	grep -q -- "$1" "$scratch/out" || fail "no '$1' in: $(cat "$scratch/out")"
	grep -q -- '--source' "$scratch/out" || fail "no way out in: $(cat "$scratch/out")"
}
without_source 'no route to any mirror'
printf '#!/bin/sh\nexit 0\n' >"$scratch/apt/apt-get"
without_source "no source package 'postgresql-15'"

# A disk too small for a build.
if [ "$(id -u)" = 0 ]; then
	mkdir "$scratch/small"
	mount -t tmpfs -o size=20M plumb-test "$scratch/small" || fail "no tmpfs"
	cache=$scratch/small
	refused 'a build needs about' install --source "$scratch/tree"
	cache=$scratch/cache
	umount "$scratch/small"
fi

# No compiler.
mkdir "$scratch/bin"
for program in make tar pg_config pkg-config; do
	ln -s "$(command -v $program)" "$scratch/bin/" 2>/dev/null
done
if env PLUMB_CACHE="$cache" PATH="$scratch/bin" "$plumb" pg install --source "$scratch/tree" >"$scratch/out" 2>&1; then
	fail "built without a compiler"
fi
[ -x /usr/bin/gcc ] || grep -q "needs 'gcc'" "$scratch/out" || fail "no word about gcc: $(cat "$scratch/out")"

# Killed in the middle: the next call removes what is left and says nothing half-installed.
printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\necho waiting\nexec sleep 60\n" \
	>"$scratch/tree/configure"
env PLUMB_CACHE="$cache" "$plumb" pg install --source "$scratch/tree" >/dev/null 2>&1 &
victim=$!
for _ in $(seq 100); do
	grep -qs waiting "$cache"/pg/log/*.log && break
	sleep 0.1
done
kill -9 $victim
wait $victim 2>/dev/null
ls -d "$cache"/pg/.build-* >/dev/null 2>&1 || fail "the kill came too late to leave anything"
printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\nexit 7\n" >"$scratch/tree/configure"
refused 'exit code 7' install --source "$scratch/tree"
ls -d "$cache"/pg/.build-* 2>/dev/null && fail "the killed build's folder is still there"
[ "$(env PLUMB_CACHE="$cache" "$plumb" pg list | wc -l)" = 0 ] || fail "something half-built is listed"
exit $failed
