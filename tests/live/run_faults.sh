#!/bin/bash
# What breaks in the system under test is a FAILED trial with the tail of the right log, and the
# others go on; what cannot start is refused with what to do.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

head='[device]
size = 320M
[filesystem]
type = ext4
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 1s
repeats = 1
'
arms() { # NAME: arms on stdin
	{ printf '[study]\nname = %s\n%s' "$1" "$head"; cat; } | study "$1"
}

arms server <<'END'
[arm good]
filesystem.type = ext4
[arm bad-value]
postgresql.conf.shared_buffers = nonsense
[arm bad-script]
workload.script = bad.sql
END
printf 'SELECT no_such_column FROM pgbench_accounts;\n' >"$scratch"/bad.sql
sed -i "s|bad.sql|$scratch/bad.sql|" "$scratch"/server.ini
run 2 server
[ "$(count_trials server 'done')" = 1 ] || fail "the good arm did not run: $("$plumb" report -r "$results" server)"
[ "$(count_trials server failed)" = 2 ] || fail 'the bad arms did not fail'
"$plumb" show -r "$results" "$(trial_of server bad-value)" >"$scratch"/out
says 'invalid value for parameter "shared_buffers"'
"$plumb" show -r "$results" "$(trial_of server bad-script)" >"$scratch"/out
says 'no_such_column'

# initdb and mkfs that end badly: programs of the same name in front of the real ones.
mkdir "$scratch"/bin
printf '#!/bin/sh\necho "the disk is on fire" >&2\nexit 3\n' >"$scratch"/bin/mke2fs
chmod 0755 "$scratch"/bin/mke2fs
arms mkfs </dev/null
PATH=$scratch/bin:$PATH run 2 mkfs
rm "$scratch"/bin/mke2fs
"$plumb" list -r "$results" mkfs >"$scratch"/out
[ "$(count_trials mkfs failed)" = 1 ] || fail 'a failing mkfs is not a failed trial'
"$plumb" show -r "$results" "$(trial_of mkfs mkfs)" >"$scratch"/out
says 'the disk is on fire'

