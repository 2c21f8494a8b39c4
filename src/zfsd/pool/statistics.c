/*
 * Numbers of the running library. Its own kstat interface is a stub in a process, so the sums are
 * read where they are kept in memory. Names are those of zfsd_protocol.h.
 */
#include "zfsd/pool/pool_internal.h"
#include "zfsd/pool/txg_time.h"
#include "zfsd/posix/filesystem.h"

#include "base/memory.h"

#include <pthread.h>
#include <sys/resource.h>

static void put(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

json_t *statistics_arc(void)
{
	const struct {
		const char *name;
		wmsum_t *sum;
	} table[] = {
		{ "hits", &arc_sums.arcstat_hits },
		{ "misses", &arc_sums.arcstat_misses },
		{ "demand_data_hits", &arc_sums.arcstat_demand_data_hits },
		{ "demand_data_misses", &arc_sums.arcstat_demand_data_misses },
		{ "demand_metadata_hits", &arc_sums.arcstat_demand_metadata_hits },
		{ "demand_metadata_misses", &arc_sums.arcstat_demand_metadata_misses },
		{ "prefetch_data_hits", &arc_sums.arcstat_prefetch_data_hits },
		{ "prefetch_data_misses", &arc_sums.arcstat_prefetch_data_misses },
		{ "prefetch_metadata_hits", &arc_sums.arcstat_prefetch_metadata_hits },
		{ "prefetch_metadata_misses", &arc_sums.arcstat_prefetch_metadata_misses },
		{ "mru_hits", &arc_sums.arcstat_mru_hits },
		{ "mfu_hits", &arc_sums.arcstat_mfu_hits },
		{ "mru_ghost_hits", &arc_sums.arcstat_mru_ghost_hits },
		{ "mfu_ghost_hits", &arc_sums.arcstat_mfu_ghost_hits },
		{ "compressed_bytes", &arc_sums.arcstat_compressed_size },
		{ "uncompressed_bytes", &arc_sums.arcstat_uncompressed_size },
		{ "overhead_bytes", &arc_sums.arcstat_overhead_size },
		{ "data_bytes", &arc_sums.arcstat_data_size },
		{ "metadata_bytes", &arc_sums.arcstat_metadata_size },
		{ "evicted", &arc_sums.arcstat_deleted },
	};
	json_t *object = json_object();

	put(object, "size_bytes", (uint64_t)aggsum_value(&arc_sums.arcstat_size));
	put(object, "target_bytes", arc_c);
	put(object, "max_bytes", arc_c_max);
	put(object, "min_bytes", arc_c_min);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		put(object, table[i].name, wmsum_value(table[i].sum));
	return object;
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

static uint64_t resident_bytes(void)
{
	unsigned long long total = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

json_t *statistics_process(void)
{
	json_t *object = json_object();
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	put(object, "user_cpu_ns", time_ns(&usage.ru_utime));
	put(object, "system_cpu_ns", time_ns(&usage.ru_stime));
	put(object, "resident_bytes", resident_bytes());
	put(object, "voluntary_switches", (uint64_t)usage.ru_nvcsw);
	put(object, "involuntary_switches", (uint64_t)usage.ru_nivcsw);
	return object;
}

/* ---- pools ---- */

#define MOUNTED_MOST 1024

static pthread_mutex_t mounted_lock = PTHREAD_MUTEX_INITIALIZER;
static struct zfsd_filesystem *mounted[MOUNTED_MOST];

void statistics_mounted(struct zfsd_filesystem *fs, bool is_mounted)
{
	struct zfsd_filesystem *wanted = is_mounted ? NULL : fs;
	size_t i = 0;

	pthread_mutex_lock(&mounted_lock);
	while (i < MOUNTED_MOST && mounted[i] != wanted)
		i++;
	if (i < MOUNTED_MOST)
		mounted[i] = is_mounted ? fs : NULL;
	pthread_mutex_unlock(&mounted_lock);
}

static void add_log(json_t *dataset, const char *name)
{
	struct filesystem_log_counter counters[FILESYSTEM_LOG_COUNTERS];
	json_t *object;

	pthread_mutex_lock(&mounted_lock);
	for (size_t i = 0; i < MOUNTED_MOST; i++) {
		if (!mounted[i] || strcmp(filesystem_dataset(mounted[i]), name) != 0)
			continue;
		object = json_object();
		for (size_t n = filesystem_log_counters(mounted[i], counters); n-- > 0;)
			put(object, counters[n].name, counters[n].value);
		json_object_set_new(dataset, "zil", object);
		break;
	}
	pthread_mutex_unlock(&mounted_lock);
}

static int add_dataset(void *context, const char *name, const char *type)
{
	json_t *datasets = context, *object;
	nvlist_t *all = fnvlist_alloc(), *entry;
	objset_t *os;
	const struct {
		const char *name, *property;
	} table[] = { { "used_bytes", "used" }, { "available_bytes", "available" },
		{ "referenced_bytes", "referenced" }, { "logical_used_bytes", "logicalused" },
		{ "compress_ratio", "compressratio" } };
	uint64_t value;

	(void)type;
	if (dmu_objset_hold(name, FTAG, &os) != 0) {
		nvlist_free(all);
		return 0; /* destroyed since */
	}
	dmu_objset_stats(os, all);
	dmu_objset_rele(os, FTAG);
	object = json_pack("{s:s}", "name", name);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (nvlist_lookup_nvlist(all, table[i].property, &entry) != 0 ||
			nvlist_lookup_uint64(entry, ZPROP_VALUE, &value) != 0)
			continue;
		if (i == ARRAY_SIZE(table) - 1)
			json_object_set_new(object, table[i].name, json_real((double)value / 100));
		else
			put(object, table[i].name, value);
	}
	nvlist_free(all);
	add_log(object, name);
	json_array_append_new(datasets, object);
	return 0;
}

struct device_totals {
	struct vdev_writes writes;
	json_t *devices;
};

static void add_device(void *context, struct vdev_device *device)
{
	struct device_totals *totals = context;

	vdev_device_writes(device, &totals->writes);
	json_array_append_new(
		totals->devices, json_pack("{s:s, s:s, s:o}", "spec", vdev_device_spec(device),
					 "path", vdev_device_path(device), "counters",
					 device_statistics(vdev_device_device(device))));
}

static void add_writes(json_t *pool, const struct vdev_writes *writes)
{
	json_t *object = json_object();

	put(object, "read_ops", writes->read_ops);
	put(object, "read_bytes", writes->read_bytes);
	put(object, "flush_ops", writes->flush_ops);
	put(object, "log_write_ops", writes->log_ops);
	put(object, "log_write_bytes", writes->log_bytes);
	put(object, "data_write_ops", writes->data_ops);
	put(object, "data_write_bytes", writes->data_bytes);
	put(object, "metadata_write_ops", writes->metadata_ops);
	put(object, "metadata_write_bytes", writes->metadata_bytes);
	put(object, "label_write_ops", writes->label_ops);
	put(object, "label_write_bytes", writes->label_bytes);
	put(object, "write_ops",
		writes->log_ops + writes->data_ops + writes->metadata_ops + writes->label_ops);
	put(object, "write_bytes",
		writes->log_bytes + writes->data_bytes + writes->metadata_bytes +
			writes->label_bytes);
	json_object_set_new(pool, "vdev", object);
}

static void add_space_and_txg(json_t *object, spa_t *spa)
{
	dsl_pool_t *dp = spa_get_dsl(spa);
	metaslab_class_t *class = spa_normal_class(spa);
	json_t *txg = json_object(), *dmu = json_object();
	uint64_t size = metaslab_class_get_space(class);
	uint64_t allocated = metaslab_class_get_alloc(class);

	put(object, "size_bytes", size);
	put(object, "alloc_bytes", allocated);
	put(object, "free_bytes", size - allocated);
	put(object, "fragmentation_percent",
		spa->spa_feat_stats || size ? metaslab_class_fragmentation(class) : 0);
	put(txg, "open", dp->dp_tx.tx_open_txg);
	put(txg, "synced", dp->dp_tx.tx_synced_txg);
	put(txg, "count", dp->dp_tx.tx_synced_txg - spa_first_txg(spa));
	put(txg, "sync_ns", txg_time_sync_ns(spa));
	put(txg, "dirty_bytes", dp->dp_dirty_total);
	put(txg, "dirty_max_bytes", zfs_dirty_data_max);
	json_object_set_new(object, "txg", txg);
	put(dmu, "throttle_waits", dmu_tx_stats.dmu_tx_dirty_throttle.value.ui64);
	put(dmu, "delays", dmu_tx_stats.dmu_tx_delay.value.ui64);
	put(dmu, "dirty_delays", dmu_tx_stats.dmu_tx_dirty_delay.value.ui64);
	json_object_set_new(object, "dmu", dmu);
}

static void add_pool(void *context, const char *name)
{
	struct device_totals totals = { .devices = json_array() };
	json_t *object, *datasets = json_array();
	char guid[32];
	spa_t *spa;

	if (spa_open(name, &spa, FTAG) != 0) {
		json_decref(totals.devices);
		json_decref(datasets);
		return;
	}
	(void)snprintf(guid, sizeof(guid), "%llu", (unsigned long long)spa_guid(spa));
	object = json_pack("{s:s, s:s}", "name", name, "guid", guid);
	add_space_and_txg(object, spa);
	spa_close(spa, FTAG);
	vdev_device_each(name, add_device, &totals);
	add_writes(object, &totals.writes);
	json_object_set_new(object, "devices", totals.devices);
	(void)dataset_each(
		&(struct dataset_query){ name, "filesystem", true }, add_dataset, datasets, NULL);
	json_object_set_new(object, "datasets", datasets);
	json_array_append_new(context, object);
}

json_t *statistics_pools(const char *name)
{
	json_t *pools = json_array();

	if (name)
		add_pool(pools, name);
	else
		pool_each(add_pool, pools);
	return pools;
}
