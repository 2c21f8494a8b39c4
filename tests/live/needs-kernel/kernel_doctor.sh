#!/bin/bash
# plumb doctor on a server whose data lie on a pool of the kernel: what it says of datasets, vdevs, waits, ARC,
# intent log and transaction groups is what the kernel says, and wrong settings are found.
# usage: kernel_doctor.sh PLUMB
# shellcheck disable=SC2154 # variables of cluster.sh
# shellcheck source=tests/live/needs-kernel/kernel-lib.sh
. "$(dirname "$0")/kernel-lib.sh"
need_kernel_zfs --time 280 -- "$0" "$@"
. "$(dirname "$0")/../../lib/cluster.sh"
test_begin "$@"

pool=plumbdoctor$$
tank=$scratch/tank
end_with_pool() {
	local status=$? one
	for one in "${clusters[@]:-}"; do
		[ -z "$one" ] || as_server "$bin/pg_ctl" -D "$one" -m immediate -w stop >/dev/null 2>&1
	done
	zpool destroy -f "$pool" 2>/dev/null
	(exit $status) || failures=$((failures + 1))
	test_end
}
trap end_with_pool EXIT

for disk in 0 1 2 3 log cache; do
	truncate -s 512M "$scratch/$disk.img"
	loops+=("$(losetup --find --show "$scratch/$disk.img")") || { fail losetup; exit 1; }
done
zpool create -f -o cachefile=none -o ashift=12 -O compression=lz4 -O atime=on -m "$tank" "$pool" \
	mirror "${loops[0]}" "${loops[1]}" mirror "${loops[2]}" "${loops[3]}" log "${loops[4]}" cache "${loops[5]}" ||
	{ fail "zpool create"; exit 1; }
zfs create -o recordsize=128K "$pool/data" && zfs create -o recordsize=16K -o sync=disabled "$pool/wal" ||
	{ fail "zfs create"; exit 1; }
mkdir "$tank/wal/pg"
chown postgres "$tank/wal/pg"
zfs snapshot "$pool/data@before"
cluster_make "$tank/data/pg" -X "$tank/wal/pg/pg_wal"
cluster_start "$tank/data/pg" -c full_page_writes=on
cluster_sql "$tank/data/pg" 'CREATE TABLE big AS SELECT i, repeat(md5(i::text), 8) AS t FROM generate_series(1, 30000) i; CHECKPOINT'
cluster_sql "$tank/data/pg" "ALTER SYSTEM SET synchronous_commit = on"
sync -f "$tank/data"

facts=$scratch/facts.json
plumb doctor "$(cluster_connection "$tank/data/pg")" --collect "$facts" || fail "collect"
same() { # JQ-FILTER WANTED
	expect "$1" "$2" "$(jq -r "$1" "$facts")"
}
version=$(cat /sys/module/zfs/version)
same .zfs.version "$version"
same '.zfs.pools | length' 1
same '.zfs.pools[0].name' "$pool"
same '.zfs.pools[0].state' ONLINE
same '.zfs.pools[0].errors' 0
same '.zfs.pools[0].ashift' 12
same '.zfs.pools[0].size_bytes' "$(zpool list -Hp -o size "$pool")"
same '[.zfs.pools[0].vdevs[] | .class + ":" + .type] | join(" ")' 'data:mirror data:mirror log:disk cache:disk'
same '[.zfs.pools[0].vdevs[].redundancy] | join(" ")' '1 1 0 0'
same '[.zfs.pools[0].vdevs[].devices[]] | join(" ")' "${loops[*]}"
same '[.zfs.pools[0].vdevs[] | .device_bytes] | unique | join(" ")' $((512 << 20))
same '[.zfs.pools[0].vdevs[] | select(.class == "data") | .write_wait_ns > 0] | all' true
same '[.zfs.datasets[].name] | sort | join(" ")' "$pool/data $pool/wal"
dataset() { echo ".zfs.datasets[] | select(.name == \"$pool/$1\")"; }
same "$(dataset data) | .properties.recordsize" 131072
same "$(dataset data) | .sources.recordsize" local
same "$(dataset data) | .sources.compression" inherited
same "$(dataset data) | .properties.atime" on
same "$(dataset wal) | .properties.sync" disabled
same "$(dataset data) | .snapshots" 1
same "$(dataset data) | .snapshot_list[0].name" before
same "$(dataset data) | .written_bytes > 0" true
same "$(dataset data) | .zil.commits > 0" true
same '.zfs.arcstats.c_max > 0' true
same '.zfs.arcstats | has("13")' false
same '.zfs.parameters.zfs_txg_timeout' "$(cat /sys/module/zfs/parameters/zfs_txg_timeout)"
same '.zfs.txg.sync_max_ms >= 0' true
same '[.unseen[].what | select(startswith("zfs"))] | join(" ")' ''

ids=$(plumb doctor "$(cluster_connection "$tank/data/pg")" --format json --fail-on never | finding_ids)
for id in DUR01 DUR02 SYN16 DUR21 DUR23; do expect_in "sync=disabled, a snapshot of one dataset, a lone log device" $id "$ids"; done
# Copies on write: no torn pages, with or without the cluster's settings for them.
expect_not_in "torn pages on ZFS" DUR04 "$ids"
printf 'findings: %s\n' "$(tr '\n' ' ' <<<"$ids")"
