/* clang-format off */
/*
 * How plumb and plumb-zfsd talk. This header is the whole contract between the two programs: it
 * holds words and numbers only, no code and no ZFS or FUSE type, so that both sides include it.
 *
 * THE PROGRAM
 *
 *	plumb-zfsd --socket PATH [option ...]
 *
 *	--socket PATH            listen here; the folder must exist, belong to us and be 0700, the
 *	                         socket is made 0600; PATH is at most 107 bytes and must not exist
 *	                         (a dead socket left by a killed daemon is replaced)
 *	--log FILE               append messages, assertion failures and stacks (default: stderr)
 *	--ready-fd FD            write "READY\n" here and close it once the socket takes requests
 *	--die-with-parent        end, as after kill -9, when the process that started us ends
 *	--arc-max SIZE           most memory of the cache (default 256M, at least 64M)
 *	--arc-min SIZE           least memory of the cache (default: arc-max / 2); below arc-max
 *	--dirty-data-max SIZE    unwritten data before writers are slowed (default: arc-max / 4, at
 *	                         least 16M; the kernel module takes 10 % of the memory instead)
 *	--txg-timeout SECONDS    a transaction group is closed at the latest after so long (5)
 *	--workers N              most threads that serve one mount (default 64); give at least the
 *	                         server's max_connections + 8, because a waiting fsync holds one
 *	--suspend-timeout SECONDS  how long a pool may stay suspended before every waiting and
 *	                         later request is answered EIO and the daemon ends, status 4 (20)
 *	--no-cache-flush         never flush devices: a power cut then loses acknowledged writes; the
 *	                         control that a power-cut test must convict
 *	--no-io-uring            read requests from /dev/fuse; else they come over io_uring where the
 *	                         kernel offers it or, to root, can be made to (6.14 and later)
 *	--proof FOLDER           where passed self-tests are kept (default: zfsd/ in /var/cache/plumb or
 *	                         ~/.cache/plumb). No daemon serves with a library that has not passed:
 *	                         the first start makes the test, which takes some seconds
 *	--self-test FOLDER       create, write, kill, replay, check with zdb in FOLDER, then end; a
 *	                         pass is kept in FOLDER by the hash of the library; two at once: the
 *	                         second waits
 *	--version                print program and library version, and the hash of the library; fails
 *	                         where the library is not one of OpenZFS 2.3.x with the layout of the
 *	                         headers, as any start does
 *
 * It stays in the foreground. SIGTERM and SIGINT: unmount, export, end with 0 (a mount in use is
 * detached). Exit status: 0 ended as asked, 1 wrong use or could not start, 4 a pool was suspended,
 * 134 (SIGABRT) an assertion failed: the log then has the stack and the state of the pools.
 * SIZE is a number with an optional K, M, G or T (powers of 1024).
 *
 * THE SOCKET
 *
 * A peer is served if its uid (SO_PEERCRED) is ours or 0. Each request is one JSON object on one
 * line, at most ZFSD_LINE_MAX_BYTES long; each gets one reply line. A connection may send
 * many requests, one after another; they are answered in order. Requests of different connections
 * are served side by side, except that those that change pools or mounts wait for each other.
 *
 *	request   {"protocol": 1, "command": "list", ...arguments...}
 *	reply     {"ok": true, "result": {...}}
 *	failure   {"ok": false, "error": {"errno": 17, "name": "EEXIST",
 *	          "message": "pool 'a' exists"}}
 *
 * "protocol" may be left out; a wrong one is refused. An unknown command, an unknown
 * argument, a missing one or one of the wrong JSON type fails with EINVAL and changes nothing.
 * errno is positive; message is one sentence for a person, without the command's name.
 * "NAME" below is POOL, POOL/DATASET[/DATASET...] or either with "@SNAPSHOT".
 *
 * PROPERTIES in a reply are always objects {"value": TEXT, "raw": TEXT, "source": TEXT}: value as
 * zfs(8) prints it ("8K", "1.50x"), raw as with -p ("8192", "1.50"), source one of "local",
 * "default", "-", "inherited from NAME". In a request they are {"recordsize": "8K"}: text as a user
 * types it. Names, values, defaults and limits are those of zfs(8) and zpool(8). EINVAL: no such
 * property, not a legal value, or read-only; ENOTSUP: a real property that this program does not
 * carry out.
 *
 * COMMANDS
 *
 * ping      {} -> {"program": TEXT, "library": "2.3.2-2~bpo12+2", "library_hash": HEX, "pid": N,
 *           "uptime_s": N, "arc_max_bytes": N, "arc_min_bytes": N, "dirty_data_max_bytes": N,
 *           "txg_timeout_s": N, "workers": N}
 *
 * create    A pool: {"name": POOL, "vdevs": [VDEV...], "properties": {zpool properties},
 *           "dataset_properties": {zfs properties of its root dataset}, "destroy": [PATH...]}.
 *           A block device is taken only if "destroy" has it, under any of its names: EPERM.
 *           VDEV is {"type": "stripe"|"mirror"|"raidz1"|"raidz2"|"raidz3", "log": BOOL (false),
 *           "devices": [SPEC...]}; a stripe has one device. SPEC is a device
 *           specification as in device/device_spec.h; a plain absolute path means file:PATH.
 *           Devices must exist. -> {"guid": TEXT}
 *           EEXIST pool or dataset exists · ENOENT no such device · EBUSY device in use by another
 *           process or pool · EOVERFLOW device too small (64M) · EEXIST device holds a pool: add
 *           "force": true
 *           A dataset: {"name": POOL/DATASET, "properties": {...}, "parents": BOOL (false)}.
 * import    {"devices": [SPEC...], "name": POOL (optional where the devices hold one pool),
 *           "readonly": BOOL (false), "force": BOOL (false: a pool that was not exported is taken
 *           only if it was last used by this host), "destroyed": BOOL (false: a pool that was
 *           destroyed is not there; true: it is what is wanted)} -> {"name": POOL, "guid": TEXT}. Claims and, at
 *           the first mount of each dataset, replays the intent log.
 *           ENOENT no such pool on these devices · EBUSY device in use · EEXIST the pool is
 *           imported already · ENXIO devices missing · EBADF damaged label · ENOTSUP made by a
 *           newer OpenZFS
 * export    {"name": POOL, "force": BOOL (false: EBUSY while a dataset is mounted)} -> {}
 * destroy   {"name": NAME, "force": BOOL, "recursive": BOOL} -> {}. A pool, dataset or snapshot.
 *           EBUSY mounted (force unmounts) · ENOTEMPTY has children or snapshots (recursive takes
 *           them too)
 * list      {"type": "pool"|"filesystem"|"snapshot"|"all" ("filesystem"), "name": NAME (all),
 *           "recursive": BOOL (true), "properties": [NAME...] (those zfs list shows)}
 *           -> {"rows": [{"name": NAME, "type": TEXT, "properties": {...}}]}
 * get       {"name": NAME, "properties": [NAME...] or ["all"], "pool": BOOL (false: zfs properties,
 *           true: zpool properties)} -> {"properties": {...}}
 * set       {"name": NAME, "properties": {NAME: TEXT...}, "pool": BOOL (false)} -> {}. All or none
 *           are checked before the first is set.
 * inherit   {"name": NAME, "property": NAME} -> {}
 * status    {"name": POOL (all)} -> {"pools": [{"name", "guid", "state":
 *           "ONLINE"|"DEGRADED"|"FAULTED"|"SUSPENDED"..., "errors": N, "scan": {"function":
 *           "none"|"scrub"|"resilver", "state": "none"|"scanning"|"finished"|"canceled",
 *           "examined_bytes": N, "total_bytes": N, "errors": N, "repaired_bytes": N, "start_s": N,
 *           "end_s": N}, "vdevs": TREE}]}. TREE is {"type", "name", "state", "read_errors",
 *           "write_errors", "checksum_errors", "log": BOOL, "children": [TREE...]}
 * iostat    {"name": POOL} -> {"name", "time_ns": N, "vdevs": TREE with "counted_ns"
 *           (since the import), "alloc_bytes", "free_bytes", "size_bytes", "read_ops",
 *           "write_ops", "flush_ops", "read_bytes", "write_bytes"}: all counted since import; a rate is the client's to make from two
 *           replies
 * scrub     {"name": POOL, "action": "start"|"stop"|"wait" ("start")} -> {}
 * snapshot  {"name": DATASET@SNAPSHOT, "recursive": BOOL (false)} -> {}
 * rollback  {"name": DATASET@SNAPSHOT, "destroy_newer": BOOL (false: EEXIST if there are newer
 *           snapshots)} -> {}. EBUSY while mounted.
 * mount     {"name": DATASET, "mountpoint": PATH, "options": {"cached": BOOL (false: direct I/O),
 *           "readonly": BOOL (false), "allow_other": BOOL (true as root, else false),
 *           "atime": taken from the property}} -> {"mountpoint": PATH, "replayed": {"records": N}}.
 *           The mount point must be an existing empty folder. ENOENT no such dataset, no mount
 *           point, no fusermount3 · ENODEV no /dev/fuse · EBUSY mounted · ENOTEMPTY mount point is
 *           not empty
 * unmount   {"name": DATASET, "force": BOOL (false: EBUSY if in use; true: detached at once)} -> {}
 * mounts    {} -> {"mounts": [{"name", "mountpoint", "cached": BOOL, "readonly": BOOL,
 *           "ring": BOOL}]}: ring says that requests come over io_uring
 * sync      {"name": POOL} -> {"txg": N}. Closes a transaction group and waits until it is on disk.
 * clock     {"name": POOL, "running": BOOL} -> {}. Starts or stops the model clocks of its devices.
 * record_sizes {"name": DATASET, "path": TEXT ("")} -> {"sizes": [{"record_bytes": N, "files": N,
 *           "bytes": N}]}: the block sizes that plain files below path really have. Must be
 *           mounted.
 * stats     {"name": POOL (all)} -> the object of STATISTICS below
 * shutdown  {"force": BOOL (false)} -> {}. Unmounts, exports and ends with 0 after the reply.
 * crash     {"assertion": BOOL (false)} -> no reply: ends without a flush, as kill -9; or by a
 *           failed assertion inside the library, with its report in the log.
 *
 * STATISTICS are whole numbers counted since the start unless the name says otherwise; bytes end in
 * _bytes, times in _ns. A client must accept new members.
 *
 *	{"time_ns": N (monotonic),
 *	 "arc": {"size_bytes", "target_bytes", "max_bytes", "min_bytes", "hits", "misses",
 *	         "demand_data_hits", "demand_data_misses", "demand_metadata_hits",
 *	         "demand_metadata_misses", "prefetch_data_hits", "prefetch_data_misses",
 *	         "prefetch_metadata_hits", "prefetch_metadata_misses", "mru_hits", "mfu_hits",
 *	         "mru_ghost_hits", "mfu_ghost_hits", "compressed_bytes", "uncompressed_bytes",
 *	         "overhead_bytes", "data_bytes", "metadata_bytes", "evicted"},
 *	 "fuse": {"lookup", "getattr", "setattr", "open", "create", "read", "read_bytes", "write",
 *	         "write_bytes", "fsync", "flush", "namespace", "readdir", "statfs", "fallocate",
 *	         "lseek", "workers_busy_most"},
 *	 "process": {"user_cpu_ns", "system_cpu_ns", "resident_bytes", "voluntary_switches",
 *	         "involuntary_switches"},
 *	 "pools": [{"name", "guid", "size_bytes", "alloc_bytes", "free_bytes",
 *	         "fragmentation_percent",
 *	         "txg": {"open", "synced", "count", "sync_ns", "dirty_bytes", "dirty_max_bytes"},
 *	         "dmu": {"throttle_waits", "delays", "dirty_delays"},
 *	         "vdev": {"read_ops", "write_ops", "flush_ops", "read_bytes", "write_bytes",
 *	                  "log_write_bytes", "log_write_ops", "data_write_bytes", "data_write_ops",
 *	                  "metadata_write_bytes", "metadata_write_ops", "label_write_bytes",
 *	                  "label_write_ops"},
 *	         "devices": [{"spec", "path", "counters": {as device/device.h names them}}],
 *	         "datasets": [{"name", "used_bytes", "available_bytes", "referenced_bytes",
 *	                       "logical_used_bytes", "compress_ratio" (real), "zil": {"commits",
 *	                       "commit_writers", "records", "indirect", "indirect_bytes", "copied",
 *	                       "copied_bytes", "need_copy", "need_copy_bytes", "normal_blocks",
 *	                       "normal_bytes", "normal_alloc_bytes", "slog_blocks", "slog_bytes",
 *	                       "slog_alloc_bytes"}}]}]}
 *	"sync_ns" is the time spent writing transaction groups, all passes; groups that hold nothing
 *	count with the little that they take.
 *	"zil" is there only for mounted datasets.
 *
 * POWER CUTS: a device whose specification has the volatile shim keeps unflushed writes in the
 * memory of this process, so kill -9 (or "crash") is a power cut; without it, kill -9 loses nothing
 * of the host's.
 */
