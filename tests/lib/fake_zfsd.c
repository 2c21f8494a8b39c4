/* Pools, datasets, properties and mounts that only write down how they were called (see
 * fake_zfsd.h). */
#include "lib/fake_zfsd.h"

#include "zfsd/posix/filesystem.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

struct strbuf fake_zfsd_calls = STRBUF_INIT;

void fake_zfsd_init(struct zfsd_daemon *daemon)
{
	*daemon = (struct zfsd_daemon){
		.options = { .workers = 12, .ready_fd = -1 },
		.change_lock = PTHREAD_MUTEX_INITIALIZER,
		.mounts_lock = PTHREAD_MUTEX_INITIALIZER,
		.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE),
		.library = { .version = "2.3.9", .hash = "0123" },
	};
	strbuf_clear(&fake_zfsd_calls);
}

void fake_zfsd_release(struct zfsd_daemon *daemon)
{
	close(daemon->stop_fd);
	strbuf_release(&fake_zfsd_calls);
}

/* One line: the function, a name, what else it was given. */
#define NOTE(name, ...) note(__func__, name, __VA_ARGS__)

static void __attribute__((format(printf, 3, 4)))
note(const char *function, const char *name, const char *format, ...)
{
	va_list arguments;
	char more[512];

	va_start(arguments, format);
	(void)vsnprintf(more, sizeof(more), format, arguments);
	va_end(arguments);
	strbuf_add_format(&fake_zfsd_calls, "%s %s%s%s\n", function, name ? name : "(none)",
		more[0] ? " " : "", more);
}

static void note_json(const char *what, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	strbuf_add_format(&fake_zfsd_calls, "  %s %s\n", what, text ? text : "(none)");
	free(text);
}

static int result(const char *name, struct err *err)
{
	if (name && strncmp(name, "missing", 7) == 0)
		return err_set(err, -ENOENT, "there is no '%s'", name);
	if (name && strncmp(name, "busy", 4) == 0)
		return err_set(err, -EBUSY, "'%s' is in use", name);
	return 0;
}

/* ---- library.c, kernel_setup.c ---- */

int kernel_check_library(struct kernel_library *ret_library, struct err *err)
{
	(void)err;
	*ret_library = (struct kernel_library){ .version = "2.3.9", .hash = "0123" };
	return 0;
}

int kernel_options_check(struct kernel_options *options, struct err *err)
{
	if (options->arc_max_bytes == 0)
		options->arc_max_bytes = 1;
	return options->arc_max_bytes == 13 ? err_set(err, -EINVAL, "13 bytes") : 0;
}

/* ---- pool.c, pool_status.c ---- */

int pool_create(const struct pool_create *create, json_t **ret_reply, struct err *err)
{
	NOTE(create->name, "force=%d", create->force);
	for (size_t i = 0; i < create->vdev_count; i++) {
		const struct pool_vdev *vdev = &create->vdevs[i];

		strbuf_add_format(&fake_zfsd_calls, "  %s%s", vdev->log ? "log " : "", vdev->type);
		for (size_t j = 0; j < vdev->device_count; j++)
			strbuf_add_format(&fake_zfsd_calls, " %s", vdev->devices[j]);
		strbuf_add_char(&fake_zfsd_calls, '\n');
	}
	note_json("pool", create->properties);
	note_json("dataset", create->dataset_properties);
	*ret_reply = NULL;
	if (result(create->name, err) < 0)
		return err->code;
	*ret_reply = json_pack("{s:s, s:s}", "name", create->name, "guid", "77");
	return 0;
}

int pool_import(const struct pool_import *import, json_t **ret_reply, struct err *err)
{
	NOTE(import->name, "force=%d readonly=%d", import->force, import->readonly);
	for (size_t i = 0; i < import->device_count; i++)
		strbuf_add_format(&fake_zfsd_calls, "  %s\n", import->devices[i]);
	if (result(import->name, err) < 0)
		return err->code;
	*ret_reply = json_pack("{s:s, s:s}", "name", "tank", "guid", "77");
	return 0;
}

