/* Rules on WAL, the path of a commit, checkpoints and transaction groups. A table, hence its
 * length. */
#include "doctor/check_list.h"

const struct check wal_checks[] = {
	{ .id = "SYN01",
		.title = "new WAL segments are filled with zeros on copy-on-write",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.cow and setting.wal_init_zero = 'on'",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "wal_init_zero = on, WAL on {location.class}",
		.why = "copy-on-write puts each later write elsewhere, so filling the file "
		       "reserves "
		       "nothing; with compression the zeros become holes",
		.risk = "work for each new segment that buys nothing",
		.fix = "note: measure first\n"
		       "sql: ALTER SYSTEM SET wal_init_zero = off; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:wal_init_zero}\n",
		.source = "PostgreSQL manual, wal_init_zero (wording only)",
		.camp_for =
			"off: the manual says that copy-on-write filesystems do not profit from "
			"zero filling",
		.camp_against =
			"no published comparison shows a gain; file metadata then changes while "
			"commits wait",
		.study = "doctor-wal-files" },
	{ .id = "SYN02",
		.title = "WAL segments are recycled on copy-on-write",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.cow and setting.wal_recycle = 'on'",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "wal_recycle = on, WAL on {location.class}",
		.why = "writing into an old segment reads its old record, if it is no longer "
		       "cached, "
		       "and writes a new one elsewhere",
		.risk = "reads in the path of a commit",
		.fix = "note: measure first\n"
		       "sql: ALTER SYSTEM SET wal_recycle = off; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:wal_recycle}\n",
		.source = "PostgreSQL manual, wal_recycle (wording only)",
		.camp_for = "off: a new file needs no read of old records",
		.camp_against = "on: creating and removing files may cost more than it saves",
		.study = "doctor-wal-files" },
	{ .id = "SYN03",
		.title = "a log device that logbias=throughput bypasses",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and pool.log_vdevs > 0 and dataset.logbias = 'throughput'",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "pool {pool.name} has a log device, {dataset.name} has logbias=throughput",
		.why = "throughput writes around the log device",
		.risk = "the log device is paid for and unused",
		.fix = "sh: {raw:location.zfs_command} set logbias=latency {dataset.name}\n",
		.undo = "sh: {undo_property:logbias}\n",
		.source = "zfsprops(7), logbias; hiero#7613" },
	{ .id = "SYN04",
		.title = "commits wait for slow flushes and there is no log device",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.zfs and pool.log_vdevs = 0 and "
			"stat.wal_sync_mean_us > 2000",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "no log device in pool {pool.name}; a WAL sync takes "
		       "{stat.wal_sync_mean_us} us on "
		       "average",
		.why = "each commit waits until the pool's own disks have flushed",
		.risk = "commit latency equals a disk flush",
		.fix = "note: zpool add {pool.name} log mirror A B, with power-loss protection; or "
		       "synchronous_commit = off for roles that may lose their last commits\n",
		.undo = "note: zpool remove {pool.name} LOGDEVICE\n",
		.source = "OpenZFS workload guide; openzfs/zfs#16658" },
	{ .id = "SYN05",
		.title = "the log device is slower than the pool",
		.scope = CHECK_POOL,
		.when = "pool.log_vdevs > 0 and pool.log_write_wait_ns > pool.data_write_wait_ns",
		.severity = SEVERITY_COST,
		.grade = 'C',
		.set = "pool {pool.name}: a write waits {pool.log_write_wait_ns} ns on the log "
		       "device, "
		       "{pool.data_write_wait_ns} ns on the data devices (means since import)",
		.why = "commits go to the slower of the two",
		.risk = "the log device makes the pool slower",
		.fix = "note: measure, then zpool remove {pool.name} LOGDEVICE\n",
		.undo = "note: zpool add {pool.name} log LOGDEVICE\n",
		.source = "openzfs/zfs#9099",
		.camp_for = "remove it: commits then use the faster pool",
		.camp_against = "keep it: a log device also keeps log writes apart from data, and "
				"means since import may be old",
		.study = "doctor-log-device" },
	{ .id = "SYN06",
		.title = "WAL is opened for synchronous writes on ZFS",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.zfs and "
			"setting.wal_sync_method in ('open_sync', 'open_datasync')",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "wal_sync_method = {setting.wal_sync_method}",
		.why = "a synchronous write takes another form in the intent log than a write "
		       "followed "
		       "by fdatasync",
		.risk = "commit latency either way",
		.fix = "note: measure; pg_test_fsync shows the calls alone\n"
		       "sql: ALTER SYSTEM RESET wal_sync_method; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:wal_sync_method}\n",
		.source = "reading of zfs_log_write; OpenStreetMap operations#78",
		.camp_for = "open_datasync: one call instead of two for each commit",
		.camp_against = "fdatasync: commits of many sessions share one flush",
		.study = "doctor-wal-sync" },
	{ .id = "SYN07",
		.title = "checkpoints are forced by WAL volume",
		.scope = CHECK_CLUSTER,
		.when = "stat.checkpoints >= 10 and stat.checkpoint_requested_share > 0.1",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "{stat.checkpoint_requested_percent} % of {stat.checkpoints} checkpoints "
		       "were "
		       "requested, max_wal_size = {setting.max_wal_size:bytes}",
		.why = "a checkpoint that comes early makes the next change of each page log its "
		       "full "
		       "image again, and pages are written more often",
		.risk = "WAL volume and write volume",
		.fix = "sql: ALTER SYSTEM SET max_wal_size = '16GB'; SELECT pg_reload_conf();\n"
		       "note: size it to the WAL of one checkpoint_timeout; it takes disk space "
		       "and makes "
		       "crash recovery longer\n",
		.undo = "sql: {reset:max_wal_size}\n",
		.source = "PostgreSQL manual, WAL configuration" },
	{ .id = "SYN08",
		.title = "frequent or hasty checkpoints",
		.scope = CHECK_CLUSTER,
		.when = "setting.checkpoint_timeout < 600000 or "
			"setting.checkpoint_completion_target < 0.9",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "checkpoint_timeout = {setting.checkpoint_timeout} ms, "
		       "checkpoint_completion_target = {setting.checkpoint_completion_target}",
		.why = "short cycles log more full pages; a low target writes in bursts that meet "
		       "the "
		       "limits of a transaction group",
		.risk = "WAL volume, uneven latency; longer cycles make recovery longer",
		.fix = "sql: ALTER SYSTEM SET checkpoint_timeout = '15min'; ALTER SYSTEM SET "
		       "checkpoint_completion_target = 0.9; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:checkpoint_timeout}\n"
			"sql: {reset:checkpoint_completion_target}\n",
		.source = "PostgreSQL manual; PerformanceMonitor#3892 (sync time can grow)",
		.camp_for = "longer cycles: fewer full page images and fewer repeated writes",
		.camp_against = "shorter cycles: quicker recovery and less to sync at once",
		.study = "doctor-checkpoint" },
	{ .id = "SYN09",
		.title = "early write-back hints that ZFS does not follow",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role = 'data' and "
			"(setting.checkpoint_flush_after != 0 "
			"or setting.bgwriter_flush_after != 0 or setting.backend_flush_after != 0)",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "checkpoint_flush_after = {setting.checkpoint_flush_after:bytes}, "
		       "bgwriter_flush_after = {setting.bgwriter_flush_after:bytes}, "
		       "backend_flush_after = {setting.backend_flush_after:bytes}",
		.why = "they ask the page cache to write back, and ZFS keeps its dirty data "
		       "elsewhere",
		.risk = "system calls for nothing, or a flush that was not meant",
		.fix = "note: measure first\n"
		       "sql: ALTER SYSTEM SET checkpoint_flush_after = 0; ALTER SYSTEM SET "
		       "bgwriter_flush_after = 0; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:checkpoint_flush_after}\n"
			"sql: {reset:bgwriter_flush_after}\n",
		.source = "reading of the source",
		.camp_for = "0: there is no page cache to steer",
		.camp_against = "default: it costs next to nothing, and evens out writes elsewhere",
		.study = "doctor-flush-after" },
	{ .id = "SYN10",
		.title = "full page images are not compressed",
		.scope = CHECK_CLUSTER,
		.when = "setting.full_page_writes = 'on' and setting.wal_compression = 'off' and "
			"stat.wal_full_pages > 0",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "wal_compression = off; {stat.wal_full_pages} full page images in the WAL "
		       "since the "
		       "statistics were reset",
		.why = "after each checkpoint full pages make up most of the WAL",
		.risk = "WAL volume on disk, in the archive and to standbys",
		.fix = "sql: ALTER SYSTEM SET wal_compression = 'lz4'; SELECT pg_reload_conf();\n"
		       "note: before PostgreSQL 15 the value is on (pglz)\n",
		.undo = "sql: {reset:wal_compression}\n",
		.source = "PostgreSQL manual, wal_compression; couchers#9111",
		.camp_for = "compress in PostgreSQL: less WAL everywhere, also in the archive and "
			    "to standbys",
		.camp_against = "leave it to ZFS: it packs all of the WAL, and CPU is not spent in "
				"the path of a commit",
		.study = "doctor-wal-compression" },
	{ .id = "SYN11",
		.title = "WAL is compressed twice",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.zfs and dataset.compression != 'off' "
			"and "
			"setting.wal_compression != 'off'",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "wal_compression = {setting.wal_compression} and "
		       "compression={dataset.compression} "
		       "on {dataset.name}",
		.why = "full page images that PostgreSQL has compressed hardly shrink again",
		.risk = "CPU in the path of a commit",
		.fix = "note: measure, then keep one of the two\n",
		.undo = "note: nothing to undo\n",
		.source = "iem pull request 277 (uncompressed WAL was 5 % slower)",
		.camp_for = "filesystem only: it also packs records that are not page images",
		.camp_against = "wal_compression only: it also saves WAL to archive and standbys",
		.study = "doctor-wal-compression" },
	{ .id = "SYN12",
		.title = "zfs_txg_timeout is not 5",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.parameter.zfs_txg_timeout != 5",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "zfs_txg_timeout = {zfs.parameter.zfs_txg_timeout}",
		.why = "1 writes metadata more often, 30 collects much and writes in long bursts",
		.risk = "write volume one way, stalls the other",
		.fix = "note: measure p99 latency; 5 is the default\n"
		       "sh: echo 5 > /sys/module/zfs/parameters/zfs_txg_timeout\n",
		.undo = "sh: echo {zfs.parameter.zfs_txg_timeout} > "
			"/sys/module/zfs/parameters/zfs_txg_timeout\n",
		.source = "openzfs/zfs#2218, #4619",
		.camp_for = "shorter: small groups, even latency",
		.camp_against = "longer: fewer copies of metadata, more merging of writes",
		.study = "doctor-txg" },
	{ .id = "SYN13",
		.title = "transaction groups take longer than five seconds",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.txg.sync_max_ms > 5000",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "the longest recent transaction group took {zfs.txg.sync_max_ms} ms to "
		       "sync, "
		       "zfs_dirty_data_max = {zfs.parameter.zfs_dirty_data_max:bytes}",
		.why = "more dirty data is let in than the disks write in a few seconds",
		.risk = "writers stall behind one long group",
		.fix = "note: measure first\n"
		       "sh: echo 1073741824 > /sys/module/zfs/parameters/zfs_dirty_data_max\n",
		.undo = "sh: echo {zfs.parameter.zfs_dirty_data_max} > "
			"/sys/module/zfs/parameters/zfs_dirty_data_max\n",
		.source = "openzfs/zfs#4210, #4512",
		.camp_for = "less dirty data: short groups, even latency",
		.camp_against =
			"more dirty data: bursts are absorbed and overwritten pages written once",
		.study = "doctor-txg" },
	{ .id = "SYN14",
		.title = "zfs_immediate_write_sz was changed",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.parameter.zfs_immediate_write_sz != 32768",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "zfs_immediate_write_sz = {zfs.parameter.zfs_immediate_write_sz}",
		.why = "it decides from which size on a write is logged by reference instead of by "
		       "copy",
		.risk = "another write volume, and another shape of what a crash can leave",
		.fix = "sh: echo 32768 > /sys/module/zfs/parameters/zfs_immediate_write_sz\n",
		.undo = "sh: echo {zfs.parameter.zfs_immediate_write_sz} > "
			"/sys/module/zfs/parameters/zfs_immediate_write_sz\n",
		.source = "zfs(4); openzfs/zfs#8530" },
	{ .id = "SYN15",
		.title = "most of the WAL is logged by reference",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'wal' and location.zfs and dataset.logbias != "
			"'throughput' and "
			"dataset.zil_indirect_bytes > dataset.zil_copied_bytes",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "intent log of {dataset.name}: {dataset.zil_indirect_bytes:bytes} by "
		       "reference, "
		       "{dataset.zil_copied_bytes:bytes} by copy",
		.why = "WAL flushes of 32K and more without a log device are written to their "
		       "place at "
		       "once, in whole records",
		.risk = "none by itself: it explains where the bytes of a commit go",
		.fix = "note: nothing to set; see the write ledger (--seconds)\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#18746 uses the same counters" },
	{ .id = "SYN16",
		.title = "synchronous commits on storage that does not sync",
		.scope = CHECK_CLUSTER,
		.when = "setting.synchronous_commit != 'off' and layout.sync_disabled_count > 0",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "synchronous_commit = {setting.synchronous_commit}, but sync=disabled on "
		       "{layout.sync_disabled_dataset}",
		.why = "clients are told that a commit is durable, and the filesystem makes that "
		       "untrue",
		.risk = "acknowledged commits are lost in a crash",
		.fix = "note: see DUR01\n"
		       "sh: {raw:layout.zfs_command} set sync=standard "
		       "{layout.sync_disabled_dataset}\n",
		.undo = "sh: {raw:layout.zfs_command} set sync=disabled "
			"{layout.sync_disabled_dataset}\n",
		.source = "zfsprops(7), property sync" },
	{ 0 },
};
