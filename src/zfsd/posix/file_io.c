/*
 * Reading and writing of file contents, growth of the block size, access times. The path of every
 * database page, so: one transaction and one log record a request, no copy beyond the cache's own.
 */
#include "zfsd/pool/zio_inline.h"
#include "zfsd/posix/posix_internal.h"

/* Longest piece of one transaction; requests of FUSE are shorter. */
#define WRITE_CHUNK_MAX (4UL * 1024 * 1024)
#define RELATIVE_TIME_S (24 * 3600)

int transaction_assign(dmu_tx_t *tx)
{
	int r = -dmu_tx_assign(tx, DMU_TX_WAIT);

	if (r < 0)
		dmu_tx_abort(tx);
	return r;
}

uint32_t file_record_limit(const struct zfsd_filesystem *fs)
{
	return (uint32_t)fs->objset->os_recordsize;
}

static bool must_grow(const struct zfsd_node *node, uint64_t end)
{
	return end > node->record_bytes &&
	       (!ISP2(node->record_bytes) || node->record_bytes < file_record_limit(node->fs));
}

/*
 * A request that will change the block size must see nobody else in the file: widen it to the
 * whole. Appends become writes at the end of the file, which only we, under the lock, know.
 */
void file_range_callback(struct zfs_locked_range *range, void *argument)
{
	const struct zfsd_node *node = argument;
	uint64_t end;

	if (range->lr_type == RL_APPEND) {
		range->lr_offset = node->size_bytes;
		range->lr_type = RL_WRITER;
	}
	if (range->lr_type != RL_WRITER)
		return;
	end = MAX(node->size_bytes, range->lr_offset + range->lr_length);
	if (must_grow(node, end)) {
		range->lr_offset = 0;
		range->lr_length = UINT64_MAX;
	}
}

static uint64_t grown_record(const struct zfsd_node *node, uint64_t end)
{
	uint64_t limit = file_record_limit(node->fs);

	/* Left over from a larger record size: goes to the next power of two at most. */
	if (node->record_bytes > limit)
		limit = 1ULL << highbit64(node->record_bytes);
	return MIN(end, limit);
}

void file_grow_record(struct zfsd_node *node, uint64_t end, dmu_tx_t *tx)
{
	uint64_t record = grown_record(node, end);
	u_longlong_t blocks;

	if (!must_grow(node, end) || record <= node->record_bytes)
		return;
	if (node->size_bytes > node->record_bytes)
		return; /* a second block exists: fixed for ever */
	if (dmu_object_set_blocksize(node->fs->objset, node->object, record, 0, tx) != 0)
		return;
	dmu_object_size_from_db(sa_get_db(node->sa), &node->record_bytes, &blocks);
}

static bool not_later(const uint64_t a[2], const uint64_t b[2])
{
	return a[0] < b[0] || (a[0] == b[0] && a[1] <= b[1]);
}

static bool access_time_due(const struct zfsd_node *node, const uint64_t now[2])
{
	const struct node_times *times = &node->times;

	if (!node->fs->relative_time)
		return now[0] != times->access[0] || now[1] != times->access[1];
	return not_later(times->access, times->modify) || not_later(times->access, times->change) ||
	       now[0] >= times->access[0] + RELATIVE_TIME_S;
}

/* Written to the pool with the next change of the node, or when it leaves the table. */
static void touch_access_time(struct zfsd_node *node)
{
	uint64_t now[2];

	if (!node->fs->access_time || node->fs->readonly)
		return;
	node_clock(now);
	if (!access_time_due(node, now))
		return;
	mutex_enter(&node->attribute_lock);
	memcpy(node->times.access, now, sizeof(now));
	node->access_dirty = true;
	mutex_exit(&node->attribute_lock);
}

/* One whole block of a file that has several: what a server asks for all the time. */
static bool is_whole_block(const struct zfsd_node *node, uint64_t offset, size_t size)
{
	return size == node->record_bytes && node->dnode->dn_maxblkid > 0 &&
	       offset % node->record_bytes == 0;
}

/* As dmu_read_by_dnode(), without the root I/O and the list of buffers that several blocks need. */
static int read_whole_block(struct zfsd_node *node, void *data, size_t size, uint64_t offset)
{
	dmu_buf_t *buffer;
	int r = dmu_buf_hold_by_dnode(node->dnode, offset, FTAG, &buffer, DMU_READ_NO_PREFETCH);

	if (r != 0)
		return r;
	memcpy(data, buffer->db_data, size);
	dmu_buf_rele(buffer, FTAG);
	return 0;
}

/*
 * One block, read from the device in this thread if it must be. The library reads ahead only for
 * streams that miss the cache, and takes a block that is there when it looks again for a hit: then
 * this one has come from the device already. So we tell its predictor what happened ourselves.
 */
static int read_one_block(struct zfsd_node *node, void *data, size_t size, uint64_t offset)
{
	bool missed;
	int r;

	zio_inline_begin_one_block();
	if (is_whole_block(node, offset, size))
		r = -read_whole_block(node, data, size, offset);
	else
		r = -dmu_read_by_dnode(node->dnode, offset, size, data, DMU_READ_NO_PREFETCH);
	missed = zio_inline_end_one_block();
	dmu_zfetch(
		&node->dnode->dn_zfetch, offset / node->record_bytes, 1, B_TRUE, missed, B_FALSE);
	return r;
}

