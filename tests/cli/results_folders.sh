#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# What can be wrong with a results folder: each is refused with what to do, and nothing in it is
# changed.
. "$(dirname "$0")/lib.sh"

for command in 'list' 'report' 'show 00' 'list x'; do
	# shellcheck disable=SC2086 # words
	expect 1 "$plumb" $command
	says err "there are no results in 'plumb-results'"
	says err 'hint:'
done
[ ! -e plumb-results ] || fail 'reading made a results folder'

study seen
expect 0 "$plumb" run seen.ini --quiet || end
[ ! -s out ] || fail "--quiet printed: $(cat out)"
expect 0 "$plumb" list
says out seen
expect 1 "$plumb" report sene
says err "did you mean 'seen'?"
expect 1 "$plumb" show nothing
says err "there is no trial 'nothing'"

# refused TEXT: run and report refuse the folder "copy" with TEXT and a hint; its files stay.
refused() {
	local command before
	before=$(cd copy && sha256sum ./*.sqlite)
	for command in "run seen.ini" "report seen" "list"; do
		# shellcheck disable=SC2086 # words
		expect 1 "$plumb" $command --results copy
		says err "$1"
		says err 'hint:'
	done
	[ "$before" = "$(cd copy && sha256sum ./*.sqlite)" ] || fail "a refused folder was changed: $1"
	rm -rf copy
}
cp -r plumb-results copy
sqlite3 copy/results.sqlite 'PRAGMA user_version = 7' >/dev/null
refused 'schema version 7, written by a newer plumb'
cp -r plumb-results copy
dd if=/dev/urandom of=copy/results.sqlite bs=1 count=64 conv=notrunc status=none
refused 'file is not a database'
cp -r plumb-results copy
size=$(stat -c %s copy/results.sqlite)
truncate -s $((size / 2)) copy/results.sqlite
refused 'damaged'
mkdir copy
sqlite3 copy/results.sqlite 'CREATE TABLE theirs(x)'
refused "not one of plumb's"

# Another program holds the database.
cp -r plumb-results copy
mkfifo hold
sqlite3 copy/results.sqlite <hold >/dev/null &
exec 3>hold
printf 'BEGIN EXCLUSIVE;\nCREATE TABLE t(x);\n' >&3
for _ in $(seq 100); do
	sqlite3 copy/results.sqlite 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null || break
	sleep 0.05
done
cp seen.ini other.ini
sed -i 's/^name = seen/name = other/' other.ini
expect 1 "$plumb" run other.ini --results copy
says err 'locked'
says err 'another program holds the database'
exec 3>&-
wait
rm -rf copy

# A folder for reading only, as a user whom it does not belong to.
chmod -R a+rX . && chmod a-w plumb-results plumb-results/*
as_user=()
[ "$(id -u)" = 0 ] && as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mkdir theirs
[ "$(id -u)" != 0 ] || chown 65534:65534 theirs
expect 1 env XDG_RUNTIME_DIR="$work/theirs" "${as_user[@]}" "$plumb" run seen.ini \
	--scratch "$work/theirs/scratch"
says err "cannot write in results folder 'plumb-results'"
says err '--results DIR'
expect 0 "${as_user[@]}" "$plumb" report seen
says out 'No verdict: 1 set-up a cell'
chmod u+w plumb-results plumb-results/*
end
