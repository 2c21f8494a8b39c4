/* Rules on layout and write volume: records, sectors, pools, space. A table, hence its length. */
#include "doctor/check_list.h"

const struct check layout_checks[] = {
	{ .id = "LAY01",
		.title = "files do not have the record size the property asks for",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and files.record_mismatch_share > 0.05",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "recordsize={dataset.recordsize:bytes} on {dataset.name}, but "
		       "{files.record_mismatch_percent} % of the sampled bytes of {location.name} "
		       "lie in "
		       "files with other records (most: {files.record_bytes_main:bytes})",
		.why = "a file keeps the record size it was born with; a changed property, "
		       "send/receive "
		       "and zfs rewrite do not change it",
		.risk = "measurements and tuning refer to a setting that is not in force",
		.fix = "note: rewrite relations: VACUUM FULL, CLUSTER, REINDEX or pg_repack\n"
		       "offline: cp -a FILE FILE.new && mv FILE.new FILE\n",
		.undo = "note: set the property back and rewrite again\n",
		.source = "zfs-rewrite(8); openzfs/zfs#9347" },
	{ .id = "LAY02",
		.title = "large records under random updates",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.recordsize >= 128K "
			"and "
			"stat.update_share > 0.5 and postgres.cluster_bytes > zfs.arc.c_max",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "recordsize={dataset.recordsize:bytes} on {dataset.name}; updates and "
		       "deletes are "
		       "more than half of the changed rows, and the data is larger than the ARC",
		.why = "to change one page that is not cached ZFS reads and writes the whole "
		       "record",
		.risk = "read-modify-write: more device traffic per transaction and wear",
		.fix = "note: measure first; a usual choice to try is recordsize=32K\n"
		       "sh: {raw:location.zfs_command} set recordsize=32K {dataset.name}\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "OpenZFS workload guide; openzfs/zfs#17258",
		.camp_for = "smaller records (16K to 32K) avoid read-modify-write of records that "
			    "are not "
			    "cached",
		.camp_against =
			"larger records (64K to 128K) compress better, need less metadata and "
			"fewer device requests, and help scans",
		.study = "zfs-aligned" },
	{ .id = "LAY03",
		.title = "records of a page or less on 4K sectors",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.recordsize <= 8K and "
			"pool.ashift >= 12",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "recordsize={dataset.recordsize:bytes} with ashift={pool.ashift}",
		.why = "a record is stored in whole sectors: 8K compresses to 4K or not at all, "
		       "and every "
		       "page needs its own block pointer",
		.risk = "little compression, and metadata writes that rival the data",
		.fix = "note: measure 16K, 32K, 64K\n"
		       "sh: {raw:location.zfs_command} set recordsize=16K {dataset.name}\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "openzfs/zfs#10125, #11810; calculation",
		.camp_for = "a record of one page never reads or writes more than the page that "
			    "changed",
		.camp_against =
			"sectors, checksums and block pointers cost more than the extra bytes of "
			"a larger record save",
		.study = "zfs-aligned" },
	{ .id = "LAY04",
		.title = "small records on RAID-Z",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and pool.raidz >= 1 and "
			"(dataset.recordsize <= 8K or (pool.raidz >= 3 and dataset.recordsize <= "
			"16K))",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "recordsize={dataset.recordsize:bytes} on raidz{pool.raidz} with "
		       "ashift={pool.ashift}",
		.why = "RAID-Z adds parity to each record and rounds up: a record of one or two "
		       "sectors "
		       "takes as much as a mirror, or more",
		.risk = "two, three or four times the raw space on raidz1, raidz2, raidz3",
		.fix = "sh: {raw:location.zfs_command} set recordsize=32K {dataset.name}\n"
		       "note: rewrite relations afterwards (LAY01), or build mirrors\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "arithmetic of vdev_raidz; openzfs/zfs#10125, #4599" },
	{ .id = "LAY05",
		.title = "records above 1M",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.recordsize > 1M",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "recordsize={dataset.recordsize:bytes} on {dataset.name}",
		.why = "a page that is not cached costs the read of a whole record",
		.risk = "latency, and reads many times larger than what was asked for",
		.fix = "sh: {raw:location.zfs_command} set recordsize=128K {dataset.name}\n"
		       "note: rewrite relations afterwards (LAY01)\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "openzfs/zfs#6518; zfsprops(7), recordsize" },
	{ .id = "LAY06",
		.title = "ashift is smaller than the disk's sectors",
		.scope = CHECK_POOL,
		.when = "pool.ashift_bytes < pool.sector_bytes",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "pool {pool.name}: ashift={pool.ashift}, its disks have sectors of "
		       "{pool.sector_bytes:bytes}",
		.why = "the disk must read, change and write back a whole sector for each part of "
		       "it",
		.risk = "slower small writes, for the life of the pool",
		.fix = "note: ashift can't be changed: build a new pool with zpool create -o "
		       "ashift=12, "
		       "and add later devices with zpool add -o ashift=12\n",
		.undo = "note: nothing to undo\n",
		.source = "OpenZFS performance guide, alignment shift" },
	{ .id = "LAY07",
		.title = "ashift of 13 or more with small records",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and pool.ashift >= 13 and "
			"dataset.recordsize <= 16K",
		.severity = SEVERITY_HINT,
		.grade = 'D',
		.set = "ashift={pool.ashift} with recordsize={dataset.recordsize:bytes}",
		.why = "everything is rounded up to {pool.ashift_bytes:bytes}",
		.risk = "space and compression; the gain on flash is disputed",
		.fix = "note: measure before the pool is created: it can't be changed later\n",
		.undo = "note: nothing to undo\n",
		.source = "Let's Encrypt database server notes against openzfs/zfs#6040",
		.camp_for =
			"flash has pages of 8K or 16K; matching them avoids work inside the device",
		.camp_against =
			"the flash layer hides its pages well; the rounding only wastes space",
		.study = "doctor-ashift" },
	{ .id = "LAY08",
		.title = "NVMe namespace formatted with 512-byte sectors",
		.scope = CHECK_DEVICE,
		.when = "device.nvme and device.nvme_lba_bytes = 512 and device.nvme_better_4k",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "{device.name} runs 512-byte sectors and says that 4K performs better",
		.why = "the device does its own read-modify-write for parts of 4K",
		.risk = "slower small writes",
		.fix = "offline: nvme format --lbaf=N /dev/{device.name}  # erases the disk\n",
		.undo = "note: only by formatting again\n",
		.source = "Let's Encrypt database server notes; OpenStreetMap operations#78" },
	{ .id = "LAY09",
		.title = "all metadata twice under random updates",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.redundant_metadata = "
			"'all' "
			"and dataset.recordsize <= 32K and stat.update_share > 0.5",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "redundant_metadata=all with recordsize={dataset.recordsize:bytes}",
		.why = "each update of a small record rewrites its indirect block, here in two "
		       "copies",
		.risk = "metadata writes; the price of most is that one bad block can take more "
			"data "
			"with it",
		.fix = "sh: {raw:location.zfs_command} set redundant_metadata=most "
		       "{dataset.name}\n",
		.undo = "sh: {undo_property:redundant_metadata}\n",
		.source = "zfsprops(7), redundant_metadata; uptrace tuning page",
		.camp_for = "most: one copy less of each indirect block that an update rewrites",
		.camp_against = "all: a bad block then never takes more than itself along, and the "
				"saving may be small",
		.study = "doctor-metadata" },
	{ .id = "LAY10",
		.title = "logbias=throughput under the WAL",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role = 'wal' and dataset.logbias = 'throughput'",
		.severity = SEVERITY_COST,
		.grade = 'C',
		.set = "logbias=throughput on {dataset.name}, which holds the WAL",
		.why = "each commit then writes whole records of the WAL file instead of the bytes "
		       "that "
		       "are new",
		.risk = "commit latency and write volume; see also DUR11",
		.fix = "sh: {raw:location.zfs_command} set logbias=latency {dataset.name}\n",
		.undo = "sh: {undo_property:logbias}\n",
		.source = "reading of zfs_log_write; iem pull request 277 (5 % slower)" },
	{ .id = "LAY11",
		.title = "compression is off",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.compression = 'off'",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "compression=off on {dataset.name}",
		.why = "table data usually halves with lz4, on disk and in the ARC",
		.risk = "twice the bytes written, read and cached",
		.fix = "sh: {raw:location.zfs_command} set compression=lz4 {dataset.name}\n",
		.undo = "sh: {undo_property:compression}\n",
		.source = "OpenZFS workload guide" },
	{ .id = "LAY12",
		.title = "expensive compression on hot data",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.compression_heavy",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "compression={dataset.compression} on {dataset.name}",
		.why = "every ARC miss and every transaction group pays for it in CPU",
		.risk = "latency, and CPU that the server lacks",
		.fix = "sh: {raw:location.zfs_command} set compression=lz4 {dataset.name}\n"
		       "note: zstd-3 lies between; measure with data of your own\n",
		.undo = "sh: {undo_property:compression}\n",
		.source = "openzfs/zfs#7896; infrastructure reports 446, 250",
		.camp_for =
			"lz4 costs hardly any CPU, and pages in the ARC are unpacked at each miss",
		.camp_against = "stronger compression saves device bytes and ARC, which matters "
				"where the device is the limit",
		.study = "doctor-compression" },
	{ .id = "LAY13",
		.title = "TOAST compresses with pglz",
		.scope = CHECK_CLUSTER,
		.when = "setting.default_toast_compression = 'pglz'",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.postgres_from = 140000,
		.set = "default_toast_compression = pglz",
		.why = "lz4 is faster at nearly the same size; values that are compressed already "
		       "give "
		       "a compressing filesystem nothing to do",
		.risk = "CPU for wide values",
		.fix = "sql: ALTER SYSTEM SET default_toast_compression = 'lz4'; SELECT "
		       "pg_reload_conf();\n"
		       "note: `plumb run studies/documents.ini` compares it with STORAGE EXTERNAL "
		       "and larger "
		       "records; the server must be built with lz4\n",
		.undo = "sql: {reset:default_toast_compression}\n",
		.source = "PostgreSQL manual; getodk/central#1464",
		.camp_for = "lz4 packs and unpacks faster at nearly the same size",
		.camp_against = "no compression in TOAST (STORAGE EXTERNAL) and larger records let "
				"the filesystem pack more",
		.study = "documents" },
	{ .id = "LAY14",
		.title = "reads write access times",
		.scope = CHECK_LOCATION,
		.when = "(location.zfs and dataset.atime = 'on' and dataset.relatime = 'off') or "
			"(location.class in ('ext2', 'ext3', 'ext4', 'xfs', 'btrfs') and not "
			"mount.noatime and "
			"not mount.relatime)",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "access times are kept for {location.name} ({location.class})",
		.why = "nothing in PostgreSQL uses them",
		.risk = "reads cause writes",
		.fix = "sh: {raw:location.noatime_command} {location.atime_target}\n",
		.undo = "sh: {raw:location.atime_command} {location.atime_target}\n",
		.source = "OpenZFS workload guide; mount(8)" },
	{ .id = "LAY15",
		.title = "extended attributes live in hidden folders",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and host.selinux and (dataset.xattr = 'dir' or "
			"(dataset.xattr = 'on' and zfs.version < v2.3.0))",
		.severity = SEVERITY_HINT,
		.grade = 'A',
		.set = "xattr={dataset.xattr} on {dataset.name}, SELinux is on",
		.why = "each labelled file then needs a hidden folder and file of its own",
		.risk = "extra I/O for every file that is created or opened",
		.fix = "sh: {raw:location.zfs_command} set xattr=sa {dataset.name}\n"
		       "note: dnodesize=auto goes with it; both act on new files only\n",
		.undo = "sh: {undo_property:xattr}\n",
		.source = "zfsprops(7), xattr and dnodesize" },
	{ .id = "LAY16",
		.title = "deduplication is on",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.dedup != 'off'",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "dedup={dataset.dedup} on {dataset.name}",
		.why = "every write and free looks up a table that must fit in memory; pages of a "
		       "database hardly ever repeat",
		.risk = "latency that collapses once the table outgrows memory; freeing takes "
			"hours",
		.fix = "sh: {raw:location.zfs_command} set dedup=off {dataset.name}\n"
		       "note: old blocks stay in the table until they are rewritten\n",
		.undo = "sh: {undo_property:dedup}\n",
		.source = "OpenZFS workload guide; openzfs/zfs#3725, #6823" },
	{ .id = "LAY17",
		.title = "data blocks go to the special device",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and pool.special_vdevs > 0 and dataset.special_small_blocks "
			"> 0 and "
			"dataset.special_small_blocks >= dataset.recordsize / "
			"dataset.compressratio",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "special_small_blocks={dataset.special_small_blocks:bytes} with "
		       "recordsize={dataset.recordsize:bytes} and compressratio "
		       "{dataset.compressratio}",
		.why = "blocks of this size and below go to the special devices, and that is "
		       "nearly all "
		       "of this dataset's data",
		.risk = "the special devices fill up, and metadata spills to slow disks for ever",
		.fix = "sh: {raw:location.zfs_command} set special_small_blocks=0 {dataset.name}\n",
		.undo = "sh: {undo_property:special_small_blocks}\n",
		.source = "openzfs/zfs#14492, #17497; zfsprops(7)" },
	{ .id = "LAY18",
		.title = "the pool is nearly full",
		.scope = CHECK_POOL,
		.when = "pool.capacity_percent > 80",
		.severity = SEVERITY_HINT,
		.cost_when = "pool.capacity_percent > 90",
		.danger_when = "pool.capacity_percent > 95",
		.grade = 'A',
		.set = "pool {pool.name} is {pool.capacity_percent} % full",
		.why = "the allocator searches longer and fragments more; PostgreSQL stops with a "
		       "PANIC "
		       "when the WAL can't grow",
		.risk = "falling write speed, then an outage; a full copy-on-write pool is hard to "
			"empty",
		.fix = "note: free space; once there is some, keep ballast for the next time: "
		       "{raw:pool.zfs_command} create -o refreservation=5G -o canmount=off "
		       "{pool.name}/ballast\n",
		.undo = "note: destroy {pool.name}/ballast\n",
		.source = "OpenZFS workload guide, free space; heap.io engineering page" },
	{ .id = "LAY19",
		.title = "snapshots hold more than half of the data again",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.usedbysnapshots > dataset.referenced / 2",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "snapshots of {dataset.name} hold {dataset.usedbysnapshots:bytes}, its data "
		       "is "
		       "{dataset.referenced:bytes}",
		.why = "VACUUM, REINDEX and index updates rewrite pages, and a snapshot keeps each "
		       "old one",
		.risk = "space; a full pool",
		.fix = "note: zfs destroy {dataset.name}@OLD%OLDER; vacuum before a snapshot, not "
		       "after\n",
		.undo = "note: a destroyed snapshot does not come back\n",
		.source = "infrastructure report 446; zfs-destroy(8)" },
	{ .id = "LAY20",
		.title = "a filesystem on a zvol",
		.scope = CHECK_LOCATION,
		.when = "device.zvol",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "{location.name} lies on {location.class} on {device.name}, a ZFS volume",
		.why = "two filesystems do the work of one; with small volume blocks half of what "
		       "is "
		       "written is metadata",
		.risk = "write volume and latency; the filesystem inside writes in place, so "
			"full_page_writes must stay on (DUR04)",
		.fix = "note: measure; use a dataset, or volblocksize=16K with noatime "
		       "(volblocksize "
		       "can't be changed later)\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#11407, #14771, #17677",
		.camp_for =
			"a zvol gives quotas, snapshots and a filesystem that administrators know",
		.camp_against =
			"a dataset does the same with one layer less and about half the writes",
		.study = "doctor-zvol" },
	{ .id = "LAY21",
		.title = "the pool lies on files or loop devices",
		.scope = CHECK_POOL,
		.when = "pool.file_vdevs > 0 or pool.loop_vdevs > 0",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "pool {pool.name}: {pool.file_vdevs} file and {pool.loop_vdevs} loop "
		       "device(s)",
		.why = "the filesystem below has its own cache, its own copy-on-write and its own "
		       "idea of "
		       "a flush",
		.risk = "measurements and crash behaviour do not carry over to real disks",
		.fix = "note: use whole disks, or LVM without snapshots\n",
		.undo = "note: nothing to undo\n",
		.source = "lxd#2362; tidx#250" },
	{ .id = "LAY22",
		.title = "pool devices of 32G or less",
		.scope = CHECK_POOL,
		.when = "pool.vdev_bytes_min <= 32G",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "the smallest device of pool {pool.name} has {pool.vdev_bytes_min:bytes}",
		.why = "OpenZFS sets no log area aside on devices this small",
		.risk = "commit times and fragmentation do not carry over to a larger pool",
		.fix = "note: for tests make sparse devices of 40G and more\n",
		.undo = "note: nothing to undo\n",
		.source = "reading of spa_misc.c and metaslab.c" },
	{ .id = "LAY23",
		.title = "WAL and data share one dataset",
		.scope = CHECK_CLUSTER,
		.when = "layout.any_zfs and layout.wal_shares_dataset",
		.severity = SEVERITY_HINT,
		.grade = 'A',
		.set = "WAL and data are both on {layout.data_dataset}",
		.why = "they can't have record size, logbias, compression or snapshots of their "
		       "own, and "
		       "their writes mix in one intent log (DUR06)",
		.risk = "less to tune; DUR21 must be kept in mind once they are apart",
		.fix = "offline: zfs create -o mountpoint=NEWPATH POOL/wal  # stop, move pg_wal, "
		       "link, "
		       "start\n",
		.undo = "offline: move pg_wal back while the server is stopped\n",
		.source = "OpenZFS workload guide" },
	{ .id = "LAY24",
		.title = "small records on a cloud disk that is out of IOPS",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.recordsize < 16K and "
			"device.cloud and ledger.device_busy_percent >= 90",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "recordsize={dataset.recordsize:bytes} on {device.name} ({device.model}), "
		       "busy "
		       "{ledger.device_busy_percent} % of the time",
		.why = "a cloud disk sells requests; small records spend one for each page",
		.risk = "the IOPS limit decides throughput",
		.fix = "note: measure 16K to 128K\n"
		       "sh: {raw:location.zfs_command} set recordsize=64K {dataset.name}\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "openzfs/zfs#18156; uptrace tuning page",
		.camp_for = "small records move no byte that was not asked for",
		.camp_against =
			"larger records and merged writes buy more bytes for each request paid",
		.study = "zfs-aligned" },
	{ .id = "LAY25",
		.title = "large temporary files go where the data goes",
		.scope = CHECK_CLUSTER,
		.when = "layout.any_zfs and setting.temp_tablespaces = '' and stat.temp_bytes > "
			"10G",
		.severity = SEVERITY_HINT,
		.grade = 'D',
		.set = "temp_tablespaces is empty; {stat.temp_bytes:bytes} of temporary files "
		       "since the "
		       "statistics were reset",
		.why = "temporary files need no snapshots and no redundancy, and like large "
		       "records",
		.risk = "write volume on the data dataset, and snapshots that keep dead files",
		.fix = "note: zfs create -o recordsize=128K POOL/temp; CREATE TABLESPACE t "
		       "LOCATION ...\n"
		       "sql: ALTER SYSTEM SET temp_tablespaces = 't'; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:temp_tablespaces}\n",
		.source = "folklore; measure with a workload of your own",
		.camp_for = "a dataset of their own with large records: spills are sequential",
		.camp_against = "temporary files are short-lived and mostly stay in the ARC: "
				"nothing is gained",
		.study = "doctor-temp" },
	{ 0 },
};
