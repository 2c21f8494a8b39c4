/*
 * OpenZFS without a kernel module: plumb-zfsd, one daemon a rig, inside the machine's memory limit
 * like the server. The same keys as the kernel's engine; the disks are opened by the daemon from
 * their specs, so that models and counters sit under its vdevs.
 */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "platform/os.h"
#include "platform/os_mount.h"
#include "target/layout.h"
#include "target/zfs_settings.h"
#include "target/zfsd_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL "plumb"
/* A waiting fsync holds a worker: clients, autovacuum and the rest of the server. */
#define EXTRA_WORKERS 16

struct zfs_embedded {
	struct target base;
	struct zfsd *zfsd;
	char *socket_path, *log_path;
	uint64_t process_undo_id;
	bool process_noted;
};

static struct zfs_embedded *zfs_of(struct target *target)
{
	return CONTAINER_OF(target, struct zfs_embedded, base);
}

static int embedded_check(struct err *why)
{
	return zfsd_check(why);
}

static int embedded_check_settings(const struct settings *settings, struct err *err)
{
	const char *shared =
		settings_text(settings, "postgresql.conf.dynamic_shared_memory_type", "posix");
	int r = zfs_check_settings(settings, err);

	if (r == 0 && strcmp(shared, "mmap") == 0)
		r = err_set(err, -EINVAL,
			"postgresql.conf.dynamic_shared_memory_type = mmap: embedded ZFS has no "
			"shared "
			"mmap (direct I/O)");
	if (r == 0 && settings_integer(settings, "filesystem.cache", 0) > 0)
		r = err_set(err, -EINVAL, "filesystem.cache: embedded ZFS has no cache devices");
	return r;
}

static int embedded_open(
	const struct target_context *context, struct target **ret_target, struct err *err UNUSED)
{
	struct zfs_embedded *zfs = memory_new(sizeof(*zfs));

	zfs->base.context = *context;
	zfs->socket_path = memory_format("%s/z/zfsd", context->runtime_folder);
	zfs->log_path = memory_format("%s/plumb-zfsd.log", context->folder);
	*ret_target = &zfs->base;
	return 0;
}

static int note_process(struct zfs_embedded *zfs, struct err *err)
{
	struct undo_sink *undo = zfs->base.context.undo;
	struct undo_record record = { .kind = UNDO_PROCESS, .path = "plumb-zfsd" };
	int r = undo->note(undo, &record, &zfs->process_undo_id, err);

	zfs->process_noted = r == 0;
	return r;
}

static int amend_process(struct zfs_embedded *zfs, struct err *err)
{
	struct undo_sink *undo = zfs->base.context.undo;
	struct undo_record record = {
		.kind = UNDO_PROCESS, .path = "plumb-zfsd", .pid = zfsd_pid(zfs->zfsd)
	};

	os_process_start_ticks(record.pid, &record.start_ticks);
	return undo->amend(undo, zfs->process_undo_id, &record, err);
}

static int start_daemon(struct zfs_embedded *zfs, struct err *err)
{
	const struct settings *settings = zfs->base.context.settings;
	int64_t clients = settings_integer(settings, "workload.clients", 1);
	int64_t connections = settings_integer(settings, "postgresql.conf.max_connections", 100);
	struct zfsd_options options = { .socket_path = zfs->socket_path,
		.log_path = zfs->log_path,
		.arc_max_bytes = settings_size(settings, "zfs.arc_max", 0),
		.arc_min_bytes = settings_size(settings, "zfs.arc_min", 0),
		.dirty_data_max_bytes = settings_size(settings, "zfs.dirty_data_max", 0),
		.txg_timeout_s =
			settings_duration(settings, "zfs.txg_timeout", 5 * NS_PER_S) / NS_PER_S,
		.workers = (int)MAX(clients, connections) + EXTRA_WORKERS,
		.die_with_parent = true,
		.cgroup_procs = zfs->base.context.cgroup_procs };
	char *folder = memory_format("%s/z", zfs->base.context.runtime_folder);
	char *proofs = memory_format("%s/zfsd", zfs->base.context.cache_folder);
	int r = file_make_folders(folder, 0700, err);

	options.proof_folder = proofs;
	free(folder);
	if (r == 0)
		r = note_process(zfs, err);
	if (r == 0)
		r = zfsd_start(&options, &zfs->zfsd, err);
	free(proofs);
	return r < 0 ? r : amend_process(zfs, err);
}

