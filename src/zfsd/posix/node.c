/*
 * The node table: one struct for each object that the kernel or we hold, with its SA handle and a
 * copy of its attributes, so that getattr never reads the pool. Also the end of a node: freeing the
 * space of unlinked files, now or at the next mount.
 */
#include "zfsd/posix/posix_internal.h"

#include "base/memory.h"

void node_clock(uint64_t ret_time[2])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	ret_time[0] = (uint64_t)now.tv_sec;
	ret_time[1] = (uint64_t)now.tv_nsec;
}

void node_table_init(struct zfsd_filesystem *fs)
{
	mutex_init(&fs->table_lock, NULL, MUTEX_DEFAULT, NULL);
	fs->table = memory_new_array(NODE_TABLE_BUCKETS, sizeof(struct zfsd_node *));
}

static struct zfsd_node **bucket(struct zfsd_filesystem *fs, uint64_t object)
{
	return &fs->table[(object * 0x9e3779b97f4a7c15ULL >> 40) % NODE_TABLE_BUCKETS];
}

#define ADD(kind, value) \
	SA_ADD_BULK_ATTR(bulk, count, attributes[kind], NULL, &(value), sizeof(value))

static int load_attributes(struct zfsd_node *node)
{
	const sa_attr_type_t *attributes = node->fs->attributes;
	sa_bulk_attr_t bulk[ZPL_END];
	uint64_t extra;
	int count = 0, r;

	ADD(ZPL_MODE, node->mode);
	ADD(ZPL_SIZE, node->size_bytes);
	ADD(ZPL_GEN, node->generation);
	ADD(ZPL_UID, node->user_id);
	ADD(ZPL_GID, node->group_id);
	ADD(ZPL_PARENT, node->parent);
	ADD(ZPL_FLAGS, node->flags);
	ADD(ZPL_ATIME, node->times.access);
	ADD(ZPL_MTIME, node->times.modify);
	ADD(ZPL_CTIME, node->times.change);
	ADD(ZPL_CRTIME, node->times.create);
	ADD(ZPL_LINKS, node->links);
	r = sa_bulk_lookup(node->sa, bulk, count);
	if (r == 0 && (S_ISCHR(node->mode) || S_ISBLK(node->mode)))
		r = sa_lookup(node->sa, attributes[ZPL_RDEV], &node->device, 8);
	node->has_extras =
		r == 0 && (sa_lookup(node->sa, attributes[ZPL_XATTR], &extra, 8) == 0 ||
				  sa_size(node->sa, attributes[ZPL_DXATTR], &(int){ 0 }) == 0);
	return -r;
}

static void node_free(struct zfsd_node *node)
{
	if (node->sa)
		sa_handle_destroy(node->sa);
	zfs_rangelock_fini(&node->range);
	mutex_destroy(&node->attribute_lock);
	free(node);
}

static int node_load(struct zfsd_filesystem *fs, uint64_t object, struct zfsd_node **ret_node)
{
	struct zfsd_node *node = memory_new(sizeof(*node));
	dmu_object_info_t info;
	u_longlong_t blocks;
	int r;

	node->fs = fs;
	node->object = object;
	mutex_init(&node->attribute_lock, NULL, MUTEX_DEFAULT, NULL);
	zfs_rangelock_init(&node->range, file_range_callback, node);
	r = -sa_handle_get(fs->objset, object, node, SA_HDL_PRIVATE, &node->sa);
	if (r == 0) {
		dmu_buf_impl_t *bonus = (dmu_buf_impl_t *)sa_get_db(node->sa);

		dmu_object_info_from_db(&bonus->db, &info);
		dmu_object_size_from_db(&bonus->db, &node->record_bytes, &blocks);
		DB_DNODE_ENTER(bonus);
		node->dnode = DB_DNODE(bonus);
		DB_DNODE_EXIT(bonus);
		r = info.doi_bonus_type == DMU_OT_SA ? load_attributes(node) : -ENOENT;
	}
	if (r < 0) {
		node_free(node);
		return r == -EEXIST ? -ENOENT : r;
	}
	*ret_node = node;
	return 0;
}

