/*
 * Mounts of plumb-zfsd: the filesystem is OpenZFS, in a process. Its admin socket tells what the
 * kernel's module would tell through files: one JSON object a line, asked and answered
 * (src/zfsd/zfsd_protocol.h). Only commands that change nothing are sent.
 */
#include "doctor/collect/collect_internal.h"
#include "doctor/collect/zfsd_process.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include "platform/os.h"
#include "platform/os_files.h"
#include "target/zfsd_client.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A doctor must not hang on a daemon that is ill. */
#define ANSWER_LIMIT_NS (5 * NS_PER_S)

static struct zfsd *connect_to(const char *socket_path)
{
	struct zfsd *zfsd;

	return zfsd_connect(socket_path, ANSWER_LIMIT_NS, &zfsd, NULL) == 0 ? zfsd : NULL;
}

/* The "result" of a good answer, owned by the caller; NULL otherwise. The arguments (NULL: none)
 * are taken over. */
static json_t *ask(struct zfsd *zfsd, const char *command, json_t *arguments)
{
	json_t *result;

	return zfsd_request(zfsd, command, arguments, &result, NULL) == 0 ? result : NULL;
}

/* {"value", "raw", "source"} of each property -> properties and sources as for the kernel's. */
static void add_properties(json_t *dataset, const json_t *answer)
{
	const char *name;
	json_t *property;

	facts_put(dataset, "properties", json_object());
	facts_put(dataset, "sources", json_object());
	json_object_foreach(json_object_get(answer, "properties"), name, property)
	{
		const char *raw = facts_text(property, "raw", NULL);
		const char *source = facts_text(property, "source", "-");
		char *end = NULL;
		double number = raw ? strtod(raw, &end) : 0;

		if (!raw)
			continue;
		json_object_set_new(json_object_get(dataset, "properties"), name,
			end != raw && (*end == '\0' || strcmp(end, "x") == 0) ? json_real(number)
									      : json_string(raw));
		json_object_set_new(json_object_get(dataset, "sources"), name,
			json_string(strncmp(source, "inherited", 9) == 0 ? "inherited" : source));
	}
}

static void add_leaves(json_t *devices, const json_t *tree)
{
	const json_t *children = json_object_get(tree, "children");
	size_t i;
	json_t *child;

	if (json_array_size(children) == 0)
		json_array_append_new(devices, json_string(facts_text(tree, "name", "?")));
	json_array_foreach(children, i, child) add_leaves(devices, child);
}

static double tree_errors(const json_t *tree)
{
	size_t i;
	json_t *child;
	double errors = facts_number(tree, "read_errors", 0) +
			facts_number(tree, "write_errors", 0) +
			facts_number(tree, "checksum_errors", 0);

	json_array_foreach(json_object_get(tree, "children"), i, child) errors +=
		tree_errors(child);
	return errors;
}

/* Size of the file or block device of a leaf: a path, or a device specification with "path=". */
static double leaf_bytes(const char *leaf)
{
	const char *at = *leaf == '/' ? leaf : strstr(leaf, "path=");
	char path[PATH_MAX];
	uint64_t bytes = 0;

	if (!at)
		return 0;
	at += *leaf == '/' ? 0 : strlen("path=");
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, ",;"), at);
	int fd = os_open_unnoticed(path, 0);
	if (fd < 0)
		return 0;
	if (os_file_size(fd, &bytes) < 0)
		bytes = 0;
	close(fd);
	return (double)bytes;
}

static double smallest_leaf_bytes(const json_t *leaves)
{
	double smallest = 0;
	size_t i;
	json_t *leaf;

	json_array_foreach(leaves, i, leaf)
	{
		double bytes = leaf_bytes(json_string_value(leaf));
		if (i == 0 || bytes < smallest)
			smallest = bytes;
	}
	return smallest;
}

static json_t *vdev_of(const json_t *tree)
{
	const char *type = facts_text(tree, "type", "file");
	const char *name = facts_text(tree, "name", "");
	json_t *vdev = json_object(), *devices = json_array();
	double redundancy = 0;

	add_leaves(devices, tree);
	if (strcmp(type, "mirror") == 0)
		redundancy = (double)json_array_size(devices) - 1;
	else if (strncmp(type, "raidz", 5) == 0)
		redundancy = strtod(type[5] ? type + 5 : name[5] ? name + 5 : "1", NULL);
	facts_put_text(vdev, "class", facts_bool(tree, "log", false) ? "log" : "data");
	facts_put_text(vdev, "name", name);
	facts_put_text(vdev, "type", type);
	facts_put_number(vdev, "redundancy", redundancy);
	facts_put(vdev, "devices", devices);
	if (smallest_leaf_bytes(devices) > 0)
		facts_put_number(vdev, "device_bytes", smallest_leaf_bytes(devices));
	return vdev;
}

