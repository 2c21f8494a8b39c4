/* Pools: create, import, export, destroy, scrub. The library keeps them by name; the devices below
 * are registered in vdev.c for as long as the pool is open. */
#include "zfsd/pool/pool_internal.h"

#include "base/log.h"
#include "base/strbuf.h"

#include <sys/systeminfo.h>

int pool_check_name(const char *name, struct err *err)
{
	namecheck_err_t why;
	char what;

	if (pool_namecheck(name, &why, &what) != 0)
		return err_set(err, -EINVAL, "'%s' is not a name for a pool", name);
	if (strcmp(name, "mirror") == 0 || strncmp(name, "raidz", 5) == 0 ||
		strcmp(name, "log") == 0 || strcmp(name, "spare") == 0)
		return err_set(err, -EINVAL, "the name '%s' is reserved", name);
	return 0;
}

int pool_hold(const char *name, const void *tag, spa_t **ret_spa, struct err *err)
{
	int r = -spa_open(name, ret_spa, tag);

	if (r == -ENOENT)
		return err_set(err, r, "there is no pool '%s'", name);
	if (r < 0)
		return err_set_errno(err, r, "pool '%s'", name);
	return 0;
}

static bool pool_exists(const char *name)
{
	spa_t *spa;

	mutex_enter(&spa_namespace_lock);
	spa = spa_lookup(name);
	mutex_exit(&spa_namespace_lock);
	return spa != NULL;
}

static int reply_with_guid(const char *name, json_t **ret_reply, struct err *err)
{
	char text[32];
	spa_t *spa;
	int r = pool_hold(name, FTAG, &spa, err);

	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)spa_guid(spa));
	*ret_reply = json_pack("{s:s, s:s}", "name", name, "guid", text);
	spa_close(spa, FTAG);
	return 0;
}

static int create_pool(
	const struct pool_create *create, nvlist_t *properties, uint64_t ashift, struct err *err)
{
	nvlist_t *root = NULL;
	int r = pool_config_build(create, ashift, &root, err);

	if (r < 0)
		return r;
	r = -spa_create(create->name, root, properties, NULL, NULL);
	nvlist_free(root);
	if (r < 0)
		return err_set_errno(err, r, "create pool '%s'", create->name);
	r = dataset_format_root(create->name, err);
	if (r == 0 && create->dataset_properties)
		r = property_set(create->name, create->dataset_properties, err);
	if (r < 0)
		(void)spa_destroy(create->name);
	return r;
}

int pool_create(const struct pool_create *create, json_t **ret_reply, struct err *err)
{
	nvlist_t *properties = NULL;
	uint64_t ashift = 0;
	int r = pool_check_name(create->name, err);

	if (r == 0 && pool_exists(create->name))
		r = err_set(err, -EEXIST, "there is a pool '%s' already", create->name);
	if (r == 0)
		r = property_parse_pool(create->properties, true, &properties, &ashift, err);
	if (r == 0 && create->dataset_properties)
		r = property_check(NULL, create->dataset_properties, err);
	if (r == 0) {
		r = create_pool(create, properties, ashift, err);
		if (r < 0)
			vdev_device_close_pool(create->name);
	}
	nvlist_free(properties);
	return r < 0 ? r : reply_with_guid(create->name, ret_reply, err);
}

static int explain_unsupported(int r, const char *name, const nvlist_t *config, struct err *err)
{
	struct strbuf features = STRBUF_INIT;
	nvlist_t *info, *unknown = NULL;
	nvpair_t *pair = NULL;

	if (nvlist_lookup_nvlist((nvlist_t *)config, ZPOOL_CONFIG_LOAD_INFO, &info) == 0)
		(void)nvlist_lookup_nvlist(info, ZPOOL_CONFIG_UNSUP_FEAT, &unknown);
	while (unknown && (pair = nvlist_next_nvpair(unknown, pair)))
		strbuf_add_format(&features, "%s%s", features.length ? ", " : ": it uses ",
			nvpair_name(pair));
	err_set(err, r, "pool '%s' was made by a newer OpenZFS%s", name, features.data);
	strbuf_release(&features);
	return r;
}

/* The library refuses by errno alone; its reason stands in the configuration it tried. */
static int explain_import(int r, const char *name, const nvlist_t *config, struct err *err)
{
	const char *host = "?";

	switch (-r) {
	case ENOTSUP:
		return explain_unsupported(r, name, config, err);
	case EEXIST:
		return err_set(err, r, "pool '%s' is imported already", name);
	case ENOENT: /* of a mirror or raidz that lacks too many */
	case ENXIO:
		return err_set(err, -ENXIO, "pool '%s': devices are missing", name);
	case EBADF:
	case EIO:
		return err_set(err, -EBADF, "pool '%s' is damaged", name);
	default:
		(void)nvlist_lookup_string((nvlist_t *)config, ZPOOL_CONFIG_HOSTNAME, &host);
		return err_set_errno(err, r, "import pool '%s' (last used by '%s')", name, host);
	}
}

