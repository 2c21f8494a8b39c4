#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# On a terminal: one status line that is redrawn, colour unless NO_COLOR says otherwise.
. "$(dirname "$0")/lib.sh"

study shown
# script(1) gives the program a terminal.
COLUMNS=100 TERM=xterm expect 0 script -qec "'$plumb' run shown.ini" /dev/null || end
says out '[----'
says out 'trial 1 of 2'
says out 'tps'
grep -q $'\r.*\033\[K' out || fail 'no line was redrawn'
grep -q $'\033\[1m' out && fail 'NO_COLOR was not respected'
TERM=xterm expect 0 script -qec "env -u NO_COLOR '$plumb' report shown" /dev/null
grep -q $'\033\[1mshown' out || fail 'no colour on a terminal'
TERM=dumb expect 0 script -qec "env -u NO_COLOR '$plumb' report shown" /dev/null
grep -q $'\033\[1m' out && fail 'colour on a dumb terminal'
expect 0 env -u NO_COLOR "$plumb" report shown
grep -q $'\033' out && fail 'colour without a terminal'
end
