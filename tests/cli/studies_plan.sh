#!/bin/bash
# Every shipped study plans, full and small; the small form fits into 15 minutes by the estimate
# and has fewer trials than the full one. Arguments: the program, the folder of studies.
set -u
plumb=$1
studies=$2
failed=0

fail() {
	echo "$*"
	failed=1
}

trials() { # FORM STUDY: the number of trials in the plan
	"$plumb" plan $1 "$2" 2>&1 | sed -nE 's/.* ([0-9]+) trials?,.*/\1/p'
}

minutes() { # the estimate of the small form, in minutes
	"$plumb" plan --small "$1" |
		sed -nE 's/^about (([0-9]+) h )?(([0-9]+) min)?.*/\2 \4/p' |
		awk '{ print (NF > 1 ? $1 * 60 + $2 : $1 + 0) }'
}

count=0
for study in "$studies"/*.ini; do
	name=$(basename "$study" .ini)
	count=$((count + 1))
	full=$(trials "" "$study")
	[ -n "$full" ] || { fail "$name: does not plan"; "$plumb" plan "$study"; continue; }
	grep -q '^\[small\]' "$study" || continue
	small=$(trials --small "$study")
	[ -n "$small" ] || { fail "$name: small form does not plan"; "$plumb" plan --small "$study"; continue; }
	[ "$small" -le "$full" ] || fail "$name: the small form has more trials ($small) than the full ($full)"
	[ "$(minutes "$study")" -le 15 ] || fail "$name: the small form takes $(minutes "$study") minutes"
done
for name in zfs-aligned raidz-vs-single block-load zfs-ladder zfs-layouts-dd zfs-layouts-fio \
	cache-split documents block-grid block-grid-analytic; do
	grep -q '^seed_document' "$studies/$name.ini" || fail "$name: names no seed"
	grep -q '^\[small\]' "$studies/$name.ini" || fail "$name: has no small form"
done
[ $count -ge 10 ] || fail "only $count studies in $studies"
exit $failed
