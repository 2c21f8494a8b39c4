/*
 * Records of the ZFS intent log, in the ZPL's format, and the data that a commit asks back for
 * them. Called inside the transaction that made the change; nothing is logged while replaying or
 * with sync=disabled (zil_replaying() says so). The rules for the three forms of a write are those
 * of the kernel module.
 */
#include "zfsd/pool/commit_count.h"
#include "zfsd/posix/posix_internal.h"

/* From here on a write goes to its final place at once, unless there is a log device. */
#define IMMEDIATE_WRITE_BYTES 32768

/* Bits of lr_mask: those of Linux' struct iattr, not those of zfs_context.h. */
#define LOG_MODE  1
#define LOG_UID	  2
#define LOG_GID	  4
#define LOG_SIZE  8
#define LOG_ATIME 16
#define LOG_MTIME 32

static zilog_t *log_of(const struct zfsd_node *node, dmu_tx_t *tx)
{
	zilog_t *log = node->fs->log;

	return zil_replaying(log, tx) ? NULL : log;
}

static uint64_t kind_of(const struct node_birth *birth)
{
	if (S_ISDIR(birth->mode))
		return TX_MKDIR;
	return birth->target ? TX_SYMLINK : TX_CREATE;
}

void intent_log_create(struct zfsd_node *directory, const struct zfsd_node *node,
	const struct node_birth *birth, const char *name, dmu_tx_t *tx)
{
	zilog_t *log = log_of(node, tx);
	size_t name_size = strlen(name) + 1;
	size_t target_size = birth->target ? strlen(birth->target) + 1 : 0;
	lr_create_t *record;
	itx_t *itx;

	if (!log)
		return;
	itx = zil_itx_create(kind_of(birth), sizeof(*record) + name_size + target_size);
	record = (lr_create_t *)&itx->itx_lr;
	record->lr_create.lr_doid = directory->object;
	record->lr_create.lr_foid = 0;
	LR_FOID_SET_OBJ(record->lr_create.lr_foid, node->object);
	LR_FOID_SET_SLOTS(record->lr_create.lr_foid, node->dnode->dn_num_slots);
	record->lr_create.lr_mode = node->mode;
	record->lr_create.lr_uid = node->user_id;
	record->lr_create.lr_gid = node->group_id;
	record->lr_create.lr_gen = node->generation;
	memcpy(record->lr_create.lr_crtime, node->times.create, sizeof(node->times.create));
	record->lr_create.lr_rdev = node->device;
	memcpy(record->lr_data, name, name_size);
	if (target_size)
		memcpy(record->lr_data + name_size, birth->target, target_size);
	zil_itx_assign(log, itx, tx);
}

void intent_log_remove(struct zfsd_node *directory, const char *name, bool folder,
	const struct zfsd_node *node, dmu_tx_t *tx)
{
	zilog_t *log = log_of(directory, tx);
	size_t name_size = strlen(name) + 1;
	lr_remove_t *record;
	itx_t *itx;

	if (!log)
		return;
	itx = zil_itx_create(folder ? TX_RMDIR : TX_REMOVE, sizeof(*record) + name_size);
	record = (lr_remove_t *)&itx->itx_lr;
	record->lr_doid = directory->object;
	memcpy(record->lr_data, name, name_size);
	itx->itx_oid = node->object;
	/* Nobody will miss the contents of a file that is gone. */
	if (node->unlinked)
		zil_remove_async(log, node->object);
	zil_itx_assign(log, itx, tx);
}

void intent_log_link(
	struct zfsd_node *directory, const struct zfsd_node *node, const char *name, dmu_tx_t *tx)
{
	zilog_t *log = log_of(directory, tx);
	size_t name_size = strlen(name) + 1;
	lr_link_t *record;
	itx_t *itx;

	if (!log)
		return;
	itx = zil_itx_create(TX_LINK, sizeof(*record) + name_size);
	record = (lr_link_t *)&itx->itx_lr;
	record->lr_doid = directory->object;
	record->lr_link_obj = node->object;
	memcpy(record->lr_data, name, name_size);
	zil_itx_assign(log, itx, tx);
}

void intent_log_rename(const struct rename_names *names, const struct zfsd_node *node, dmu_tx_t *tx)
{
	zilog_t *log = log_of(node, tx);
	size_t from_size = strlen(names->from_name) + 1, to_size = strlen(names->to_name) + 1;
	lr_rename_t *record;
	itx_t *itx;

	if (!log)
		return;
	itx = zil_itx_create(TX_RENAME, sizeof(*record) + from_size + to_size);
	record = (lr_rename_t *)&itx->itx_lr;
	record->lr_rename.lr_sdoid = names->from->object;
	record->lr_rename.lr_tdoid = names->to->object;
	memcpy(record->lr_data, names->from_name, from_size);
	memcpy(record->lr_data + from_size, names->to_name, to_size);
	itx->itx_oid = node->object; /* its contents are committed before the new name */
	zil_itx_assign(log, itx, tx);
}

