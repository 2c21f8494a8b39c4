/*
 * Replay of the intent log after a crash: one function a record type, each the same operation as
 * the live one. Replay stops at an error that repeats, so a record about a file that is gone
 * counts as done. Functions return positive errnos, as the library wants.
 */
#include "zfsd/posix/posix_internal.h"

#include "base/log.h"

#define LOG_MODE  1
#define LOG_UID	  2
#define LOG_GID	  4
#define LOG_SIZE  8
#define LOG_ATIME 16
#define LOG_MTIME 32

static int refuse(const char *what)
{
	log_error("intent log: %s can't be replayed", what);
	return ENOTSUP;
}

static int replay_unsupported(void *context, void *data, boolean_t byteswap)
{
	const lr_t *record = data;

	(void)context;
	(void)byteswap;
	log_error("intent log: record type %llu", (unsigned long long)record->lrc_txtype);
	return refuse("a record type that only the kernel module writes");
}

/* Every function starts here. */
static int begin(struct zfsd_filesystem *fs, boolean_t byteswap)
{
	fs->replayed_records++;
	return byteswap ? refuse("a log of a machine of the other byte order") : 0;
}

static int replay_create(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_create_t *record = data;
	const _lr_create_t *create = &record->lr_create;
	uint64_t kind = create->lr_common.lrc_txtype & ~TX_CI;
	const char *name = (const char *)record->lr_data;
	struct zfsd_node *directory, *node;
	struct node_birth birth = {
		.object = LR_FOID_GET_OBJ(create->lr_foid),
		.dnode_slots = (int)LR_FOID_GET_SLOTS(create->lr_foid),
		.generation = create->lr_gen,
		.times = { create->lr_crtime[0], create->lr_crtime[1] },
		.mode = create->lr_mode,
		.user_id = create->lr_uid,
		.group_id = create->lr_gid,
		.device = create->lr_rdev,
		.target = kind == TX_SYMLINK ? name + strlen(name) + 1 : NULL,
	};
	int r = begin(fs, byteswap);

	if (r == 0)
		r = dnode_try_claim(fs->objset, birth.object, birth.dnode_slots);
	if (r == 0)
		r = -node_get(fs, create->lr_doid, &directory);
	if (r != 0)
		return r;
	r = -directory_create(directory, name, &birth, &node);
	if (r == 0)
		node_release(node, 1);
	node_release(directory, 1);
	return r;
}

static int replay_remove(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_remove_t *record = data;
	const char *name = (const char *)record->lr_data;
	bool folder = (record->lr_common.lrc_txtype & ~TX_CI) == TX_RMDIR;
	struct zfsd_node *directory;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = -node_get(fs, record->lr_doid, &directory);
	if (r != 0)
		return r;
	r = folder ? -node_remove_folder(directory, name) : -node_unlink(directory, name);
	node_release(directory, 1);
	return r;
}

static int replay_link(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_link_t *record = data;
	struct zfsd_node *directory, *node;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = -node_get(fs, record->lr_doid, &directory);
	if (r != 0)
		return r;
	r = -node_get(fs, record->lr_link_obj, &node);
	if (r == 0) {
		r = -node_link(node, directory, (const char *)record->lr_data);
		node_release(node, 1);
	}
	node_release(directory, 1);
	return r;
}

static int replay_rename(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_rename_t *record = data;
	const char *from_name = (const char *)record->lr_data;
	const char *to_name = from_name + strlen(from_name) + 1;
	struct zfsd_node *from, *to;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = -node_get(fs, record->lr_rename.lr_sdoid, &from);
	if (r != 0)
		return r;
	r = -node_get(fs, record->lr_rename.lr_tdoid, &to);
	if (r == 0) {
		r = -node_rename(from, from_name, to, to_name, 0);
		node_release(to, 1);
	}
	node_release(from, 1);
	return r;
}

/* 0 and *ret_node NULL: the file is gone, later records say why. */
static int find(struct zfsd_filesystem *fs, uint64_t object, struct zfsd_node **ret_node)
{
	int r = -node_get(fs, object, ret_node);

	if (r == 0 && (*ret_node)->links == 0) {
		node_release(*ret_node, 1);
		r = ENOENT;
	}
	if (r == ENOENT) {
		*ret_node = NULL;
		return 0;
	}
	return r;
}