static json_t *pool_of(const json_t *status, struct zfsd *zfsd)
{
	const char *name = facts_text(status, "name", "");
	json_t *pool = json_object(), *vdevs = json_array(), *child;
	size_t i;

	facts_put_text(pool, "name", name);
	facts_put_text(pool, "state", facts_text(status, "state", NULL));
	facts_put_number(pool, "errors",
		facts_number(status, "errors", 0) + tree_errors(json_object_get(status, "vdevs")));
	facts_put_text(pool, "scan", facts_text(status, "scan.function", "none"));
	facts_put_bool(pool, "scan_running",
		strcmp(facts_text(status, "scan.state", ""), "scanning") == 0);
	json_array_foreach(facts_at(status, "vdevs.children"), i, child)
		json_array_append_new(vdevs, vdev_of(child));
	facts_put(pool, "vdevs", vdevs);
	json_t *answer = ask(zfsd, "get",
		json_pack("{s:s, s:[s], s:b}", "name", name, "properties", "all", "pool", 1));
	json_t *properties = json_object();
	add_properties(properties, answer);
	static const struct {
		const char *property, *member;
	} members[] = { { "properties.ashift", "ashift" }, { "properties.size", "size_bytes" },
		{ "properties.capacity", "capacity_percent" } };
	for (size_t m = 0; m < ARRAY_SIZE(members); m++)
		/* ashift 0 says nothing: the system chose */
		if (facts_number(properties, members[m].property, -1) >= (m == 0 ? 1 : 0))
			facts_put_number(pool, members[m].member,
				facts_number(properties, members[m].property, 0));
	json_decref(properties);
	json_decref(answer);
	return pool;
}

static void add_pools(json_t *engine, struct zfsd *zfsd, const char *dataset)
{
	char name[256];
	json_t *pools = json_array(), *status;
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(dataset, "/"), dataset);
	json_t *answer = ask(zfsd, "status", json_pack("{s:s}", "name", name));
	json_array_foreach(json_object_get(answer, "pools"), i, status)
		json_array_append_new(pools, pool_of(status, zfsd));
	facts_put(engine, "pools", pools);
	json_decref(answer);
}

static void add_snapshots(json_t *dataset, struct zfsd *zfsd)
{
	json_t *answer = ask(zfsd, "list",
		json_pack("{s:s, s:s, s:b, s:[s]}", "type", "snapshot", "name",
			facts_text(dataset, "name", ""), "recursive", 1, "properties",
			"createtxg"));
	json_t *list = json_array(), *row;
	size_t i, length = strlen(facts_text(dataset, "name", ""));

	if (!answer) {
		json_decref(list);
		return;
	}
	json_array_foreach(json_object_get(answer, "rows"), i, row)
	{
		const char *name = facts_text(row, "name", "");
		const char *txg = facts_text(row, "properties.createtxg.raw", "0");
		if (strncmp(name, facts_text(dataset, "name", ""), length) != 0 ||
			name[length] != '@')
			continue;
		json_t *entry = json_object();
		facts_put_text(entry, "name", name + length + 1);
		facts_put_number(entry, "txg", strtod(txg, NULL));
		json_array_append_new(list, entry);
	}
	facts_put_number(dataset, "snapshots", (double)json_array_size(list));
	facts_put(dataset, "snapshot_list", list);
	json_decref(answer);
}

static void copy_number(json_t *to, const char *path, const json_t *from, const char *member)
{
	if (json_is_number(facts_at(from, member)))
		facts_put_number(to, path, facts_number(from, member, 0));
}

static void add_stats(json_t *engine, struct zfsd *zfsd)
{
	json_t *stats = ask(zfsd, "stats", NULL);
	json_t *dataset = json_array_get(json_object_get(engine, "datasets"), 0);
	size_t i, j;
	json_t *pool, *row;

	copy_number(engine, "arcstats.size", stats, "arc.size_bytes");
	copy_number(engine, "arcstats.c_max", stats, "arc.max_bytes");
	copy_number(engine, "arcstats.c_min", stats, "arc.min_bytes");
	copy_number(engine, "arcstats.hits", stats, "arc.hits");
	copy_number(engine, "arcstats.misses", stats, "arc.misses");
	json_array_foreach(json_object_get(stats, "pools"), i, pool)
	{
		json_array_foreach(json_object_get(pool, "datasets"), j, row)
		{
			if (strcmp(facts_text(row, "name", ""), facts_text(dataset, "name", "?")))
				continue;
			copy_number(dataset, "zil.indirect_bytes", row, "zil.indirect_bytes");
			copy_number(dataset, "zil.copied_bytes", row, "zil.copied_bytes");
			copy_number(dataset, "zil.needcopy_bytes", row, "zil.need_copy_bytes");
			copy_number(dataset, "zil.normal_bytes", row, "zil.normal_bytes");
			copy_number(dataset, "zil.slog_bytes", row, "zil.slog_bytes");
		}
	}
	json_decref(stats);
}