real=$(dirname "$(readlink -f "$(command -v pg_config >/dev/null && pg_config --bindir || echo /usr/lib/postgresql/15/bin)/initdb")")
mkdir "$scratch"/pgbin
for program in "$real"/*; do ln -s "$program" "$scratch"/pgbin/; done
rm "$scratch"/pgbin/initdb
printf '#!/bin/sh\necho "initdb: no thanks" >&2\nexit 1\n' >"$scratch"/pgbin/initdb
chmod 0755 "$scratch"/pgbin/initdb
arms initdb <<END
[arm only]
postgres.bindir = $scratch/pgbin
END
run 2 initdb
"$plumb" show -r "$results" "$(trial_of initdb only)" >"$scratch"/out
says 'initdb: no thanks'

# The database fills the disk in the middle of the load: the space check is passed by a script of
# unknown size.
cat >"$scratch"/fill.sql <<'END'
INSERT INTO filler SELECT repeat(md5(g::text), 60) FROM generate_series(1, 20000) g;
END
cat >"$scratch"/fill-init.sql <<'END'
CREATE TABLE filler (t text);
ALTER TABLE filler ALTER t SET STORAGE EXTERNAL;
END
study full <<END
[study]
name = full
[device]
size = 320M
[filesystem]
type = ext4
[workload]
type = sql
init_script = $scratch/fill-init.sql
script = $scratch/fill.sql
clients = 2
[design]
warmup = 0
measure = 60s
repeats = 1
END
run 2 full
[ "$(count_trials full failed)" = 1 ] || fail 'a full disk is not a failed trial'
"$plumb" show -r "$results" "$(trial_of full full)" >"$scratch"/out
says 'No space left on device'

# The disk fills up while analytic data are generated: others fill the same one. A tmpfs of our own, its
# rest taken as soon as the load has begun.
mkdir "$scratch"/small
mount -t tmpfs -o size=700M,mode=755 plumb-test "$scratch"/small || fail 'no tmpfs'
runner=
trap 'kill $runner 2>/dev/null; wait; umount "$scratch"/small 2>/dev/null; finish' EXIT
study filled <<END
[study]
name = filled
[filesystem]
type = directory
path = $scratch/small
[workload]
type = analytic
scale = 0.1
[design]
repeats = 1
END
"$plumb" run "$scratch"/filled.ini -r "$results" --events "$scratch"/filled.events >"$scratch"/out 2>&1 &
runner=$!
for _ in $(seq 600); do
	grep -qs '"phase":"load"' "$scratch"/filled.events && break
	sleep 0.05
done
cat /dev/zero 2>/dev/null >"$scratch"/small/filler
wait $runner
code=$?
[ $code = 2 ] || { cat "$scratch"/out; fail "a disk that fills up: exit code $code"; }
[ "$(count_trials filled failed)" = 1 ] || fail 'a disk that fills up is not a failed trial'
"$plumb" show -r "$results" "$(trial_of filled filled)" >"$scratch"/out
says 'No space left on device'
umount "$scratch"/small || fail 'something is left on the small disk'
trap finish EXIT

# Refused before anything is touched.
arms toobig </dev/null
sed -i 's/scale = 1/scale = 1000/' "$scratch"/toobig.ini
run 1 toobig
says 'needs about'
arms nouser </dev/null
run 1 nouser --run-as no-such-user
says "there is no user 'no-such-user'"

# A program that is not installed is named with its package, before anything is touched: hidden in a
# mount namespace, because plumb also looks beyond PATH.
hide() { # PROGRAM COMMAND...: what it says is in $scratch/out, how it ended in code
	local path
	path=$(readlink -f "$(PATH=$PATH:/usr/sbin:/sbin command -v "$1")") || fail "no $1 here to hide"
	shift
	unshare -m sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' - "$path" "$@" >"$scratch"/out 2>&1
	code=$?
}
without() { # PROGRAM PACKAGE STUDY
	hide "$1" "$plumb" run "$scratch/$3.ini" -r "$results"
	[ $code = 1 ] || { cat "$scratch"/out; fail "without $1: exit code $code"; }
	says "$1"
	says "$2"
	[ ! -e "$PLUMB_SCRATCH"/rigs ] || [ -z "$(ls "$PLUMB_SCRATCH"/rigs)" ] ||
		fail "without $1: a rig was begun"
}
one() { # NAME FILESYSTEM WORKLOAD
	printf '[study]\nname = %s\n[device]\nsize = 1G\n[filesystem]\ntype = %s\n%s\n%s\n' "$1" "$2" \
		"[workload]
$3" '[design]
warmup = 0
measure = 1s
repeats = 1' | study "$1"
}
one no-xfs xfs 'scale = 1'
without mkfs.xfs xfsprogs no-xfs
one no-ext4 ext4 'scale = 1'
without mke2fs e2fsprogs no-ext4
one no-btrfs btrfs 'scale = 1'
without mkfs.btrfs btrfs-progs no-btrfs
one no-zfs zfs-embedded 'scale = 1'
without fusermount3 fuse3 no-zfs
one no-fio ext4 'type = fio
job = rand-read
file_size = 16M'
without fio 'package fio' no-fio
PATH=$real:$PATH without pgbench postgresql no-ext4
PATH=$real:$PATH without initdb postgresql no-ext4

# Only one cell needs it: the others run, and everything says which one did not and why.
one some-xfs 'ext4, xfs' 'scale = 1'
for way in "check $scratch/some-xfs.ini" "plan $scratch/some-xfs.ini" "run $scratch/some-xfs.ini -r $results"; do
	# shellcheck disable=SC2086 # words of a command
	hide mkfs.xfs "$plumb" $way
	[ $code = 0 ] || { cat "$scratch"/out; fail "$way without mkfs.xfs: exit code $code"; }
	says '1 cell (type=xfs): '
	says xfsprogs
done
[ "$(count_trials some-xfs 'done')" = 1 ] || fail 'the cell on ext4 did not run'
[ "$(count_trials some-xfs failed)" = 0 ] || fail 'a cell that could not run counts as failed'
for format in text html md json; do
	"$plumb" report -r "$results" -f $format some-xfs >"$scratch"/out
	says 'Could not run on this machine: 1 cell (type=xfs): '
done
# A server that can't be built: no compiler, seen at once; no source, seen when the build is tried.
arms one-build <<'END'
[arm installed]
filesystem.type = ext4
[arm built]
postgres.wal_block_size = 32K
END
export PLUMB_CACHE=$scratch/cache
hide gcc "$plumb" run "$scratch"/one-build.ini -r "$results"
[ $code = 0 ] || { cat "$scratch"/out; fail "without a compiler: exit code $code"; }
says "1 cell (built): building PostgreSQL needs 'gcc'; hint: install the package"
[ "$(count_trials one-build 'done')" = 1 ] || fail 'the installed server did not run'
printf '#!/bin/sh\necho no route to any mirror >&2\nexit 100\n' >"$scratch"/bin/apt-get
chmod 0755 "$scratch"/bin/apt-get
sed -i 's/one-build/no-source/' "$scratch"/one-build.ini
PATH=$scratch/bin:$PATH run 0 one-build
says '1 cell (built): package lists: '
says 'no route to any mirror'
says 'give the source: --source DIR'
[ "$(count_trials no-source 'done')" = 1 ] || fail 'the installed server did not run without a source'
unset PLUMB_CACHE

# With the program there it goes on with what was missing.
run 0 some-xfs
[ "$(count_trials some-xfs 'done')" = 2 ] || fail 'the cell on xfs did not run later'
grep -q 'Could not run' "$scratch"/out && fail 'a cell that has run is still called absent'
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
