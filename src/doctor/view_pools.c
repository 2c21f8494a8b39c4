/* Pools and devices in the view: what the rules ask of a pool follows from its vdevs and disks. */
#include "doctor/view_internal.h"
#include "doctor/facts.h"
#include <math.h>
#include <string.h>

json_t *view_vdev_device(const struct view *view, const json_t *vdev, size_t i)
{
	const json_t *disk = json_array_get(json_object_get(vdev, "disks"), i);
	const char *path = json_string_value(json_array_get(json_object_get(vdev, "devices"), i));
	const char *base = path ? strrchr(path, '/') : NULL;

	return view_named(facts_at(view->facts, "devices"), "name",
		json_is_string(disk) ? json_string_value(disk)
		: base		     ? base + 1
				     : path);
}

struct pool_sum {
	double raidz, data_redundancy, special_redundancy, log_vdevs, log_mirrors, special_vdevs;
	double file_vdevs, loop_vdevs, smallest_bytes, cache_bytes, sector_bytes, width;
	double log_wait_ns, log_waits, data_wait_ns, data_waits;
	bool sectors_known, sizes_known;
};

static void add_disk(struct pool_sum *sum, const json_t *device, const char *path)
{
	double physical = facts_number(device, "physical_bytes", 0);
	double optimal = facts_number(device, "optimal_bytes", 0);

	if (strncmp(path, "/dev/loop", 9) == 0)
		sum->loop_vdevs++;
	if (physical <= 0) {
		sum->sectors_known = false;
		return;
	}
	/* Arrays report a stripe as optimal: only sector-like sizes count. */
	if (optimal <= 16384)
		physical = fmax(physical, optimal);
	sum->sector_bytes = fmax(sum->sector_bytes, physical);
}

static void add_disks(const struct view *view, struct pool_sum *sum, const json_t *vdev)
{
	size_t i;
	json_t *path;

	json_array_foreach(json_object_get(vdev, "devices"), i, path)
	{
		if (!json_is_string(path))
			continue;
		if (strcmp(facts_text(vdev, "type", ""), "file") == 0 ||
			strncmp(json_string_value(path), "/dev/", 5) != 0)
			sum->file_vdevs++;
		else
			add_disk(sum, view_vdev_device(view, vdev, i), json_string_value(path));
	}
}

static void add_data_vdev(struct pool_sum *sum, const json_t *vdev)
{
	const char *type = facts_text(vdev, "type", "");
	double redundancy = facts_number(vdev, "redundancy", 0);
	double size = facts_number(vdev, "device_bytes", 0);

	sum->data_redundancy = fmin(sum->data_redundancy, redundancy);
	if (strncmp(type, "raidz", 5) == 0) {
		sum->raidz = fmax(sum->raidz, redundancy);
		sum->width =
			fmax(sum->width, (double)json_array_size(json_object_get(vdev, "devices")));
	}
	if (size <= 0)
		sum->sizes_known = false;
	else
		sum->smallest_bytes = fmin(sum->smallest_bytes, size);
}

static void add_wait(double *sum, double *count, const json_t *vdev)
{
	double wait = facts_number(vdev, "write_wait_ns", -1);

	if (wait < 0)
		return;
	*sum += wait;
	*count += 1;
}

static void add_vdev(const struct view *view, struct pool_sum *sum, const json_t *vdev)
{
	const char *class = facts_text(vdev, "class", "data");

	add_disks(view, sum, vdev);
	if (strcmp(class, "log") == 0) {
		sum->log_vdevs++;
		sum->log_mirrors += facts_number(vdev, "redundancy", 0) > 0;
		add_wait(&sum->log_wait_ns, &sum->log_waits, vdev);
	} else if (strcmp(class, "special") == 0) {
		sum->special_vdevs++;
		sum->special_redundancy =
			fmin(sum->special_redundancy, facts_number(vdev, "redundancy", 0));
	} else if (strcmp(class, "cache") == 0) {
		sum->cache_bytes += facts_number(vdev, "size_bytes", 0);
	} else if (strcmp(class, "data") == 0) {
		add_data_vdev(sum, vdev);
		add_wait(&sum->data_wait_ns, &sum->data_waits, vdev);
	}
}

