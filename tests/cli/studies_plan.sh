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

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

plan() { # FORM STUDY: its plan, kept
	# shellcheck disable=SC2086 # no word or one
	"$plumb" plan $1 "$2" >"$scratch/plan" 2>&1
}

trials() { # the number of trials in the plan
	sed -nE 's/.* ([0-9]+) trials?,.*/\1/p' "$scratch/plan"
}

minutes() { # the estimate, in minutes
	sed -nE 's/^about (([0-9]+) h )?(([0-9]+) min)?.*/\2 \4/p' "$scratch/plan" |
		awk '{ print (NF > 1 ? $1 * 60 + $2 : $1 + 0) }'
}

count=0
for study in "$studies"/*.ini; do
	name=$(basename "$study" .ini)
	count=$((count + 1))
	plan "" "$study"
	full=$(trials)
	[ -n "$full" ] || { fail "$name: does not plan"; cat "$scratch/plan"; continue; }
	grep -q '^\[small\]' "$study" || continue
	plan --small "$study"
	small=$(trials)
	[ -n "$small" ] || { fail "$name: small form does not plan"; cat "$scratch/plan"; continue; }
	[ "$small" -le "$full" ] || fail "$name: the small form has more trials ($small) than the full ($full)"
	[ "$(minutes)" -le 15 ] || fail "$name: the small form takes $(minutes) minutes"
done
for name in zfs-aligned raidz-vs-single block-load zfs-ladder zfs-layouts-dd zfs-layouts-fio \
	cache-split documents block-grid block-grid-analytic; do
	grep -q '^seed_document' "$studies/$name.ini" || fail "$name: names no seed"
	grep -q '^\[small\]' "$studies/$name.ini" || fail "$name: has no small form"
	grep -qE '^question *= .' "$studies/$name.ini" || fail "$name: asks no question"
	head=$(sed '/^\[/,$d' "$studies/$name.ini")
	for word in 'Full size:' 'Small:' 'Scaling:'; do
		case $head in *"$word"*) ;; *) fail "$name: its head has no '$word'" ;; esac
	done
	grep -q "studies/$name.ini" "$(dirname "$studies")/docs/seeds.md" || fail "$name: is not in docs/seeds.md"
done
[ $count -ge 10 ] || fail "only $count studies in $studies"
exit $failed
