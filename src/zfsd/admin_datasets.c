/* Admin commands with lists, properties or options as arguments. */
#include "zfsd/admin_internal.h"
#include "zfsd/posix/filesystem.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An array of texts as C strings, lent by the array; the array of pointers is the caller's. */
static int text_array(
	const json_t *array, const char *what, const char ***ret_texts, struct err *err)
{
	size_t count = json_array_size(array);
	const char **texts = memory_new_array(count + 1, sizeof(*texts));

	for (size_t i = 0; i < count; i++) {
		texts[i] = json_string_value(json_array_get(array, i));
		if (!texts[i]) {
			free(texts);
			return err_set(err, -EINVAL, "%s: not an array of texts", what);
		}
	}
	*ret_texts = texts;
	return 0;
}

static int read_vdev(const json_t *item, struct pool_vdev *vdev, struct err *err)
{
	const char **devices;
	int r;

	if (!json_is_object(item))
		return err_set(err, -EINVAL, "create: a vdev is not an object");
	r = admin_check_arguments("Stype Adevices blog", item, "vdev", err);
	if (r == 0)
		r = text_array(json_object_get(item, "devices"), "devices", &devices, err);
	if (r < 0)
		return r;
	vdev->type = admin_text(item, "type");
	vdev->log = admin_flag(item, "log", false);
	vdev->devices = devices;
	vdev->device_count = json_array_size(json_object_get(item, "devices"));
	return 0;
}

static int create_pool(const json_t *request, json_t *reply, struct err *err)
{
	const json_t *list = json_object_get(request, "vdevs");
	struct pool_vdev *vdevs = memory_new_array(json_array_size(list) + 1, sizeof(*vdevs));
	struct pool_create create = {
		.name = admin_text(request, "name"),
		.vdevs = vdevs,
		.properties = json_object_get(request, "properties"),
		.dataset_properties = json_object_get(request, "dataset_properties"),
		.force = admin_flag(request, "force", false),
	};
	const json_t *given_up = json_object_get(request, "destroy");
	const char **destroy = NULL;
	json_t *found = NULL;
	int r = given_up ? text_array(given_up, "destroy", &destroy, err) : 0;

	create.destroy = destroy;
	create.destroy_count = r == 0 ? json_array_size(given_up) : 0;
	while (r == 0 && create.vdev_count < json_array_size(list)) {
		r = read_vdev(
			json_array_get(list, create.vdev_count), &vdevs[create.vdev_count], err);
		create.vdev_count += r == 0;
	}
	if (r == 0 && create.vdev_count == 0)
		r = err_set(err, -EINVAL, "create: a pool needs vdevs");
	if (r == 0)
		r = pool_create(&create, &found, err);
	if (r == 0) {
		json_object_update(reply, found);
		json_decref(found);
	}
	for (size_t i = 0; i < create.vdev_count; i++)
		free((void *)vdevs[i].devices);
	free(vdevs);
	free(destroy);
	return r;
}

int admin_run_create(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");

	(void)daemon;
	if (!strchr(name, '/'))
		return create_pool(request, reply, err);
	if (json_object_get(request, "vdevs") || json_object_get(request, "dataset_properties"))
		return err_set(err, -EINVAL, "create: a dataset has no vdevs");
	return dataset_create(name, json_object_get(request, "properties"),
		admin_flag(request, "parents", false), err);
}

int admin_run_import(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const json_t *list = json_object_get(request, "devices");
	struct pool_import import = {
		.name = admin_text(request, "name"),
		.device_count = json_array_size(list),
		.readonly = admin_flag(request, "readonly", false),
		.force = admin_flag(request, "force", false),
		.destroyed = admin_flag(request, "destroyed", false),
	};
	const char **devices;
	json_t *found = NULL;
	int r = text_array(list, "devices", &devices, err);

	(void)daemon;
	if (r < 0)
		return r;
	import.devices = devices;
	if (import.device_count == 0)
		r = err_set(err, -EINVAL, "import: no devices given");
	if (r == 0)
		r = pool_import(&import, &found, err);
	free(devices);
	if (r == 0) {
		json_object_update(reply, found);
		json_decref(found);
	}
	return r;
}

struct listing {
	const json_t *properties;
	json_t *rows;
	bool pools;
	struct err *err;
};

static int add_row(void *context, const char *name, const char *type)
{
	struct listing *listing = context;
	json_t *properties = NULL;
	int r;

	if (listing->pools)
		r = property_get_pool(name, listing->properties, &properties, listing->err);
	else
		r = property_get(name, listing->properties, &properties, listing->err);
	if (r < 0)
		return r;
	json_array_append_new(listing->rows,
		json_pack("{s:s, s:s, s:o}", "name", name, "type", type, "properties", properties));
	return 0;
}

static void add_pool_row(void *context, const char *name)
{
	(void)add_row(context, name, "pool");
}

static json_t *default_columns(bool pools)
{
	if (pools)
		return json_pack("[s, s, s, s, s, s, s]", "size", "allocated", "free",
			"fragmentation", "capacity", "dedupratio", "health");
	return json_pack("[s, s, s, s]", "used", "available", "referenced", "mountpoint");
}

