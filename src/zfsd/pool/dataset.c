/* Datasets and snapshots: create, destroy, list, snapshot, roll back. */
#include "zfsd/pool/pool_internal.h"
#include "zfsd/posix/format.h"

#include "base/memory.h"

#define NAMES_MOST 65536

int dataset_format_root(const char *pool, struct err *err)
{
	objset_t *os;
	dmu_tx_t *tx;
	int r = -dmu_objset_own(pool, DMU_OST_ZFS, B_FALSE, B_FALSE, FTAG, &os);

	if (r < 0)
		return err_set_errno(err, r, "root dataset of '%s'", pool);
	tx = dmu_tx_create(os);
	for (int i = 0; i < 7; i++)
		dmu_tx_hold_zap(tx, DMU_NEW_OBJECT, TRUE, NULL);
	dmu_tx_hold_bonus(tx, DMU_NEW_OBJECT);
	r = -dmu_tx_assign(tx, DMU_TX_WAIT);
	if (r < 0) {
		dmu_tx_abort(tx);
	} else {
		format_create(os, NULL, NULL, tx);
		dmu_tx_commit(tx);
	}
	format_disown(os, FTAG);
	return r < 0 ? err_set_errno(err, r, "format root dataset of '%s'", pool) : 0;
}

bool dataset_exists(const char *name)
{
	objset_t *os;

	if (dmu_objset_hold(name, FTAG, &os) != 0)
		return false;
	dmu_objset_rele(os, FTAG);
	return true;
}

static int create_one(const char *name, struct err *err)
{
	int r = -dmu_objset_create(name, DMU_OST_ZFS, 0, NULL, format_create, NULL);

	if (r == -EEXIST)
		return err_set(err, r, "there is a dataset '%s' already", name);
	if (r == -ENOENT)
		return err_set(err, r, "the parent of '%s' does not exist", name);
	return r < 0 ? err_set_errno(err, r, "create dataset '%s'", name) : 0;
}

static int create_parents(const char *name, struct err *err)
{
	char parent[ZFS_MAX_DATASET_NAME_LEN];
	const char *slash = strchr(name, '/');
	int r = 0;

	while (r == 0 && (slash = strchr(slash + 1, '/'))) {
		(void)snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
		if (!dataset_exists(parent))
			r = create_one(parent, err);
	}
	return r;
}

static int check_name(const char *name, struct err *err)
{
	namecheck_err_t why;
	char what;

	if (!strchr(name, '/') || strchr(name, '@') || dataset_namecheck(name, &why, &what) != 0)
		return err_set(err, -EINVAL, "'%s' is not a name for a dataset", name);
	return 0;
}

int dataset_create(const char *name, const json_t *properties, bool parents, struct err *err)
{
	int r = check_name(name, err);

	if (r == 0 && properties)
		r = property_check(name, properties, err);
	if (r == 0 && parents)
		r = create_parents(name, err);
	if (r == 0)
		r = create_one(name, err);
	if (r < 0 || !properties)
		return r;
	r = property_set(name, properties, err);
	if (r < 0)
		(void)dsl_destroy_head(name);
	return r;
}

/* ---- lists ---- */

struct names {
	char **items;
	size_t count;
};

static int add_name(const char *name, void *argument)
{
	struct names *names = argument;

	if (names->count == NAMES_MOST)
		return E2BIG;
	names->items = memory_resize(names->items, names->count + 1, sizeof(*names->items));
	names->items[names->count++] = memory_copy_string(name);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

static void add_pool(void *argument, const char *name)
{
	(void)dmu_objset_find(name, add_name, argument, DS_FIND_CHILDREN | DS_FIND_SNAPSHOTS);
}

static int collect(const char *name, int flags, struct names *names, struct err *err)
{
	int r;

	if (!name) {
		pool_each(add_pool, names);
		r = 0;
	} else if (strchr(name, '@')) {
		r = dataset_exists(name) ? -add_name(name, names) : -ENOENT;
	} else {
		r = -dmu_objset_find(name, add_name, names, flags);
	}
	if (r == -ENOENT)
		return err_set(err, r, "there is no dataset '%s'", name);
	if (r < 0)
		return err_set_errno(err, r, "list '%s'", name);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	return 0;
}

int dataset_each(const struct dataset_query *query,
	int (*visit)(void *context, const char *name, const char *type), void *context,
	struct err *err)
{
	bool all = strcmp(query->type, "all") == 0;
	bool named = query->name && strchr(query->name, '@'); /* of whatever type */
	bool snapshots = all || strcmp(query->type, "snapshot") == 0;
	struct names names = { 0 };
	int flags = (query->recursive ? DS_FIND_CHILDREN : 0) | (snapshots ? DS_FIND_SNAPSHOTS : 0);
	int r = collect(query->name, flags, &names, err);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		const char *type = strchr(names.items[i], '@') ? "snapshot" : "filesystem";

		if (names.items[i][0] != '$' && (all || named || strcmp(type, query->type) == 0))
			r = visit(context, names.items[i], type);
	}
	names_release(&names);
	return r;
}

/* ---- destroy ---- */

