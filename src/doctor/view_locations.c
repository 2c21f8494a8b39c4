/* Locations in the view: each folder of the cluster with all that lies under it, and what follows
 * from looking at them together. */
#include "doctor/view_internal.h"
#include "doctor/facts.h"
#include "base/strbuf.h"
#include "base/macros.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 200 /* characters of a pool's device names */

/* Whether a comma-separated option list holds the word, alone or as "word=...". */
static bool has_option(const char *options, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = options; at && *at;) {
		size_t item = strcspn(at, ",");
		if (item >= length && strncmp(at, word, length) == 0 &&
			(item == length || at[length] == '=' || at[length] == ':'))
			return true;
		at += item;
		at += *at == ',';
	}
	return false;
}

static const char *class_of(const char *type)
{
	static const struct {
		const char *type, *class;
	} classes[] = {
		{ "zfs", "zfs" },
		{ "fuse.plumb-zfsd", "zfs-embedded" },
		{ "nfs4", "nfs" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (strcmp(classes[i].type, type) == 0)
			return classes[i].class;
	return strncmp(type, "fuse", 4) == 0 ? "fuse" : type;
}

static void add_mount_words(json_t *mount)
{
	const char *options = facts_text(mount, "options", NULL);
	const char *mode = "ordered";

	if (!options)
		return;
	if (strstr(options, "data=writeback"))
		mode = "writeback";
	else if (strstr(options, "data=journal"))
		mode = "journal";
	facts_put_text(mount, "data_mode", mode);
	facts_put_bool(mount, "barrier_off",
		has_option(options, "nobarrier") || strstr(options, "barrier=0") != NULL);
	facts_put_bool(mount, "noatime", has_option(options, "noatime"));
	facts_put_bool(mount, "relatime", has_option(options, "relatime"));
	facts_put_bool(mount, "compress",
		has_option(options, "compress") || has_option(options, "compress-force"));
	facts_put_bool(mount, "nodatacow", has_option(options, "nodatacow"));
	facts_put_bool(mount, "nfs_soft", has_option(options, "soft"));
}

/* Copy-on-write of the data that is stored here; unknown stays absent. */
static void add_cow(json_t *location, const json_t *mount, const json_t *files, const char *class)
{
	const json_t *nocow = facts_at(files, "nocow");

	if (strncmp(class, "zfs", 3) == 0)
		facts_put_bool(location, "cow", true);
	else if (strcmp(class, "btrfs") != 0)
		facts_put_bool(location, "cow", false);
	else if (facts_bool(mount, "nodatacow", false))
		facts_put_bool(location, "cow", false);
	else if (json_is_boolean(nocow))
		facts_put_bool(location, "cow", !json_is_true(nocow));
}

static bool compression_heavy(const char *compression)
{
	if (strncmp(compression, "gzip", 4) == 0)
		return true;
	if (strncmp(compression, "zstd-", 5) != 0 || strncmp(compression, "zstd-fast", 9) == 0)
		return false;
	return strtol(compression + 5, NULL, 10) > 3;
}

static json_t *make_dataset(const json_t *seen)
{
	json_t *dataset = view_copy(facts_at(seen, "properties"));

	if (!json_is_object(dataset)) {
		json_decref(dataset);
		dataset = json_object();
	}
	facts_put(dataset, "name", view_copy(facts_at(seen, "name")));
	facts_put(dataset, "snapshots", view_copy(facts_at(seen, "snapshots")));
	facts_put(dataset, "from", view_copy(facts_at(seen, "sources")));
	const char *compression = facts_text(dataset, "compression", NULL);
	if (compression)
		facts_put_bool(dataset, "compression_heavy", compression_heavy(compression));
	double indirect = facts_number(seen, "zil.indirect_bytes", -1);
	double copied = facts_number(seen, "zil.copied_bytes", -1);
	double needcopy = facts_number(seen, "zil.needcopy_bytes", -1);
	if (indirect >= 0 && copied >= 0 && needcopy >= 0) {
		facts_put_number(dataset, "zil_indirect_bytes", indirect);
		facts_put_number(dataset, "zil_copied_bytes", copied + needcopy);
	}
	return dataset;
}

/* What the histogram says: smallest and commonest record of files with more than one record (a
 * file of one record has any size), and the share of bytes whose record is not the property's. */
static void add_records(json_t *files, double property)
{
	double smallest = INFINITY, all = 0, other = 0, most = 0, main = 0;
	size_t i;
	json_t *row;

	json_array_foreach(facts_at(files, "record_sizes"), i, row)
	{
		double record = facts_number(row, "record_bytes", 0);
		double bytes = facts_number(row, "bytes", 0);

		if (record <= 0 || bytes <= 0)
			continue;
		smallest = fmin(smallest, record);
		all += bytes;
		other += record != property ? bytes : 0;
		if (bytes > most) {
			most = bytes;
			main = record;
		}
	}
	if (all <= 0)
		return;
	facts_put_number(files, "record_bytes_min", smallest);
	facts_put_number(files, "record_bytes_main", main);
	if (property <= 0)
		return;
	facts_put_number(files, "record_mismatch_share", other / all);
	facts_put_number(files, "record_mismatch_percent", floor(100 * other / all));
}

/* A pool's disks as one device: the worst of each. */
static json_t *make_pool_device(const struct view *view, const json_t *pool)
{
	json_t *device = json_object();
	struct strbuf names = STRBUF_INIT;
	size_t v, d;
	json_t *vdev, *path;
	bool rotational = false, known = true, cloud = false;

	json_array_foreach(json_object_get(pool, "vdevs"), v, vdev)
	{
		if (strcmp(facts_text(vdev, "class", "data"), "data") != 0)
			continue;
		json_array_foreach(json_object_get(vdev, "devices"), d, path)
		{
			const char *text = json_string_value(path);
			const char *base = text ? strrchr(text, '/') : NULL;
			const json_t *disk = view_vdev_device(view, vdev, d);
			if (names.length < NAMES_MAX)
				strbuf_add_format(&names, "%s%.40s", names.length ? ", " : "",
					base ? base + 1 : "?");
			known = known && json_is_boolean(facts_at(disk, "rotational"));
			rotational = rotational || facts_bool(disk, "rotational", false);
			cloud = cloud || facts_bool(disk, "cloud", false);
			if (!facts_at(device, "model"))
				facts_put(device, "model", view_copy(facts_at(disk, "model")));
		}
	}
	facts_put_text(device, "name", names.data);
	facts_put_bool(device, "zvol", false);
	if (known && names.length > 0) {
		facts_put_bool(device, "rotational", rotational);
		facts_put_bool(device, "cloud", cloud);
	}
	strbuf_release(&names);
	return device;
}

static json_t *pool_device(const struct view *view, const json_t *pool)
{
	json_t *device = view_made(view, "device", pool);

	return device ? device : view_keep(view, "device", pool, make_pool_device(view, pool));
}

static json_t *dataset_view(const struct view *view, const json_t *seen)
{
	json_t *dataset = view_made(view, "dataset", seen);

	return dataset ? dataset : view_keep(view, "dataset", seen, make_dataset(seen));
}

/* Dataset, pool and engine of a location on ZFS. */
static void add_zfs(
	const struct view *view, json_t *entry, const json_t *engine, const char *dataset_name)
{
	const json_t *seen = view_named(facts_at(engine, "datasets"), "name", dataset_name);
	const char *command = facts_text(entry, "location.zfs_command", "");
	size_t i;
	json_t *item;

	json_object_set(entry, "zfs", view_zfs(view, engine));
	if (seen)
		json_object_set(entry, "dataset", dataset_view(view, seen));
	if (!dataset_name)
		return;
	size_t length = strcspn(dataset_name, "/");
	json_array_foreach(view->pools, i, item)
	{
		json_t *pool = json_object_get(item, "pool");
		const char *name = facts_text(pool, "name", "");
		/* both engines may have a pool of that name */
		if (strlen(name) != length || strncmp(name, dataset_name, length) != 0 ||
			strcmp(facts_text(pool, "zfs_command", ""), command) != 0)
			continue;
		json_object_set(entry, "pool", pool);
		json_object_set(entry, "device", pool_device(view, pool));
		return;
	}
}

/* How access times are turned off here, and of what. */
static void add_atime_commands(json_t *entry, const char *class)
{
	const char *command = facts_text(entry, "location.zfs_command", "zfs");
	bool zfs = strncmp(class, "zfs", 3) == 0;
	char text[64];

	snprintf(text, sizeof(text), "%s set atime=off", command);
	facts_put_text(entry, "location.noatime_command", zfs ? text : "mount -o remount,noatime");
	snprintf(text, sizeof(text), "%s set atime=on", command);
	facts_put_text(
		entry, "location.atime_command", zfs ? text : "mount -o remount,strictatime");
	facts_put(entry, "location.atime_target",
		view_copy(facts_at(entry, zfs ? "dataset.name" : "mount.path")));
}

static void add_filesystem(
	const struct view *view, json_t *entry, const json_t *mount, const json_t *files)
{
	const char *type = facts_text(mount, "type", "");
	const char *source = facts_text(mount, "source", NULL);
	const char *class = class_of(type);
	bool zfs = strncmp(class, "zfs", 3) == 0;
	bool kernel = strcmp(class, "zfs") == 0;
	json_t *location = json_object_get(entry, "location");

	facts_put_text(location, "class", class);
	facts_put_bool(location, "zfs", zfs);
	facts_put_text(location, "engine", kernel ? "kernel" : zfs ? "embedded" : "none");
	facts_put_text(location, "zfs_command", kernel ? "zfs" : "plumb zfs");
	add_cow(location, json_object_get(entry, "mount"), files, class);
	const json_t *engine = view_engine(view, type, facts_text(mount, "path", NULL));
	if (zfs)
		add_zfs(view, entry, engine,
			kernel ? source : facts_text(engine, "dataset", source));
	add_atime_commands(entry, class);
}

static json_t *location_view(const struct view *view, const json_t *seen)
{
	json_t *entry = json_object();
	json_t *location = json_object();
	const json_t *mount = view_named(
		facts_at(view->facts, "mounts"), "path", facts_text(seen, "mount_path", NULL));
	const char *type = facts_text(mount, "type", NULL);
	json_t *files = view_copy(facts_at(seen, "files"));

	facts_put(location, "role", view_copy(facts_at(seen, "role")));
	facts_put(location, "name", view_copy(facts_at(seen, "name")));
	facts_put(location, "path", view_copy(facts_at(seen, "path")));
	json_object_set_new(entry, "location", location);
	if (mount) {
		json_object_set_new(entry, "mount", view_copy(mount));
		add_mount_words(json_object_get(entry, "mount"));
	}
	if (type)
		add_filesystem(view, entry, mount, files);
	const json_t *disk = view_named(
		facts_at(view->facts, "devices"), "name", facts_text(mount, "device", NULL));
	if (disk && !json_object_get(entry, "device"))
		json_object_set_new(entry, "device", view_copy(disk));
	if (files) {
		add_records(files, facts_number(entry, "dataset.recordsize", 0));
		json_object_set_new(entry, "files", files);
	}
	return entry;
}

void view_add_locations(struct view *view)
{
	size_t i;
	json_t *seen;

	json_array_foreach(facts_at(view->facts, "locations"), i, seen) if (json_is_object(seen))
		json_array_append_new(view->locations, location_view(view, seen));
	view_add_layout(view);
}