/* As zpool import: a pool that was not exported is taken back only by the host that had it. */
static int check_host(const char *name, nvlist_t *config, bool force, struct err *err)
{
	uint64_t state = POOL_STATE_EXPORTED, host = 0;
	const char *host_name = "?";

	(void)nvlist_lookup_uint64(config, ZPOOL_CONFIG_POOL_STATE, &state);
	(void)nvlist_lookup_uint64(config, ZPOOL_CONFIG_HOSTID, &host);
	(void)nvlist_lookup_string(config, ZPOOL_CONFIG_HOSTNAME, &host_name);
	if (force || state != POOL_STATE_ACTIVE || host == 0 ||
		host == (uint64_t)get_system_hostid())
		return 0;
	err_set(err, -EPERM, "pool '%s' was last used by '%s' and not exported", name, host_name);
	return err_hint(err, -EPERM, "make sure that no other system uses it, then force it");
}

int pool_import(const struct pool_import *import, json_t **ret_reply, struct err *err)
{
	nvlist_t *config = NULL, *properties = fnvlist_alloc();
	char name[ZFS_MAX_DATASET_NAME_LEN];
	int r = pool_label_find(import, &config, err);

	if (r == 0) {
		(void)strlcpy(
			name, fnvlist_lookup_string(config, ZPOOL_CONFIG_POOL_NAME), sizeof(name));
		if (pool_exists(name))
			r = err_set(err, -EEXIST, "pool '%s' is imported already", name);
	}
	if (r == 0)
		r = check_host(name, config, import->force, err);
	if (r == 0) {
		fnvlist_add_string(properties, "cachefile", "none");
		if (import->readonly)
			fnvlist_add_uint64(properties, "readonly", 1);
		r = -spa_import(name, config, properties, ZFS_IMPORT_ANY_HOST);
		if (r < 0)
			r = explain_import(r, name, config, err);
	}
	nvlist_free(config);
	nvlist_free(properties);
	if (r < 0) {
		vdev_device_close_pool(POOL_PENDING);
		return r;
	}
	vdev_device_rename_pool(POOL_PENDING, name);
	return reply_with_guid(name, ret_reply, err);
}

int pool_export(const char *name, bool force, struct err *err)
{
	int r = -spa_export(name, NULL, force, B_FALSE);

	if (r == -ENOENT)
		return err_set(err, r, "there is no pool '%s'", name);
	if (r == -EBUSY)
		return err_set(err, r, "pool '%s' is in use", name);
	if (r < 0)
		return err_set_errno(err, r, "export pool '%s'", name);
	vdev_device_close_pool(name);
	return 0;
}

int pool_destroy(const char *name, struct err *err)
{
	int r = -spa_destroy(name);

	if (r == -ENOENT)
		return err_set(err, r, "there is no pool '%s'", name);
	if (r == -EBUSY)
		return err_set(err, r, "pool '%s' is in use", name);
	if (r < 0)
		return err_set_errno(err, r, "destroy pool '%s'", name);
	vdev_device_close_pool(name);
	return 0;
}

int pool_sync(const char *name, uint64_t *ret_txg, struct err *err)
{
	spa_t *spa;
	int r = pool_hold(name, FTAG, &spa, err);

	if (r < 0)
		return r;
	txg_wait_synced(spa_get_dsl(spa), 0);
	*ret_txg = spa_last_synced_txg(spa);
	spa_close(spa, FTAG);
	return 0;
}

int pool_scrub(const char *name, const char *action, struct err *err)
{
	boolean_t waited;
	spa_t *spa;
	int r = pool_hold(name, FTAG, &spa, err);

	if (r < 0)
		return r;
	if (strcmp(action, "start") == 0)
		r = -spa_scan(spa, POOL_SCAN_SCRUB);
	else if (strcmp(action, "stop") == 0)
		r = -spa_scan_stop(spa);
	else if (strcmp(action, "wait") != 0)
		r = err_set(err, -EINVAL, "scrub action '%s': start, stop or wait", action);
	spa_close(spa, FTAG);
	if (r == 0 && strcmp(action, "wait") == 0)
		r = -spa_wait(name, ZPOOL_WAIT_SCRUB, &waited);
	if (r == -EBUSY)
		return err_set(err, r, "pool '%s' is being scrubbed already", name);
	if (r == -ENOENT)
		return err_set(err, r, "pool '%s' is not being scrubbed", name);
	return r < 0 ? err_set_errno(err, r, "scrub pool '%s'", name) : 0;
}

static void set_clock(void *running, struct vdev_device *device)
{
	device_set_clock(vdev_device_device(device), *(bool *)running);
}

int pool_set_clock(const char *name, bool running, struct err *err)
{
	if (!pool_exists(name))
		return err_set(err, -ENOENT, "there is no pool '%s'", name);
	vdev_device_each(name, set_clock, &running);
	return 0;
}

void pool_each(void (*visit)(void *context, const char *name), void *context)
{
	char names[64][ZFS_MAX_DATASET_NAME_LEN];
	size_t count = 0;
	spa_t *spa = NULL;

	mutex_enter(&spa_namespace_lock);
	while (count < ARRAY_SIZE(names) && (spa = spa_next(spa)))
		(void)strlcpy(names[count++], spa_name(spa), sizeof(names[0]));
	mutex_exit(&spa_namespace_lock);
	for (size_t i = 0; i < count; i++)
		visit(context, names[i]);
}

static void commit_unassigned(void *context, const char *name)
{
	spa_t *spa;

	(void)context;
	if (spa_open(name, &spa, FTAG) == 0)
		dmu_tx_commit(dmu_tx_create_dd(spa_get_dsl(spa)->dp_root_dir));
}

void pool_fail_assertion(void)
{
	pool_each(commit_unassigned, NULL);
}