static int destroy_one(const char *name, struct err *err)
{
	int r = strchr(name, '@') ? -dsl_destroy_snapshot(name, B_FALSE) : -dsl_destroy_head(name);

	if (r == -ENOENT)
		return err_set(err, r, "there is no dataset '%s'", name);
	if (r == -EBUSY)
		return err_set(err, r, "dataset '%s' is in use", name);
	if (r == -EEXIST)
		return err_set(err, -ENOTEMPTY, "dataset '%s' has children or snapshots", name);
	return r < 0 ? err_set_errno(err, r, "destroy '%s'", name) : 0;
}

int dataset_destroy(const char *name, bool recursive, struct err *err)
{
	struct names names = { 0 };
	int r;

	if (!strchr(name, '/') && !strchr(name, '@'))
		return err_set(err, -EINVAL, "'%s' is a pool", name);
	if (strchr(name, '@') && !dataset_exists(name)) /* the library takes it for done */
		return err_set(err, -ENOENT, "there is no snapshot '%s'", name);
	if (strchr(name, '@'))
		return destroy_one(name, err);
	r = collect(name, DS_FIND_CHILDREN | DS_FIND_SNAPSHOTS, &names, err);
	if (r == 0 && names.count > 1 && !recursive)
		r = err_set(err, -ENOTEMPTY, "dataset '%s' has children or snapshots", name);
	/* Snapshots first, then children before parents: both come behind in sorted order. */
	for (size_t i = names.count; r == 0 && i-- > 0;) {
		if (strchr(names.items[i], '@'))
			r = destroy_one(names.items[i], err);
	}
	for (size_t i = names.count; r == 0 && i-- > 0;) {
		if (!strchr(names.items[i], '@'))
			r = destroy_one(names.items[i], err);
	}
	names_release(&names);
	return r;
}

/* ---- snapshots ---- */

int dataset_snapshot(const char *name, bool recursive, struct err *err)
{
	const char *at = strchr(name, '@');
	char dataset[ZFS_MAX_DATASET_NAME_LEN];
	nvlist_t *snapshots = fnvlist_alloc();
	struct names names = { 0 };
	int r = 0;

	if (!at || !at[1] || strchr(at + 1, '@') || strchr(at, '/'))
		r = err_set(err, -EINVAL, "'%s' is not a name for a snapshot", name);
	if (r == 0) {
		(void)snprintf(dataset, sizeof(dataset), "%.*s", (int)(at - name), name);
		r = collect(dataset, recursive ? DS_FIND_CHILDREN : 0, &names, err);
	}
	for (size_t i = 0; r == 0 && i < names.count; i++) {
		char snapshot[2 * ZFS_MAX_DATASET_NAME_LEN];

		(void)snprintf(snapshot, sizeof(snapshot), "%s%s", names.items[i], at);
		fnvlist_add_boolean(snapshots, snapshot);
	}
	if (r == 0) {
		r = -dsl_dataset_snapshot(snapshots, NULL, NULL);
		if (r == -EEXIST)
			err_set(err, r, "there is a snapshot '%s' already", name);
		else if (r < 0)
			err_set_errno(err, r, "snapshot '%s'", name);
	}
	names_release(&names);
	nvlist_free(snapshots);
	return r;
}

struct newer {
	const char *dataset;
	uint64_t txg; /* of the snapshot to go back to */
	struct names names;
};

static uint64_t creation_txg(const char *name)
{
	dmu_objset_stats_t stats = { 0 };
	objset_t *os;

	if (dmu_objset_hold(name, FTAG, &os) != 0)
		return 0;
	dmu_objset_fast_stat(os, &stats);
	dmu_objset_rele(os, FTAG);
	return stats.dds_creation_txg;
}

static int find_newer(void *argument, const char *name, const char *type)
{
	struct newer *newer = argument;

	(void)type;
	if (creation_txg(name) > newer->txg)
		(void)add_name(name, &newer->names);
	return 0;
}

int dataset_rollback(const char *name, bool destroy_newer, struct err *err)
{
	const char *at = strchr(name, '@');
	char dataset[ZFS_MAX_DATASET_NAME_LEN];
	struct newer newer = { 0 };
	nvlist_t *result;
	int r;

	if (!at)
		return err_set(err, -EINVAL, "'%s' is not the name of a snapshot", name);
	if (!dataset_exists(name))
		return err_set(err, -ENOENT, "there is no snapshot '%s'", name);
	(void)snprintf(dataset, sizeof(dataset), "%.*s", (int)(at - name), name);
	newer.txg = creation_txg(name);
	r = dataset_each(
		&(struct dataset_query){ dataset, "snapshot", false }, find_newer, &newer, err);
	if (r == 0 && newer.names.count > 0 && !destroy_newer)
		r = err_set(err, -EEXIST, "dataset '%s' has newer snapshots", dataset);
	for (size_t i = 0; r == 0 && i < newer.names.count; i++)
		r = destroy_one(newer.names.items[i], err);
	names_release(&newer.names);
	if (r < 0)
		return r;
	result = fnvlist_alloc();
	r = -dsl_dataset_rollback(dataset, name, NULL, result);
	nvlist_free(result);
	if (r == -EBUSY)
		return err_set(err, r, "dataset '%s' is in use", dataset);
	return r < 0 ? err_set_errno(err, r, "roll back to '%s'", name) : 0;
}