static json_t *property_object(const struct settings *settings, const char *const *properties)
{
	json_t *object = json_object();

	for (size_t i = 0; properties[i]; i++) {
		const char *text = zfs_property_text(settings, properties[i]);

		/* Cache devices are not there, so what they keep is not a property here. */
		if (text && strcmp(properties[i], "secondarycache") != 0)
			json_object_set_new(object, properties[i], json_string(text));
	}
	return object;
}

static json_t *vdev(const char *type, bool log)
{
	return json_pack("{s:s, s:b, s:[]}", "type", type, "log", log, "devices");
}

/* One object for each top-level vdev, its devices in the order in which the rig made them. */
static json_t *vdev_list(const struct target_context *context, const struct layout *layout)
{
	const char *word = layout_word(layout);
	json_t *list = json_array(), *current = NULL;
	size_t data = 0;

	for (size_t i = 0; i < context->device_count; i++) {
		const struct target_device *device = &context->devices[i];
		bool log = device->role == TARGET_DEVICE_LOG;

		if (log || data++ % layout->width == 0) {
			current = vdev(log || !word ? "stripe" : word, log);
			json_array_append_new(list, current);
		}
		json_array_append_new(
			json_object_get(current, "devices"), json_string(device->spec));
	}
	return list;
}

static json_t *device_list(const struct target_context *context)
{
	json_t *list = json_array();

	for (size_t i = 0; i < context->device_count; i++)
		json_array_append_new(list, json_string(context->devices[i].spec));
	return list;
}

static int embedded_create(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	const struct target_context *context = &target->context;
	struct layout layout;
	json_t *arguments;
	int r = layout_parse(
		settings_text(context->settings, "filesystem.layout", "stripe 1"), &layout, err);

	if (r == 0)
		r = start_daemon(zfs, err);
	if (r < 0)
		return r;
	arguments = json_pack("{s:s, s:o, s:o, s:o, s:b}", "name", POOL, "vdevs",
		vdev_list(context, &layout), "properties",
		property_object(context->settings, zfs_pool_properties), "dataset_properties",
		property_object(context->settings, zfs_dataset_properties), "force", 1);
	return zfsd_request(zfs->zfsd, "create", arguments, NULL, err);
}

static int embedded_mount(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	const struct target_context *context = &target->context;
	struct undo_record record = { .kind = UNDO_MOUNT, .path = context->mount_path };
	bool cached = settings_boolean(context->settings, "zfs.cached", false);
	int r = context->undo->note(context->undo, &record, &target->undo_id, err);

	if (r == 0)
		r = zfsd_request(zfs->zfsd, "mount",
			json_pack("{s:s, s:s, s:{s:b}}", "name", POOL, "mountpoint",
				context->mount_path, "options", "cached", cached),
			NULL, err);
	if (r == 0)
		r = target_give_folder(target, context->mount_path, err);
	return r;
}

static int embedded_alive(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);

	return zfs->zfsd ? zfsd_alive(zfs->zfsd, err) : 0;
}

/* Nobody answers there any more: take the mount out of the tree. */
static int unmount_dead(const char *path, struct err *err)
{
	const char *const arguments[] = { "fusermount3", "-u", "-z", path, NULL };
	int r = os_unmount(path, true);

	if (r == 0 || r == -EINVAL)
		return 0;
	if (r == -EPERM)
		return subprocess_capture(arguments, NULL, err);
	return err_set_errno(err, r, "unmount '%s'", path);
}

