#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb, data and failed are set by zfsd_lib.sh
# PostgreSQL's own regression suite, of the source that plumb builds, against a server whose data
# directory lies on embedded ZFS; zdb finds nothing wrong afterwards.
# Arguments: plumb, -, this folder, groups of the parallel schedule to run (the first so many; all if left out).
. "$3/zfsd_lib.sh"
groups=${4:-1000}

# The server that plumb builds and its source: both stay in plumb's cache.
cache=${PLUMB_CACHE:-/var/cache/plumb}/pg
"$plumb" pg install --quiet --block-size 8K >"$scratch/install" 2>&1 || die "plumb pg install: $(tail -n 3 "$scratch/install")"
build=$(ls -d "$cache"/*-b8K-w8K-s1G-* | sort -V | tail -n 1)
version=$(basename "$build" | cut -d - -f 1)
tarball=$(ls "$cache/source/postgresql-"*"_$version.orig.tar."* | head -n 1)
bindir=$build/bin
mkdir "$scratch/source" "$scratch/object"
tar -xf "$tarball" -C "$scratch/source" --strip-components=1 --no-same-owner || die "unpack $tarball"
# Compiled are only the driver of the suite, its own C functions, and libpqwalreceiver: plumb's builds
# leave it out, and CREATE SUBSCRIPTION, which two of the tests use, loads it.
receiver=$scratch/object/src/backend/replication/libpqwalreceiver
(cd "$scratch/object" && "$scratch/source/configure" --prefix="$build" --without-readline --without-icu CFLAGS=-O1 &&
	make -s -C src/backend generated-headers && make -s -j "$(nproc)" -C src/test/regress all &&
	make -s -j "$(nproc)" -C "$receiver" all) >"$scratch/prepare" 2>&1 ||
	die "prepare the suite: $(tail -n 5 "$scratch/prepare")"
suite=$scratch/object/src/test/regress
chown -R postgres: "$suite"
awk -v most="$groups" '!/^test:/ || n++ < most' "$scratch/source/src/test/regress/parallel_schedule" >"$suite/schedule"

truncate -s 4G "$scratch/a"
z create -A 256M -O recordsize=8K -O compression=lz4 -O atime=off -m "$mount" tank "$scratch/a" || exit 1
pg_init
echo "dynamic_library_path = '\$libdir:$receiver'" >>"$data/postgresql.conf"
pg_start
(cd "$suite" && as_server ./pg_regress --inputdir="$scratch/source/src/test/regress" --outputdir=. --bindir="$bindir" \
	--dlpath=. --max-concurrent-tests=20 --schedule=schedule --host="$scratch/sock" --user=postgres) >"$scratch/result" 2>&1 ||
	fail "the suite: $(grep -E '(not ok|FAILED)' "$scratch/result"; head -n 60 "$suite/regression.diffs" 2>/dev/null)"
tail -n 3 "$scratch/result"
[ "$(sql "SELECT count(*) FROM pg_database WHERE datname = 'regression'")" = 1 ] || fail "the suite's database is not there"
pg_stop
z unmount tank && z export tank || die "export"
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
