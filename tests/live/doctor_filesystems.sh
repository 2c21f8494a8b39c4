#!/bin/bash
# plumb doctor on real filesystems with dangerous settings: ext4 without barriers, WAL on another
# one, XFS, btrfs with and without copy-on-write, a tablespace on tmpfs.
# shellcheck disable=SC2154 # variables of cluster.sh
. "$(dirname "$0")/../lib/cluster.sh"
test_begin "$@"

ids_of() { plumb doctor "$(cluster_connection "$1")" --format json --fail-on never | finding_ids; }

loop_mount ext4 400M "$scratch/ext4" -- nobarrier,data=writeback
loop_mount xfs 400M "$scratch/xfs"
loop_mount btrfs 600M "$scratch/btrfs" -- compress=zstd

# ext4 with the WAL on XFS and a tablespace on tmpfs
mkdir "$scratch/xfs/wal" "$scratch/temporary"
mount -t tmpfs -o size=64M none "$scratch/temporary"
mounts+=("$scratch/temporary")
chown postgres "$scratch/xfs/wal" "$scratch/temporary" 2>/dev/null
cluster_make "$scratch/ext4/pg" -X "$scratch/xfs/wal/pg_wal" --data-checksums
cluster_start "$scratch/ext4/pg" -c full_page_writes=off
cluster_sql "$scratch/ext4/pg" "CREATE TABLESPACE quick LOCATION '$scratch/temporary'"
json=$(plumb doctor "$(cluster_connection "$scratch/ext4/pg")" --format json --fail-on never)
ids=$(finding_ids <<<"$json")
expect_in "no barriers" DUR15 "$ids"
expect_in "data=writeback" DUR16 "$ids"
expect_in "torn pages" DUR04 "$ids"
expect_in "tablespace on tmpfs" DUR26 "$ids"
expect_in "tablespace is a location" "tablespace quick" "$json"
expect_in "verdict names barriers" "mounted without barriers" "$json"
expect_not_in "XFS under the WAL is fine" '"subjects": "WAL"' "$json"
facts=$(plumb doctor "$(cluster_connection "$scratch/ext4/pg")" --collect -)
expect_in "WAL found behind its link" "$scratch/xfs/wal/pg_wal" "$facts"
expect_in "loop devices are known" '"loop": true' "$facts"
cluster_stop "$scratch/ext4/pg"

# XFS with everything right
cluster_make "$scratch/xfs/pg" --data-checksums
cluster_start "$scratch/xfs/pg"
ids=$(ids_of "$scratch/xfs/pg")
for id in DUR04 DUR10 DUR15 DUR25 DUR26; do expect_not_in "XFS, right settings" "$id" "$ids"; done
cluster_stop "$scratch/xfs/pg"

# btrfs: copy-on-write, then a folder with No_COW
cluster_make "$scratch/btrfs/cow" --data-checksums
cluster_start "$scratch/btrfs/cow" -c full_page_writes=off
ids=$(ids_of "$scratch/btrfs/cow")
expect_not_in "copies on write" DUR04 "$ids"
expect_in "WAL fill on copy-on-write" SYN01 "$ids"
cluster_stop "$scratch/btrfs/cow"
mkdir "$scratch/btrfs/nocow"
chattr +C "$scratch/btrfs/nocow" || fail "chattr +C"
cluster_make "$scratch/btrfs/nocow" --data-checksums
cluster_start "$scratch/btrfs/nocow" -c full_page_writes=off
ids=$(ids_of "$scratch/btrfs/nocow")
expect_in "No_COW writes in place" DUR04 "$ids"
expect_in "No_COW has no checksums of its own" DUR25 "$ids"
cluster_stop "$scratch/btrfs/nocow"
