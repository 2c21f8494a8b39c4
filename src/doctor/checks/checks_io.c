/* Rules on the read path, asynchronous I/O, and pairs of versions that matter. */
#include "doctor/check_list.h"

const struct check io_checks[] = {
	{ .id = "IO01",
		.title = "prefetching that this ZFS ignores",
		.scope = CHECK_LOCATION,
		.when = "location.engine = 'kernel' and location.role = 'data' and "
			"(setting.effective_io_concurrency > 0 or "
			"setting.maintenance_io_concurrency > 0) and "
			"((host.system = 'Linux' and zfs.version < v2.2.0) or "
			"(host.system = 'FreeBSD' and zfs.version < v2.4.0))",
		.severity = SEVERITY_HINT,
		.grade = 'A',
		.postgres_before = 180000,
		.set = "effective_io_concurrency = {setting.effective_io_concurrency}, OpenZFS "
		       "{zfs.version_text} on {host.system}",
		.why = "this version does nothing when told which pages will be needed",
		.risk = "system calls for nothing",
		.fix = "sql: ALTER SYSTEM SET effective_io_concurrency = 0; SELECT "
		       "pg_reload_conf();\n"
		       "note: or upgrade OpenZFS\n",
		.undo = "sql: {reset:effective_io_concurrency}\n",
		.source = "openzfs/zfs pull requests 13694, 17379" },
	{ .id = "IO02",
		.title = "no prefetching although this ZFS can",
		.scope = CHECK_LOCATION,
		.when = "location.engine = 'kernel' and location.role = 'data' and "
			"setting.effective_io_concurrency = 0 and "
			"((host.system = 'Linux' and zfs.version >= v2.2.0) or "
			"(host.system = 'FreeBSD' and zfs.version >= v2.4.0))",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "effective_io_concurrency = 0, OpenZFS {zfs.version_text}",
		.why = "bitmap heap scans read one page at a time",
		.risk = "up to four times longer scans were reported",
		.fix = "note: measure up to 200\n"
		       "sql: ALTER SYSTEM SET effective_io_concurrency = 16; SELECT "
		       "pg_reload_conf();\n",
		.undo = "sql: {reset:effective_io_concurrency}\n",
		.source = "openzfs/zfs#9807",
		.camp_for =
			"prefetching overlaps disk reads and made bitmap scans four times faster",
		.camp_against =
			"hints cost calls when the ARC holds the data, and too many exhaust "
			"memory (IO03)",
		.study = "doctor-prefetch" },
	{ .id = "IO03",
		.title = "explicit prefetch has no limit in this ZFS",
		.scope = CHECK_LOCATION,
		.when = "location.engine = 'kernel' and location.role = 'data' and "
			"zfs.prefetch_unbounded and (setting.effective_io_concurrency > 100 or "
			"setting.maintenance_io_concurrency > 100 or "
			"memory.committed_bytes > 0.9 * memory.limit_bytes)",
		.severity = SEVERITY_DANGER,
		.grade = 'B',
		.zfs_from = 20200,
		.set = "OpenZFS {zfs.version_text} has no dmu_prefetch_max_active; "
		       "effective_io_concurrency = {setting.effective_io_concurrency}",
		.why = "reads asked for by posix_fadvise, from PostgreSQL or from other jobs on "
		       "this "
		       "machine, pile up without bound when the disks can't follow",
		.risk = "memory runs out and processes are killed",
		.fix = "note: cap the other jobs, lower zfs_arc_max (MEM01), upgrade to a release "
		       "with "
		       "the limit (July 2026)\n"
		       "sql: ALTER SYSTEM SET effective_io_concurrency = 16; SELECT "
		       "pg_reload_conf();\n",
		.undo = "sql: {reset:effective_io_concurrency}\n",
		.source = "openzfs/zfs#15776, pull request 18798" },
	{ .id = "IO04",
		.title = "ZFS prefetching: off, or hardly useful",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role = 'data' and "
			"(zfs.parameter.zfs_prefetch_disable = 1 or "
			"dataset.prefetch in ('none', 'metadata') or zfs.arc.prefetch_used_share < "
			"0.05)",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "prefetch={dataset.prefetch}, zfs_prefetch_disable = "
		       "{zfs.parameter.zfs_prefetch_disable}; {zfs.arc.prefetch_used_percent} % of "
		       "prefetched blocks were used",
		.why = "prefetching helps scans and wastes reads on random access",
		.risk = "slow scans one way, wasted reads the other",
		.fix = "note: measure: zfs set prefetch=none {dataset.name}, or zfs inherit "
		       "prefetch "
		       "{dataset.name}\n",
		.undo = "sh: {undo_property:prefetch}\n",
		.source = "openzfs/zfs#2160, #11344, #16236",
		.camp_for = "on: sequential scans run at disk speed",
		.camp_against = "off: index access over large records reads what nobody asked for",
		.study = "doctor-prefetch" },
	{ .id = "IO05",
		.title = "io_uring on ZFS or in a container",
		.scope = CHECK_LOCATION,
		.when = "setting.io_method = 'io_uring' and location.role = 'data' and "
			"(location.zfs or (memory.container and host.memlock_bytes < 64M))",
		.severity = SEVERITY_HINT,
		.danger_when = "location.engine = 'kernel'",
		.grade = 'B',
		.postgres_from = 180000,
		.set = "io_method = io_uring, {location.name} on {location.class}, memlock limit "
		       "{host.memlock_bytes:bytes}",
		.why = "stuck workers were reported on ZFS, and start failures with a low memlock "
		       "limit",
		.risk = "hanging sessions; a server that does not start",
		.fix = "restart: ALTER SYSTEM SET io_method = 'worker';\n",
		.undo = "restart: {reset:io_method}\n",
		.source = "openzfs/zfs#16133; zulip pull request 39449" },
	{ .id = "IO06",
		.title = "debug_io_direct is set",
		.scope = CHECK_CLUSTER,
		.when = "setting.debug_io_direct != ''",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.postgres_from = 160000,
		.set = "debug_io_direct = {setting.debug_io_direct}",
		.why = "it is an option for developers: PostgreSQL does not yet read ahead for "
		       "itself "
		       "everywhere, and requests not aligned with records go through the ARC "
		       "anyway",
		.risk = "slow reads; wrong pages were seen on copy-on-write btrfs",
		.fix = "restart: ALTER SYSTEM RESET debug_io_direct;\n",
		.undo = "restart: {reset:debug_io_direct}\n",
		.source = "PostgreSQL manual, developer options; zfsprops(7), direct" },
	{ .id = "IO07",
		.title = "ZFS direct=always",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and dataset.direct = 'always'",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.zfs_from = 20300,
		.set = "direct=always on {dataset.name}",
		.why = "aligned page reads then bypass the ARC",
		.risk = "every miss of shared_buffers is a disk read",
		.fix = "sh: {raw:location.zfs_command} set direct=standard {dataset.name}\n",
		.undo = "sh: {undo_property:direct}\n",
		.source = "zfsprops(7), direct" },
	{ .id = "IO08",
		.title = "the planner assumes spinning disks",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'data' and setting.random_page_cost >= 4 and "
			"(location.zfs or not device.rotational)",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "random_page_cost = {setting.random_page_cost}, {location.name} on "
		       "{location.class}",
		.why = "a random read costs little more than a sequential one on flash or in the "
		       "ARC",
		.risk = "sequential scans where an index would be faster",
		.fix = "note: measure with queries of your own: one site went back after plans "
		       "changed\n"
		       "sql: ALTER SYSTEM SET random_page_cost = 1.1; SELECT pg_reload_conf();\n",
		.undo = "sql: {reset:random_page_cost}\n",
		.source = "iem pull request 277 (reverted 0.4)",
		.camp_for = "1.1: a random read costs little more than a sequential one here",
		.camp_against = "4: one site that lowered it went back, plans had become worse",
		.study = "doctor-planner" },
	{ .id = "IO09",
		.title = "replay on the standby can't prefetch",
		.scope = CHECK_LOCATION,
		.when = "location.role = 'data' and postgres.in_recovery and "
			"control.full_page_writes = 'off' and (setting.recovery_prefetch = 'off' "
			"or "
			"(location.engine = 'kernel' and zfs.version < v2.2.0))",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.postgres_from = 150000,
		.set = "standby, full_page_writes = off on the primary, recovery_prefetch = "
		       "{setting.recovery_prefetch}",
		.why = "without page images replay must read each page it changes, one after "
		       "another",
		.risk = "replay falls behind",
		.fix = "sql: ALTER SYSTEM SET recovery_prefetch = 'on'; SELECT pg_reload_conf();\n"
		       "note: OpenZFS before 2.2 ignores the hints\n",
		.undo = "sql: {reset:recovery_prefetch}\n",
		.source = "PostgreSQL manual, recovery_prefetch; pg_prefaulter" },
	{ .id = "IO10",
		.title = "file_copy_method=clone falls back to copying",
		.scope = CHECK_LOCATION,
		.when = "setting.file_copy_method = 'clone' and location.role = 'data' and "
			"location.engine = 'kernel' and (zfs.parameter.zfs_bclone_enabled = 0 or "
			"pool.block_cloning = 'disabled')",
		.severity = SEVERITY_HINT,
		.grade = 'A',
		.postgres_from = 180000,
		.set = "file_copy_method = clone, zfs_bclone_enabled = "
		       "{zfs.parameter.zfs_bclone_enabled}, feature block_cloning "
		       "{pool.block_cloning}",
		.why = "ZFS refuses to clone, and the copy is made silently as before",
		.risk = "time and space of a full copy",
		.fix = "note: only on OpenZFS 2.3 or later (DUR19)\n"
		       "sh: echo 1 > /sys/module/zfs/parameters/zfs_bclone_enabled\n",
		.undo = "sh: echo {zfs.parameter.zfs_bclone_enabled} > "
			"/sys/module/zfs/parameters/zfs_bclone_enabled\n",
		.source = "PostgreSQL commit f78ca6f3; zfs(4)" },
	{ .id = "IO11",
		.title = "btrfs compression does not reach extended files",
		.scope = CHECK_LOCATION,
		.when = "location.class = 'btrfs' and location.role != 'wal' and mount.compress "
			"and "
			"postgres.extends_by_fallocate",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.postgres_from = 160000,
		.set = "{mount.path} is mounted with compression; PostgreSQL extends files with "
		       "posix_fallocate",
		.why = "btrfs never compresses space that was reserved this way",
		.risk = "no compression where it was counted on",
		.fix = "sql: ALTER SYSTEM SET file_extend_method = 'write_zeros'; SELECT "
		       "pg_reload_conf();\n"
		       "note: the setting exists from 18.2 and the minor releases of that day on: "
		       "upgrade "
		       "first where it is unknown\n",
		.undo = "sql: {reset:file_extend_method}\n",
		.source = "PostgreSQL 18.2 release notes" },
	{ .id = "IO12",
		.title = "XFS of an old kernel may report a full disk that is not",
		.scope = CHECK_LOCATION,
		.when = "location.class = 'xfs' and location.role != 'wal' and "
			"postgres.extends_by_fallocate and host.kernel_version < v6.1",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.postgres_from = 160000,
		.set = "XFS on Linux {host.release}; PostgreSQL extends files with posix_fallocate",
		.why = "older kernels can answer posix_fallocate with a false 'no space left'; the "
		       "notes do "
		       "not say from which version on it is mended, so everything before 6.1 "
		       "counts here: "
		       "look for it in the server's log",
		.risk = "statements fail, or the server stops",
		.fix = "sql: ALTER SYSTEM SET file_extend_method = 'write_zeros'; SELECT "
		       "pg_reload_conf();\n"
		       "note: or a newer kernel; the setting exists from 18.2 and the minor "
		       "releases of "
		       "that day on\n",
		.undo = "sql: {reset:file_extend_method}\n",
		.source = "PostgreSQL 18.2 release notes" },
	{ .id = "IO13",
		.title = "relation files in very many pieces",
		.scope = CHECK_LOCATION,
		.when = "location.class = 'btrfs' and files.extents_max > 10000",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "a file of {location.name} has {files.extents_max} extents",
		.why = "copy-on-write scatters the pages of a file that is updated in place",
		.risk = "slow scans",
		.fix = "sh: btrfs filesystem defragment -r {location.path}\n"
		       "note: it unshares snapshots, so space grows; VACUUM FULL does the same for "
		       "one "
		       "table\n",
		.undo = "note: nothing to undo\n",
		.source = "btrfs documentation, defragmentation; field report" },
	{ .id = "IO14",
		.title = "a pair of kernel and OpenZFS with known hangs",
		.scope = CHECK_LOCATION,
		.when = "location.engine = 'kernel' and host.system = 'Linux' and "
			"((zfs.version >= v2.4.0 and zfs.version <= v2.4.3 and "
			"host.kernel_version >= v6.12 and host.kernel_version < v6.13) or "
			"(zfs.version = v2.0.1 and host.kernel_version < v3.11))",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "OpenZFS {zfs.version_text} on Linux {host.release}",
		.why = "hangs in write-back, or a deadlock, were reported for this pair",
		.risk = "sessions that hang until the machine restarts",
		.fix = "note: upgrade OpenZFS\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#18454, #11463" },
	{ .id = "IO15",
		.title = "a scrub or resilver is running",
		.scope = CHECK_POOL,
		.when = "pool.scan_running",
		.severity = SEVERITY_HINT,
		.grade = 'A',
		.set = "pool {pool.name}: {pool.scan}",
		.why = "it reads the whole pool beside the workload",
		.risk = "any measurement taken now is void",
		.fix = "note: wait for it, or pause a scrub with {raw:pool.zpool_command} scrub -p "
		       "{pool.name}; a resilver must finish\n",
		.undo = "note: {raw:pool.zpool_command} scrub {pool.name} goes on\n",
		.source = "zpool-scrub(8)" },
	{ .id = "IO16",
		.title = "dropping the largest relation will free very many records at once",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and dataset.recordsize <= 16K and "
			"files.largest_relation_bytes > 10G",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "the largest relation of {location.name} has "
		       "{files.largest_relation_bytes:bytes} in "
		       "records of {dataset.recordsize:bytes}",
		.why = "DROP or TRUNCATE frees each record on its own",
		.risk = "transaction groups stall while it lasts",
		.fix = "note: drop in steps (partitions), or keep archive tables in a tablespace "
		       "with "
		       "larger records\n",
		.undo = "note: nothing to undo\n",
		.source = "openzfs/zfs#4227" },
	{ 0 },
};