void pool_fail_assertion(void)
{
	NOTE(NULL, "%s", "");
}

int pool_export(const char *name, bool force, struct err *err)
{
	NOTE(name, "force=%d", force);
	return result(name, err);
}

int pool_destroy(const char *name, struct err *err)
{
	NOTE(name, "%s", "");
	return result(name, err);
}

int pool_sync(const char *name, uint64_t *ret_txg, struct err *err)
{
	NOTE(name, "%s", "");
	*ret_txg = 42;
	return result(name, err);
}

int pool_scrub(const char *name, const char *action, struct err *err)
{
	NOTE(name, "%s", action);
	return result(name, err);
}

int pool_set_clock(const char *name, bool running, struct err *err)
{
	NOTE(name, "running=%d", running);
	return result(name, err);
}

void pool_each(void (*visit)(void *context, const char *name), void *context)
{
	visit(context, "tank");
}

int pool_status(const char *name, json_t **ret_reply, struct err *err)
{
	NOTE(name, "%s", "");
	if (result(name, err) < 0)
		return err->code;
	*ret_reply = json_pack("{s:[]}", "pools");
	return 0;
}

int pool_iostat(const char *name, json_t **ret_reply, struct err *err)
{
	NOTE(name, "%s", "");
	if (result(name, err) < 0)
		return err->code;
	*ret_reply = json_pack("{s:s}", "name", name);
	return 0;
}

/* ---- dataset.c, property.c ---- */

int dataset_create(const char *name, const json_t *properties, bool parents, struct err *err)
{
	NOTE(name, "parents=%d", parents);
	note_json("dataset", properties);
	return result(name, err);
}

int dataset_destroy(const char *name, bool recursive, struct err *err)
{
	NOTE(name, "recursive=%d", recursive);
	return result(name, err);
}

int dataset_snapshot(const char *name, bool recursive, struct err *err)
{
	NOTE(name, "recursive=%d", recursive);
	return result(name, err);
}

int dataset_rollback(const char *name, bool destroy_newer, struct err *err)
{
	NOTE(name, "destroy_newer=%d", destroy_newer);
	return result(name, err);
}

int dataset_each(const struct dataset_query *query,
	int (*visit)(void *context, const char *name, const char *type), void *context,
	struct err *err)
{
	NOTE(query->name, "type=%s recursive=%d", query->type, query->recursive);
	if (result(query->name, err) < 0)
		return err->code;
	return visit(context, query->name ? query->name : "tank", "filesystem");
}

static int read_properties(
	const char *name, const json_t *names, json_t **ret_properties, struct err *err)
{
	const json_t *item;
	size_t i;

	note_json("names", names);
	if (result(name, err) < 0)
		return err->code;
	*ret_properties = json_object();
	json_array_foreach(names, i, item)
	{
		const char *property = json_string_value(item);

		if (!property) {
			json_decref(*ret_properties);
			return err_set(err, -EINVAL, "there is no property '(not a text)'");
		}
		json_object_set_new(*ret_properties, property,
			json_pack("{s:s, s:s, s:s}", "value", "8K", "raw", "8192", "source",
				"local"));
	}
	return 0;
}

int property_get(const char *dataset, const json_t *names, json_t **ret_properties, struct err *err)
{
	NOTE(dataset, "%s", "");
	return read_properties(dataset, names, ret_properties, err);
}

int property_get_pool(
	const char *pool, const json_t *names, json_t **ret_properties, struct err *err)
{
	NOTE(pool, "%s", "");
	return read_properties(pool, names, ret_properties, err);
}

int property_set(const char *dataset, const json_t *values, struct err *err)
{
	NOTE(dataset, "%s", "");
	note_json("values", values);
	return result(dataset, err);
}

