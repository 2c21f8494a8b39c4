/* Every name a rule may use. A table, hence its length. */
#include "doctor/fact_names.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const struct fact_name fact_names[] = {
	{ "setting.", "postgres.settings",
		"server setting, from pg_settings or the files; sizes in "
		"bytes, times in ms" },
	{ "setting.block_size", "postgres.settings", "bytes of a page" },
	{ "setting.data_checksums", "postgres.control", "page checksums: on or off" },
	{ "postgres.version", "postgres.version_number", "server_version_num" },
	{ "postgres.block_size", "postgres.settings", "bytes of a page" },
	{ "postgres.in_recovery", "postgres.in_recovery", "is a standby: pg_is_in_recovery()" },
	{ "postgres.cluster_bytes", "postgres.cluster_bytes", "size of all databases" },
	{ "postgres.data_directory", "postgres.data_directory", "folder of the cluster" },
	{ "postgres.extends_by_fallocate", "postgres.settings",
		"files grow by posix_fallocate: from 16 on, unless file_extend_method says "
		"otherwise" },
	{ "control.full_page_writes", "postgres.control",
		"full_page_writes of the primary at the last checkpoint: pg_controldata" },
	{ "stat.checkpoints", "postgres.stats", "timed and requested checkpoints since the reset" },
	{ "stat.checkpoint_requested_share", "postgres.stats", "requested ones among them" },
	{ "stat.checkpoint_requested_percent", "postgres.stats", "the same in percent" },
	{ "stat.update_share", "postgres.stats",
		"updated and deleted among all changed rows: pg_stat_database" },
	{ "stat.temp_bytes", "postgres.stats",
		"temporary files since the reset: pg_stat_database" },
	{ "stat.wal_full_pages", "postgres.stats.wal_full_pages",
		"full page images in the WAL since the reset: pg_stat_wal" },
	{ "stat.wal_sync_mean_us", "postgres.stats.wal_sync_ms",
		"mean time of a WAL sync; needs track_wal_io_timing and 100 syncs" },
	{ "replication.standbys", "postgres.replication", "streaming standbys" },
	{ "replication.use_pg_rewind", "postgres.replication.use_pg_rewind",
		"Patroni's configuration in the data directory asks for pg_rewind" },
	{ "replication.backup_on_standby", "postgres.replication",
		"this server is a standby and a base backup runs from it now" },
	{ "location.role", "locations", "data, wal or tablespace" },
	{ "location.name", "locations", "what lies there, in words" },
	{ "location.path", "locations", "the folder" },
	{ "location.class", "mounts",
		"kind of filesystem: zfs, zfs-embedded (plumb-zfsd), ext4, xfs, btrfs, nfs, fuse, "
		"..." },
	{ "location.zfs", "mounts", "is OpenZFS, in the kernel or in plumb-zfsd" },
	{ "location.engine", "mounts", "kernel, embedded or none" },
	{ "location.cow", "mounts",
		"never overwrites data in place: ZFS datasets, btrfs without No_COW" },
	{ "location.zfs_command", "mounts", "zfs, or plumb zfs for plumb-zfsd" },
	{ "location.noatime_command", "mounts", "how access times are turned off here" },
	{ "location.atime_command", "mounts", "and on" },
	{ "location.atime_target", "mounts", "of what" },
	{ "mount.", "mounts", "mount table: path, type, source, options" },
	{ "mount.barrier_off", "mounts", "mounted with nobarrier or barrier=0" },
	{ "mount.data_mode", "mounts", "ext4: ordered, writeback or journal" },
	{ "mount.compress", "mounts", "btrfs: mounted with compress or compress-force" },
	{ "mount.nodatacow", "mounts", "btrfs: mounted with nodatacow" },
	{ "mount.nfs_soft", "mounts", "NFS: mounted soft" },
	{ "dataset.", "zfs.datasets", "ZFS property of the location's dataset: zfs get" },
	{ "dataset.compression_heavy", "zfs.datasets", "gzip of any level, or zstd above 3" },
	{ "dataset.snapshots", "zfs.datasets", "number of its snapshots" },
	{ "dataset.zil_indirect_bytes", "zfs.zil", "logged by reference: kstat of the dataset" },
	{ "dataset.zil_copied_bytes", "zfs.zil", "logged by copy: kstat of the dataset" },
	{ "pool.", "zfs.pools", "of the ZFS pool: zpool list, zpool get, zpool status" },
	{ "pool.ashift", "zfs.pools.ashift", "smallest ashift of its data vdevs" },
	{ "pool.ashift_bytes", "zfs.pools.ashift", "2 to the power of ashift" },
	{ "pool.sector_bytes", "devices",
		"largest physical sector, or optimal I/O size up to 16K, of "
		"its disks" },
	{ "pool.raidz", "zfs.pools", "parity of its RAID-Z vdevs, 0 without" },
	{ "pool.vdev_bytes_min", "zfs.pools", "smallest device of its data vdevs" },
	{ "pool.data_redundancy", "zfs.pools", "disks that may fail in the weakest data vdev" },
	{ "pool.special_redundancy", "zfs.pools", "the same of its special vdevs" },
	{ "pool.log_write_wait_ns", "zfs.pools.iostat",
		"mean write wait of log vdevs: zpool iostat -l" },
	{ "pool.data_write_wait_ns", "zfs.pools.iostat", "the same of data vdevs" },
	{ "device.", "devices", "of the block device under a location: /sys/block" },
	{ "device.cache_volatile", "devices.cache",
		"the disk itself reports a volatile write cache" },
	{ "device.nvme_lba_bytes", "devices.nvme",
		"sector size of the NVMe format in use: nvme id-ns" },
	{ "device.nvme_better_4k", "devices.nvme",
		"the namespace offers a 4K format it calls better" },
	{ "device.virtual", "devices", "a virtual disk, whose rotational flag means nothing" },
	{ "device.cloud", "devices", "a cloud volume, by its model name" },
	{ "files.", "locations.files", "relation files of the location" },
	{ "files.record_bytes_min", "locations.files",
		"smallest st_blksize among the biggest relation files of more than one record" },
	{ "files.record_bytes_main", "locations.files",
		"st_blksize that holds most of their bytes" },
	{ "files.record_mismatch_share", "locations.files",
		"share of their bytes whose record is not the dataset's recordsize" },
	{ "files.nocow", "locations.files", "btrfs: the No_COW attribute is set: lsattr" },
	{ "files.extents_max", "locations.files",
		"btrfs: most extents of one relation file: FIEMAP" },
	{ "files.largest_relation_bytes", "locations.files",
		"all segments of the largest relation" },
	{ "zfs.version", "zfs.version",
		"OpenZFS: /sys/module/zfs/version, or plumb-zfsd's library" },
	{ "zfs.version_text", "zfs.version", "the same as text" },
	{ "zfs.parameter.", "zfs.parameters", "module parameter: /sys/module/zfs/parameters" },
	{ "zfs.arc.", "zfs.arcstats", "ARC counter: /proc/spl/kstat/zfs/arcstats" },
	{ "zfs.arc.prefetch_used_share", "zfs.arcstats",
		"demand hits on prefetched blocks per prefetch read" },
	{ "zfs.prefetch_unbounded", "zfs.parameters", "has no parameter dmu_prefetch_max_active" },
	{ "zfs.txg.sync_max_ms", "zfs.txg",
		"longest sync of the recent transaction groups: kstat txgs" },
	{ "memory.", "memory", "of the machine: /proc/meminfo, cgroup" },
	{ "memory.committed_bytes", "memory", "sum of the memory ledger" },
	{ "memory.limit_bytes", "memory",
		"memory of the machine, or the tighter limit of the cgroup" },
	{ "memory.cgroup_limit_bytes", "memory.cgroup_limit_bytes",
		"memory limit of the server's cgroup" },
	{ "memory.container", "memory", "runs in a container" },
	{ "memory.cache_wanted_mb", "memory", "shared_buffers and half of the ARC limit, in MB" },
	{ "host.", "host", "of the machine: uname, /proc" },
	{ "host.init_on_alloc", "host.init_on_alloc", "kernel command line or configuration" },
	{ "host.kernel_version", "host", "kernel release as a number" },
	{ "host.memlock_bytes", "host.memlock_bytes", "limit on locked memory of the server" },
	{ "layout.", "mounts", "the locations taken together" },
	{ "layout.snapshots", "zfs.datasets", "snapshots of all their datasets" },
	{ "layout.snapshots_not_atomic", "zfs.datasets",
		"the newest snapshots of their datasets differ in name or transaction group" },
	{ "layout.sync_disabled_count", "zfs.datasets", "datasets with sync=disabled" },
	{ "layout.sync_enabled_count", "zfs.datasets", "datasets and filesystems that do sync" },
	{ "layout.sync_disabled_dataset", "zfs.datasets", "one of the former" },
	{ "ledger.device_busy_percent", "ledger",
		"busiest device over --seconds: /sys/block stat" },
	{ 0 },
};

const struct fact_name *fact_name_find(const char *name)
{
	const struct fact_name *best = NULL;
	size_t best_length = 0;

	for (const struct fact_name *row = fact_names; row->name; row++) {
		size_t length = strlen(row->name);
		bool prefix = row->name[length - 1] == '.';
		if (prefix ? strncmp(name, row->name, length) != 0 : strcmp(name, row->name) != 0)
			continue;
		if (length >= best_length) {
			best = row;
			best_length = length;
		}
	}
	return best;
}