int node_get(struct zfsd_filesystem *fs, uint64_t object, struct zfsd_node **ret_node)
{
	struct zfsd_node **head = bucket(fs, object), *node;
	int r = 0;

	mutex_enter(&fs->table_lock);
	for (node = *head; node && node->object != object; node = node->hash_next)
		;
	if (!node) {
		r = node_load(fs, object, &node);
		if (r == 0) {
			node->hash_next = *head;
			*head = node;
		}
	}
	if (r == 0) {
		node->references++;
		*ret_node = node;
	}
	mutex_exit(&fs->table_lock);
	return r;
}

void node_hold(struct zfsd_node *node)
{
	mutex_enter(&node->fs->table_lock);
	node->references++;
	mutex_exit(&node->fs->table_lock);
}

static void table_remove(struct zfsd_node *node)
{
	struct zfsd_node **place = bucket(node->fs, node->object);

	while (*place != node)
		place = &(*place)->hash_next;
	*place = node->hash_next;
}

/* Access times are kept in memory until somebody writes or the node goes. */
static void save_access_time(struct zfsd_node *node)
{
	dmu_tx_t *tx = dmu_tx_create(node->fs->objset);

	dmu_tx_hold_sa(tx, node->sa, B_FALSE);
	if (transaction_assign(tx) < 0)
		return; /* a full pool keeps its old access times */
	mutex_enter(&node->attribute_lock);
	(void)node_update_sa(node, tx);
	mutex_exit(&node->attribute_lock);
	dmu_tx_commit(tx);
}

/* True if it was the last reference of an unlinked file, whose object is to be freed. */
static bool drop_references(struct zfsd_node *node, uint64_t count)
{
	struct zfsd_filesystem *fs = node->fs;
	bool free_object = false;

	mutex_enter(&fs->table_lock);
	VERIFY3U(node->references, >=, count);
	node->references -= count;
	if (node->references == 0) {
		free_object = node->unlinked;
		table_remove(node);
		node_free(node);
	}
	mutex_exit(&fs->table_lock);
	return free_object;
}

void node_release(struct zfsd_node *node, uint64_t count)
{
	struct zfsd_filesystem *fs = node->fs;
	uint64_t object = node->object;

	if (node->access_dirty && !node->unlinked && node->references == count)
		save_access_time(node);
	if (drop_references(node, count))
		(void)node_free_object(fs, object); /* what is left, the next mount frees */
}

struct late_free {
	struct zfsd_filesystem *fs;
	uint64_t object;
};

static void free_late(void *argument)
{
	struct late_free *late = argument;

	(void)node_free_object(late->fs, late->object);
	free(late);
}

void node_release_later(struct zfsd_node *node)
{
	struct late_free *late;
	struct zfsd_filesystem *fs = node->fs;
	uint64_t object = node->object;

	if (!drop_references(node, 1))
		return;
	late = memory_new(sizeof(*late));
	late->fs = fs;
	late->object = object;
	VERIFY3U(taskq_dispatch(system_taskq, free_late, late, TQ_SLEEP), !=, TASKQID_INVALID);
}

/* Nodes that the kernel never gave back (unmount does not wait for it) end here. */
void node_table_release(struct zfsd_filesystem *fs)
{
	for (size_t i = 0; i < NODE_TABLE_BUCKETS; i++) {
		/* The last release takes the node out of the table. */
		while (fs->table[i])
			/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
			node_release(fs->table[i], fs->table[i]->references);
	}
	free(fs->table);
	fs->table = NULL;
	mutex_destroy(&fs->table_lock);
}

void node_stamp(struct zfsd_node *node, bool modified)
{
	node_clock(node->times.change);
	if (modified)
		memcpy(node->times.modify, node->times.change, sizeof(node->times.modify));
}

int node_update_sa(struct zfsd_node *node, dmu_tx_t *tx)
{
	const sa_attr_type_t *attributes = node->fs->attributes;
	sa_bulk_attr_t bulk[ZPL_END];
	int count = 0;

	node->access_dirty = false;
	ADD(ZPL_MODE, node->mode);
	ADD(ZPL_SIZE, node->size_bytes);
	ADD(ZPL_UID, node->user_id);
	ADD(ZPL_GID, node->group_id);
	ADD(ZPL_PARENT, node->parent);
	ADD(ZPL_FLAGS, node->flags);
	ADD(ZPL_ATIME, node->times.access);
	ADD(ZPL_MTIME, node->times.modify);
	ADD(ZPL_CTIME, node->times.change);
	ADD(ZPL_LINKS, node->links);
	return -sa_bulk_update(node->sa, bulk, count, tx);
}

