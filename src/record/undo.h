/*
 * What must be undone: typed records, written to the journal before the thing is tried, so that an
 * undo exists whatever moment plumb dies at. No shell, no free text that is executed. The journal
 * itself and the undoing are run/journal; parts below only see this sink.
 */
#ifndef RECORD_UNDO_H
#define RECORD_UNDO_H

#include "base/err.h"
#include <stdint.h>
#include <sys/types.h>

/* X(id, word, what undoing does) */
#define UNDO_KINDS(X)                                                             \
	X(FOLDER, "folder", "remove a folder that holds our marker file")         \
	X(FILE, "file", "remove a regular file inside a folder of ours")          \
	X(LOOP, "loop", "detach a loop device whose backing file is ours")        \
	X(MOUNT, "mount", "unmount a mount point inside a folder of ours")        \
	X(PROCESS, "process", "end a process group (pid with start time)")        \
	X(CLUSTER, "cluster", "stop the PostgreSQL whose data directory is ours") \
	X(CGROUP, "cgroup", "remove a control group named plumb-ID")              \
	X(POOL, "pool", "export or destroy a kernel pool named plumb-ID with our GUID")

#define UNDO_AS_ENUM(id, word, help) UNDO_##id,
enum undo_kind { UNDO_KINDS(UNDO_AS_ENUM) UNDO_KIND_COUNT };

struct undo_record {
	enum undo_kind kind;
	const char *path; /* folder, file, loop device, mount point, data directory, cgroup, pool */
	const char *owner; /* loop: backing file; pool: GUID once known; else NULL */
	pid_t pid;	   /* process, cluster; 0: not started yet */
	uint64_t start_ticks;
	uint64_t inode;	 /* loop: inode of the backing file; folder: of the folder */
	uint64_t device; /* device number of that inode's filesystem */
};

struct undo_sink {
	/* Write the record durably; *ret_id names it. Called before the thing is tried. */
	int (*note)(struct undo_sink *sink, const struct undo_record *record, uint64_t *ret_id,
		struct err *err);
	/* Replace what is known about it (the pid once started, the loop device once attached). */
	int (*amend)(struct undo_sink *sink, uint64_t id, const struct undo_record *record,
		struct err *err);
	/* It has been undone. */
	int (*forget)(struct undo_sink *sink, uint64_t id, struct err *err);
};

#endif
