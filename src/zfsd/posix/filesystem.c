/*
 * A dataset from opening to closing: master node, attribute table, delete queue, intent log. The
 * order of the steps at opening is what makes a crash safe: drain, replay, then serve.
 */
#include "zfsd/posix/posix_internal.h"

#include "base/memory.h"

#include <sys/statvfs.h>

static int read_word(struct zfsd_filesystem *fs, const char *name, uint64_t *ret_value)
{
	return -zap_lookup(fs->objset, MASTER_NODE_OBJ, name, 8, 1, ret_value);
}

/* Refuse what our POSIX layer would get wrong. */
static int check_format(struct zfsd_filesystem *fs, struct err *err)
{
	const char *const zero[] = { "normalization", "utf8only", "casesensitivity" };
	uint64_t value = 0;
	int r = read_word(fs, ZPL_VERSION_STR, &value);

	if (r < 0)
		return err_set(err, -ENOTSUP, "dataset '%s' has no ZPL file system", fs->dataset);
	if (value != ZPL_VERSION)
		return err_set(err, -ENOTSUP, "dataset '%s' has ZPL version %llu, not %llu",
			fs->dataset, (unsigned long long)value, (unsigned long long)ZPL_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(zero); i++) {
		if (read_word(fs, zero[i], &value) == 0 && value != 0)
			return err_set(
				err, -ENOTSUP, "dataset '%s' has %s set", fs->dataset, zero[i]);
	}
	if (read_word(fs, ZFS_FUID_TABLES, &value) == 0)
		return err_set(err, -ENOTSUP, "dataset '%s' has Windows user ids", fs->dataset);
	return 0;
}

static int read_master_node(struct zfsd_filesystem *fs, struct err *err)
{
	uint64_t sa_object;
	int r = check_format(fs, err);

	if (r < 0)
		return r;
	r = read_word(fs, ZFS_SA_ATTRS, &sa_object);
	if (r == 0)
		r = read_word(fs, ZFS_UNLINKED_SET, &fs->delete_queue);
	if (r == 0)
		r = read_word(fs, ZFS_ROOT_OBJ, &fs->root_object);
	if (r == 0)
		r = -sa_setup(fs->objset, sa_object, zfs_attr_table, ZPL_END, &fs->attributes);
	if (r < 0)
		return err_set_errno(err, r, "dataset '%s': master node", fs->dataset);
	return 0;
}

void filesystem_reload(struct zfsd_filesystem *fs)
{
	uint64_t value;

	fs->access_time = dsl_prop_get_integer(fs->dataset, "atime", &value, NULL) != 0 || value;
	fs->relative_time =
		dsl_prop_get_integer(fs->dataset, "relatime", &value, NULL) == 0 && value;
}

/* The first commit after opening waits for a whole transaction group: let it be ours. */
static int warm_up_log(struct zfsd_filesystem *fs)
{
	struct node_attributes values;

	node_attributes(fs->root, &values);
	if (node_set_attributes(fs->root, NODE_CHANGE_ACCESS_TIME, &values) == 0)
		return node_sync(fs->root);
	return 0; /* full or read-only: nothing to commit */
}

static int start(struct zfsd_filesystem *fs, struct err *err)
{
	bool writable = spa_writeable(dmu_objset_spa(fs->objset));
	int r = node_get(fs, fs->root_object, &fs->root);

	if (r < 0)
		return err_set_errno(err, r, "dataset '%s': root folder", fs->dataset);
	if (!writable)
		return 0;
	r = node_drain_deleted(fs);
	if (r < 0)
		return err_set_errno(err, r, "dataset '%s': delete queue", fs->dataset);
	(void)zil_replay(fs->objset, fs, intent_replay_table);
	return 0;
}

static void release(struct zfsd_filesystem *fs)
{
	if (fs->log) {
		if (fs->root) {
			node_release(fs->root, 1);
			fs->root = NULL;
		}
		node_table_release(fs);
		taskq_wait(system_taskq); /* late frees of objects */
		zil_close(fs->log);
		zil_sums_fini(&fs->log_sums);
		rw_destroy(&fs->namespace_lock);
	}
	if (fs->objset) {
		dmu_objset_evict_dbufs(fs->objset);
		format_disown(fs->objset, fs);
	}
	free(fs);
}

static int own(struct zfsd_filesystem *fs, bool readonly, struct err *err)
{
	int r = -dmu_objset_own(fs->dataset, DMU_OST_ZFS, readonly, B_FALSE, fs, &fs->objset);

	if (r == -ENOENT)
		return err_set(err, r, "there is no dataset '%s'", fs->dataset);
	if (r == -EBUSY)
		return err_set(err, r, "dataset '%s' is in use", fs->dataset);
	if (r < 0)
		return err_set_errno(err, r, "open dataset '%s'", fs->dataset);
	return 0;
}