ssize_t node_read(struct zfsd_node *node, void *data, size_t size, uint64_t offset)
{
	zfs_locked_range_t *range;
	uint64_t end;
	int r = 0;

	if (S_ISDIR(node->mode))
		return -EISDIR;
	if (offset >= node->size_bytes || size == 0)
		return 0;
	range = zfs_rangelock_enter(&node->range, offset, size, RL_READER);
	end = node->size_bytes;
	if (offset >= end)
		size = 0;
	else
		size = MIN(size, end - offset);
	if (size > 0 && offset % node->record_bytes + size <= node->record_bytes)
		r = read_one_block(node, data, size, offset);
	else if (size > 0)
		r = -dmu_read_by_dnode(node->dnode, offset, size, data, DMU_READ_PREFETCH);
	zfs_rangelock_exit(range);
	if (r < 0)
		return r == -ECKSUM ? -EIO : r;
	touch_access_time(node);
	return (ssize_t)size;
}

#define ADD(kind, value) \
	SA_ADD_BULK_ATTR(bulk, count, attributes[kind], NULL, &(value), sizeof(value))

static void update_after_write(struct zfsd_node *node, uint64_t end, bool clear_setid, dmu_tx_t *tx)
{
	const sa_attr_type_t *attributes = node->fs->attributes;
	const uint64_t written = ZFS_ARCHIVE | ZFS_AV_MODIFIED;
	sa_bulk_attr_t bulk[5];
	int count = 0;

	if (node->fs->replay_end)
		end = node->fs->replay_end;
	mutex_enter(&node->attribute_lock);
	node->size_bytes = MAX(node->size_bytes, end);
	node_stamp(node, true);
	ADD(ZPL_MTIME, node->times.modify);
	ADD(ZPL_CTIME, node->times.change);
	ADD(ZPL_SIZE, node->size_bytes);
	if ((node->flags & written) != written) {
		node->flags |= written;
		ADD(ZPL_FLAGS, node->flags);
	}
	if (clear_setid && (node->mode & (S_ISUID | S_ISGID))) {
		node->mode &= ~(uint64_t)S_ISUID;
		if (node->mode & S_IXGRP)
			node->mode &= ~(uint64_t)S_ISGID;
		ADD(ZPL_MODE, node->mode);
	}
	VERIFY0(sa_bulk_update(node->sa, bulk, count, tx));
	mutex_exit(&node->attribute_lock);
}

/*
 * Announce a write to the transaction. The library's own function looks for blocks that must be
 * read first, with a root I/O that costs as much as the rest of a short write; a whole block needs
 * none, so for it the place is announced as an append of nothing and its space apart.
 */
static void hold_write(struct zfsd_node *node, uint64_t offset, size_t size, dmu_tx_t *tx)
{
	if (is_whole_block(node, offset, size)) {
		dmu_tx_hold_append_by_dnode(tx, node->dnode, offset, 0);
		dmu_tx_hold_space(tx, size);
	} else {
		dmu_tx_hold_write_by_dnode(tx, node->dnode, offset, (int)size);
	}
}

ssize_t file_write_chunk(
	struct zfsd_node *node, const void *data, size_t size, uint64_t offset, unsigned flags)
{
	zfs_locked_range_t *range;
	bool commit = (flags & NODE_WRITE_SYNC) || node->fs->objset->os_sync == ZFS_SYNC_ALWAYS;
	dmu_tx_t *tx;
	int r;

	range = zfs_rangelock_enter(&node->range, offset, size, RL_WRITER);
	tx = dmu_tx_create(node->fs->objset);
	dmu_tx_hold_sa(tx, node->sa, B_FALSE);
	hold_write(node, offset, size, tx);
	r = transaction_assign(tx);
	if (r < 0) {
		zfs_rangelock_exit(range);
		return r;
	}
	if (range->lr_length == UINT64_MAX) {
		file_grow_record(node, offset + size, tx);
		zfs_rangelock_reduce(range, offset, size);
	}
	r = -dmu_write_by_dnode(node->dnode, offset, size, data, tx);
	if (r == 0) {
		update_after_write(node, offset + size, flags & NODE_WRITE_CLEAR_SETID, tx);
		intent_log_write(node, &(struct write_record){ offset, size, data, commit }, tx);
	}
	dmu_tx_commit(tx);
	zfs_rangelock_exit(range);
	return r < 0 ? r : (ssize_t)size;
}

ssize_t node_write(
	struct zfsd_node *node, const void *data, size_t size, uint64_t offset, unsigned flags)
{
	size_t written = 0;
	ssize_t r = 0;

	if (node->fs->readonly)
		return -EROFS;
	if (offset > INT64_MAX - size)
		return -EFBIG;
	while (written < size && r >= 0) {
		size_t piece = MIN(size - written, WRITE_CHUNK_MAX);

		r = file_write_chunk(
			node, (const char *)data + written, piece, offset + written, flags);
		if (r > 0)
			written += (size_t)r;
	}
	if (written == 0)
		return r;
	if ((flags & NODE_WRITE_SYNC) || node->fs->objset->os_sync == ZFS_SYNC_ALWAYS) {
		r = intent_log_commit(node->fs, node->object);
		if (r < 0)
			return r;
	}
	return (ssize_t)written;
}

int node_sync(struct zfsd_node *node)
{
	if (node->fs->readonly)
		return 0;
	return intent_log_commit(node->fs, node->object);
}

void node_opened(struct zfsd_node *node, bool synchronous)
{
	if (!synchronous)
		return;
	/* What was written before goes ahead of what this open will commit. */
	if (atomic_inc_32_nv(&node->synchronous_opens) == 1)
		zil_async_to_sync(node->fs->log, node->object);
}

void node_closed(struct zfsd_node *node, bool synchronous)
{
	if (synchronous)
		atomic_dec_32(&node->synchronous_opens);
}
