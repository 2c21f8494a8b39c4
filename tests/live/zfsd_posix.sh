#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Every call of posix_conformance on embedded ZFS gives what it gives on ext4, but for the
# differences listed with their reasons in posix/zfs_differences.txt, on direct I/O and with the page
# cache. What was made is there after export and import. Arguments: plumb, posix_conformance, this folder.
. "$3/zfsd_lib.sh"
conformance=$2
here=$3

truncate -s 1G "$scratch/ext4.image" "$scratch/a"
mkdir "$scratch/ext4"
mkfs.ext4 -q "$scratch/ext4.image" || exit 1
mount -o loop "$scratch/ext4.image" "$scratch/ext4" || exit 1
z create -o ashift=12 -m "$mount" tank "$scratch/a" || exit 1
for place in ext4 mnt; do
	mkdir "$scratch/$place/calls"
	"$conformance" "$scratch/$place/calls" >"$scratch/$place.calls" || fail "$place: the run broke off"
done
grep -vE '^(#|$)' "$here/posix/zfs_differences.txt" >"$scratch/expected"
diff "$scratch/ext4.calls" "$scratch/mnt.calls" | grep -E '^[<>]' >"$scratch/found"
diff "$scratch/expected" "$scratch/found" || fail "other differences from ext4 than those listed"
[ "$(wc -l <"$scratch/mnt.calls")" -gt 200 ] || fail "fewer than 200 calls were compared"

# What was made must still be there, with the same bytes, after export and import.
(cd "$mount/calls" && find . -printf '%p %y %m %U %G %s %l\n' | sort) >"$scratch/before"
(cd "$mount/calls" && find . -type f -exec md5sum {} + | sort) >>"$scratch/before"
z unmount tank && z export tank && z import -d "$scratch/a" >/dev/null && z mount tank "$mount" || die "export, import, mount"
(cd "$mount/calls" && find . -printf '%p %y %m %U %G %s %l\n' | sort) >"$scratch/after"
(cd "$mount/calls" && find . -type f -exec md5sum {} + | sort) >>"$scratch/after"
diff "$scratch/before" "$scratch/after" >/dev/null || fail "the tree changed over export and import"
# The same with the kernel's page cache, where files can be mapped and shared besides.
z unmount tank && z mount -c tank "$mount" || die "mount -c"
mkdir "$mount/cached"
"$conformance" "$mount/cached" >"$scratch/cached.calls" || fail "cached: the run broke off"
grep -v 'map\.shared:' "$scratch/expected" >"$scratch/expected.cached"
diff "$scratch/ext4.calls" "$scratch/cached.calls" | grep -E '^[<>]' >"$scratch/found"
diff "$scratch/expected.cached" "$scratch/found" || fail "cached: other differences from ext4 than those listed"
z unmount tank && z export tank
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
umount "$scratch/ext4"
exit $failed
