/*
 * Mounts: the table of this process's namespace, mounting with option strings, space, syncing.
 * Apart from os.h because only the filesystems' drivers and the undo journal need it.
 */
#ifndef PLATFORM_OS_MOUNT_H
#define PLATFORM_OS_MOUNT_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row of the mount table; all strings belong to the table. */
struct os_mount {
	uint64_t id;
	uint64_t parent_id;
	unsigned major, minor;
	const char *root;	   /* folder of the filesystem that is mounted */
	const char *path;	   /* where */
	const char *options;	   /* of this mount: "rw,noatime" */
	const char *type;	   /* "ext4", "fuse.plumb" */
	const char *source;	   /* "/dev/loop3", "tank/data" */
	const char *super_options; /* of the filesystem: "rw,data=ordered" */
};

struct os_mount_table {
	struct os_mount *rows; /* in the order of the table: a later row covers an earlier one */
	size_t count;
	char *text;
};

/* Parse the format of proc_pid_mountinfo(5), octal escapes undone. -EINVAL names the line. */
int os_mount_table_parse(struct os_mount_table *table, const char *text, struct err *err);
int os_mount_table_read(struct os_mount_table *table, struct err *err);
void os_mount_table_release(struct os_mount_table *table);
/* What is mounted at path last (on top); NULL: nothing. Lent. */
const struct os_mount *os_mount_table_at(const struct os_mount_table *table, const char *path);
/* The mount that path lies on: the longest mount point above it. Lent. */
const struct os_mount *os_mount_table_above(const struct os_mount_table *table, const char *path);

/* Mount source at path. options: "noatime,data=ordered" as in mount(8); NULL or "": none. The
 * message of the filesystem is in err where the kernel gives one. */
int os_mount(const char *source, const char *path, const char *type, const char *options,
	struct err *err);
/* -EBUSY while in use; -EINVAL when nothing is mounted there. detach: gone from the tree at once,
 * cleaned up when no longer used. Symbolic links at path are not followed. */
int os_unmount(const char *path, bool detach);

/* Stop a filesystem that is about to be destroyed at once: what is dirty is dropped, not written,
 * and nothing can be done with it but to unmount it. -ENOTTY where the filesystem can't. */
int os_filesystem_shutdown(const char *path);

/* All of the filesystem that holds path is on its device when it returns. */
int os_sync_filesystem(const char *path);

struct os_space {
	uint64_t total_bytes;
	uint64_t free_bytes;	  /* also what is kept for root */
	uint64_t available_bytes; /* for a plain user */
	uint64_t block_bytes;	  /* the filesystem's own unit of allocation */
	uint64_t files_free;
};
int os_space(const char *path, struct os_space *ret_space);

/* True when the kernel has this filesystem, built in or as a module that is not loaded yet. */
bool os_filesystem_known(const char *type);

/* Version of the running kernel: 6.18 gives 6 and 18. */
void os_kernel_version(int *ret_major, int *ret_minor);

#endif