/* All of one mount, from the daemon that serves it. */
static json_t *engine_of(struct zfsd *zfsd, const char *mountpoint, const char *dataset_name)
{
	json_t *engine = json_object();
	json_t *dataset = json_object(), *datasets = json_array();
	json_t *ping = ask(zfsd, "ping", NULL);
	json_t *answer = ask(
		zfsd, "get", json_pack("{s:s, s:[s]}", "name", dataset_name, "properties", "all"));

	facts_put_text(engine, "mount_path", mountpoint);
	facts_put_text(engine, "dataset", dataset_name);
	facts_put_text(engine, "version", facts_text(ping, "library", NULL));
	copy_number(engine, "parameters.zfs_txg_timeout", ping, "txg_timeout_s");
	copy_number(engine, "parameters.zfs_dirty_data_max", ping, "dirty_data_max_bytes");
	copy_number(engine, "parameters.zfs_arc_max", ping, "arc_max_bytes");
	facts_put_text(dataset, "name", dataset_name);
	add_properties(dataset, answer);
	add_snapshots(dataset, zfsd);
	json_array_append_new(datasets, dataset);
	facts_put(engine, "datasets", datasets);
	add_pools(engine, zfsd, dataset_name);
	add_stats(engine, zfsd);
	json_decref(answer);
	json_decref(ping);
	return engine;
}

/* If this daemon serves the mount point, its facts; NULL otherwise. */
static json_t *ask_daemon(const char *socket_path, const char *mountpoint)
{
	struct zfsd *zfsd = connect_to(socket_path);
	json_t *engine = NULL, *mount;
	size_t i;

	if (!zfsd)
		return NULL;
	json_t *answer = ask(zfsd, "mounts", NULL);
	json_array_foreach(json_object_get(answer, "mounts"), i, mount)
	{
		const char *name = facts_text(mount, "name", NULL);
		if (name && !engine && strcmp(facts_text(mount, "mountpoint", ""), mountpoint) == 0)
			engine = engine_of(zfsd, mountpoint, name);
	}
	json_decref(answer);
	zfsd_close(zfsd);
	return engine;
}

/* The daemon that serves a mount point is one of the processes of that name: its command line
 * names its socket. */
static json_t *find_daemon(const char *mountpoint)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	char socket_path[128];
	json_t *engine = NULL;

	while (processes && !engine && (entry = readdir(processes))) {
		if (zfsd_socket_of(entry->d_name, socket_path, sizeof(socket_path)))
			engine = ask_daemon(socket_path, mountpoint);
	}
	if (processes)
		closedir(processes);
	return engine;
}

void collect_zfsd(struct collector *collector)
{
	json_t *engines = json_array(), *mount;
	size_t i;

	json_array_foreach(facts_at(collector->facts, "mounts"), i, mount)
	{
		const char *path = facts_text(mount, "path", "");
		if (strcmp(facts_text(mount, "type", ""), "fuse.plumb-zfsd") != 0)
			continue;
		json_t *engine = find_daemon(path);
		if (engine && !facts_at(json_array_get(facts_at(engine, "pools"), 0), "ashift"))
			facts_unseen(collector->facts, "zfs.pools.ashift",
				"the pool was made without one, and plumb-zfsd does not tell what "
				"its devices chose");
		if (engine)
			json_array_append_new(engines, engine);
		else
			facts_unseen(collector->facts, "zfs",
				"the plumb-zfsd behind %s can't be asked: run as the user it runs "
				"as, "
				"or as root",
				path);
	}
	if (json_array_size(engines) > 0)
		facts_put(collector->facts, "zfs_embedded", engines);
	else
		json_decref(engines);
}

void collect_zfsd_counters(struct collector *collector, const char *path)
{
	json_t *rows = json_array(), *engine;
	size_t i;
	char member[96], socket_path[128];

	json_array_foreach(facts_at(collector->facts, "zfs_embedded"), i, engine)
	{
		DIR *processes = opendir("/proc");
		struct dirent *entry;
		while (processes && (entry = readdir(processes))) {
			if (!zfsd_socket_of(entry->d_name, socket_path, sizeof(socket_path)))
				continue;
			struct zfsd *zfsd = connect_to(socket_path);
			json_t *stats = zfsd ? ask(zfsd, "stats", NULL) : NULL;
			json_t *pools = json_object_get(stats, "pools");
			if (pools)
				json_array_extend(rows, pools);
			json_decref(stats);
			zfsd_close(zfsd);
		}
		if (processes)
			closedir(processes);
		break; /* each daemon tells all its pools */
	}
	snprintf(member, sizeof(member), "%s.embedded_pools", path);
	facts_put(collector->facts, member, rows);
}
