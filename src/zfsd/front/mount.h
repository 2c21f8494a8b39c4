/*
 * Mounts: a dataset shown to the kernel through FUSE. One session and one set of worker threads a
 * mount. Callers serialise mount and unmount.
 */
#ifndef ZFSD_FRONT_MOUNT_H
#define ZFSD_FRONT_MOUNT_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct zfsd_filesystem;
struct zfsd_mount;

struct mount_options {
	bool cached;	  /* the kernel's page cache; else direct I/O */
	bool allow_other; /* users other than ours, with the kernel checking permissions */
	bool readonly;
	bool no_ring;	  /* requests are read from /dev/fuse, whatever the kernel offers */
	unsigned workers; /* most threads */
};

/* Takes over fs, also on failure. -ENOENT, -ENODEV, -ENOTEMPTY, -EBUSY. */
int mount_start(struct zfsd_filesystem *fs, const char *mountpoint,
	const struct mount_options *options, struct zfsd_mount **ret_mount, struct err *err);
/* Detach and close the file system. -EBUSY while files are open there, unless by force. */
int mount_stop(struct zfsd_mount *mount, bool force, struct err *err);
/* Someone else unmounted it: what is left is to be closed with mount_stop(). */
bool mount_is_gone(const struct zfsd_mount *mount);

struct zfsd_filesystem *mount_filesystem(const struct zfsd_mount *mount);  /* lent */
const char *mount_point(const struct zfsd_mount *mount);		   /* lent */
const struct mount_options *mount_options(const struct zfsd_mount *mount); /* lent */
bool mount_uses_ring(const struct zfsd_mount *mount); /* requests come over io_uring */

/* From now on every request, those that wait in the library too, is answered EIO. */
void mount_give_up(struct zfsd_mount *mount);

/* Requests that all mounts served, by kind. */
/* clang-format off */
#define FRONT_COUNTERS(X) \
	X(lookup) X(getattr) X(setattr) X(open) X(create) X(read) X(read_bytes) X(write) \
	X(write_bytes) X(fsync) X(flush) X(namespace) X(readdir) X(statfs) X(fallocate) \
	X(lseek) X(workers_busy_most)
/* clang-format on */
struct front_counters {
#define FRONT_FIELD(name) uint64_t name;
	FRONT_COUNTERS(FRONT_FIELD)
#undef FRONT_FIELD
};
void mount_counters(struct front_counters *ret_counters);

#endif