static int replay_write(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_write_t *record = data;
	const char *bytes = (const char *)record->lr_data;
	uint64_t offset = record->lr_offset, length = record->lr_length;
	uint64_t end = offset + length;
	struct zfsd_node *node = NULL;
	ssize_t written = 0;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = find(fs, record->lr_foid, &node);
	if (r != 0 || !node)
		return r;
	/* A record without data of its own brings the whole block it points at: a later record
	 * may need what lies behind this one's end, so all of it is written. */
	if (record->lr_common.lrc_reclen == sizeof(*record)) {
		uint64_t block = BP_GET_LSIZE(&record->lr_blkptr);

		if (length < block) {
			offset -= offset % block;
			length = block;
		}
		fs->replay_end = end;
	}
	written = file_write_chunk(node, bytes, length, offset, 0);
	fs->replay_end = 0;
	node_release(node, 1);
	return written < 0 ? (int)-written : 0;
}

/* The data are there already; only the end may be missing. */
static int replay_write_end(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_write_t *record = data;
	uint64_t end = record->lr_offset + record->lr_length;
	struct zfsd_node *node = NULL;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = find(fs, record->lr_foid, &node);
	if (r != 0 || !node)
		return r;
	if (end > node->size_bytes)
		r = -space_set_size(node, end, true);
	node_release(node, 1);
	return r;
}

static int replay_truncate(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_truncate_t *record = data;
	struct zfsd_node *node = NULL;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = find(fs, record->lr_foid, &node);
	if (r != 0 || !node)
		return r;
	if (record->lr_length == 0)
		r = -space_set_size(node, record->lr_offset, true);
	else
		r = -space_free_range(node, record->lr_offset, record->lr_length, true);
	node_release(node, 1);
	return r;
}

static struct timespec to_timespec(const uint64_t time[2])
{
	return (struct timespec){ .tv_sec = (time_t)time[0], .tv_nsec = (long)time[1] };
}

static int replay_attributes(void *context, void *data, boolean_t byteswap)
{
	struct zfsd_filesystem *fs = context;
	const lr_setattr_t *record = data;
	struct node_attributes values = {
		.mode = (uint32_t)record->lr_mode,
		.user_id = (uint32_t)record->lr_uid,
		.group_id = (uint32_t)record->lr_gid,
		.size_bytes = record->lr_size,
		.access_time = to_timespec(record->lr_atime),
		.modify_time = to_timespec(record->lr_mtime),
	};
	uint64_t mask = record->lr_mask;
	unsigned changes = 0;
	struct zfsd_node *node = NULL;
	int r = begin(fs, byteswap);

	if (r == 0)
		r = find(fs, record->lr_foid, &node);
	if (r != 0 || !node)
		return r;
	changes |= mask & LOG_MODE ? NODE_CHANGE_MODE : 0;
	changes |= mask & LOG_UID ? NODE_CHANGE_USER : 0;
	changes |= mask & LOG_GID ? NODE_CHANGE_GROUP : 0;
	changes |= mask & LOG_SIZE ? NODE_CHANGE_SIZE : 0;
	changes |= mask & LOG_ATIME ? NODE_CHANGE_ACCESS_TIME : 0;
	changes |= mask & LOG_MTIME ? NODE_CHANGE_MODIFY_TIME : 0;
	if (changes)
		r = -node_set_attributes(node, changes, &values);
	node_release(node, 1);
	return r;
}

zil_replay_func_t *const intent_replay_table[TX_MAX_TYPE] = {
	[0] = replay_unsupported,
	[TX_CREATE] = replay_create,
	[TX_MKDIR] = replay_create,
	[TX_MKXATTR] = replay_unsupported,
	[TX_SYMLINK] = replay_create,
	[TX_REMOVE] = replay_remove,
	[TX_RMDIR] = replay_remove,
	[TX_LINK] = replay_link,
	[TX_RENAME] = replay_rename,
	[TX_WRITE] = replay_write,
	[TX_TRUNCATE] = replay_truncate,
	[TX_SETATTR] = replay_attributes,
	[TX_ACL_V0] = replay_unsupported,
	[TX_ACL] = replay_unsupported,
	[TX_CREATE_ACL] = replay_unsupported,
	[TX_CREATE_ATTR] = replay_unsupported,
	[TX_CREATE_ACL_ATTR] = replay_unsupported,
	[TX_MKDIR_ACL] = replay_unsupported,
	[TX_MKDIR_ATTR] = replay_unsupported,
	[TX_MKDIR_ACL_ATTR] = replay_unsupported,
	[TX_WRITE2] = replay_write_end,
	[TX_SETSAXATTR] = replay_unsupported,
	[TX_RENAME_EXCHANGE] = replay_unsupported,
	[TX_RENAME_WHITEOUT] = replay_unsupported,
	[TX_CLONE_RANGE] = replay_unsupported,
};
