#!/bin/bash
# A real server on every filesystem of the kernel that a study may name: the settings asked for are
# in force, and nothing is left.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

study filesystems <<'END'
[study]
name = filesystems
[machine]
memory = 256M
cpus = 1.5
[device]
size = 1G
[postgresql.conf]
shared_buffers = 16MB
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 2s
repeats = 1
[arm bigalloc]
filesystem.type = ext4
filesystem.fs_block_size = 1K
filesystem.cluster_size = 16K
filesystem.barrier = off
[arm ext2]
filesystem.type = ext2
[arm ext3]
filesystem.type = ext3
filesystem.data = journal
[arm xfs]
filesystem.type = xfs
filesystem.fs_block_size = 16K
filesystem.log_size = 64M
filesystem.atime = off
[arm nodatacow]
filesystem.type = btrfs
filesystem.nodatacow = on
[arm packed]
filesystem.type = btrfs
filesystem.compression = zstd-3
[arm directory]
filesystem.type = directory
END
run 0 filesystems
[ "$(count_trials filesystems 'done')" = 7 ] || fail 'not all trials are done'

same() { # CELL FACT VALUE
	local value
	value=$(fact "$(trial_of filesystems "$1")" "$2")
	[ "$value" = "$3" ] || fail "$1: $2 is '$value', not '$3'"
}
same bigalloc filesystem.fs_block_size 1K
same bigalloc filesystem.barrier off
same bigalloc machine.memory 256M
same bigalloc machine.cpus 1.5
same ext3 filesystem.data journal
same xfs filesystem.fs_block_size 16K
same xfs filesystem.log_size 64M
same xfs filesystem.type_mounted xfs
same nodatacow filesystem.nodatacow on
same packed filesystem.compression zstd-3
"$plumb" show -r "$results" "$(trial_of filesystems xfs)" | grep -q 'mount_options.*noatime' ||
	fail 'xfs is not mounted with noatime'
if "$plumb" report -r "$results" filesystems | grep -q setting-differs; then
	fail 'a setting differs from what was asked for'
fi
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