static int embedded_unmount(struct target *target, struct err *err)
{
	struct undo_sink *undo = target->context.undo;
	int r = embedded_alive(target, NULL) < 0
			? unmount_dead(target->context.mount_path, err)
			: zfsd_request(zfs_of(target)->zfsd, "unmount",
				  json_pack("{s:s}", "name", POOL), NULL, err);

	return r < 0 ? r : undo->forget(undo, target->undo_id, err);
}

static int embedded_sync(struct target *target, struct err *err)
{
	return zfsd_request(
		zfs_of(target)->zfsd, "sync", json_pack("{s:s}", "name", POOL), NULL, err);
}

static int embedded_set_clock(struct target *target, bool running, struct err *err)
{
	return zfsd_request(zfs_of(target)->zfsd, "clock",
		json_pack("{s:s, s:b}", "name", POOL, "running", running), NULL, err);
}

/* Export and import: nothing of the pool stays in ARC. */
static int embedded_drop_cache(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	int r = target_unmount(target, err);

	if (r == 0)
		r = zfsd_request(zfs->zfsd, "export", json_pack("{s:s}", "name", POOL), NULL, err);
	if (r == 0)
		r = zfsd_request(zfs->zfsd, "import",
			json_pack("{s:o, s:s}", "devices", device_list(&target->context), "name",
				POOL),
			NULL, err);
	return r < 0 ? r : target_mount(target, err);
}

static int embedded_destroy(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	struct undo_sink *undo = target->context.undo;
	int r = 0;

	if (zfs->zfsd) {
		r = zfsd_stop(zfs->zfsd, err);
		zfs->zfsd = zfsd_close(zfs->zfsd);
	}
	if (zfs->process_noted) {
		int forgotten = undo->forget(undo, zfs->process_undo_id, err);

		r = r < 0 ? r : forgotten;
	}
	zfs->process_noted = false;
	return r;
}

/* As a machine that was switched on again: a new daemon, the pool from its devices, its log
 * replayed by the mount. */
static int embedded_revive(struct target *target, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	int r = embedded_destroy(target, err);

	if (r == 0)
		r = start_daemon(zfs, err);
	if (r == 0)
		r = zfsd_request(zfs->zfsd, "import",
			json_pack("{s:o, s:s, s:b}", "devices", device_list(&target->context),
				"name", POOL, "force", 1),
			NULL, err);
	return r < 0 ? err_prefix(err, r, "take the pool again after plumb-zfsd has ended") : 0;
}

static void property_facts(struct trial_record *record, const struct settings *settings, bool pool,
	const json_t *properties)
{
	const char *name;
	json_t *property;

	json_object_foreach((json_t *)json_object_get(properties, "properties"), name, property)
	{
		const char *raw = json_string_value(json_object_get(property, "raw"));
		char fact[96], canonical[128];

		/* The dataset's own "type" is not [filesystem] type. */
		if (!raw || strcmp(name, "type") == 0)
			continue;
		zfs_property_fact_name(name, pool, fact, sizeof(fact));
		snprintf(canonical, sizeof(canonical), "%s", raw);
		zfs_property_canonical(name, canonical, sizeof(canonical));
		trial_record_fact(record, fact, settings_text(settings, fact, NULL), canonical);
	}
}

/* The record sizes that files really have, by bytes: "8K: 97.3 % of 312 MB, 128K: 2.7 %". */
static int record_size_fact(struct zfs_embedded *zfs, struct trial_record *record, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	json_t *result, *row;
	double total = 0;
	size_t i;
	int r = zfsd_request(
		zfs->zfsd, "record_sizes", json_pack("{s:s}", "name", POOL), &result, err);

	if (r < 0)
		return r;
	json_array_foreach(json_object_get(result, "sizes"), i, row) total +=
		json_number_value(json_object_get(row, "bytes"));
	json_array_foreach(json_object_get(result, "sizes"), i, row)
	{
		double bytes = json_number_value(json_object_get(row, "bytes"));

		if (total <= 0 || bytes / total < 0.0005)
			continue;
		strbuf_add_text(&text, text.length ? ", " : "");
		size_format(
			(uint64_t)json_integer_value(json_object_get(row, "record_bytes")), &text);
		strbuf_add_format(&text, " %.1f %%", bytes / total * 100);
	}
	if (text.length)
		trial_record_fact(record, "filesystem.record_sizes", NULL, text.data);
	strbuf_release(&text);
	json_decref(result);
	return 0;
}

