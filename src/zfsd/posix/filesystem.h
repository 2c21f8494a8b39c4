/*
 * A mounted dataset as plain C: what the FUSE front and the admin commands see of the POSIX layer.
 * No ZFS and no FUSE type appears here, so that their headers never meet.
 *
 * Every function returns 0 (or a count) or a negative errno. Functions that take a name return
 * -ENAMETOOLONG above 255 bytes. Nodes are counted: each function with ret_node gives one reference
 * that node_release() takes back. Permissions are checked by the kernel (default_permissions).
 * All functions may be called from any thread.
 */
#ifndef ZFSD_POSIX_FILESYSTEM_H
#define ZFSD_POSIX_FILESYSTEM_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct zfsd_filesystem;
struct zfsd_node;

struct node_attributes {
	uint64_t object;     /* inode number */
	uint64_t generation; /* object numbers are reused, pairs with this never */
	uint64_t size_bytes;
	uint64_t allocated_512; /* blocks of 512 bytes, as st_blocks */
	uint32_t record_bytes;	/* real block size of this file */
	uint32_t mode;		/* type and permissions */
	uint32_t user_id;
	uint32_t group_id;
	uint64_t links;
	uint64_t device; /* st_rdev */
	struct timespec access_time;
	struct timespec modify_time;
	struct timespec change_time;
};

struct filesystem_options {
	bool readonly;
};

struct filesystem_space {
	uint64_t block_bytes; /* unit of the next two */
	uint64_t total_blocks;
	uint64_t free_blocks;
	uint64_t total_files;
	uint64_t free_files;
	uint32_t preferred_bytes; /* record size of new files */
	uint64_t id;
};

/* Who makes a new object. */
struct node_owner {
	uint32_t user_id;
	uint32_t group_id;
};

/* What node_set_attributes() changes. */
enum node_change {
	NODE_CHANGE_MODE = 1 << 0,
	NODE_CHANGE_USER = 1 << 1,
	NODE_CHANGE_GROUP = 1 << 2,
	NODE_CHANGE_SIZE = 1 << 3,
	NODE_CHANGE_ACCESS_TIME = 1 << 4,
	NODE_CHANGE_MODIFY_TIME = 1 << 5,
	NODE_CHANGE_ACCESS_NOW = 1 << 6,
	NODE_CHANGE_MODIFY_NOW = 1 << 7,
	NODE_CHANGE_CLEAR_SETID = 1 << 8, /* with SIZE, by someone who may not keep set-id bits */
};

/* Open the dataset: drain its delete queue, replay its intent log. -ENOENT, -EBUSY (open
 * already), -ENOTSUP (normalisation, FUIDs or another version). */
int filesystem_open(const char *dataset, const struct filesystem_options *options,
	struct zfsd_filesystem **ret_fs, struct err *err);
/* No node may be in use by another thread. Takes NULL, returns NULL. */
struct zfsd_filesystem *filesystem_close(struct zfsd_filesystem *fs);
const char *filesystem_dataset(const struct zfsd_filesystem *fs); /* lent */
uint64_t filesystem_replayed_records(const struct zfsd_filesystem *fs);
bool filesystem_readonly(const struct zfsd_filesystem *fs);
/* Properties were set: take over those that are kept in memory. */
void filesystem_reload(struct zfsd_filesystem *fs);
/* Counters of the intent log, by the names of zfsd_protocol.h. */
struct filesystem_log_counter {
	const char *name;
	uint64_t value;
};
#define FILESYSTEM_LOG_COUNTERS 16
size_t filesystem_log_counters(struct zfsd_filesystem *fs,
	struct filesystem_log_counter ret_counters[FILESYSTEM_LOG_COUNTERS]);
void filesystem_space(struct zfsd_filesystem *fs, struct filesystem_space *ret_space);
int filesystem_sync(struct zfsd_filesystem *fs); /* commit everything in the log */

/* The root node: lent, lives as long as the file system. */
struct zfsd_node *filesystem_root(struct zfsd_filesystem *fs);

void node_hold(struct zfsd_node *node);
/* Give back count references. The last one of an unlinked file frees its space. */
void node_release(struct zfsd_node *node, uint64_t count);
void node_attributes(struct zfsd_node *node, struct node_attributes *ret_attributes);
uint32_t node_mode(const struct zfsd_node *node);

int node_lookup(struct zfsd_node *directory, const char *name, struct zfsd_node **ret_node);

/* Make a file, folder, symbolic link (target not NULL) or special file. mode has the type. */
struct node_create {
	const char *name;
	uint32_t mode;
	struct node_owner owner;
	uint64_t device;
	const char *target;
};
int node_create(
	struct zfsd_node *directory, const struct node_create *create, struct zfsd_node **ret_node);
int node_link(struct zfsd_node *node, struct zfsd_node *directory, const char *name);
int node_unlink(struct zfsd_node *directory, const char *name);	       /* not for folders */
int node_remove_folder(struct zfsd_node *directory, const char *name); /* -ENOTEMPTY */
/* flags: RENAME_NOREPLACE; RENAME_EXCHANGE and others are refused with -EINVAL. */
int node_rename(struct zfsd_node *from, const char *from_name, struct zfsd_node *to,
	const char *to_name, unsigned flags);
int node_read_link(struct zfsd_node *node, char *target, size_t size); /* NUL-ended */

/* Call visit for each entry after cookie (0: from the start, "." and ".." included) until it
 * returns false. The cookie given to visit continues behind that entry. */
typedef bool node_visit(
	void *context, const char *name, uint64_t object, uint32_t type_mode, uint64_t cookie);
int node_read_folder(struct zfsd_node *node, uint64_t cookie, node_visit *visit, void *context);

/* values: the fields named by changes are used. */
int node_set_attributes(
	struct zfsd_node *node, unsigned changes, const struct node_attributes *values);

/* O_SYNC or O_DSYNC opens are counted, because they choose the form of log records. */
void node_opened(struct zfsd_node *node, bool synchronous);
void node_closed(struct zfsd_node *node, bool synchronous);

ssize_t node_read(struct zfsd_node *node, void *data, size_t size, uint64_t offset);
enum node_write_flag {
	NODE_WRITE_SYNC = 1,	    /* durable before return */
	NODE_WRITE_CLEAR_SETID = 2, /* by someone who may not keep set-id bits */
};
ssize_t node_write(
	struct zfsd_node *node, const void *data, size_t size, uint64_t offset, unsigned flags);
int node_sync(struct zfsd_node *node); /* fsync, fdatasync, fsync of a folder */
/* flags as for fallocate(2): KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE. */
int node_allocate(struct zfsd_node *node, unsigned flags, uint64_t offset, uint64_t size);
/* whence: SEEK_DATA or SEEK_HOLE. -ENXIO past the end. */
int node_seek(struct zfsd_node *node, int whence, uint64_t offset, uint64_t *ret_offset);

/* Block sizes that plain files below a path really have. */
struct record_size {
	uint32_t record_bytes;
	uint64_t files;
	uint64_t bytes;
};
/* *ret_sizes is malloc'ed, sorted by size. */
int filesystem_record_sizes(struct zfsd_filesystem *fs, const char *path,
	struct record_size **ret_sizes, size_t *ret_count);

#endif