/*
 * An indirect record that finds its block on its way to disk already, for an earlier record of the
 * same transaction group, is logged without data. If the file was cut between the two, replay would
 * write the block with the earlier record, cut it off, and not write it again. So after a cut,
 * writes of that transaction group bring their data along.
 */
static bool may_be_indirect(const struct zfsd_node *node, const dmu_tx_t *tx)
{
	return atomic_load_64((volatile uint64_t *)&node->cut_txg) != tx->tx_txg;
}

static itx_wr_state_t choose_form(
	const struct zfsd_node *node, const struct write_record *write, const dmu_tx_t *tx)
{
	zilog_t *log = node->fs->log;
	bool large = log->zl_logbias == ZFS_LOGBIAS_THROUGHPUT ||
		     (!spa_has_slogs(log->zl_spa) && write->size >= IMMEDIATE_WRITE_BYTES);

	if (large && may_be_indirect(node, tx))
		return WR_INDIRECT;
	if (write->commit && write->size <= zil_max_copied_data(log))
		return WR_COPIED;
	return WR_NEED_COPY;
}

static size_t log_piece(
	struct zfsd_node *node, const struct write_record *piece, itx_wr_state_t form, dmu_tx_t *tx)
{
	size_t copied = form == WR_COPIED ? piece->size : 0;
	itx_t *itx = zil_itx_create(TX_WRITE, sizeof(lr_write_t) + copied);
	lr_write_t *record = (lr_write_t *)&itx->itx_lr;
	size_t bytes = itx->itx_size + (form == WR_NEED_COPY ? piece->size : 0);

	if (copied)
		memcpy(record->lr_data, piece->data, copied);
	itx->itx_wr_state = form;
	record->lr_foid = node->object;
	record->lr_offset = piece->offset;
	record->lr_length = piece->size;
	record->lr_blkoff = 0;
	BP_ZERO(&record->lr_blkptr);
	itx->itx_private = node->fs;
	itx->itx_gen = node->generation;
	itx->itx_sync = node->synchronous_opens != 0;
	zil_itx_assign(node->fs->log, itx, tx);
	return bytes;
}

void intent_log_write(struct zfsd_node *node, const struct write_record *write, dmu_tx_t *tx)
{
	zilog_t *log = log_of(node, tx);
	struct write_record rest = *write;
	itx_wr_state_t form;
	size_t bytes = 0;

	if (!log || node->unlinked)
		return;
	form = choose_form(node, write, tx);
	while (rest.size > 0) {
		struct write_record piece = rest;

		/* An indirect record points at one block of the file. */
		if (form == WR_INDIRECT)
			piece.size = MIN(
				rest.size, node->record_bytes - rest.offset % node->record_bytes);
		bytes += log_piece(node, &piece, form, tx);
		rest.offset += piece.size;
		rest.data = (const char *)rest.data + piece.size;
		rest.size -= piece.size;
	}
	if (form != WR_INDIRECT)
		dsl_pool_wrlog_count(log->zl_dmu_pool, bytes, tx->tx_txg);
}

void intent_log_truncate(struct zfsd_node *node, uint64_t offset, uint64_t size, dmu_tx_t *tx)
{
	zilog_t *log = log_of(node, tx);
	lr_truncate_t *record;
	itx_t *itx;

	atomic_store_64(&node->cut_txg, tx->tx_txg);
	if (!log || node->unlinked)
		return;
	itx = zil_itx_create(TX_TRUNCATE, sizeof(*record));
	record = (lr_truncate_t *)&itx->itx_lr;
	record->lr_foid = node->object;
	record->lr_offset = offset;
	record->lr_length = size;
	itx->itx_sync = node->synchronous_opens != 0;
	zil_itx_assign(log, itx, tx);
}

static uint64_t log_mask(unsigned changes)
{
	uint64_t mask = 0;

	mask |= changes & (NODE_CHANGE_MODE | NODE_CHANGE_CLEAR_SETID) ? LOG_MODE : 0;
	mask |= changes & NODE_CHANGE_USER ? LOG_UID : 0;
	mask |= changes & NODE_CHANGE_GROUP ? LOG_GID : 0;
	mask |= changes & (NODE_CHANGE_ACCESS_TIME | NODE_CHANGE_ACCESS_NOW) ? LOG_ATIME : 0;
	mask |= changes & (NODE_CHANGE_MODIFY_TIME | NODE_CHANGE_MODIFY_NOW) ? LOG_MTIME : 0;
	return mask;
}

