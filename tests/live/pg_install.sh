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

# A tree that makes next to nothing is a build; given once more it is named and left alone, and of
# another version than the installed server's nothing is complained of.
mkdir -p "$scratch/tree/src/backend" "$scratch/given"
touch "$scratch/tree/src/backend/Makefile"
cat >"$scratch/tree/configure" <<'END'
#!/bin/sh
PACKAGE_NAME='PostgreSQL'
PACKAGE_VERSION='15.99'
mkdir -p src/backend
printf 'all generated-headers:\n\t@true\ninstall:\n\tmkdir -p $(DESTDIR)%s/bin\n' "${1#--prefix=}" >src/backend/Makefile
END
given() {
	env PLUMB_CACHE="$scratch/given" "$plumb" pg install --source "$scratch/tree" >"$scratch/out" 2>&1 ||
		fail "no build of a given source: $(cat "$scratch/out")"
}
given
grep -q 'is installed already\|no source of that version' "$scratch/out" && fail "a first build: $(cat "$scratch/out")"
given
grep -q 'is installed already.*the given source was not built' "$scratch/out" ||
	fail "a second source of one name goes unseen: $(cat "$scratch/out")"
env PLUMB_CACHE="$scratch/given" "$plumb" pg remove "$(find "$scratch/given/pg" -name '15.99-*' -printf '%f')" >/dev/null ||
	fail "a build can't be removed"
rm -r "$scratch/tree/src"

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

# Of a kept source older than the installed server a newer one is looked for; where none can be had the
# kept one does. Trees that only say which one is built, through their exit code.
major=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf "%f\n" 2>/dev/null | sort -n | tail -1)
major=${major:-15}
tarball() { # FILE VERSION CODE
	rm -rf "$scratch/pack" && mkdir -p "$scratch/pack/postgresql"
	printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='%s'\nexit %s\n" "$2" "$3" >"$scratch/pack/postgresql/configure"
	chmod +x "$scratch/pack/postgresql/configure"
	tar -C "$scratch/pack" -cjf "$1" postgresql
}
newer=$scratch/newer
mkdir -p "$newer/pg/source" "$scratch/offer"
tarball "$newer/pg/source/postgresql-${major}_${major}.0.orig.tar.bz2" "$major.0" 7
tarball "$scratch/offer/postgresql-${major}_${major}.1.orig.tar.bz2" "$major.1" 9
ends_with() { # CODE: of the configure that was run
	env PLUMB_CACHE="$newer" PATH="$scratch/apt:$PATH" "$plumb" pg install --version "$major" >"$scratch/out" 2>&1
	grep -q "exit code $1" "$scratch/out" || fail "no 'exit code $1' in: $(cat "$scratch/out")"
}
ends_with 7 # no package source offers any
printf '#!/bin/sh\nprintf "Package: p\\nVersion: %s.0-1\\n"\n' "$major" >"$scratch/apt/apt-cache"
printf '#!/bin/sh\necho not to be called; exit 100\n' >"$scratch/apt/apt-get"
ends_with 7 # not newer
printf '#!/bin/sh\nprintf "Version: %s.0-1\\nVersion: %s.1-1\\n"\n' "$major" "$major" >"$scratch/apt/apt-cache"
printf '#!/bin/sh\ncase "$*" in *"source postgresql-%s=%s.1-1") exit 100;; esac\n' "$major" "$major" >"$scratch/apt/apt-get"
ends_with 7 # listed, but not held
printf '#!/bin/sh\ncase "$*" in *"source postgresql-%s=%s.1-1") cp %s/offer/* .;; esac\n' "$major" "$major" "$scratch" >"$scratch/apt/apt-get"
ends_with 9
[ -e "$newer/pg/source/postgresql-${major}_$major.1.orig.tar.bz2" ] || fail "the newer source is not kept"

# A disk that fills up while a source is unpacked, and while it is built.
if [ "$(id -u)" = 0 ]; then
	mkdir "$scratch/small"
	mount -t tmpfs -o size=720M plumb-test "$scratch/small" || fail "no tmpfs"
	cache=$scratch/small
	printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\nfallocate -l 2G filler || exit 1\n" \
		>"$scratch/tree/configure"
	refused 'the disk is full: a build needs about 700 MB' install --source "$scratch/tree"
	refused 'the whole log is' install --source "$scratch/tree"
	[ -s "$(sed -n 's/.*the whole log is //p' "$scratch/out")" ] || fail "no log is kept: $(cat "$scratch/out")"
	truncate -s 1G "$scratch/pack/postgresql/large" # zeros: a small tarball
	tar -C "$scratch/pack" -czf "$scratch/large.tar.gz" postgresql
	refused 'the disk is full: a build needs about 700 MB' install --source "$scratch/large.tar.gz"
	find "$cache" -name '.build-*' | grep . && fail "a full disk is left full"
	umount "$scratch/small"
	rmdir "$scratch/small"
	cache=$scratch/cache
	printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\necho cannot go on >&2\nexit 7\n" \
		>"$scratch/tree/configure"
fi

# A disk too small for a build.
if [ "$(id -u)" = 0 ]; then
	mkdir "$scratch/small"
	mount -t tmpfs -o size=20M plumb-test "$scratch/small" || fail "no tmpfs"
	cache=$scratch/small
	refused 'a build needs about' install --source "$scratch/tree"
	cache=$scratch/cache
	umount "$scratch/small"
fi

# No compiler, no make: hidden in a mount namespace, because plumb also looks beyond PATH.
if [ "$(id -u)" = 0 ]; then
	for program in gcc make; do
		# shellcheck disable=SC2016 # for the shell inside
		env PLUMB_CACHE="$cache" unshare -m sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' - \
			"$(readlink -f "$(command -v $program)")" "$plumb" pg install --source "$scratch/tree" \
			>"$scratch/out" 2>&1 && fail "built without $program"
		grep -q "building PostgreSQL needs '$program'" "$scratch/out" || fail "$(cat "$scratch/out")"
		grep -q 'hint: install the package' "$scratch/out" || fail "no way out in: $(cat "$scratch/out")"
	done
fi

# Killed in the middle: the next call removes what is left and says nothing half-installed.
printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\necho waiting\nexec sleep 60\n" \
	>"$scratch/tree/configure"
env PLUMB_CACHE="$cache" "$plumb" pg install --source "$scratch/tree" >/dev/null 2>&1 &
victim=$!
waiting() {
	for _ in $(seq 100); do
		grep -qs waiting "$cache"/pg/log/*.log && return
		sleep 0.1
	done
}
waiting
kill -TERM $victim # as SIGINT, which a background job of a script ignores
wait $victim && fail "a build that was stopped ended well"
ls -d "$cache"/pg/.build-* 2>/dev/null && fail "a build that was stopped left its folder"
rm -f "$cache"/pg/log/*.log
env PLUMB_CACHE="$cache" "$plumb" pg install --source "$scratch/tree" >/dev/null 2>&1 &
victim=$!
waiting
kill -9 $victim
wait $victim 2>/dev/null
ls -d "$cache"/pg/.build-* >/dev/null 2>&1 || fail "the kill came too late to leave anything"
printf "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.99'\nexit 7\n" >"$scratch/tree/configure"
refused 'exit code 7' install --source "$scratch/tree"
ls -d "$cache"/pg/.build-* 2>/dev/null && fail "the killed build's folder is still there"
[ "$(env PLUMB_CACHE="$cache" "$plumb" pg list | wc -l)" = 0 ] || fail "something half-built is listed"
exit $failed
