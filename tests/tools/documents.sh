#!/bin/bash
# README, ARCHITECTURE and CONTRIBUTING: links lead to files that are there, the commands that are
# named exist, the studies that are shown are accepted.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
plumb=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1
failed=0
fail() { printf '%s\n' "$*"; failed=1; }

for page in *.md docs/*.md bench/README.md src/*/README.md data/README.md; do
	[ -e "$page" ] || continue
	while read -r link; do
		case $link in '#'* | *://*) continue ;; esac
		[ -e "$(dirname "$page")/${link%%#*}" ] || fail "$page: nothing at '$link'"
	done < <(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
done

names=$("$plumb" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$names" ] || fail "plumb --help lists no commands"
for page in README.md ARCHITECTURE.md CONTRIBUTING.md; do
	for name in $(grep -oE '(`|")plumb [a-z]+' "$page" | sed 's/.* //' | sort -u); do
		grep -qx "$name" <<<"$names" || fail "$page: plumb has no command '$name'"
	done
done
for name in $names; do
	grep -q "plumb $name" README.md || [ "$name" = document ] || fail "README.md does not say what 'plumb $name' is for"
done
for name in $(awk '/^groups=/,/^.$/ { if (NF > 2) print $1 }' run-tests); do
	[ "$("./run-tests" --list | grep -c "^$name ")" = 1 ] || fail "run-tests: group '$name' is not listed once"
done

sed -n '/^```ini/,/^```/p' README.md | sed '/^```/d' >"$work/readme.ini"
[ -s "$work/readme.ini" ] || fail "README.md shows no study"
"$plumb" plan "$work/readme.ini" >"$work/out" 2>&1 || { fail "the study of README.md is refused:"; cat "$work/out"; }
exit $failed