void intent_log_attributes(struct zfsd_node *node, unsigned changes, dmu_tx_t *tx)
{
	zilog_t *log = log_of(node, tx);
	lr_setattr_t *record;
	itx_t *itx;

	if (!log || node->unlinked)
		return;
	itx = zil_itx_create(TX_SETATTR, sizeof(*record));
	record = (lr_setattr_t *)&itx->itx_lr;
	record->lr_foid = node->object;
	record->lr_mask = log_mask(changes);
	record->lr_mode = node->mode;
	record->lr_uid = node->user_id;
	record->lr_gid = node->group_id;
	record->lr_size = node->size_bytes;
	memcpy(record->lr_atime, node->times.access, sizeof(record->lr_atime));
	memcpy(record->lr_mtime, node->times.modify, sizeof(record->lr_mtime));
	itx->itx_sync = node->synchronous_opens != 0;
	zil_itx_assign(log, itx, tx);
}

/* What an indirect write needs until its block is on disk. */
struct pending_data {
	zgd_t zgd; /* first: the library gives it back */
	struct zfsd_node *node;
};

static void release_pending(zgd_t *zgd, int error)
{
	struct pending_data *pending = (struct pending_data *)zgd;

	(void)error;
	if (zgd->zgd_db)
		dmu_buf_rele(zgd->zgd_db, zgd);
	zfs_rangelock_exit(zgd->zgd_lr);
	/* The last reference of an unlinked file is never dropped here: freeing it would wait for
	 * a transaction group, which may be waiting for us. See node_release_later(). */
	node_release_later(pending->node);
	kmem_free(pending, sizeof(*pending));
}

static int copy_data(struct zfsd_node *node, lr_write_t *record, char *data)
{
	zfs_locked_range_t *range =
		zfs_rangelock_enter(&node->range, record->lr_offset, record->lr_length, RL_READER);
	int r = ENOENT;

	if (record->lr_offset < node->size_bytes)
		r = dmu_read_by_dnode(node->dnode, record->lr_offset, record->lr_length, data,
			DMU_READ_NO_PREFETCH);
	zfs_rangelock_exit(range);
	return r;
}

/* Lock the whole block that the record lies in; its size may change until the lock is ours. */
static uint64_t lock_block(struct zfsd_node *node, uint64_t offset, zgd_t *zgd)
{
	for (;;) {
		uint64_t record_bytes = node->record_bytes;
		uint64_t start = offset - offset % record_bytes;

		zgd->zgd_lr = zfs_rangelock_enter(&node->range, start, record_bytes, RL_READER);
		if (node->record_bytes == record_bytes)
			return start;
		zfs_rangelock_exit(zgd->zgd_lr);
	}
}

static int write_block(struct zfsd_node *node, lr_write_t *record, struct lwb *lwb, zio_t *zio)
{
	struct pending_data *pending = kmem_zalloc(sizeof(*pending), KM_SLEEP);
	zgd_t *zgd = &pending->zgd;
	dmu_buf_t *buffer;
	uint64_t start;
	int r = 0;

	pending->node = node;
	zgd->zgd_lwb = lwb;
	zgd->zgd_private = node;
	start = lock_block(node, record->lr_offset, zgd);
	if (record->lr_offset >= node->size_bytes)
		r = ENOENT;
	if (r == 0)
		r = dmu_buf_hold_noread_by_dnode(node->dnode, start, zgd, &buffer);
	if (r == 0) {
		blkptr_t *block = &record->lr_blkptr;

		zgd->zgd_db = buffer;
		zgd->zgd_bp = block;
		r = dmu_sync(zio, record->lr_common.lrc_txg, release_pending, zgd);
		if (r == 0)
			return 0; /* release_pending() runs later */
		if (r == EALREADY) {
			record->lr_common.lrc_txtype = TX_WRITE2;
			BP_ZERO(block);
			zgd->zgd_bp = NULL;
			r = 0;
		}
	}
	release_pending(zgd, r);
	return r;
}

int intent_log_get_data(void *context, uint64_t generation, lr_write_t *record, char *data,
	struct lwb *lwb, zio_t *zio)
{
	struct zfsd_filesystem *fs = context;
	struct zfsd_node *node;
	int r = node_get(fs, record->lr_foid, &node);

	if (r < 0)
		return -r;
	if (node->links == 0 || node->generation != generation) {
		node_release_later(node);
		return ENOENT;
	}
	if (!data)
		return write_block(node, record, lwb, zio);
	r = copy_data(node, record, data);
	node_release_later(node);
	return r;
}

int intent_log_commit(struct zfsd_filesystem *fs, uint64_t object)
{
	commit_count_enter();
	zil_commit(fs->log, object);
	commit_count_leave();
	return 0;
}
