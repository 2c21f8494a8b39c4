/*
 * Size and holes of files: truncate, extend, punch, fallocate, SEEK_DATA and SEEK_HOLE.
 */
#include "zfsd/posix/posix_internal.h"

#include <linux/falloc.h>

/* As the kernel module: this much more than asked must be free. */
#define ALLOCATE_PERCENT 110

/* Size and times in one transaction, logged as a truncation. */
static int record_size(struct zfsd_node *node, uint64_t size, bool log, dmu_tx_t *tx)
{
	sa_bulk_attr_t bulk[3];
	const sa_attr_type_t *attributes = node->fs->attributes;
	int count = 0;

	mutex_enter(&node->attribute_lock);
	node->size_bytes = size;
	node_stamp(node, true);
	SA_ADD_BULK_ATTR(bulk, count, attributes[ZPL_SIZE], NULL, &node->size_bytes, 8);
	SA_ADD_BULK_ATTR(bulk, count, attributes[ZPL_MTIME], NULL, node->times.modify, 16);
	SA_ADD_BULK_ATTR(bulk, count, attributes[ZPL_CTIME], NULL, node->times.change, 16);
	VERIFY0(sa_bulk_update(node->sa, bulk, count, tx));
	mutex_exit(&node->attribute_lock);
	if (log)
		intent_log_truncate(node, size, 0, tx);
	dmu_tx_commit(tx);
	return 0;
}

static int extend(struct zfsd_node *node, uint64_t size, bool log)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range, 0, UINT64_MAX, RL_WRITER);
	dmu_tx_t *tx;
	int r;

	if (size <= node->size_bytes) {
		zfs_rangelock_exit(range);
		return 0;
	}
	tx = dmu_tx_create(node->fs->objset);
	dmu_tx_hold_sa(tx, node->sa, B_FALSE);
	dmu_tx_hold_write_by_dnode(tx, node->dnode, 0, (int)MIN(size, file_record_limit(node->fs)));
	r = transaction_assign(tx);
	if (r == 0) {
		file_grow_record(node, size, tx);
		r = record_size(node, size, log, tx);
	}
	zfs_rangelock_exit(range);
	return r;
}

static int shrink(struct zfsd_node *node, uint64_t size, bool log)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range, 0, UINT64_MAX, RL_WRITER);
	dmu_tx_t *tx;
	int r = 0;

	if (size > node->size_bytes) {
		zfs_rangelock_exit(range);
		return 0;
	}
	r = -dmu_free_long_range(node->fs->objset, node->object, size, DMU_OBJECT_END);
	if (r == 0) {
		tx = dmu_tx_create(node->fs->objset);
		dmu_tx_hold_sa(tx, node->sa, B_FALSE);
		dmu_tx_mark_netfree(tx);
		r = transaction_assign(tx);
		if (r == 0)
			r = record_size(node, size, log, tx);
	}
	zfs_rangelock_exit(range);
	return r;
}

int space_set_size(struct zfsd_node *node, uint64_t size, bool log)
{
	if (size > INT64_MAX)
		return -EFBIG;
	return size > node->size_bytes ? extend(node, size, log) : shrink(node, size, log);
}

int space_free_range(struct zfsd_node *node, uint64_t offset, uint64_t size, bool log)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range, offset, size, RL_WRITER);
	dmu_tx_t *tx;
	int r = 0;

	if (offset >= node->size_bytes || size == 0) {
		zfs_rangelock_exit(range);
		return 0;
	}
	size = MIN(size, node->size_bytes - offset);
	r = -dmu_free_long_range(node->fs->objset, node->object, offset, size);
	if (r == 0) {
		tx = dmu_tx_create(node->fs->objset);
		dmu_tx_hold_sa(tx, node->sa, B_FALSE);
		dmu_tx_mark_netfree(tx);
		r = transaction_assign(tx);
	}
	if (r == 0) {
		mutex_enter(&node->attribute_lock);
		node_stamp(node, true);
		r = node_update_sa(node, tx);
		mutex_exit(&node->attribute_lock);
		if (log)
			intent_log_truncate(node, offset, size, tx);
		dmu_tx_commit(tx);
	}
	zfs_rangelock_exit(range);
	return r;
}

static bool space_is_free(struct zfsd_filesystem *fs, uint64_t bytes)
{
	uint64_t used, available, objects, free_objects;

	dmu_objset_space(fs->objset, &used, &available, &objects, &free_objects);
	return bytes / 100 * ALLOCATE_PERCENT <= available;
}

int node_allocate(struct zfsd_node *node, unsigned flags, uint64_t offset, uint64_t size)
{
	bool punch = flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE);
	uint64_t end = offset + size;
	int r = 0;

	if (flags & ~(unsigned)(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		return -EOPNOTSUPP;
	if (node->fs->readonly)
		return -EROFS;
	if (!S_ISREG(node->mode))
		return S_ISDIR(node->mode) ? -EISDIR : -ENODEV;
	if (size == 0)
		return -EINVAL;
	if (end < offset || end > INT64_MAX)
		return -EFBIG;
	if (!punch && !space_is_free(node->fs, size))
		return -ENOSPC;
	if (punch)
		r = space_free_range(node, offset, size, true);
	if (r == 0 && !(flags & FALLOC_FL_KEEP_SIZE) && end > node->size_bytes)
		r = extend(node, end, true);
	if (r == 0 && node->fs->objset->os_sync == ZFS_SYNC_ALWAYS)
		r = intent_log_commit(node->fs, node->object);
	return r;
}

int node_seek(struct zfsd_node *node, int whence, uint64_t offset, uint64_t *ret_offset)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range, 0, UINT64_MAX, RL_READER);
	bool hole = whence == SEEK_HOLE;
	uint64_t size = node->size_bytes, found = offset;
	int r = 0;

	if (offset >= size)
		r = ENXIO;
	else
		r = dmu_offset_next(node->fs->objset, node->object, hole, &found);
	zfs_rangelock_exit(range);
	if (r == ESRCH && hole) { /* no hole before the end of the last block */
		found = size;
		r = 0;
	} else if (r == ESRCH) {
		r = ENXIO;
	} else if (r == EBUSY) { /* not written out yet: call all of it data */
		found = hole ? size : offset;
		r = 0;
	}
	if (r != 0)
		return -r;
	found = MAX(found, offset);
	if (!hole && found >= size)
		return -ENXIO;
	*ret_offset = MIN(found, size);
	return 0;
}
