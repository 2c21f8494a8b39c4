/* The kernel's OpenZFS: datasets under the cluster, their pools, parameters and counters. */
#include "doctor/collect/collect_internal.h"
#include "doctor/collect/zfs_text.h"
#include "doctor/collect/zpool_status.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DATASETS_MAX 64
#define VDEVS_MAX    64 /* of a pool, whose ashift is asked for */

/* Every dataset a location lies on, once; the names for command lines in names. */
static json_t *list_datasets(struct collector *collector, const char **names, size_t *ret_count)
{
	json_t *datasets = json_array();
	size_t i, count = 0;
	json_t *mount;

	json_array_foreach(facts_at(collector->facts, "mounts"), i, mount)
	{
		const char *source = facts_text(mount, "source", NULL);
		if (!source || strcmp(facts_text(mount, "type", ""), "zfs") != 0 ||
			count == DATASETS_MAX)
			continue;
		json_t *dataset = json_object();
		facts_put_text(dataset, "name", source);
		facts_put(dataset, "properties", json_object());
		facts_put(dataset, "sources", json_object());
		json_array_append_new(datasets, dataset);
		names[count++] = source;
	}
	*ret_count = count;
	return datasets;
}

static void ask_datasets(struct collector *collector, json_t *datasets, const char **names)
{
	static const char *const get[] = { "zfs", "get", "-Hp", "-o", "name,property,value,source",
		"all" };
	static const char *const list[] = { "zfs", "list", "-Hp", "-t", "snapshot", "-d", "1", "-s",
		"createtxg", "-o", "name,createtxg" };
	const char *arguments[DATASETS_MAX + ARRAY_SIZE(list) + 1] = { NULL };
	struct strbuf output = STRBUF_INIT;
	size_t count = json_array_size(datasets);

	memcpy(arguments, get, sizeof(get));
	memcpy(arguments + ARRAY_SIZE(get), names, count * sizeof(*names));
	if (collect_program(collector, "zfs.datasets", arguments, &output)) {
		zfs_properties_parse(datasets, output.data);
		facts_put(collector->facts, "zfs.datasets", json_incref(datasets));
	}
	strbuf_clear(&output);
	memset(arguments, 0, sizeof(arguments));
	memcpy(arguments, list, sizeof(list));
	memcpy(arguments + ARRAY_SIZE(list), names, count * sizeof(*names));
	if (collect_program(collector, "zfs.snapshots", arguments, &output))
		zfs_snapshots_parse(datasets, output.data);
	strbuf_release(&output);
}

static void add_parameters(struct collector *collector)
{
	static const char folder[] = "/sys/module/zfs/parameters";
	DIR *entries = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX];
	double number;

	if (!entries) {
		facts_unseen(collector->facts, "zfs.parameters", "%s can't be read", folder);
		return;
	}
	json_t *parameters = json_object();
	while ((entry = readdir(entries))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && collect_number(path, &number))
			facts_put_number(parameters, entry->d_name, number);
	}
	closedir(entries);
	facts_put(collector->facts, "zfs.parameters", parameters);
}

/* Disks, sizes and names of a vdev's devices as the block layer knows them. */
static void resolve_devices(struct collector *collector, json_t *vdev)
{
	json_t *disks = json_array();
	double smallest = 0;
	size_t i;
	json_t *path;
	struct stat info;

	json_array_foreach(json_object_get(vdev, "devices"), i, path)
	{
		const char *name = json_string_value(path);
		const char *disk = collect_device_named(collector, name);
		double size = 0;
		char file[PATH_MAX];

		json_array_append_new(disks, disk ? json_string(disk) : json_null());
		if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
			size = (double)info.st_size;
		else if (stat(name, &info) == 0 && S_ISBLK(info.st_mode)) {
			snprintf(file, sizeof(file), "/sys/dev/block/%u:%u/size",
				major(info.st_rdev), minor(info.st_rdev));
			size = collect_number(file, &size) ? 512 * size : 0;
		}
		if (size > 0 && (smallest <= 0 || size < smallest))
			smallest = size;
	}
	facts_put(vdev, "disks", disks);
	if (smallest > 0)
		facts_put_number(vdev, "device_bytes", smallest);
	/* Cache devices of one vdev add up; a single disk is the usual case. */
	facts_put_number(vdev, "size_bytes", smallest);
}

