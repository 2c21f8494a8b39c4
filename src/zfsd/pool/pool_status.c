/* State of pools and their vdevs, from the library's own configuration. */
#include "zfsd/pool/pool_internal.h"

#include "base/clock.h"

static const char *vdev_state_word(uint64_t state, uint64_t aux)
{
	switch (state) {
	case VDEV_STATE_CLOSED:
	case VDEV_STATE_OFFLINE:
		return "OFFLINE";
	case VDEV_STATE_REMOVED:
		return "REMOVED";
	case VDEV_STATE_CANT_OPEN:
		return aux == VDEV_AUX_CORRUPT_DATA || aux == VDEV_AUX_BAD_LOG ? "FAULTED"
									       : "UNAVAIL";
	case VDEV_STATE_FAULTED:
		return "FAULTED";
	case VDEV_STATE_DEGRADED:
		return "DEGRADED";
	case VDEV_STATE_HEALTHY:
		return "ONLINE";
	default:
		return "UNKNOWN";
	}
}

static void put(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void add_statistics(json_t *object, nvlist_t *vdev, bool traffic)
{
	vdev_stat_t *stat;
	uint_t count;

	if (nvlist_lookup_uint64_array(vdev, ZPOOL_CONFIG_VDEV_STATS, (uint64_t **)&stat, &count))
		return;
	json_object_set_new(
		object, "state", json_string(vdev_state_word(stat->vs_state, stat->vs_aux)));
	put(object, "read_errors", stat->vs_read_errors);
	put(object, "write_errors", stat->vs_write_errors);
	put(object, "checksum_errors", stat->vs_checksum_errors);
	if (!traffic)
		return;
	put(object, "counted_ns", (uint64_t)stat->vs_timestamp);
	put(object, "alloc_bytes", stat->vs_alloc);
	put(object, "free_bytes", stat->vs_space - stat->vs_alloc);
	put(object, "size_bytes", stat->vs_space);
	put(object, "read_ops", stat->vs_ops[ZIO_TYPE_READ]);
	put(object, "write_ops", stat->vs_ops[ZIO_TYPE_WRITE]);
	put(object, "flush_ops", stat->vs_ops[ZIO_TYPE_FLUSH]);
	put(object, "read_bytes", stat->vs_bytes[ZIO_TYPE_READ]);
	put(object, "write_bytes", stat->vs_bytes[ZIO_TYPE_WRITE]);
}

/* "mirror-0", "raidz2-1" as zpool status names them; leaves by their path. */
static void add_name(json_t *object, nvlist_t *vdev, const char *pool)
{
	const char *type = fnvlist_lookup_string(vdev, ZPOOL_CONFIG_TYPE), *path;
	uint64_t parity = 0, id = 0;
	char name[64];

	json_object_set_new(object, "type", json_string(type));
	if (strcmp(type, VDEV_TYPE_ROOT) == 0) {
		json_object_set_new(object, "name", json_string(pool));
		return;
	}
	if (nvlist_lookup_string(vdev, ZPOOL_CONFIG_PATH, &path) == 0) {
		json_object_set_new(object, "name", json_string(path));
		return;
	}
	(void)nvlist_lookup_uint64(vdev, ZPOOL_CONFIG_NPARITY, &parity);
	(void)nvlist_lookup_uint64(vdev, ZPOOL_CONFIG_ID, &id);
	if (parity)
		(void)snprintf(name, sizeof(name), "%s%llu-%llu", type, (unsigned long long)parity,
			(unsigned long long)id);
	else
		(void)snprintf(name, sizeof(name), "%s-%llu", type, (unsigned long long)id);
	json_object_set_new(object, "name", json_string(name));
}

static json_t *describe_vdev(nvlist_t *vdev, const char *pool, bool traffic)
{
	json_t *object = json_object(), *list = json_array();
	uint64_t is_log = 0;
	nvlist_t **children;
	uint_t count;

	add_name(object, vdev, pool);
	add_statistics(object, vdev, traffic);
	(void)nvlist_lookup_uint64(vdev, ZPOOL_CONFIG_IS_LOG, &is_log);
	json_object_set_new(object, "log", json_boolean(is_log != 0));
	if (nvlist_lookup_nvlist_array(vdev, ZPOOL_CONFIG_CHILDREN, &children, &count) == 0) {
		for (uint_t i = 0; i < count; i++)
			json_array_append_new(list, describe_vdev(children[i], pool, traffic));
	}
	json_object_set_new(object, "children", list);
	return object;
}

static json_t *describe_scan(nvlist_t *root)
{
	static const char *const functions[] = { "none", "scrub", "resilver" };
	static const char *const states[] = { "none", "scanning", "finished", "canceled" };
	pool_scan_stat_t *scan = NULL;
	json_t *object = json_object();
	uint_t count;

	(void)nvlist_lookup_uint64_array(root, ZPOOL_CONFIG_SCAN_STATS, (uint64_t **)&scan, &count);
	if (!scan || scan->pss_func >= ARRAY_SIZE(functions) ||
		scan->pss_state >= ARRAY_SIZE(states)) {
		json_object_set_new(object, "function", json_string("none"));
		json_object_set_new(object, "state", json_string("none"));
		return object;
	}
	json_object_set_new(object, "function", json_string(functions[scan->pss_func]));
	json_object_set_new(object, "state", json_string(states[scan->pss_state]));
	put(object, "examined_bytes", scan->pss_examined);
	put(object, "total_bytes", scan->pss_to_examine);
	put(object, "errors", scan->pss_errors);
	put(object, "repaired_bytes", scan->pss_processed);
	put(object, "start_s", scan->pss_start_time);
	put(object, "end_s", scan->pss_end_time);
	return object;
}

static int read_config(const char *name, nvlist_t **ret_config, struct err *err)
{
	char altroot[8];
	int r = -spa_get_stats(name, ret_config, altroot, sizeof(altroot));

	if (*ret_config && r == 0)
		return 0;
	if (r == -ENOENT)
		return err_set(err, r, "there is no pool '%s'", name);
	nvlist_free(*ret_config);
	return err_set_errno(err, r < 0 ? r : -EIO, "pool '%s'", name);
}

static int describe_pool(const char *name, json_t *pools, struct err *err)
{
	nvlist_t *config = NULL, *root;
	uint64_t errors = 0, guid = 0;
	json_t *object, *vdevs;
	char text[32];
	spa_t *spa;
	int r = read_config(name, &config, err);

	if (r < 0)
		return r;
	root = fnvlist_lookup_nvlist(config, ZPOOL_CONFIG_VDEV_TREE);
	(void)nvlist_lookup_uint64(config, ZPOOL_CONFIG_ERRCOUNT, &errors);
	(void)nvlist_lookup_uint64(config, ZPOOL_CONFIG_POOL_GUID, &guid);
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)guid);
	vdevs = describe_vdev(root, name, false);
	object = json_pack("{s:s, s:s, s:I, s:o, s:O}", "name", name, "guid", text, "errors",
		(json_int_t)errors, "scan", describe_scan(root), "vdevs", vdevs);
	if (spa_open(name, &spa, FTAG) == 0) {
		json_object_set_new(object, "state", json_string(spa_state_to_name(spa)));
		spa_close(spa, FTAG);
	}
	json_decref(vdevs);
	json_array_append_new(pools, object);
	nvlist_free(config);
	return 0;
}

static void visit_pool(void *pools, const char *name)
{
	(void)describe_pool(name, pools, NULL);
}

int pool_status(const char *name, json_t **ret_reply, struct err *err)
{
	json_t *pools = json_array();
	int r = 0;

	if (name)
		r = describe_pool(name, pools, err);
	else
		pool_each(visit_pool, pools);
	*ret_reply = r < 0 ? NULL : json_pack("{s:O}", "pools", pools);
	json_decref(pools);
	return r;
}

int pool_iostat(const char *name, json_t **ret_reply, struct err *err)
{
	struct clock *clock = clock_system();
	nvlist_t *config = NULL;
	int r = read_config(name, &config, err);

	if (r < 0)
		return r;
	*ret_reply = json_pack("{s:s, s:I, s:o}", "name", name, "time_ns",
		(json_int_t)clock->now_ns(clock), "vdevs",
		describe_vdev(fnvlist_lookup_nvlist(config, ZPOOL_CONFIG_VDEV_TREE), name, true));
	nvlist_free(config);
	return 0;
}