static int get_properties(
	struct zfs_embedded *zfs, bool pool, struct trial_record *record, struct err *err)
{
	json_t *result;
	int r = zfsd_request(zfs->zfsd, "get",
		json_pack("{s:s, s:[s], s:b}", "name", POOL, "properties", "all", "pool", pool),
		&result, err);

	if (r < 0)
		return r;
	property_facts(record, zfs->base.context.settings, pool, result);
	json_decref(result);
	return 0;
}

/* What the daemon was really started with. */
static int engine_facts(struct zfs_embedded *zfs, struct trial_record *record, struct err *err)
{
	static const struct {
		const char *member, *fact;
	} sizes[] = { { "arc_max_bytes", "zfs.arc_max" }, { "arc_min_bytes", "zfs.arc_min" },
		{ "dirty_data_max_bytes", "zfs.dirty_data_max" } };
	const struct settings *settings = zfs->base.context.settings;
	json_t *result;
	int r = zfsd_request(zfs->zfsd, "ping", NULL, &result, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strbuf text = STRBUF_INIT;
		const json_t *value = json_object_get(result, sizes[i].member);

		size_format((uint64_t)json_integer_value(value), &text);
		trial_record_fact(record, sizes[i].fact,
			settings_text(settings, sizes[i].fact, NULL), text.data);
		strbuf_release(&text);
	}
	trial_record_fact(record, "filesystem.engine", NULL, "embedded");
	trial_record_fact(record, "versions.openzfs", NULL,
		json_string_value(json_object_get(result, "library")));
	json_decref(result);
	return 0;
}

static int embedded_describe(struct target *target, struct trial_record *record, struct err *err)
{
	struct zfs_embedded *zfs = zfs_of(target);
	int r = get_properties(zfs, false, record, err);

	if (r == 0)
		r = get_properties(zfs, true, record, err);
	if (r == 0)
		r = engine_facts(zfs, record, err);
	return r < 0 ? r : record_size_fact(zfs, record, err);
}