static void add_pool_properties(struct collector *collector, json_t *pool)
{
	const char *name = facts_text(pool, "name", "");
	const char *const arguments[] = { "zpool", "get", "-Hp", "-o", "property,value",
		"size,allocated,free,capacity,ashift,fragmentation,autotrim,feature@block_cloning",
		name, NULL };
	struct strbuf output = STRBUF_INIT;

	if (collect_program(collector, "zfs.pools.properties", arguments, &output))
		zpool_properties_parse(pool, output.data);
	strbuf_release(&output);
}

/* The smallest ashift that vdevs really have; before 2.2 only the pool's property, which says
 * nothing when it is 0. The word "all-vdevs" would do but fails where a cache device is. */
static void add_ashift(struct collector *collector, json_t *pool)
{
	static const char *const get[] = { "zpool", "get", "-Hp", "-o", "value", "ashift" };
	const char *arguments[ARRAY_SIZE(get) + 1 + VDEVS_MAX + 1] = { NULL };
	size_t count = ARRAY_SIZE(get), i;
	json_t *vdev;

	memcpy(arguments, get, sizeof(get));
	arguments[count++] = facts_text(pool, "name", "");
	json_array_foreach(json_object_get(pool, "vdevs"), i, vdev)
	{
		const char *class = facts_text(vdev, "class", "");

		if (strcmp(class, "cache") != 0 && strcmp(class, "spare") != 0 &&
			count < ARRAY_SIZE(arguments) - 1)
			arguments[count++] = facts_text(vdev, "name", "");
	}
	struct strbuf output = STRBUF_INIT;
	double ashift = 0;

	if (collect_program(collector, "zfs.pools.ashift", arguments, &output))
		ashift = zpool_ashift_parse(output.data);
	if (ashift <= 0)
		ashift = facts_number(pool, "ashift_asked", 0);
	if (ashift > 0)
		facts_put_number(pool, "ashift", ashift);
	else
		facts_unseen(collector->facts, "zfs.pools.ashift",
			"the pool's property is 0 (chosen by the system), and this release does "
			"not "
			"tell it by vdev");
	strbuf_release(&output);
}

static void add_waits(struct collector *collector, json_t *pool)
{
	const char *const arguments[] = { "zpool", "iostat", "-vlHpP", facts_text(pool, "name", ""),
		NULL };
	struct strbuf output = STRBUF_INIT;

	if (collect_program(collector, "zfs.pools.iostat", arguments, &output))
		zpool_waits_parse(json_object_get(pool, "vdevs"), output.data);
	strbuf_release(&output);
}

static void add_pools(struct collector *collector, const char **names, size_t count)
{
	static const char *const arguments[] = { "zpool", "status", "-p", "-P", NULL };
	struct strbuf output = STRBUF_INIT;
	json_t *pools = json_array(), *all, *pool, *vdev;
	size_t i, j;

	if (!collect_program(collector, "zfs.pools", arguments, &output)) {
		json_decref(pools);
		strbuf_release(&output);
		return;
	}
	all = zpool_status_parse(output.data);
	json_array_foreach(all, i, pool)
	{
		const char *name = facts_text(pool, "name", "");
		bool ours = false;

		for (j = 0; j < count; j++)
			ours = ours || (strncmp(names[j], name, strlen(name)) == 0 &&
					       strchr("/", names[j][strlen(name)]));
		if (!ours)
			continue;
		json_array_foreach(json_object_get(pool, "vdevs"), j, vdev)
			resolve_devices(collector, vdev);
		add_pool_properties(collector, pool);
		add_ashift(collector, pool);
		add_waits(collector, pool);
		collect_zfs_kstats(collector, name);
		json_array_append(pools, pool);
	}
	facts_put(collector->facts, "zfs.pools", pools);
	json_decref(all);
	strbuf_release(&output);
}

void collect_zfs(struct collector *collector)
{
	const char *names[DATASETS_MAX];
	size_t count;
	struct strbuf text = STRBUF_INIT;
	json_t *datasets = list_datasets(collector, names, &count);

	if (collect_text("/sys/module/zfs/version", &text))
		facts_put_text(collector->facts, "zfs.version", text.data);
	else if (count > 0)
		facts_unseen(
			collector->facts, "zfs.version", "/sys/module/zfs/version can't be read");
	/* The ARC of a loaded module takes memory even where no location is on ZFS. */
	if (text.length > 0 || count > 0)
		collect_zfs_kstats(collector, NULL);
	if (count > 0) {
		add_parameters(collector);
		ask_datasets(collector, datasets, names);
		add_pools(collector, names, count);
	}
	json_decref(datasets);
	strbuf_release(&text);
}
