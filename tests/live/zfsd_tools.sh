#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# What people use on a filesystem: cp, tar, rsync, mv, chmod, chown, ln, find, df, pg_basebackup, a
# full disk that can be emptied; zdb finds nothing wrong afterwards.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"

truncate -s 2G "$scratch/a"
z create -O compression=lz4 -m "$mount" tank "$scratch/a" || exit 1
source=/usr/include/linux
# Names, modes, owners, times in seconds (tar keeps no more), and for files sizes and contents.
tree() {
	(cd "$1" && find . -mindepth 1 -type d -printf '%p d %m %U %G %T@\n' -o -type f,l -printf '%p %y %m %U %G %T@ %s %l\n' | sed 's/\.[0-9]\{6,\}\( \|$\)/\1/' | sort &&
		find . -type f -exec md5sum {} + | sort)
}
cp -a $source "$mount/cp" && tree $source >"$scratch/want"
tar -C $source -cf - . | (mkdir "$mount/tar" && tar -C "$mount/tar" -xpf -)
rsync -aHAX $source/ "$mount/rsync/" 2>/dev/null || rsync -aH $source/ "$mount/rsync/" || fail "rsync"
for how in cp tar rsync; do
	tree "$mount/$how" >"$scratch/have"
	diff <(grep -v '^\. ' "$scratch/want" | sort) <(grep -v '^\. ' "$scratch/have" | sort) >"$scratch/diff" ||
		fail "$how: the copy differs: $(head -n 4 "$scratch/diff")"
done
mv "$mount/tar" "$mount/moved" && [ -d "$mount/moved" ] && [ ! -e "$mount/tar" ] || fail "mv"
chmod -R g+w "$mount/moved" && chown -R 12:34 "$mount/moved" || fail "chmod, chown"
[ -z "$(find "$mount/moved" \( ! -uid 12 -o ! -gid 34 \) -print -quit)" ] || fail "chown did not reach all"
ln "$mount/cp/fuse.h" "$mount/hard" && [ "$(stat -c %h "$mount/hard")" = 2 ] || fail "ln"
ln -s cp/fuse.h "$mount/soft" && cmp -s "$mount/soft" $source/fuse.h || fail "ln -s"
df -P "$mount" | awk 'NR == 2 { exit !($2 > 0 && $3 > 0 && $4 > 0) }' || fail "df: $(df -P "$mount")"
rm -rf "$mount/rsync" && [ ! -e "$mount/rsync" ] || fail "rm -rf"

# A full disk says ENOSPC, and can be emptied.
dd if=/dev/urandom of="$mount/filler" bs=1M 2>"$scratch/dd"
grep -q 'No space left' "$scratch/dd" || fail "a full disk: $(tail -n 1 "$scratch/dd")"
rm "$mount/filler" || fail "a full disk can't be emptied"
# ZFS frees in the background, some transaction groups later: wait for the space, not for a time.
deadline=$((SECONDS + 60))
while [ "$(df --output=avail -m "$mount" | tail -n 1)" -lt 1000 ]; do
	[ $SECONDS -lt $deadline ] || die "the space of a removed file did not come back in 60 s"
	sleep 0.2
done
dd if=/dev/zero of="$mount/after" bs=1M count=10 status=none || fail "after emptying"

# A base backup from the mount and onto it; both are what the server says they are.
pg_init
pg_start
as_server pgbench -i -q -s 2 postgres >/dev/null 2>&1 || fail "pgbench -i"
install -d -o postgres -m 700 "$scratch/backups" "$mount/backup"
as_server pg_basebackup -D "$scratch/backups/from" -X stream || fail "pg_basebackup from the mount"
as_server pg_basebackup -D "$mount/backup/onto" -X stream || fail "pg_basebackup onto the mount"
as_server pg_verifybackup -q "$scratch/backups/from" || fail "pg_verifybackup of the first"
as_server pg_verifybackup -q "$mount/backup/onto" || fail "pg_verifybackup of the second"
sql 'CREATE EXTENSION amcheck' && [ -n "$(sql "SELECT count(bt_index_check(c.oid, true)) FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND c.relpersistence <> 't'")" ] ||
	fail "amcheck"
pg_stop

z unmount tank && z export tank || die "export"
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
exit $failed