static void put_sum(json_t *pool, const struct pool_sum *sum)
{
	facts_put_number(pool, "raidz", sum->raidz);
	facts_put_number(pool, "raidz_width", sum->width);
	facts_put_number(pool, "data_redundancy", sum->data_redundancy);
	facts_put_number(pool, "log_vdevs", sum->log_vdevs);
	facts_put_bool(pool, "log_mirrored", sum->log_vdevs == sum->log_mirrors);
	facts_put_number(pool, "special_vdevs", sum->special_vdevs);
	if (sum->special_vdevs > 0)
		facts_put_number(pool, "special_redundancy", sum->special_redundancy);
	facts_put_number(pool, "file_vdevs", sum->file_vdevs);
	facts_put_number(pool, "loop_vdevs", sum->loop_vdevs);
	facts_put_number(pool, "cache_bytes", sum->cache_bytes);
	if (sum->sizes_known)
		facts_put_number(pool, "vdev_bytes_min", sum->smallest_bytes);
	if (sum->sectors_known && sum->sector_bytes > 0)
		facts_put_number(pool, "sector_bytes", sum->sector_bytes);
	if (sum->log_waits > 0)
		facts_put_number(pool, "log_write_wait_ns", sum->log_wait_ns / sum->log_waits);
	if (sum->data_waits > 0)
		facts_put_number(pool, "data_write_wait_ns", sum->data_wait_ns / sum->data_waits);
}

static json_t *pool_view(const struct view *view, const json_t *seen, const char *command)
{
	json_t *pool = view_copy(seen);
	const json_t *vdevs = json_object_get(seen, "vdevs");
	double ashift = facts_number(seen, "ashift", -1);
	char words[64];
	size_t i;
	json_t *vdev;

	facts_put_text(pool, "zfs_command", command);
	snprintf(words, sizeof(words), "%s", strcmp(command, "zfs") == 0 ? "zpool" : command);
	facts_put_text(pool, "zpool_command", words);
	if (ashift > 0 && ashift <= 30)
		facts_put_number(pool, "ashift_bytes", ldexp(1, (int)ashift));
	if (!json_is_array(vdevs) || json_array_size(vdevs) == 0)
		return pool;
	struct pool_sum sum = { .data_redundancy = INFINITY,
		.special_redundancy = INFINITY,
		.smallest_bytes = INFINITY,
		.sectors_known = true,
		.sizes_known = true };
	json_array_foreach(vdevs, i, vdev) add_vdev(view, &sum, vdev);
	put_sum(pool, &sum);
	return pool;
}

static void add_engine_pools(struct view *view, const json_t *engine, const char *command)
{
	size_t i;
	json_t *seen;
	json_t *zfs = view_zfs(view, engine);

	json_array_foreach(facts_at(engine, "pools"), i, seen)
	{
		if (!json_is_object(seen))
			continue;
		json_t *entry = json_object();
		json_object_set_new(entry, "pool", pool_view(view, seen, command));
		json_object_set(entry, "zfs", zfs);
		json_array_append_new(view->pools, entry);
	}
}

void view_add_pools(struct view *view)
{
	size_t i;
	json_t *item;

	add_engine_pools(view, facts_at(view->facts, "zfs"), "zfs");
	json_array_foreach(facts_at(view->facts, "zfs_embedded"), i, item)
		add_engine_pools(view, item, "plumb zfs");
	json_array_foreach(facts_at(view->facts, "devices"), i, item)
	{
		if (!json_is_object(item))
			continue;
		json_t *entry = json_object();
		json_object_set_new(entry, "device", view_copy(item));
		json_array_append_new(view->devices, entry);
	}
}
