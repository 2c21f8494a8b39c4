#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Access times as the properties say, changed while mounted and kept over export and import: never with
# atime=off; at every read with relatime=off; with relatime=on only where they are not newer than the
# last change, or a day old.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

truncate -s 512M "$scratch/a"
z create -m "$mount" tank "$scratch/a" || exit 1
file=$mount/file
access() { stat -c %x "$file"; }
# expect WHEN changed|same: what a read does to the access time.
expect() {
	local before
	before=$(access)
	cat "$file" >/dev/null || fail "$1: read"
	sleep 0.02 # the clock of files ticks every few milliseconds
	case $2 in
	changed) [ "$(access)" != "$before" ] || fail "$1: a read left the access time" ;;
	same) [ "$(access)" = "$before" ] || fail "$1: a read changed the access time from $before to $(access)" ;;
	esac
}
echo text >"$file"
touch -a -d '2001-01-01 00:00:00' "$file"
z set atime=off tank || die "set"
expect 'atime=off' same
z set atime=on tank && z set relatime=off tank || die "set"
expect 'relatime=off, old' changed
expect 'relatime=off, new' changed
z set relatime=on tank || die "set"
expect 'relatime=on, read since the last change' same
sleep 0.02
echo more >>"$file"
expect 'relatime=on, changed since the last read' changed
expect 'relatime=on, read again' same
touch -a -d '2 days ago' "$file"
touch -m -d '3 days ago' "$file"
expect 'relatime=on, a day old' changed
touch -a -d 'tomorrow' "$file"
expect 'relatime=on, read in the future' same
chmod 600 "$file"
touch -a -d '1 hour ago' "$file"
touch -m -d '2 hours ago' "$file"
before=$(access)
z unmount tank && z export tank && z import -d "$scratch/a" >/dev/null && z mount tank "$mount" || die "export, import, mount"
[ "$(access)" = "$before" ] || fail "the access time is $(access) after the import, it was $before"
z set relatime=off tank || die "set"
expect 'relatime=off after the import' changed
before=$(access)
z unmount tank && z mount tank "$mount" || die "mount"
[ "$(access)" = "$before" ] || fail "the access time is $(access) after a remount, it was $before"
z unmount tank && z export tank || die "export"
exit $failed
