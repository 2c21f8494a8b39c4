/* Rules on memory: who may take how much, and what is cached twice or not at all. */
#include "doctor/check_list.h"

#define ARC_MAX_FIX                                                                              \
	"note: kernel: echo BYTES > /sys/module/zfs/parameters/zfs_arc_max and the same in "     \
	"/etc/modprobe.d/zfs.conf (options zfs zfs_arc_max=BYTES); plumb-zfsd: start it with a " \
	"smaller --arc-max\n"
#define ARC_MAX_UNDO "note: put zfs_arc_max back to {zfs.parameter.zfs_arc_max}\n"

const struct check memory_checks[] = {
	{ .id = "MEM01",
		.title = "memory is promised more than once",
		.scope = CHECK_CLUSTER,
		.when = "memory.committed_bytes > 0.9 * memory.limit_bytes",
		.severity = SEVERITY_DANGER,
		.grade = 'A',
		.set = "ARC limit, shared_buffers, huge pages and the sessions may take "
		       "{memory.committed_bytes:bytes} of {memory.limit_bytes:bytes} (memory "
		       "ledger); the "
		       "line that overflows: {memory.overflow_line}",
		.why = "since 2.3 the ARC may by default take nearly all memory, and it does not "
		       "give way "
		       "as fast as the page cache",
		.risk = "the out-of-memory killer ends a server process, and the server restarts "
			"all",
		.fix = ARC_MAX_FIX "note: or lower max_connections, work_mem or shared_buffers\n",
		.undo = ARC_MAX_UNDO,
		.source = "openzfs/zfs#15437, #17052; osv#1487" },
	{ .id = "MEM02",
		.title = "the ARC ignores memory pressure",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.parameter.zfs_arc_shrinker_limit = 10000",
		.severity = SEVERITY_COST,
		.danger_when = "memory.committed_bytes > 0.9 * memory.limit_bytes",
		.grade = 'A',
		.zfs_before = 20300,
		.set = "zfs_arc_shrinker_limit = 10000 on OpenZFS {zfs.version_text}",
		.why = "the limit lets the kernel reclaim only a little of the ARC at a time",
		.risk = "out of memory while the ARC holds plenty",
		.fix = "sh: echo 0 > /sys/module/zfs/parameters/zfs_arc_shrinker_limit\n",
		.undo = "sh: echo {zfs.parameter.zfs_arc_shrinker_limit} > "
			"/sys/module/zfs/parameters/zfs_arc_shrinker_limit\n",
		.source = "openzfs/zfs#16909" },
	{ .id = "MEM03",
		.title = "the ARC limit does not leave out huge pages",
		.scope = CHECK_CLUSTER,
		.when = "layout.any_zfs and zfs.arc.c_max > memory.total_bytes - "
			"memory.huge_page_pool_bytes",
		.severity = SEVERITY_DANGER,
		.grade = 'B',
		.set = "the ARC may grow to {zfs.arc.c_max:bytes}; "
		       "{memory.huge_page_pool_bytes:bytes} of "
		       "{memory.total_bytes:bytes} are reserved as huge pages",
		.why = "huge pages can't be used by the ARC, yet its limit is made from all memory",
		.risk = "crashes of the host were reported",
		.fix = ARC_MAX_FIX,
		.undo = ARC_MAX_UNDO,
		.source = "openzfs/zfs#10166" },
	{ .id = "MEM04",
		.title = "large shared_buffers without huge pages",
		.scope = CHECK_CLUSTER,
		.when = "setting.shared_buffers >= 8G and setting.huge_pages in ('try', 'off') and "
			"memory.huge_page_pool_bytes = 0",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "shared_buffers = {setting.shared_buffers:bytes}, huge_pages = "
		       "{setting.huge_pages}, none reserved",
		.why = "each session needs page tables for all of shared_buffers",
		.risk = "memory for page tables, and address translation misses",
		.fix = "note: reserve them at boot: vm.nr_hugepages = {memory.huge_pages_wanted} "
		       "in "
		       "/etc/sysctl.d; mind MEM03 on ZFS\n"
		       "restart: ALTER SYSTEM SET huge_pages = 'on';\n",
		.undo = "restart: {reset:huge_pages}\n"
			"note: take vm.nr_hugepages out again\n",
		.source = "PostgreSQL manual, Linux huge pages; openzfs/zfs#1212" },
	{ .id = "MEM05",
		.title = "data is not cached by ZFS",
		.scope = CHECK_LOCATION,
		.when = "location.zfs and location.role != 'wal' and "
			"dataset.primarycache in ('metadata', 'none') and (dataset.recordsize > 8K "
			"or "
			"setting.shared_buffers < postgres.cluster_bytes)",
		.severity = SEVERITY_COST,
		.grade = 'B',
		.set = "primarycache={dataset.primarycache} on {dataset.name}, "
		       "recordsize={dataset.recordsize:bytes}, shared_buffers = "
		       "{setting.shared_buffers:bytes}",
		.why = "each miss of shared_buffers goes to disk, and a write of part of a record "
		       "must "
		       "read the record first",
		.risk = "one report: 162 s instead of 10 s for a query",
		.fix = "note: measure first\n"
		       "sh: {raw:location.zfs_command} inherit primarycache {dataset.name}\n",
		.undo = "sh: {undo_property:primarycache}\n",
		.source = "OpenZFS workload guide; openzfs/zfs#6518, #11810, #16993; hiero 7701",
		.camp_for =
			"metadata: pages are in shared_buffers already, caching them twice wastes "
			"memory",
		.camp_against = "all: the ARC holds pages compressed, and feeds partial writes",
		.study = "cache-split" },
	{ .id = "MEM06",
		.title = "shared_buffers is very small or very large beside the ARC",
		.scope = CHECK_CLUSTER,
		.when = "layout.any_zfs and (setting.shared_buffers < 0.01 * memory.total_bytes or "
			"(setting.shared_buffers > 0.5 * memory.total_bytes and "
			"zfs.arc.c_max > 0.25 * memory.total_bytes))",
		.severity = SEVERITY_HINT,
		.grade = 'C',
		.set = "shared_buffers = {setting.shared_buffers:bytes}, ARC limit "
		       "{zfs.arc.c_max:bytes}, "
		       "memory {memory.total_bytes:bytes}",
		.why = "a page in the ARC must be unpacked at each miss; a page in both is cached "
		       "twice",
		.risk = "CPU one way, memory the other",
		.fix = "note: measure; a quarter of the memory is a usual start\n",
		.undo = "restart: {reset:shared_buffers}\n",
		.source = "iem pull request 277; tidx#250",
		.camp_for = "small shared_buffers: the ARC caches compressed and adapts",
		.camp_against = "large shared_buffers: no copy and no unpacking on a hit",
		.study = "cache-split" },
	{ .id = "MEM07",
		.title = "the planner thinks that little is cached",
		.scope = CHECK_CLUSTER,
		.when = "layout.any_zfs and "
			"setting.effective_cache_size < setting.shared_buffers + zfs.arc.c_max / 2",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "effective_cache_size = {setting.effective_cache_size:bytes}, "
		       "shared_buffers = "
		       "{setting.shared_buffers:bytes}, ARC limit {zfs.arc.c_max:bytes}",
		.why = "the planner expects index pages on disk that are in the ARC",
		.risk = "sequential scans where an index would be faster",
		.fix = "sql: ALTER SYSTEM SET effective_cache_size = '{memory.cache_wanted_mb}MB'; "
		       "SELECT "
		       "pg_reload_conf();\n",
		.undo = "sql: {reset:effective_cache_size}\n",
		.source = "PostgreSQL manual, effective_cache_size" },
	{ .id = "MEM08",
		.title = "the host's ARC is larger than what the container's neighbours leave",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and memory.container and "
			"zfs.arc.c_max > memory.total_bytes - memory.cgroup_limit_bytes",
		.severity = SEVERITY_HINT,
		.grade = 'B',
		.set = "in a container limited to {memory.cgroup_limit_bytes:bytes}; the host's "
		       "ARC may "
		       "take {zfs.arc.c_max:bytes} of {memory.total_bytes:bytes}",
		.why = "the ARC is not charged to the container and not shown as available to it",
		.risk = "both together may need more than the host has",
		.fix = "note: lower zfs_arc_max on the host\n",
		.undo = ARC_MAX_UNDO,
		.source = "lxd#2023; openzfs/zfs#10255" },
	{ .id = "MEM09",
		.title = "the kernel clears every page it hands out",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and host.init_on_alloc",
		.severity = SEVERITY_COST,
		.grade = 'A',
		.set = "init_on_alloc is on",
		.why = "each ARC buffer is zeroed before it is overwritten",
		.risk = "ARC throughput",
		.fix = "note: init_on_alloc=0 on the kernel command line, then reboot; it weakens "
		       "a "
		       "protection against leaks of old memory\n",
		.undo = "note: take it off the command line\n",
		.source = "openzfs/zfs#9910; OpenZFS performance guide" },
	{ .id = "MEM10",
		.title = "the ARC stays at its minimum although memory is free",
		.scope = CHECK_CLUSTER,
		.when = "layout.kernel_zfs and zfs.arc.size <= 1.1 * zfs.arc.c_min and "
			"memory.available_bytes > 0.25 * memory.total_bytes and "
			"host.uptime_s > 3600",
		.severity = SEVERITY_COST,
		.grade = 'C',
		.zfs_from = 20400,
		.set = "ARC {zfs.arc.size:bytes}, minimum {zfs.arc.c_min:bytes}, available "
		       "{memory.available_bytes:bytes}",
		.why = "reports of 2026 describe an ARC that shrinks without need with large "
		       "records",
		.risk = "reads that a cache should answer",
		.fix = "note: smaller records, or a larger zfs_arc_min; follow the issue\n",
		.undo = "note: put zfs_arc_min back\n",
		.source = "openzfs/zfs#18893" },
	{ .id = "MEM11",
		.title = "swap on a zvol",
		.scope = CHECK_CLUSTER,
		.when = "memory.swap_on_zvol",
		.severity = SEVERITY_DANGER,
		.grade = 'D',
		.set = "a swap device is a ZFS volume ({memory.swap_zvol})",
		.why = "to free memory the kernel must write to ZFS, which needs memory to write",
		.risk = "the machine hangs under memory pressure",
		.fix = "sh: swapoff {memory.swap_zvol}\n"
		       "note: use a partition\n",
		.undo = "sh: swapon {memory.swap_zvol}\n",
		.source = "folklore, often repeated" },
	{ .id = "MEM12",
		.title = "a cache device far larger than the ARC",
		.scope = CHECK_POOL,
		.when = "pool.cache_bytes > 10 * zfs.arc.c_max",
		.severity = SEVERITY_HINT,
		.grade = 'D',
		.set = "pool {pool.name}: {pool.cache_bytes:bytes} of cache devices, ARC limit "
		       "{zfs.arc.c_max:bytes}",
		.why = "each block on the cache device needs a header in the ARC",
		.risk = "headers push data out of the ARC",
		.fix = "note: measure, then zpool remove {pool.name} CACHEDEVICE\n",
		.undo = "note: zpool add {pool.name} cache CACHEDEVICE\n",
		.source = "folklore; hiero#7613 uses one",
		.camp_for = "remove it: headers push data out of a small ARC",
		.camp_against = "keep it: reads from it are faster than from the pool's disks",
		.study = "doctor-cache-device" },
	{ 0 },
};