int property_set_pool(const char *pool, const json_t *values, struct err *err)
{
	NOTE(pool, "%s", "");
	note_json("values", values);
	return result(pool, err);
}

int property_inherit(const char *dataset, const char *name, struct err *err)
{
	NOTE(dataset, "%s", name);
	return result(dataset, err);
}

/* ---- statistics.c ---- */

json_t *statistics_arc(void)
{
	return json_object();
}

json_t *statistics_process(void)
{
	return json_object();
}

json_t *statistics_pools(const char *name)
{
	NOTE(name, "%s", "");
	return json_array();
}

/* ---- mounts: one, "mounted/fs", on /mnt ---- */

static struct mount_options options_of_mount;

#define THE_MOUNT ((struct zfsd_mount *)&options_of_mount)

struct zfsd_mount *daemon_find_mount(struct zfsd_daemon *daemon, const char *name)
{
	(void)daemon;
	return strncmp(name, "mounted", 7) == 0 ? THE_MOUNT : NULL;
}

bool daemon_is_mounted(struct zfsd_daemon *daemon, const char *name, bool whole_pool)
{
	(void)whole_pool;
	return daemon_find_mount(daemon, name) != NULL;
}

int daemon_mount_dataset(struct zfsd_daemon *daemon, const char *name, const char *mountpoint,
	const struct mount_options *options, struct err *err)
{
	(void)daemon;
	NOTE(name, "%s cached=%d readonly=%d allow_other=%d workers=%u", mountpoint,
		options->cached, options->readonly, options->allow_other, options->workers);
	if (!daemon_find_mount(daemon, name))
		return err_set(err, -ENOENT, "there is no dataset '%s'", name);
	return result(name, err);
}

int daemon_unmount(
	struct zfsd_daemon *daemon, const char *name, bool whole_pool, bool force, struct err *err)
{
	(void)daemon;
	NOTE(name, "whole_pool=%d force=%d", whole_pool, force);
	return result(name, err);
}

int daemon_stop_all(struct zfsd_daemon *daemon, bool force, struct err *err)
{
	(void)daemon;
	(void)err;
	NOTE(NULL, "force=%d", force);
	return 0;
}

struct zfsd_filesystem *mount_filesystem(const struct zfsd_mount *mount)
{
	return (struct zfsd_filesystem *)mount;
}

const char *mount_point(const struct zfsd_mount *mount)
{
	(void)mount;
	return "/mnt";
}

const struct mount_options *mount_options(const struct zfsd_mount *mount)
{
	(void)mount;
	return &options_of_mount;
}

bool mount_is_gone(const struct zfsd_mount *mount)
{
	(void)mount;
	return false;
}

bool mount_uses_ring(const struct zfsd_mount *mount)
{
	(void)mount;
	return false;
}

void mount_counters(struct front_counters *ret_counters)
{
	*ret_counters = (struct front_counters){ .read = 3 };
}

const char *filesystem_dataset(const struct zfsd_filesystem *fs)
{
	(void)fs;
	return "mounted/fs";
}

uint64_t filesystem_replayed_records(const struct zfsd_filesystem *fs)
{
	(void)fs;
	return 5;
}

void filesystem_reload(struct zfsd_filesystem *fs)
{
	(void)fs;
}

int filesystem_record_sizes(struct zfsd_filesystem *fs, const char *path,
	struct record_size **ret_sizes, size_t *ret_count)
{
	(void)fs;
	NOTE("mounted", "%s", path);
	if (strcmp(path, "none") == 0)
		return -ENOENT;
	*ret_sizes = calloc(1, sizeof(**ret_sizes));
	**ret_sizes = (struct record_size){ 8192, 2, 12345 };
	*ret_count = 1;
	return 0;
}

int __wrap_kill(pid_t pid, int signal_number);

int __wrap_kill(pid_t pid, int signal_number)
{
	(void)pid;
	NOTE(NULL, "%d", signal_number);
	return 0;
}
