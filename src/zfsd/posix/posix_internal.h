/*
 * What the files of the POSIX layer share. Lock order, outermost first:
 *
 *	namespace lock     directory entries and link counts
 *	range lock         of one node; the whole range while the block size grows
 *	dmu_tx_assign      may wait for a transaction group: nothing below may be held here
 *	attribute lock     of one node; short, never across a wait
 *	table lock         node table; held while a node is loaded, never across a wait for a txg
 *
 * No lock at all is held when zil_commit() is called.
 */
#ifndef ZFSD_POSIX_POSIX_INTERNAL_H
#define ZFSD_POSIX_POSIX_INTERNAL_H

#include "zfsd/compat/zfs_headers.h"
#include "zfsd/posix/filesystem.h"
#include "zfsd/posix/format.h"

#define NODE_NAME_MAX	   255
#define NODE_TABLE_BUCKETS 16384

/* Room for the longest trivial access list: three special entries and three for the classes. */
#define NODE_ACL_MAX 6

struct node_times {
	uint64_t access[2];
	uint64_t modify[2];
	uint64_t change[2];
	uint64_t create[2];
};

struct zfsd_node {
	struct zfsd_filesystem *fs;
	struct zfsd_node *hash_next; /* table lock */
	uint64_t references;	     /* table lock */
	uint64_t object;
	uint64_t generation;
	sa_handle_t *sa;
	dnode_t *dnode; /* pinned by the handle's bonus buffer */
	zfs_rangelock_t range;
	kmutex_t attribute_lock; /* the rest */
	uint64_t size_bytes;
	uint64_t mode;
	uint64_t user_id;
	uint64_t group_id;
	uint64_t links;
	uint64_t parent;
	uint64_t flags; /* ZFS_* flags of the ZPL */
	uint64_t device;
	struct node_times times;
	uint32_t record_bytes;	    /* changed only with the whole range locked */
	uint32_t synchronous_opens; /* atomic */
	uint64_t cut_txg;	    /* atomic; of the last truncation or hole: see intent_log.c */
	bool unlinked;		    /* we put it on the delete queue and free it at the end */
	bool has_extras;	    /* xattrs: layouts may need a spill block */
	bool access_dirty;	    /* access time is newer than in the pool */
};

struct zfsd_filesystem {
	objset_t *objset;
	zilog_t *log;
	zil_sums_t log_sums;
	sa_attr_type_t *attributes; /* numbers of this dataset, by zpl_attr */
	uint64_t root_object;
	uint64_t delete_queue;
	struct zfsd_node *root;
	krwlock_t namespace_lock;
	kmutex_t table_lock;
	struct zfsd_node **table;
	uint64_t replayed_records;
	bool readonly;
	uint64_t replay_end; /* while replaying a whole block: where the logged data end */
	bool project_quota;
	bool access_time; /* property atime */
	bool relative_time;
	uint64_t sync_property;
	char dataset[ZFS_MAX_DATASET_NAME_LEN];
};

/* How a new object's dnode is made. */
struct node_birth {
	uint64_t object;     /* 0: any; else claim this one (replay) */
	int dnode_slots;     /* with object */
	uint64_t generation; /* 0: the transaction's */
	uint64_t times[2];
	uint64_t mode;
	uint64_t user_id;
	uint64_t group_id;
	uint64_t device;
	uint64_t parent; /* 0: itself (root) */
	const char *target;
};

/* --- format.c --- */
/* Fill entries (NODE_ACL_MAX) with the trivial access list of mode; returns their number. */
int format_trivial_acl(uint64_t mode, zfs_ace_hdr_t *entries);
uint64_t format_birth_flags(const struct zfsd_filesystem *fs, uint64_t mode);
uint64_t format_entry(uint64_t object, uint64_t mode); /* value of a directory entry */
/* Make the object and write all its attributes, in tx. */
int format_make_object(struct zfsd_filesystem *fs, const struct node_birth *birth, dmu_tx_t *tx,
	uint64_t *ret_object);
int format_spill_extra(uint64_t mode); /* bytes of the access list, for dmu_tx_hold_sa_create */

/* --- node.c --- */
void node_table_init(struct zfsd_filesystem *fs);
void node_table_release(struct zfsd_filesystem *fs);
/* Find or load; -ENOENT if there is no such object. */
int node_get(struct zfsd_filesystem *fs, uint64_t object, struct zfsd_node **ret_node);
/* For threads that commit or sync: never waits for a transaction group. */
void node_release_later(struct zfsd_node *node);
int node_update_sa(struct zfsd_node *node, dmu_tx_t *tx); /* attribute lock held: all but ACL */
void node_stamp(struct zfsd_node *node, bool modified);	  /* change (and modify) time := now */
void node_clock(uint64_t ret_time[2]);
/* Free the space of an object on the delete queue. */
int node_free_object(struct zfsd_filesystem *fs, uint64_t object);
int node_drain_deleted(struct zfsd_filesystem *fs);

/* --- directory.c: with optional replay facts --- */
int directory_create(struct zfsd_node *directory, const char *name, struct node_birth *birth,
	struct zfsd_node **ret_node);
int directory_lookup(struct zfsd_node *directory, const char *name, uint64_t *ret_object);

/* --- file_io.c --- */
ssize_t file_write_chunk(
	struct zfsd_node *node, const void *data, size_t size, uint64_t offset, unsigned flags);
/* Grow the block size so that a file of end bytes fits the rules; whole range locked. */
void file_grow_record(struct zfsd_node *node, uint64_t end, dmu_tx_t *tx);
uint32_t file_record_limit(const struct zfsd_filesystem *fs);
void file_range_callback(struct zfs_locked_range *range, void *node);

/* --- file_space.c --- */
int space_set_size(struct zfsd_node *node, uint64_t size, bool log);
int space_free_range(struct zfsd_node *node, uint64_t offset, uint64_t size, bool log);

/* --- intent_log.c --- */
void intent_log_create(struct zfsd_node *directory, const struct zfsd_node *node,
	const struct node_birth *birth, const char *name, dmu_tx_t *tx);
void intent_log_remove(struct zfsd_node *directory, const char *name, bool folder,
	const struct zfsd_node *node, dmu_tx_t *tx);
void intent_log_link(
	struct zfsd_node *directory, const struct zfsd_node *node, const char *name, dmu_tx_t *tx);
struct rename_names {
	struct zfsd_node *from;
	const char *from_name;
	struct zfsd_node *to;
	const char *to_name;
};
void intent_log_rename(
	const struct rename_names *names, const struct zfsd_node *node, dmu_tx_t *tx);
struct write_record {
	uint64_t offset;
	size_t size;
	const void *data;
	bool commit; /* the writer waits for it */
};
void intent_log_write(struct zfsd_node *node, const struct write_record *write, dmu_tx_t *tx);
void intent_log_truncate(struct zfsd_node *node, uint64_t offset, uint64_t size, dmu_tx_t *tx);
void intent_log_attributes(struct zfsd_node *node, unsigned changes, dmu_tx_t *tx);
int intent_log_get_data(
	void *fs, uint64_t generation, lr_write_t *record, char *data, struct lwb *lwb, zio_t *zio);
/* Commit what concerns object (0: everything). Returns -EIO once the pool is given up. */
int intent_log_commit(struct zfsd_filesystem *fs, uint64_t object);

/* --- intent_replay.c --- */
extern zil_replay_func_t *const intent_replay_table[TX_MAX_TYPE];

/* Start a transaction; on failure it is aborted. The pool's errno, negative. */
int transaction_assign(dmu_tx_t *tx);

#endif
