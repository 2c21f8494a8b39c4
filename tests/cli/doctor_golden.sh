#!/bin/bash
# plumb doctor on golden facts: the shapes of PostgreSQL 13 to 18 (15 was collected, the others are
# written after the manuals), every form of output, exit codes, hostile and damaged files.
# usage: doctor_golden.sh PLUMB [--update]
set -u
plumb=$(readlink -f "${1:?which plumb}") || exit 1
golden=$(cd "$(dirname "$0")/../golden/doctor" && pwd) || exit 1
fuzz=$golden/../../fuzz/corpus/facts
update=${2:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() { printf 'FAIL: %.1500s\n' "$*"; failures=$((failures + 1)); }
# same FILE: $scratch/out is what FILE holds
same() {
	[ -z "$update" ] || cp "$scratch/out" "$1"
	diff -u "$1" "$scratch/out" || fail "not as in $1"
}
run() { # WANTED-CODE ARGUMENT...
	local wanted=$1
	shift
	"$plumb" doctor "$@" >"$scratch/out" 2>"$scratch/err"
	local code=$?
	[ "$code" = "$wanted" ] || fail "plumb doctor $*: exit $code, not $wanted: $(cat "$scratch/err")"
}

for version in 13 14 15 16 17 18; do
	run 3 --facts "$golden/postgres-$version.json"
	same "$golden/postgres-$version.txt"
done
grep -q '"origin": "collected"' "$golden/postgres-15.json" || fail "15 is not marked as collected"
for version in 13 14 16 17 18; do
	grep -q '"origin": "documentation"' "$golden/postgres-$version.json" || fail "$version is not marked"
done

# Forms. The page and the script are kept whole for one shape.
facts=$golden/postgres-15.json
run 3 --facts "$facts" --verbose && same "$golden/verbose.txt"
run 3 --facts "$facts" --format json
python3 -m json.tool "$scratch/out" >/dev/null 2>&1 || ! command -v python3 >/dev/null || fail "no JSON"
run 3 --facts "$facts" --format html
grep -q '</html>' "$scratch/out" || fail "no whole page"
run 3 --facts "$facts" --fix-script && same "$golden/fix-script.txt"
sh -n "$scratch/out" || fail "fix script: no shell"
run 2 --facts "$facts" --nagios
run 0 --facts "$golden/zfs.json" --fail-on hint
run 0 --facts "$golden/zfs.json" --nagios
run 0 --facts "$facts" --fail-on never
for id in DUR05 dur06 IO13; do run 0 --explain $id; done
run 0 --explain DUR05 && same "$golden/explain-DUR05.txt"

# Wrong use and bad files: words, exit 1, nothing printed
run 1 --explain DUR99
run 1 --facts "$scratch/none.json"
run 1 --facts "$facts" --fail-on sometimes
run 1 --facts "$facts" --format pdf
run 1 --seconds 0 --data-directory "$scratch"
run 1 --seconds 5x --data-directory "$scratch"
for name in junk deep; do
	run 1 --facts "$fuzz/$name"
	[ -s "$scratch/out" ] && fail "$name: something was printed"
	[ -s "$scratch/err" ] || fail "$name: refused without words"
done
run 3 --facts "$fuzz/junk" --nagios
head -c 17000000 /dev/zero | tr '\0' ' ' >"$scratch/huge.json"
run 1 --facts "$scratch/huge.json"
run 0 --facts "$fuzz/empty"
run 3 --facts "$fuzz/empty" --nagios

# Hostile texts: no escape reaches the terminal, no text leaves its place in script or page.
mkdir "$scratch/bin"
for tool in zfs zpool plumb mount sysctl swapoff nvme runuser sync; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' $tool "$scratch" >"$scratch/bin/$tool"
done
for tool in rm id; do
	printf '#!/bin/sh\ntouch "%s/escaped"\n' "$scratch" >"$scratch/bin/$tool"
done
chmod +x "$scratch/bin/"*
for name in nasty hostile; do
	for form in --verbose --fix-script --format=html; do
		run 0 --facts "$fuzz/$name" --fail-on never $form
		! grep -q "$(printf '\033')" "$scratch/out" || fail "$form lets an escape through"
	done
	! grep -q '</script>' "$scratch/out" || fail "the page lets a tag through"
	run 0 --facts "$fuzz/$name" --fail-on never --fix-script
	sh -n "$scratch/out" || fail "a hostile text breaks the script"
	# Run it with commands that only note what they are called with: no other may be called.
	sed -E "s#/sys/#$scratch/sys/#g; s/^set -eu\$/set -u/" "$scratch/out" >"$scratch/script"
	(cd "$scratch" && PATH=$scratch/bin:/usr/bin:/bin sh "$scratch/script" </dev/null >/dev/null 2>&1)
	[ ! -e "$scratch/escaped" ] || fail "a hostile text of '$name' ran a command"
done
[ "$(grep -c '^zfs set' "$scratch/called")" -ge 6 ] || fail "the hostile facts lead to no commands"
exit $((failures > 0))
