/* Rules on durability and crash safety: what can lose or corrupt data. A table, hence its length.
 */
#include "doctor/check_list.h"

#define FPW_ON "sql: ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf(); CHECKPOINT;\n"
#define FPW_ON_FIX \
	FPW_ON "note: take a new base backup afterwards: older ones may hold torn pages\n"
#define FPW_UNDO "sql: {reset:full_page_writes}\n"

const struct check durability_checks[] = {
	{ .id = "DUR01",
		.title = "ZFS throws fsync away (sync=disabled)",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.sync = 'disabled'",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "sync=disabled on dataset {dataset.name}, which holds {location.name}",
		.why = "with sync=disabled ZFS answers fsync at once and writes later, so "
		       "PostgreSQL "
		       "reports commits that are only in memory",
		.risk = "a crash loses acknowledged commits, up to some seconds of them; a standby "
			"may "
			"then be ahead of its primary",
		.fix = "sh: {raw:location.zfs_command} set sync=standard {dataset.name}\n"
		       "note: if it was set for speed, synchronous_commit=off for single roles or "
		       "databases loses commits too, but never consistency\n",
		.undo = "sh: {undo_property:sync}\n",
		.source = "zfsprops(7), property sync" },
	{ .id = "DUR02",
		.title = "only part of the cluster has sync=disabled",
		.scope = CHECK_CLUSTER,
		.when = "layout.sync_disabled_count > 0 and layout.sync_enabled_count > 0",
		.severity = SEVERITY_DANGER,
		.grade = 'C',
		.set = "{layout.sync_disabled_count} of the cluster's datasets have sync=disabled, "
		       "{layout.sync_enabled_count} do not",
		.why = "after a crash the datasets go back to different instants, and recovery "
		       "needs "
		       "the WAL that belongs to the data it finds",
		.risk = "recovery may not find the WAL it needs, or replay it onto pages that are "
			"older than the last checkpoint: a cluster that does not start, or wrong "
			"data",
		.fix = "sh: {raw:layout.zfs_command} inherit sync {layout.sync_disabled_dataset}\n",
		.undo = "sh: {raw:layout.zfs_command} set sync=disabled "
			"{layout.sync_disabled_dataset}\n",
		.source =
			"reading of OpenZFS (ZIL and txg order); to be confirmed by crash tests" },
	{ .id = "DUR03",
		.title = "fsync is off",
		.scope = CHECK_CLUSTER,
		.when = "setting.fsync = 'off'",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "fsync = {setting.fsync}",
		.why = "nothing makes WAL reach the disk before the data it protects",
		.risk = "after a crash of the machine the whole cluster can be unrecoverable",
		.fix = "sql: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf(); CHECKPOINT;\n"
		       "sh: sync\n",
		.undo = "sql: {reset:fsync}\n",
		.source = "PostgreSQL manual, fsync" },
	{ .id = "DUR04",
		.title = "full_page_writes is off on a filesystem that writes in place",
		.scope = CHECK_LOCATION,
		.when = "setting.full_page_writes = 'off' and location.role != 'wal' and not "
			"location.cow",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "full_page_writes = off, and {location.name} lies on {location.class}",
		.why = "this filesystem overwrites a page in place, sector by sector; only a page "
		       "image "
		       "in the WAL repairs a page that a power cut left half written",
		.risk = "torn pages after a crash: errors if checksums are on, silent wrong data "
			"if not",
		.fix = FPW_ON_FIX,
		.undo = FPW_UNDO,
		.source = "PostgreSQL manual, full_page_writes" },
	{ .id = "DUR05",
		.title = "full_page_writes is off with pages that the ZFS log can cut",
		.scope = CHECK_LOCATION,
		.when = "setting.full_page_writes = 'off' and location.zfs and location.role != "
			"'wal' and "
			"(postgres.block_size >= 32K or "
			"(postgres.block_size >= 16K and zfs.version >= v2.2.0))",
		.severity = SEVERITY_DANGER,
		.grade = 'C',
		.set = "full_page_writes = off with {postgres.block_size:bytes} pages on OpenZFS "
		       "{zfs.version_text}",
		.why = "an fsync'ed page goes through the intent log, which may split a page this "
		       "large "
		       "over two log blocks; if only the first survives, replay writes half a page",
		.risk = "torn pages after a power cut; one such 16K tear was reported",
		.fix = FPW_ON_FIX,
		.undo = FPW_UNDO,
		.source = "openzfs/zfs#17879; reading of zfs_log_write" },
	{ .id = "DUR06",
		.title = "full_page_writes is off on ZFS: called safe, not proven",
		.scope = CHECK_LOCATION,
		.when = "setting.full_page_writes = 'off' and location.zfs and location.role != "
			"'wal' and "
			"postgres.block_size <= 8K",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "full_page_writes = off with {postgres.block_size:bytes} pages on "
		       "{dataset.name}",
		.why = "copy-on-write never overwrites a page, but a page on its way through the "
		       "intent "
		       "log can still be cut in rare positions, more so when WAL and data share a "
		       "dataset",
		.risk = "if the cut can happen here, a power cut can tear a page",
		.fix = "note: until it is measured, the careful choice is full_page_writes = "
		       "on\n" FPW_ON,
		.undo = FPW_UNDO,
		.source = "OpenZFS workload guide against openzfs/zfs#17879",
		.camp_for = "the OpenZFS guide and the PostgreSQL manual name ZFS as a case where "
			    "full_page_writes may be off: a record is written whole or not at all",
		.camp_against =
			"reading the log code shows a narrow window in which an 8K page is split "
			"over two log blocks; a 16K tear was reported; no public crash test exists",
		.study = "torture" },
	{ .id = "DUR07",
		.title = "small ZIL blocks with full_page_writes off",
		.scope = CHECK_LOCATION,
		.when = "setting.full_page_writes = 'off' and location.engine = 'kernel' and "
			"location.role != 'wal' and zfs.parameter.zil_maxblocksize < 128K",
		.severity = SEVERITY_DANGER,
		.grade = 'C',
		.set = "zil_maxblocksize = {zfs.parameter.zil_maxblocksize:bytes} with "
		       "full_page_writes = off",
		.why = "the smaller a log block, the more often a page is split over two of them",
		.risk = "by calculation every fifth to twelfth 8K page crosses a log block: torn "
			"pages "
			"after a power cut",
		.fix = "sh: echo 131072 > /sys/module/zfs/parameters/zil_maxblocksize\n"
		       "note: it acts when the dataset is mounted next; keep it in "
		       "/etc/modprobe.d/zfs.conf as options zfs zil_maxblocksize=131072\n",
		.undo = "sh: echo {zfs.parameter.zil_maxblocksize} > "
			"/sys/module/zfs/parameters/zil_maxblocksize\n",
		.source = "reading of zil.c; zfs(4)" },
	{ .id = "DUR08",
		.title = "ZFS records are smaller than a PostgreSQL page",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and "
			"files.record_bytes_min < postgres.block_size",
		.severity = SEVERITY_COST,
		.danger_when = "setting.full_page_writes = 'off'",
		.grade = 'A',
		.set = "relation files of {location.name} have records of "
		       "{files.record_bytes_min:bytes}, pages are {postgres.block_size:bytes}",
		.why = "one page spans several records, each with its own checksum, allocation and "
		       "metadata",
		.risk = "more writes and no room to compress; with full_page_writes = off the "
			"parts of a "
			"page may reach the disk apart",
		.fix = "sh: {raw:location.zfs_command} set recordsize=32K {dataset.name}\n"
		       "note: only new files take it: rewrite relations afterwards (LAY01)\n",
		.undo = "sh: {undo_property:recordsize}\n",
		.source = "OpenZFS workload guide; openebs/zfs-localpv#458" },
	{ .id = "DUR09",
		.title = "full_page_writes is off while pg_rewind or standby backups are used",
		.scope = CHECK_CLUSTER,
		.when = "(setting.full_page_writes = 'off' or control.full_page_writes = 'off') "
			"and "
			"(replication.use_pg_rewind or replication.backup_on_standby)",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "full_page_writes = off, with pg_rewind in use or a backup taken from a "
		       "standby",
		.why = "both copy pages while they may be half written and count on page images in "
		       "the "
		       "WAL to repair them",
		.risk = "pg_rewind refuses to run when it is needed; a standby backup can hold "
			"torn pages",
		.fix = FPW_ON_FIX,
		.undo = FPW_UNDO,
		.source = "PostgreSQL manual, pg_rewind and pg_basebackup; pgsql-hackers 2022" },
	{ .id = "DUR10",
		.title = "data checksums are off",
		.scope = CHECK_CLUSTER,
		.when = "setting.data_checksums = 'off'",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "data_checksums = off",
		.why = "a torn, stale or misplaced page is not noticed; checksums of a filesystem "
		       "can't "
		       "see a page that was wrong when it was written",
		.risk = "damage is found late, after it is in every backup; worse with "
			"full_page_writes "
			"= off, where checksums are the only witness",
		.fix = "offline: pg_checksums --enable --progress "
		       "--pgdata={postgres.data_directory}\n",
		.undo = "offline: pg_checksums --disable --pgdata={postgres.data_directory}\n",
		.source = "PostgreSQL manual, pg_checksums" },
	{ .id = "DUR11",
		.title = "logbias=throughput",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.logbias = 'throughput'",
		.severity = SEVERITY_DANGER,
		.grade = 'C',
		.set = "logbias=throughput on {dataset.name}",
		.why = "one careful series of real power cuts lost fsync'ed data with it in two of "
		       "two "
		       "cuts in the critical window, and in none of 29 with latency",
		.risk = "loss of acknowledged data, until a release is known to be free of it; it "
			"also "
			"writes whole records for each commit (LAY10) and bypasses a log device "
			"(SYN03)",
		.fix = "sh: {raw:location.zfs_command} set logbias=latency {dataset.name}\n",
		.undo = "sh: {undo_property:logbias}\n",
		.source = "openzfs/zfs#18996 (closed, outcome not read)" },
	{ .id = "DUR12",
		.title = "ZFS does not flush disk caches",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and (zfs.parameter.zfs_nocacheflush = 1 or "
			"zfs.parameter.zil_nocacheflush = 1)",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "zfs_nocacheflush = {zfs.parameter.zfs_nocacheflush}, zil_nocacheflush = "
		       "{zfs.parameter.zil_nocacheflush}",
		.why = "writes stay in the volatile cache of a disk; it is right only if every "
		       "disk has "
		       "proven power-loss protection, which can't be seen from here",
		.risk = "a power cut loses commits, or the pool",
		.fix = "sh: echo 0 > /sys/module/zfs/parameters/zfs_nocacheflush\n"
		       "sh: echo 0 > /sys/module/zfs/parameters/zil_nocacheflush\n",
		.undo = "sh: echo {zfs.parameter.zfs_nocacheflush} > "
			"/sys/module/zfs/parameters/zfs_nocacheflush\n"
			"sh: echo {zfs.parameter.zil_nocacheflush} > "
			"/sys/module/zfs/parameters/zil_nocacheflush\n",
		.source = "zfs(4), zfs_nocacheflush, zil_nocacheflush" },
	{ .id = "DUR13",
		.title = "the ZFS intent log is not replayed",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.parameter.zil_replay_disable = 1",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "zil_replay_disable = 1",
		.why = "after a crash the intent log, which holds what fsync promised, is thrown "
		       "away",
		.risk = "acknowledged commits are dropped at the next import",
		.fix = "sh: echo 0 > /sys/module/zfs/parameters/zil_replay_disable\n",
		.undo = "sh: echo 1 > /sys/module/zfs/parameters/zil_replay_disable\n",
		.source = "zfs(4), zil_replay_disable" },
	{ .id = "DUR14",
		.title = "flushes seem not to reach the medium",
		.scope = CHECK_DEVICE,
		.when = "(device.cache_volatile and device.write_cache = 'write through') or "
			"(device.rotational and not device.virtual and stat.wal_sync_mean_us < "
			"1000)",
		.severity = SEVERITY_DANGER,
		.grade = 'B',
		.set = "{device.name}: kernel treats its cache as '{device.write_cache}'; mean WAL "
		       "sync "
		       "{stat.wal_sync_mean_us} us",
		.why = "either the disk says that its cache is volatile and the kernel was told "
		       "not to "
		       "flush it, or WAL syncs are faster than a turn of the platter (a controller "
		       "with "
		       "a battery may do that honestly)",
		.risk = "a power cut loses acknowledged commits and can damage the filesystem",
		.fix = "sh: echo 'write back' > /sys/block/{device.name}/queue/write_cache\n"
		       "note: in a virtual machine use cache=none or writethrough on the host; "
		       "prove a "
		       "disk with pg_test_fsync and a real power cut\n",
		.undo = "sh: echo {device.write_cache} > "
			"/sys/block/{device.name}/queue/write_cache\n",
		.source = "PostgreSQL manual, chapter Reliability" },
	{ .id = "DUR15",
		.title = "the filesystem is mounted without barriers",
		.scope = CHECK_LOCATION,
		.when = "location.class in ('ext2', 'ext3', 'ext4', 'xfs', 'btrfs') and "
			"mount.barrier_off",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "{mount.path} is mounted with {mount.options}",
		.why = "without barriers journal and data may reach the disk in any order, and "
		       "fsync "
		       "does not flush the disk's cache",
		.risk = "a power cut can lose commits and the filesystem itself",
		.fix = "sh: mount -o remount,barrier {mount.path}\n"
		       "note: take nobarrier or barrier=0 out of /etc/fstab\n",
		.undo = "sh: mount -o remount,nobarrier {mount.path}\n",
		.source = "ext4(5); SUSE tuning guide; btrfs(5)" },
	{ .id = "DUR16",
		.title = "ext4 data= mode is not ordered",
		.scope = CHECK_LOCATION,
		.when = "location.class in ('ext3', 'ext4') and mount.data_mode in ('writeback', "
			"'journal')",
		.severity = SEVERITY_HINT,
		.cost_when = "mount.data_mode = 'journal'",
		.grade = 'B',
		.set = "{mount.path} is mounted with data={mount.data_mode}",
		.why = "journal writes all data twice and still does not make a PostgreSQL page "
		       "atomic: "
		       "its blocks may fall into different journal commits; writeback can show "
		       "stale "
		       "blocks after a crash",
		.risk = "journal: every write twice; writeback: nothing that PostgreSQL's own "
			"fsyncs do "
			"not cover, but nothing gained that is safe to count on",
		.fix = "note: take data={mount.data_mode} out of /etc/fstab and mount again; the "
		       "mode "
		       "can't be changed by a remount\n",
		.undo = "note: put the option back\n",
		.source = "OpenZFS documentation on InnoDB (withdrawn advice); ext4(5)" },
	{ .id = "DUR17",
		.title = "ZFS checksums are off",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.checksum = 'off'",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "checksum=off on {dataset.name}",
		.why = "ZFS can then neither notice nor repair a bad block",
		.risk = "silent corruption; a mirror or RAID-Z no longer heals data",
		.fix = "sh: {raw:location.zfs_command} set checksum=on {dataset.name}\n"
		       "note: only blocks written afterwards get checksums\n",
		.undo = "sh: {undo_property:checksum}\n",
		.source = "zfsprops(7), property checksum; openzfs/zfs#13707" },
	{ .id = "DUR18",
		.title = "native encryption together with snapshots",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.encryption != 'off' and dataset.snapshots > 0",
		.severity = SEVERITY_DANGER,
		.grade = 'B',
		.set = "encryption={dataset.encryption} on {dataset.name} with {dataset.snapshots} "
		       "snapshots",
		.why = "for years permanent errors were reported after sending snapshots of "
		       "encrypted "
		       "datasets; which releases are free of it is not settled",
		.risk = "errors in snapshots or on the receiving side",
		.fix = "note: no single command: prefer LUKS below the pool, or test raw sends "
		       "(zfs send -w) and scrub after them\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#12014, #15837; openzfs-docs pull request 494" },
	{ .id = "DUR19",
		.title = "this OpenZFS release can fill copied files with holes",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and (zfs.version < v2.1.14 or "
			"(zfs.version >= v2.2.0 and zfs.version < v2.2.2))",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "OpenZFS {zfs.version_text}",
		.why = "a file read while it is dirty can show zeros where data is; cp and backup "
		       "tools "
		       "then copy holes",
		.risk = "silently damaged copies and backups",
		.fix = "note: upgrade to 2.1.14, 2.2.2 or later\n"
		       "sh: echo 0 > /sys/module/zfs/parameters/zfs_dmu_offset_next_sync\n",
		.undo = "sh: echo 1 > /sys/module/zfs/parameters/zfs_dmu_offset_next_sync\n",
		.source = "openzfs/zfs#15526" },
	{ .id = "DUR20",
		.title = "WAL on OpenZFS 2.2 with a streaming standby",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role = 'wal' and replication.standbys > 0",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.zfs_from = 20200,
		.zfs_before = 20300,
		.set = "WAL on OpenZFS {zfs.version_text}, {replication.standbys} streaming "
		       "standby(s)",
		.why = "standbys were reported to stop on WAL that reads back wrong while it is "
		       "being "
		       "written; the cause is open",
		.risk = "replication stops until the standby is restarted or rebuilt",
		.fix = "note: alert on 'invalid record' and 'incorrect resource manager data' in "
		       "the "
		       "standby's log; try 2.3 or WAL on another filesystem\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#16936" },
	{ .id = "DUR21",
		.title = "snapshots of the cluster are not one instant",
		.scope = CHECK_CLUSTER,
		.when = "layout.dataset_count > 1 and layout.snapshots > 0 and "
			"(layout.pool_count > 1 or layout.snapshots_not_atomic)",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "the cluster spans {layout.dataset_count} datasets in {layout.pool_count} "
		       "pool(s) "
		       "with {layout.snapshots} snapshots, not taken in one step",
		.why = "data, WAL and tablespaces must be frozen at the same instant, or be "
		       "wrapped in "
		       "a backup",
		.risk = "a snapshot that does not restore, or restores to silently wrong data",
		.fix = "note: one pool: name all datasets in one command, zfs snapshot A@x B@x, or "
		       "zfs snapshot -r PARENT@x; more pools: pg_backup_start() before, "
		       "pg_backup_stop() after, and keep the WAL\n",
		.undo = "note: nothing to undo\n",
		.source = "zfs-snapshot(8); zrepl#634; pgbackrest#2166; cloudnative-pg 11383" },
	{ .id = "DUR22",
		.title = "the pool has errors or is not ONLINE",
		.scope = CHECK_POOL,
		.when = "pool.state != 'ONLINE' or pool.errors > 0",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "pool {pool.name}: {pool.state}, {pool.errors} errors",
		.why = "a device failed or data could not be repaired",
		.risk = "everything else is moot until it is mended",
		.fix = "sh: {raw:pool.zpool_command} status -v {pool.name}\n"
		       "note: replace what failed, then {raw:pool.zpool_command} scrub "
		       "{pool.name}\n",
		.undo = "note: nothing to undo\n",
		.source = "zpool-status(8)" },
	{ .id = "DUR23",
		.title = "the log device is not mirrored",
		.scope = CHECK_POOL,
		.when = "pool.log_vdevs > 0 and not pool.log_mirrored",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "pool {pool.name} has {pool.log_vdevs} log device(s) without a mirror",
		.why = "the log is read only after a crash; a device that dies at the same moment "
		       "takes "
		       "the last seconds along",
		.risk = "loss of acknowledged commits if power and log device fail together",
		.fix = "note: zpool attach {pool.name} LOGDEVICE NEWDEVICE\n",
		.undo = "note: zpool detach {pool.name} NEWDEVICE\n",
		.source = "openzfs-docs#281" },
	{ .id = "DUR24",
		.title = "the special device is less redundant than the data",
		.scope = CHECK_POOL,
		.when = "pool.special_vdevs > 0 and pool.special_redundancy < pool.data_redundancy",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "pool {pool.name}: data survives {pool.data_redundancy} failed disk(s), its "
		       "special "
		       "devices {pool.special_redundancy}",
		.why = "the special devices hold all metadata: without them the pool can't be read",
		.risk = "the whole pool is lost with them",
		.fix = "note: zpool attach {pool.name} SPECIALDEVICE NEWDEVICE\n",
		.undo = "note: zpool detach {pool.name} NEWDEVICE\n",
		.source = "zpoolconcepts(7), special allocation class" },
	{ .id = "DUR25",
		.title = "btrfs without copy-on-write has no checksums and writes in place",
		.scope = CHECK_LOCATION,
		.when = "location.class = 'btrfs' and (files.nocow or mount.nodatacow) and "
			"(setting.full_page_writes = 'off' or setting.data_checksums = 'off')",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "No_COW on {location.path}; full_page_writes = {setting.full_page_writes}, "
		       "data_checksums = {setting.data_checksums}",
		.why = "No_COW files are written in place and carry no btrfs checksum",
		.risk = "torn pages with full_page_writes = off; damage that nothing notices "
			"without "
			"data checksums",
		.fix = FPW_ON "offline: pg_checksums --enable --pgdata={postgres.data_directory}\n",
		.undo = FPW_UNDO,
		.source = "btrfs(5), nodatacow; Debian user list; sled#1351" },
	{ .id = "DUR26",
		.title = "the filesystem under the cluster is not made for it",
		.scope = CHECK_LOCATION,
		.when = "location.class in ('overlay', 'fuse', 'bcachefs', 'tmpfs', 'ramfs') or "
			"(location.class = 'nfs' and mount.nfs_soft)",
		.severity = SEVERITY_DANGER,
		.grade = 'B',
		.set = "{location.name} lies on {mount.type} ({mount.path})",
		.why = "fsync or atomic replacement is unproven here; a container layer is slow "
		       "and goes "
		       "with the container, tmpfs goes with the power, a soft NFS mount returns "
		       "errors "
		       "in the middle of a write",
		.risk = "loss of the cluster",
		.fix = "note: move it to a real volume: stop the server, copy with rsync -aHAX, "
		       "start\n",
		.undo = "note: move it back the same way\n",
		.source = "convoy#117; docker-library/postgres#213; bcachefs#619; nfs(5)" },
	{ 0 },
};