int admin_run_list(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *type = admin_text(request, "type"), *name = admin_text(request, "name");
	json_t *columns = json_object_get(request, "properties");
	struct listing listing = { .rows = json_array(), .err = err };
	int r = 0;

	(void)daemon;
	type = type ? type : "filesystem";
	listing.pools = strcmp(type, "pool") == 0;
	columns = columns ? json_incref(columns) : default_columns(listing.pools);
	listing.properties = columns;
	if (listing.pools && name)
		r = add_row(&listing, name, "pool");
	else if (listing.pools)
		pool_each(add_pool_row, &listing);
	else if (strcmp(type, "filesystem") != 0 && strcmp(type, "snapshot") != 0 &&
		 strcmp(type, "all") != 0)
		r = err_set(
			err, -EINVAL, "list: type '%s': pool, filesystem, snapshot or all", type);
	else
		r = dataset_each(&(struct dataset_query){ name, type,
					 admin_flag(request, "recursive", true) },
			add_row, &listing, err);
	json_decref(columns);
	json_object_set_new(reply, "rows", listing.rows);
	return r;
}

int admin_run_get(struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name"), *first;
	const json_t *names = json_object_get(request, "properties");
	json_t *properties = NULL;
	int r;

	(void)daemon;
	first = json_string_value(json_array_get(names, 0));
	if (first && strcmp(first, "all") == 0)
		names = NULL;
	r = admin_flag(request, "pool", false) ? property_get_pool(name, names, &properties, err)
					       : property_get(name, names, &properties, err);
	if (r == 0)
		json_object_set_new(reply, "properties", properties);
	return r;
}

/* Mounted datasets keep atime and relatime at hand: tell them. */
static void reload(struct zfsd_daemon *daemon)
{
	pthread_mutex_lock(&daemon->mounts_lock);
	for (struct daemon_mount *entry = daemon->mounts; entry; entry = entry->next)
		filesystem_reload(mount_filesystem(entry->mount));
	pthread_mutex_unlock(&daemon->mounts_lock);
}

int admin_run_set(struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");
	const json_t *properties = json_object_get(request, "properties");
	int r;

	(void)reply;
	if (admin_flag(request, "pool", false))
		return property_set_pool(name, properties, err);
	r = property_set(name, properties, err);
	reload(daemon);
	return r;
}

int admin_run_inherit(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	int r = property_inherit(admin_text(request, "name"), admin_text(request, "property"), err);

	(void)reply;
	reload(daemon);
	return r;
}

int admin_run_mount(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");
	const char *mountpoint = admin_text(request, "mountpoint");
	const json_t *given = json_object_get(request, "options");
	struct mount_options options = {
		.cached = admin_flag(given, "cached", false),
		.readonly = admin_flag(given, "readonly", false),
		.allow_other = admin_flag(given, "allow_other", geteuid() == 0),
		.no_ring = daemon->options.no_ring,
		.workers = daemon->options.workers,
	};
	struct zfsd_mount *mount;
	int r = 0;

	if (given)
		r = admin_check_arguments("bcached breadonly ballow_other", given, "options", err);
	if (r == 0 && mountpoint[0] != '/')
		r = err_set(err, -EINVAL, "mount point '%s' is not an absolute path", mountpoint);
	if (r == 0)
		r = daemon_mount_dataset(daemon, name, mountpoint, &options, err);
	if (r < 0)
		return r;
	mount = daemon_find_mount(daemon, name);
	json_object_set_new(reply, "mountpoint", json_string(mount_point(mount)));
	json_object_set_new(reply, "replayed",
		json_pack("{s:I}", "records",
			(json_int_t)filesystem_replayed_records(mount_filesystem(mount))));
	return 0;
}

int admin_run_mounts(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	json_t *rows = json_array();

	(void)request;
	(void)err;
	pthread_mutex_lock(&daemon->mounts_lock);
	for (struct daemon_mount *entry = daemon->mounts; entry; entry = entry->next) {
		const struct mount_options *options = mount_options(entry->mount);

		if (mount_is_gone(entry->mount))
			continue;
		json_array_append_new(rows,
			json_pack("{s:s, s:s, s:b, s:b, s:b}", "name",
				filesystem_dataset(mount_filesystem(entry->mount)), "mountpoint",
				mount_point(entry->mount), "cached", options->cached, "readonly",
				options->readonly, "ring", mount_uses_ring(entry->mount)));
	}
	pthread_mutex_unlock(&daemon->mounts_lock);
	json_object_set_new(reply, "mounts", rows);
	return 0;
}

int admin_run_record_sizes(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name"), *path = admin_text(request, "path");
	struct zfsd_mount *mount = daemon_find_mount(daemon, name);
	json_t *rows = json_array();
	struct record_size *sizes = NULL;
	size_t count = 0;
	int r;

	if (!mount)
		r = err_set(err, -ENOENT, "'%s' is not mounted", name);
	else
		r = filesystem_record_sizes(
			mount_filesystem(mount), path ? path : "", &sizes, &count);
	for (size_t i = 0; r == 0 && i < count; i++)
		json_array_append_new(rows,
			json_pack("{s:i, s:I, s:I}", "record_bytes", (int)sizes[i].record_bytes,
				"files", (json_int_t)sizes[i].files, "bytes",
				(json_int_t)sizes[i].bytes));
	free(sizes);
	json_object_set_new(reply, "sizes", rows);
	if (r < 0 && mount)
		err_set_errno(err, r, "record sizes below '%s' of '%s'", path ? path : "", name);
	return r;
}