/* clang-format on */
#ifndef ZFSD_ZFSD_PROTOCOL_H
#define ZFSD_ZFSD_PROTOCOL_H

#define ZFSD_PROTOCOL_VERSION 1
#define ZFSD_PROGRAM	      "plumb-zfsd"

/* Longest request and longest reply, newline included. */
#define ZFSD_LINE_MAX_BYTES (1024 * 1024)

/* Smallest device a pool can be made on. */
#define ZFSD_DEVICE_MIN_BYTES (64ULL * 1024 * 1024)

/* Exit status after a pool stayed suspended. */
#define ZFSD_EXIT_SUSPENDED 4

/* Before the hash in the line of --version, and in the name of the file that a passed self-test
 * leaves. */
#define ZFSD_VERSION_HASH ", library "
#define ZFSD_PASSED_NAME  "passed-"

/* Begins the report of a signal that ends the daemon; above it stands what the library said. */
#define ZFSD_REPORT_LINE ZFSD_PROGRAM ": fatal: signal "

/* What is written to --ready-fd. */
#define ZFSD_READY_LINE "READY\n"

/* Every command: enum word, word on the wire, whether it changes pools, mounts or devices. */
#define ZFSD_COMMANDS(X)                   \
	X(PING, "ping", 0)                 \
	X(CREATE, "create", 1)             \
	X(IMPORT, "import", 1)             \
	X(EXPORT, "export", 1)             \
	X(DESTROY, "destroy", 1)           \
	X(LIST, "list", 0)                 \
	X(GET, "get", 0)                   \
	X(SET, "set", 1)                   \
	X(INHERIT, "inherit", 1)           \
	X(STATUS, "status", 0)             \
	X(IOSTAT, "iostat", 0)             \
	X(SCRUB, "scrub", 0)               \
	X(SNAPSHOT, "snapshot", 1)         \
	X(ROLLBACK, "rollback", 1)         \
	X(MOUNT, "mount", 1)               \
	X(UNMOUNT, "unmount", 1)           \
	X(MOUNTS, "mounts", 0)             \
	X(SYNC, "sync", 0)                 \
	X(CLOCK, "clock", 1)               \
	X(RECORD_SIZES, "record_sizes", 0) \
	X(STATS, "stats", 0)               \
	X(SHUTDOWN, "shutdown", 1)         \
	X(CRASH, "crash", 1)

#endif
