#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# plumb clean: nothing to do is fine; --packages removes what tools/setup noted, those files only.
. "$(dirname "$0")/lib.sh"

expect 0 "$plumb" clean
says out 'nothing was left to undo'
[ ! -e scratch ] || fail 'clean made the scratch folder'
expect 0 "$plumb" clean --quiet
[ ! -s out ] || fail '--quiet printed something'
expect 1 "$plumb" clean something

# The set-up's own files lie in /etc and /var: played through in a name space of its own, where
# those folders are ours.
if [ "$(id -u)" != 0 ]; then
	echo 'not root: --packages was not tried'
	end
fi
cat >inside.sh <<'INSIDE'
set -eu
mount -t tmpfs none /etc/apt/sources.list.d
mount -t tmpfs none /var/lib/plumb
touch /etc/apt/sources.list.d/plumb.sources /etc/apt/sources.list.d/other.sources
printf '%s\n' 'file /etc/apt/sources.list.d/plumb.sources' 'file /etc/apt/sources.list.d/other.sources' \
	'package libexample1' 'package example-tools' >/var/lib/plumb/setup.state
"$1" clean --packages
[ ! -e /etc/apt/sources.list.d/plumb.sources ]
[ -e /etc/apt/sources.list.d/other.sources ]
"$1" clean --packages
rm /var/lib/plumb/setup.state
"$1" clean --packages
INSIDE
made=0
[ -d /var/lib/plumb ] || { mkdir /var/lib/plumb && made=1; }
expect 0 unshare --mount --propagation private bash inside.sh "$plumb"
[ $made = 0 ] || rmdir /var/lib/plumb
says out 'removed /etc/apt/sources.list.d/plumb.sources'
says out "'/etc/apt/sources.list.d/other.sources' in /var/lib/plumb/setup.state is no file of the set-up: left alone"
says out 'apt-get remove libexample1 example-tools'
says out 'tools/setup changed nothing here'
end