/* Members that are not counters: sizes and limits at one moment. */
static bool is_gauge(const char *name)
{
	static const char *const endings[] = { "size_bytes", "target_bytes", "max_bytes",
		"min_bytes", "resident_bytes", "dirty_bytes", "available_bytes", "used_bytes",
		"referenced_bytes", "alloc_bytes", "free_bytes", "compress_ratio", "busy_most",
		"compressed_bytes", "overhead_bytes", "data_bytes", "metadata_bytes", "percent",
		"open", "time_ns" };
	size_t length = strlen(name);

	/* "data_bytes" and "metadata_bytes" of ARC are gauges; those of vdevs end in _write_bytes.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t tail = strlen(endings[i]);

		if (length >= tail && strcmp(name + length - tail, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Flatten nested objects: {"arc": {"hits": 3}} adds "arc.hits". Pools and datasets of a rig are
 * one each, so their lists need no index. */
static void flatten(json_t *counters, const char *prefix, const json_t *value)
{
	const char *name;
	json_t *member;
	size_t i;

	if (json_is_array(value)) {
		json_array_foreach((json_t *)value, i, member) flatten(counters, prefix, member);
		return;
	}
	if (!json_is_object(value))
		return;
	json_object_foreach((json_t *)value, name, member)
	{
		char *full = memory_format("%s%s%s", prefix, *prefix ? "." : "", name);

		if (json_is_number(member) && !is_gauge(name)) {
			double sum = json_number_value(json_object_get(counters, full)) +
				     json_number_value(member);

			json_object_set_new(counters, full, json_real(sum));
		} else if (!json_is_number(member)) {
			/* Lists are told by what they hold, not by their own names. */
			flatten(counters,
				strcmp(name, "pools") == 0 || strcmp(name, "datasets") == 0 ? prefix
											    : full,
				member);
		}
		free(full);
	}
}

/* Of several disks the busiest is the limit, which a sum does not show: "device.0.busy_ns". */
static void add_busy_times(json_t *counters, const json_t *stats)
{
	const json_t *pool = json_array_get(json_object_get(stats, "pools"), 0);
	json_t *device;
	size_t i;

	json_array_foreach(json_object_get(pool, "devices"), i, device)
	{
		const json_t *count = json_object_get(json_object_get(device, "counters"), "count");
		char *name = memory_format("device.%zu.busy_ns", i);

		if (count)
			json_object_set(counters, name, json_object_get(count, "busy_ns"));
		free(name);
	}
}

static int embedded_counters(struct target *target, json_t **ret_counters, struct err *err)
{
	json_t *stats;
	int r = zfsd_request(
		zfs_of(target)->zfsd, "stats", json_pack("{s:s}", "name", POOL), &stats, err);

	if (r < 0)
		return r;
	*ret_counters = json_object();
	flatten(*ret_counters, "", stats);
	add_busy_times(*ret_counters, stats);
	json_decref(stats);
	return 0;
}

static void space_sample(
	struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, phase, "plumb-zfsd", value, SAMPLE_WHOLE });
}

static int embedded_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err)
{
	json_t *stats, *pool, *dataset;
	int r = zfsd_request(
		zfs_of(target)->zfsd, "stats", json_pack("{s:s}", "name", POOL), &stats, err);

	if (r < 0)
		return r;
	pool = json_array_get(json_object_get(stats, "pools"), 0);
	dataset = json_array_get(json_object_get(pool, "datasets"), 0);
	space_sample(record, phase, "filesystem_used_bytes",
		json_number_value(json_object_get(dataset, "used_bytes")));
	space_sample(record, phase, "filesystem_available_bytes",
		json_number_value(json_object_get(dataset, "available_bytes")));
	space_sample(record, phase, "filesystem_pool_alloc_bytes",
		json_number_value(json_object_get(pool, "alloc_bytes")));
	space_sample(record, phase, "filesystem_pool_free_bytes",
		json_number_value(json_object_get(pool, "free_bytes")));
	space_sample(record, phase, "compression_ratio",
		json_number_value(json_object_get(dataset, "compress_ratio")));
	space_sample(record, phase, "zfs_arc_size_bytes",
		json_number_value(json_object_get(json_object_get(stats, "arc"), "size_bytes")));
	json_decref(stats);
	return 0;
}

static void embedded_close(struct target *target)
{
	struct zfs_embedded *zfs = zfs_of(target);

	zfsd_close(zfs->zfsd);
	free(zfs->socket_path);
	free(zfs->log_path);
	free(zfs);
}

static const struct setting no_settings[] = { { 0 } };

const struct target_driver zfs_embedded_target = {
	.name = "zfs-embedded",
	.base = TARGET_ON_SPEC,
	.settings = no_settings, /* zfs_settings, of the kernel's engine, has its rows */
	.check = embedded_check,
	.check_settings = embedded_check_settings,
	.needs = zfs_needs,
	.open = embedded_open,
	.create = embedded_create,
	.mount = embedded_mount,
	.sync = embedded_sync,
	.drop_cache = embedded_drop_cache,
	.set_clock = embedded_set_clock,
	.unmount = embedded_unmount,
	.alive = embedded_alive,
	.revive = embedded_revive,
	.destroy = embedded_destroy,
	.describe = embedded_describe,
	.counters = embedded_counters,
	.space = embedded_space,
	.close = embedded_close,
};