int filesystem_open(const char *dataset, const struct filesystem_options *options,
	struct zfsd_filesystem **ret_fs, struct err *err)
{
	struct zfsd_filesystem *fs = memory_new(sizeof(*fs));
	bool snapshot = strchr(dataset, '@') != NULL;
	int r;

	(void)strlcpy(fs->dataset, dataset, sizeof(fs->dataset));
	r = own(fs, snapshot, err);
	if (r == 0)
		r = read_master_node(fs, err);
	if (r == 0) {
		fs->project_quota = dmu_objset_projectquota_enabled(fs->objset);
		rw_init(&fs->namespace_lock, NULL, RW_DEFAULT, NULL);
		node_table_init(fs);
		zil_sums_init(&fs->log_sums);
		fs->log = zil_open(fs->objset, intent_log_get_data, &fs->log_sums);
		filesystem_reload(fs);
		r = start(fs, err);
	}
	if (r < 0) {
		release(fs);
		return r;
	}
	fs->readonly = options->readonly || snapshot || !spa_writeable(dmu_objset_spa(fs->objset));
	if (!fs->readonly)
		(void)warm_up_log(fs);
	*ret_fs = fs;
	return 0;
}

struct zfsd_filesystem *filesystem_close(struct zfsd_filesystem *fs)
{
	if (!fs)
		return NULL;
	if (!fs->readonly)
		(void)filesystem_sync(fs);
	release(fs);
	return NULL;
}

const char *filesystem_dataset(const struct zfsd_filesystem *fs)
{
	return fs->dataset;
}

uint64_t filesystem_replayed_records(const struct zfsd_filesystem *fs)
{
	return fs->replayed_records;
}

bool filesystem_readonly(const struct zfsd_filesystem *fs)
{
	return fs->readonly;
}

struct zfsd_node *filesystem_root(struct zfsd_filesystem *fs)
{
	return fs->root;
}

int filesystem_sync(struct zfsd_filesystem *fs)
{
	return intent_log_commit(fs, 0);
}

size_t filesystem_log_counters(
	struct zfsd_filesystem *fs, struct filesystem_log_counter ret[FILESYSTEM_LOG_COUNTERS])
{
	zil_sums_t *sums = &fs->log_sums;
	const struct {
		const char *name;
		wmsum_t *sum;
	} table[] = {
		{ "commits", &sums->zil_commit_count },
		{ "commit_writers", &sums->zil_commit_writer_count },
		{ "records", &sums->zil_itx_count },
		{ "indirect", &sums->zil_itx_indirect_count },
		{ "indirect_bytes", &sums->zil_itx_indirect_bytes },
		{ "copied", &sums->zil_itx_copied_count },
		{ "copied_bytes", &sums->zil_itx_copied_bytes },
		{ "need_copy", &sums->zil_itx_needcopy_count },
		{ "need_copy_bytes", &sums->zil_itx_needcopy_bytes },
		{ "normal_blocks", &sums->zil_itx_metaslab_normal_count },
		{ "normal_bytes", &sums->zil_itx_metaslab_normal_bytes },
		{ "normal_alloc_bytes", &sums->zil_itx_metaslab_normal_alloc },
		{ "slog_blocks", &sums->zil_itx_metaslab_slog_count },
		{ "slog_bytes", &sums->zil_itx_metaslab_slog_bytes },
		{ "slog_alloc_bytes", &sums->zil_itx_metaslab_slog_alloc },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		ret[i].name = table[i].name;
		ret[i].value = wmsum_value(table[i].sum);
	}
	return ARRAY_SIZE(table);
}

void filesystem_space(struct zfsd_filesystem *fs, struct filesystem_space *ret)
{
	uint64_t used, available, objects, free_objects;

	dmu_objset_space(fs->objset, &used, &available, &objects, &free_objects);
	ret->block_bytes = 1ULL << SPA_MINBLOCKSHIFT;
	ret->total_blocks = (used + available) >> SPA_MINBLOCKSHIFT;
	ret->free_blocks = available >> SPA_MINBLOCKSHIFT;
	/* Any free block can become an object: as many as there are blocks, at most. */
	ret->free_files = MIN(free_objects, ret->free_blocks);
	ret->total_files = ret->free_files + objects;
	ret->preferred_bytes = file_record_limit(fs);
	ret->id = dmu_objset_fsid_guid(fs->objset);
}
