#!/bin/bash
# plumb export and import: the same reports elsewhere, letter by letter, also beside other studies; and
# whatever is wrong with a file is refused with the folder left as it was.
# usage: export_import.sh PLUMB MAKE_STUDY
set -eu
plumb=$(readlink -f "$1") make_study=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
refused() { # WORDS FILE
	local status=0
	rm -rf other-copy && cp -a other other-copy
	"$plumb" import "$2" --results other >out 2>&1 || status=$?
	[ $status = 1 ] || fail "$2: exit $status, not 1: $(cat out)"
	grep -qF -- "$1" out || fail "$2: it does not say '$1': $(cat out)"
	! grep -qF 'plumb: import' out || true
	[ "$(cd other && find . -type f ! -name plumb.lock ! -name '*-shm' ! -name '*-wal' | sort)" = \
		"$(cd other-copy && find . -type f ! -name plumb.lock ! -name '*-shm' ! -name '*-wal' | sort)" ] ||
		fail "$2: the folder changed: $(ls -a other)"
}

for name in first second; do
	printf '[study]\nname = %s\n[filesystem]\ntype = ext4\nfs_block_size = 4K, 1K\n[workload]\ntype = pgbench\nclients = 1, 4\n[design]\nrepeats = 4\n' \
		$name >$name.ini
done
"$make_study" plumb-results first.ini trouble=1 filesystem.fs_block_size=1K:1.1
"$make_study" plumb-results second.ini stream=5
# A raw file as a trial of `plumb run` would leave it.
mkdir -p plumb-results/raw/first/abc
echo "a log" >plumb-results/raw/first/abc/server.log
sqlite3 plumb-results/results.sqlite "INSERT INTO file SELECT min(trial.id), 0, 'server-log', 'raw/first/abc/server.log' FROM trial JOIN setup ON setup = setup.id WHERE study = 'first'" ||
	fail "the test needs the package sqlite3"

"$plumb" export first --output first.plumb >out
grep -q '1 raw files' out || fail "no raw file: $(cat out)"
tar -tf first.plumb >list || fail "tar can't read it"
[ "$(sort list | tr '\n' ' ')" = 'manifest.json raw/first/abc/server.log results.sqlite ' ] || fail "$(cat list)"
! strings -a first.plumb 2>/dev/null | grep -q '^second$' || fail "the other study is in it"
status=0
"$plumb" export first --output first.plumb >out 2>&1 || status=$?
[ $status = 2 ] || fail "an export was overwritten"

"$plumb" export second --output second.plumb >/dev/null
"$plumb" import second.plumb --results other >/dev/null
"$plumb" import first.plumb --results other >/dev/null
cmp plumb-results/raw/first/abc/server.log other/raw/first/abc/server.log
for name in first second; do
	for format in text csv json md html; do
		"$plumb" report $name --results plumb-results --format $format >here
		"$plumb" report $name --results other --format $format >there
		cmp here there || fail "report of $name as $format differs"
	done
	for table in trials environment effects; do
		"$plumb" report $name --results plumb-results --format csv --table $table >here
		"$plumb" report $name --results other --format csv --table $table >there
		cmp here there || fail "table $table of $name differs"
	done
done
# Once more out of the second folder: still the same.
"$plumb" export first --results other --output again.plumb >/dev/null
"$plumb" import again.plumb --results third >/dev/null
"$plumb" report first --results third --format json | cmp - <("$plumb" report first --results plumb-results --format json)
[ -z "$(find . -name '.import.*' -o -name '*.parts.*')" ] || fail "scratch is left behind"

refused "has a study 'first' already" first.plumb
rm -rf other && "$plumb" import second.plumb --results other >/dev/null
head -c 3000 first.plumb >short.plumb
refused 'ends' short.plumb
: >empty.plumb
refused 'its end is missing' empty.plumb
head -c 600000 /dev/urandom >noise.plumb
refused 'a header is damaged' noise.plumb
# One byte of the database changed: its hash tells.
cp first.plumb flipped.plumb
printf 'X' | dd of=flipped.plumb bs=1 seek=9000 conv=notrunc status=none
refused 'is damaged: its hash is' flipped.plumb

# Archives made by others: names that would leave the folder, links, foreign files, versions.
unpack() { rm -rf box && mkdir box && tar -C box -xf first.plumb; }
pack() { tar -C box --hard-dereference --format=ustar --owner=0 --group=0 -cf "$1" "${@:2}"; }
unpack
mkdir -p box/raw/first/x
echo evil >box/raw/first/x/evil
tar -C box --format=ustar --transform 's,raw/first/x/evil,../evil,' -P -cf up.plumb results.sqlite raw/first/x/evil manifest.json
refused 'a name that is not plain' up.plumb
tar -C box --format=ustar --transform 's,raw/first/x/evil,/tmp/evil,' -P -cf root.plumb results.sqlite raw/first/x/evil manifest.json
refused 'a name that is not plain' root.plumb
ln -sf /etc/passwd box/raw/first/link
pack link.plumb results.sqlite raw/first/link manifest.json
refused 'is not a regular file' link.plumb
echo x >box/other.txt
pack foreign.plumb results.sqlite other.txt manifest.json
refused 'does not belong into a study' foreign.plumb
unpack
pack missing.plumb manifest.json results.sqlite
refused 'holds other files than its manifest lists' missing.plumb
pack twice.plumb results.sqlite results.sqlite raw/first/abc/server.log manifest.json
refused 'is in it twice' twice.plumb
pack none.plumb results.sqlite
refused 'no manifest' none.plumb
sed -i 's/"schema_version": [0-9]*/"schema_version": 99/' box/manifest.json
pack newer.plumb results.sqlite raw/first/abc/server.log manifest.json
refused 'its results have schema version 99' newer.plumb
unpack
sed -i 's/"plumb_bundle": 1/"plumb_bundle": 7/' box/manifest.json
pack format.plumb results.sqlite raw/first/abc/server.log manifest.json
refused 'bundle format 7' format.plumb
refused 'cannot read' absent.plumb
[ ! -e /tmp/evil ] && [ ! -e evil ] && [ ! -e ../evil ] || fail "a file got out"
