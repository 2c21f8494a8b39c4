/* Pools: create, import, export, destroy, status, scrub, in the words of zpool(8). */
#include "cmd/zfs/zfs_internal.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device as a user gives it: a spec as it is, a path made absolute. */
static int add_device(json_t *list, const char *text, struct err *err)
{
	char path[PATH_MAX];

	if (strchr(text, ':') || text[0] == '/') {
		json_array_append_new(list, json_string(text));
		return 0;
	}
	if (!realpath(text, path))
		return err_set_errno(err, -errno, "device '%s'", text);
	json_array_append_new(list, json_string(path));
	return 0;
}

static bool is_vdev_word(const char *word)
{
	static const char *const words[] = { "mirror", "raidz", "raidz1", "raidz2", "raidz3" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static json_t *begin_vdev(json_t *list, const char *type, bool log)
{
	json_t *vdev = json_pack("{s:s, s:b, s:[]}", "type",
		strcmp(type, "raidz") == 0 ? "raidz1" : type, "log", log, "devices");

	json_array_append_new(list, vdev);
	return vdev;
}

/* "a b mirror c d log e": each plain device is a stripe, a word begins a group. */
static int read_vdevs(const struct zfs_options *options, json_t *list, struct err *err)
{
	json_t *group = NULL;
	bool log = false;
	int r = 0;

	for (int i = 1; r == 0 && i < options->argument_count; i++) {
		const char *word = options->arguments[i];

		if (strcmp(word, "log") == 0) {
			log = true;
			group = NULL;
		} else if (strcmp(word, "cache") == 0 || strcmp(word, "special") == 0 ||
			   strcmp(word, "spare") == 0 || strcmp(word, "dedup") == 0) {
			r = err_set(err, -ENOTSUP, "vdevs of class '%s' are not carried out", word);
		} else if (is_vdev_word(word)) {
			group = begin_vdev(list, word, log);
		} else {
			json_t *vdev = group ? group : begin_vdev(list, "stripe", log);

			r = add_device(json_object_get(vdev, "devices"), word, err);
		}
	}
	if (r == 0 && json_array_size(list) == 0)
		r = err_set(err, -EINVAL, "no devices given");
	return r;
}

/* -m: the property of the pool's first dataset and, but for "none" and "legacy", where it goes now.
 */
static int place_mount(struct zfs_options *options, char path[PATH_MAX], struct err *err)
{
	const char *word = options->mountpoint;

	if (!word)
		return 0;
	if (strcmp(word, "none") != 0 && strcmp(word, "legacy") != 0) {
		if (!realpath(word, path))
			return err_set_errno(err, -errno, "mount point '%s'", word);
		word = path;
	}
	if (!json_object_get(options->dataset_properties, "mountpoint"))
		json_object_set_new(options->dataset_properties, "mountpoint", json_string(word));
	return 0;
}

static int create_pool(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	json_t *vdevs = json_array();
	char path[PATH_MAX] = "";
	int r = read_vdevs(options, vdevs, err);

	if (r == 0)
		r = place_mount(options, path, err);
	if (r < 0) {
		json_decref(vdevs);
		return r;
	}
	r = zfsd_request(session->zfsd, "create",
		json_pack("{s:s, s:o, s:O, s:O, s:b, s:O}", "name", options->arguments[0], "vdevs",
			vdevs, "properties", options->properties, "dataset_properties",
			options->dataset_properties, "force", options->force, "destroy",
			options->destroy),
		NULL, err);
	if (r == 0 && path[0]) {
		r = zfsd_request(session->zfsd, "mount",
			json_pack("{s:s, s:s}", "name", options->arguments[0], "mountpoint", path),
			NULL, err);
		/* As with zpool: a pool that could not be mounted where asked is not there. */
		if (r < 0)
			zfs_request_name(session, "destroy", options->arguments[0], NULL, NULL);
	}
	return r;
}

int zfs_create(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *name = options->arguments[0];

	if (!strchr(name, '/'))
		return create_pool(session, options, err);
	if (options->argument_count > 1)
		return err_set(
			err, -EINVAL, "a dataset takes no devices: '%s'", options->arguments[1]);
	return zfsd_request(session->zfsd, "create",
		json_pack("{s:s, s:O, s:b}", "name", name, "properties", options->properties,
			"parents", options->parents),
		NULL, err);
}

/* Begins the packed configuration at 16K of a device with a ZFS label. */
static bool has_label(const char *path)
{
	unsigned char head[4] = { 0 };
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
		     pread(fd, head, sizeof(head), 16384) == sizeof(head) && head[0] == 1 &&
		     head[1] <= 1 && head[2] == 0 && head[3] == 0;

	if (fd >= 0)
		close(fd);
	return found;
}

/* As with zpool, -d may name a folder: its files with a label are meant. */
static int add_device_or_folder(json_t *list, const char *text, struct err *err)
{
	DIR *folder = opendir(text);
	struct dirent *entry;
	size_t before = json_array_size(list);
	int r = 0;

	if (!folder)
		return add_device(list, text, err);
	while (r == 0 && (entry = readdir(folder))) {
		char *path = memory_format("%s/%s", text, entry->d_name);

		if (has_label(path))
			r = add_device(list, path, err);
		free(path);
	}
	closedir(folder);
	if (r == 0 && json_array_size(list) == before)
		r = err_set(err, -ENOENT, "no file in folder '%s' is part of a pool", text);
	return r;
}

int zfs_import(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	json_t *arguments, *devices = json_array(), *result, *device;
	size_t i;
	int r = 0;

	json_array_foreach(options->devices, i, device) if (r == 0) r =
		add_device_or_folder(devices, json_string_value(device), err);
	if (r == 0 && json_array_size(devices) == 0)
		r = err_set(
			err, -EINVAL, "say where the pool lies: -d DEVICE for each of its devices");
	if (r < 0) {
		json_decref(devices);
		return r;
	}
	arguments = json_pack("{s:o, s:b, s:b}", "devices", devices, "force", options->force,
		"destroyed", options->destroyed);
	if (options->argument_count > 0)
		json_object_set_new(arguments, "name", json_string(options->arguments[0]));
	r = zfsd_request(session->zfsd, "import", arguments, &result, err);
	if (r < 0)
		return r;
	if (options->json)
		zfs_print_json(result);
	else
		printf("%s\n", json_string_value(json_object_get(result, "name")));
	json_decref(result);
	return 0;
}

static bool is_below(const char *name, const char *above)
{
	size_t length = strlen(above);

	return strncmp(name, above, length) == 0 && (!name[length] || name[length] == '/');
}

/* As zpool and zfs do before they give up what is mounted: what is in use stays, unless forced. */
static int unmount_below(struct zfs_session *session, const char *name, bool force, struct err *err)
{
	json_t *result, *mount;
	size_t i;
	int r = zfsd_request(session->zfsd, "mounts", NULL, &result, err);

	if (r < 0)
		return r;
	/* The newest first, so that none hides another. */
	json_array_foreach(json_object_get(result, "mounts"), i, mount)
	{
		const char *mounted = json_string_value(json_object_get(mount, "name"));

		if (r == 0 && is_below(mounted, name))
			r = zfsd_request(session->zfsd, "unmount",
				json_pack("{s:s, s:b}", "name", mounted, "force", force), NULL,
				err);
	}
	json_decref(result);
	return r;
}

int zfs_export(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *name = options->arguments[0];
	int r = unmount_below(session, name, options->force, err);

	return r < 0 ? r
		     : zfsd_request(session->zfsd, "export",
			       json_pack("{s:s, s:b}", "name", name, "force", options->force), NULL,
			       err);
}

/* Datasets and snapshots that go with it; nothing is unmounted for what will be refused. */
static bool stands_alone(struct zfs_session *session, const char *name)
{
	json_t *result;
	bool alone;

	if (zfsd_request(session->zfsd, "list",
		    json_pack("{s:s, s:s, s:[]}", "name", name, "type", "all", "properties"),
		    &result, NULL) < 0)
		return false;
	alone = json_array_size(json_object_get(result, "rows")) == 1;
	json_decref(result);
	return alone;
}

int zfs_destroy(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *name = options->arguments[0];
	bool pool = !strpbrk(name, "/@");
	int r = 0;

	if (pool || (!strchr(name, '@') && (options->recursive || stands_alone(session, name))))
		r = unmount_below(session, name, options->force, err);
	return r < 0 ? r
		     : zfsd_request(session->zfsd, "destroy",
			       json_pack("{s:s, s:b, s:b}", "name", name, "force", options->force,
				       "recursive", options->recursive),
			       NULL, err);
}

static void print_line(const json_t *vdev, int depth)
{
	printf("\t%*s%-*s  %-9s %5lld %5lld %5lld\n", depth * 2, "", 34 - depth * 2,
		json_string_value(json_object_get(vdev, "name")),
		json_string_value(json_object_get(vdev, "state")),
		json_integer_value(json_object_get(vdev, "read_errors")),
		json_integer_value(json_object_get(vdev, "write_errors")),
		json_integer_value(json_object_get(vdev, "checksum_errors")));
}

static void print_vdev(const json_t *vdev, int depth)
{
	size_t i;
	json_t *child;

	print_line(vdev, depth);
	json_array_foreach(json_object_get(vdev, "children"), i, child)
		print_vdev(child, depth + 1);
}

/* As zpool: log devices below a heading of their own. */
static void print_tree(const json_t *root)
{
	bool any_log = false;
	size_t i;
	json_t *child;

	print_line(root, 0);
	for (int log = 0; log < 2; log++)
		json_array_foreach(json_object_get(root, "children"), i, child)
		{
			if (json_is_true(json_object_get(child, "log")) != (log == 1))
				continue;
			if (log && !any_log)
				printf("\tlogs\n");
			any_log = log;
			print_vdev(child, 1);
		}
}

static void print_pool_status(const struct zfs_options *options, const json_t *pool)
{
	const json_t *scan = json_object_get(pool, "scan");
	const char *function = json_string_value(json_object_get(scan, "function"));
	const json_t *errors = json_object_get(pool, "errors");

	printf("  pool: %s\n state: %s\n", json_string_value(json_object_get(pool, "name")),
		json_string_value(json_object_get(pool, "state")));
	if (function && strcmp(function, "none") != 0)
		printf("  scan: %s %s, %s of %s examined, %s repaired, %lld errors\n", function,
			json_string_value(json_object_get(scan, "state")),
			zfs_size_text(options,
				json_number_value(json_object_get(scan, "examined_bytes"))),
			zfs_size_text(
				options, json_number_value(json_object_get(scan, "total_bytes"))),
			zfs_size_text(options,
				json_number_value(json_object_get(scan, "repaired_bytes"))),
			json_integer_value(json_object_get(scan, "errors")));
	printf("config:\n\n\t%-34s  %-9s %5s %5s %5s\n", "NAME", "STATE", "READ", "WRITE", "CKSUM");
	print_tree(json_object_get(pool, "vdevs"));
	if (json_integer_value(errors) == 0)
		printf("\nerrors: No known data errors\n");
	else
		printf("\nerrors: %lld data errors\n", json_integer_value(errors));
}

int zfs_status(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	json_t *result, *pool, *arguments = json_object();
	size_t i;
	int r;

	if (options->argument_count > 0)
		json_object_set_new(arguments, "name", json_string(options->arguments[0]));
	r = zfsd_request(session->zfsd, "status", arguments, &result, err);
	if (r < 0)
		return r;
	if (options->json)
		zfs_print_json(result);
	else
		json_array_foreach(json_object_get(result, "pools"), i, pool)
		{
			fputs(i > 0 ? "\n" : "", stdout);
			print_pool_status(options, pool);
		}
	json_decref(result);
	return 0;
}

int zfs_scrub(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *pool = options->arguments[0];
	const char *action = options->stop ? "stop" : "start";
	int r = zfsd_request(session->zfsd, "scrub",
		json_pack("{s:s, s:s}", "name", pool, "action", action), NULL, err);

	if (r == 0 && options->wait && !options->stop)
		r = zfsd_request(session->zfsd, "scrub",
			json_pack("{s:s, s:s}", "name", pool, "action", "wait"), NULL, err);
	return r;
}