/* Files of a hidden xattr folder have no other name: they go with it. */
static int free_folder_contents(struct zfsd_filesystem *fs, uint64_t object)
{
	zap_attribute_t *entry = zap_attribute_alloc();
	zap_cursor_t cursor;
	int r = 0;

	zap_cursor_init(&cursor, fs->objset, object);
	while (r == 0 && zap_cursor_retrieve(&cursor, entry) == 0) {
		uint64_t child = ZFS_DIRENT_OBJ(entry->za_first_integer);

		r = dmu_free_long_object(fs->objset, child);
		if (r == ENOENT)
			r = 0;
		zap_cursor_advance(&cursor);
	}
	zap_cursor_fini(&cursor);
	zap_attribute_free(entry);
	return -r;
}

/* The hidden xattr folder of a file (0: none), and whether the object is such a folder. */
static int object_extras(
	struct zfsd_filesystem *fs, uint64_t object, uint64_t *ret_folder, bool *ret_is_folder)
{
	sa_handle_t *handle;
	uint64_t flags = 0, mode = 0;
	int r = -sa_handle_get(fs->objset, object, NULL, SA_HDL_PRIVATE, &handle);

	if (r < 0)
		return r;
	*ret_folder = 0;
	(void)sa_lookup(handle, fs->attributes[ZPL_XATTR], ret_folder, 8);
	(void)sa_lookup(handle, fs->attributes[ZPL_FLAGS], &flags, 8);
	(void)sa_lookup(handle, fs->attributes[ZPL_MODE], &mode, 8);
	*ret_is_folder = S_ISDIR(mode) && (flags & ZFS_XATTR);
	sa_handle_destroy(handle);
	return 0;
}

int node_free_object(struct zfsd_filesystem *fs, uint64_t object)
{
	uint64_t extra_folder;
	bool is_folder;
	dmu_tx_t *tx;
	int r = object_extras(fs, object, &extra_folder, &is_folder);

	if (r == 0 && is_folder)
		r = free_folder_contents(fs, object);
	if (r == 0)
		r = -dmu_free_long_range(fs->objset, object, 0, DMU_OBJECT_END);
	if (r < 0)
		return r;
	tx = dmu_tx_create(fs->objset);
	dmu_tx_hold_free(tx, object, 0, DMU_OBJECT_END);
	dmu_tx_hold_zap(tx, fs->delete_queue, FALSE, NULL);
	if (extra_folder)
		dmu_tx_hold_zap(tx, fs->delete_queue, TRUE, NULL);
	dmu_tx_mark_netfree(tx);
	r = transaction_assign(tx);
	if (r < 0)
		return r;
	VERIFY0(zap_remove_int(fs->objset, fs->delete_queue, object, tx));
	if (extra_folder)
		VERIFY0(zap_add_int(fs->objset, fs->delete_queue, extra_folder, tx));
	VERIFY0(dmu_object_free(fs->objset, object, tx));
	dmu_tx_commit(tx);
	return extra_folder ? node_free_object(fs, extra_folder) : 0;
}

/* An entry whose object is gone already (freed, entry not removed) can't happen: one transaction
 * does both. Other errors leave the entry for a later mount. */
int node_drain_deleted(struct zfsd_filesystem *fs)
{
	zap_attribute_t *entry = zap_attribute_alloc();
	zap_cursor_t cursor;
	int r = 0;

	zap_cursor_init(&cursor, fs->objset, fs->delete_queue);
	while (r == 0 && zap_cursor_retrieve(&cursor, entry) == 0) {
		r = node_free_object(fs, entry->za_first_integer);
		zap_cursor_advance(&cursor);
	}
	zap_cursor_fini(&cursor);
	zap_attribute_free(entry);
	return r;
}
