#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# Help, manual pages, near misses and exit codes of wrong use, for every command that there is.
. "$(dirname "$0")/lib.sh"

expect 1 "$plumb"
says err 'usage: plumb COMMAND'
expect 0 "$plumb" --help
says out 'commands:'
cp out overview
expect 0 "$plumb" --version
grep -qE '^plumb [0-9]+\.[0-9]+' out || fail "no version: $(cat out)"

commands=$("$plumb" document | sed -nE 's/^plumb-([a-z]+)\.1$/\1/p')
[ "$(wc -w <<<"$commands")" -ge 8 ] || fail "too few commands: $commands"
for command in $commands; do
	says overview "  $command "
	for form in "$command --help" "$command -h" "help $command"; do
		# shellcheck disable=SC2086 # words
		expect 0 "$plumb" $form
		says out "usage: plumb $command"
		[ ! -s err ] || fail "plumb $form wrote to standard error"
	done
	expect 1 "$plumb" "$command" --no-such-option
	# zfs has the grammar of zpool(8) and zfs(8).
	[ "$command" = zfs ] || says err "'plumb $command --help' lists what it takes"
	expect 0 "$plumb" document "plumb-$command.1"
	says out '.SH EXIT STATUS'
done

expect 1 "$plumb" reprot
says err "did you mean 'plumb report'?"
expect 1 "$plumb" help reprot
expect 1 "$plumb" list --reslts x
says err 'did you mean --results?'
expect 1 "$plumb" plan
says err 'expects STUDY.ini'
expect 1 "$plumb" show
expect 1 "$plumb" list a b
says err "got also 'b'"
expect 1 "$plumb" report --format jsno
says err "did you mean 'json'?"
expect 1 "$plumb" document nothing
# Output that can't be written is no success.
"$plumb" --help >/dev/full 2>err && fail 'help into a full device was called a success'
end
