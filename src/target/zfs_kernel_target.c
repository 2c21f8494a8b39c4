/*
 * OpenZFS of the kernel, through zpool(8) and zfs(8). The pool is named by the rig's id, imported
 * with cachefile=none and an altroot, so that the system's own list of pools never learns of it.
 */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "platform/os_mount.h"
#include "target/layout.h"
#include "target/zfs_counters.h"
#include "target/zfs_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_TIME_NS	 (120 * NS_PER_S)
#define ARGUMENTS_MAX	 192
#define MODULE_PARAMETER "/sys/module/zfs/parameters/"

struct zfs_kernel {
	struct target base;
	uint64_t pool_undo_id;
	char guid[32];
};

/* A list of arguments that owns its strings. */
struct arguments {
	const char *list[ARGUMENTS_MAX];
	size_t count;
	struct arena arena;
};

static void add(struct arguments *arguments, const char *text)
{
	if (arguments->count + 1 < ARGUMENTS_MAX)
		arguments->list[arguments->count++] = arena_copy_string(&arguments->arena, text);
}

static int run(struct arguments *arguments, struct strbuf *output, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments->list };
	int r = subprocess_run(&options, COMMAND_TIME_NS, output, NULL, err);

	arena_release(&arguments->arena);
	return r;
}

static int run_words(struct strbuf *output, struct err *err, const char *const *words)
{
	struct subprocess_options options = { .arguments = words };

	return subprocess_run(&options, COMMAND_TIME_NS, output, NULL, err);
}

#define RUN(output, err, ...) run_words(output, err, (const char *const[]){ __VA_ARGS__, NULL })

static int zfs_kernel_check(struct err *why)
{
	int r;

	if (geteuid() != 0)
		return err_set(why, -ENOTSUP, "kernel pools need root");
	r = target_need_program("zpool", "zfsutils-linux", why);
	if (r == 0)
		r = target_need_program("zfs", "zfsutils-linux", why);
	if (r == 0 && access("/dev/zfs", R_OK | W_OK) < 0)
		r = err_set(why, -ENOTSUP,
			"the kernel has no OpenZFS loaded: no /dev/zfs (Debian package 'zfs-dkms'; "
			"type = zfs-embedded needs none)");
	return r;
}

/* What is in force in the kernel, for all pools of the machine; -1: it is not to be had. */
static int64_t engine_value(const char *parameter)
{
	struct strbuf text = STRBUF_INIT;
	char *path = memory_format(MODULE_PARAMETER "%s", parameter);
	int64_t value = -1;

	/* 0 as the ARC's limit means that the module chose one. */
	if (strcmp(parameter, "zfs_arc_max") == 0)
		value = zfs_arc_gauge("c_max");
	else if (strcmp(parameter, "zfs_arc_min") == 0)
		value = zfs_arc_gauge("c_min");
	else if (file_read(path, &text, NULL) == 0)
		value = strtoll(text.data, NULL, 10);
	strbuf_release(&text);
	free(path);
	return value;
}

/* Engine parameters are the machine's, for all pools: plumb compares and never sets them. */
static int check_parameter(const char *key, const char *parameter, int64_t asked, struct err *err)
{
	int64_t value = engine_value(parameter);

	if (value < 0 || value == asked)
		return 0;
	return err_set(err, -ENOTSUP,
		"%s asks for %lld, and this kernel's OpenZFS has %lld for all pools of the "
		"machine\nhint: echo %lld > " MODULE_PARAMETER "%s; or filesystem.type = "
		"zfs-embedded, which has an engine of its own",
		key, (long long)asked, (long long)value, (long long)asked, parameter);
}

static const struct {
	const char *key, *parameter;
} engine_sizes[] = { { "zfs.arc_max", "zfs_arc_max" }, { "zfs.arc_min", "zfs_arc_min" },
	{ "zfs.dirty_data_max", "zfs_dirty_data_max" } };

static int zfs_kernel_check_settings(const struct settings *settings, struct err *err)
{
	int64_t timeout = settings_duration(settings, "zfs.txg_timeout", 5 * NS_PER_S);
	int r = zfs_check_settings(settings, err);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(engine_sizes); i++) {
		uint64_t asked = settings_size(settings, engine_sizes[i].key, 0);

		if (asked)
			r = check_parameter(engine_sizes[i].key, engine_sizes[i].parameter,
				(int64_t)asked, err);
	}
	if (r == 0)
		r = check_parameter("zfs.txg_timeout", "zfs_txg_timeout", timeout / NS_PER_S, err);
	return r;
}

static int zfs_kernel_open(
	const struct target_context *context, struct target **ret_target, struct err *err UNUSED)
{
	struct zfs_kernel *zfs = memory_new(sizeof(*zfs));

	zfs->base.context = *context;
	*ret_target = &zfs->base;
	return 0;
}

static void add_properties(struct arguments *arguments, const struct settings *settings,
	const char *option, const char *const *properties)
{
	for (size_t i = 0; properties[i]; i++) {
		const char *text = zfs_property_text(settings, properties[i]);

		if (!text)
			continue;
		add(arguments, option);
		add(arguments, arena_format(&arguments->arena, "%s=%s", properties[i], text));
	}
}

static void add_devices(struct arguments *arguments, const struct target_context *context,
	enum target_device_role role, const char *word, size_t width)
{
	size_t index = 0;

	for (size_t i = 0; i < context->device_count; i++) {
		if (context->devices[i].role != role)
			continue;
		if (word && index++ % width == 0)
			add(arguments, word);
		add(arguments, context->devices[i].path);
	}
}

static void add_vdevs(struct arguments *arguments, const struct target_context *context,
	const struct layout *layout)
{
	add_devices(arguments, context, TARGET_DEVICE_DATA, layout_word(layout), layout->width);
	add_devices(arguments, context, TARGET_DEVICE_LOG, "log", SIZE_MAX);
	add_devices(arguments, context, TARGET_DEVICE_CACHE, "cache", SIZE_MAX);
}

/* The GUID is the pool's identity for the undo; it is known only once the pool is there. */
static int learn_guid(struct zfs_kernel *zfs, struct err *err)
{
	struct undo_sink *undo = zfs->base.context.undo;
	const char *pool = zfs->base.context.id;
	struct undo_record record = { .kind = UNDO_POOL, .path = pool, .owner = zfs->guid };
	struct strbuf text = STRBUF_INIT;
	int r = RUN(&text, err, "zpool", "get", "-H", "-o", "value", "guid", pool);

	strbuf_trim(&text);
	if (r == 0) {
		snprintf(zfs->guid, sizeof(zfs->guid), "%s", text.data);
		r = undo->amend(undo, zfs->pool_undo_id, &record, err);
	}
	strbuf_release(&text);
	return r;
}

static int zfs_kernel_create(struct target *target, struct err *err)
{
	struct zfs_kernel *zfs = CONTAINER_OF(target, struct zfs_kernel, base);
	const struct target_context *context = &target->context;
	struct undo_record record = { .kind = UNDO_POOL, .path = context->id };
	struct arguments arguments = { .arena = ARENA_INIT };
	struct layout layout;
	int r = layout_parse(
		settings_text(context->settings, "filesystem.layout", "stripe 1"), &layout, err);

	if (r == 0)
		r = context->undo->note(context->undo, &record, &zfs->pool_undo_id, err);
	if (r < 0)
		return r;
	add(&arguments, "zpool");
	add(&arguments, "create");
	add(&arguments, "-f");
	add(&arguments, "-R");
	add(&arguments, context->mount_path);
	add(&arguments, "-m");
	add(&arguments, "/");
	add(&arguments, "-o");
	add(&arguments, "cachefile=none");
	add(&arguments, "-O");
	add(&arguments, "canmount=noauto");
	add_properties(&arguments, context->settings, "-o", zfs_pool_properties);
	add_properties(&arguments, context->settings, "-O", zfs_dataset_properties);
	add(&arguments, context->id);
	add_vdevs(&arguments, context, &layout);
	r = run(&arguments, NULL, err);
	if (r == 0)
		r = learn_guid(zfs, err);
	/* "zpool create" mounts what it made, whatever canmount says. */
	return r < 0 ? r : RUN(NULL, err, "zfs", "unmount", context->id);
}

static int zfs_kernel_mount(struct target *target, struct err *err)
{
	struct undo_sink *undo = target->context.undo;
	struct undo_record record = {
		.kind = UNDO_MOUNT, .path = target->context.mount_path, .owner = target->context.id
	};
	int r = undo->note(undo, &record, &target->undo_id, err);

	if (r == 0)
		r = RUN(NULL, err, "zfs", "mount", target->context.id);
	if (r == 0)
		r = target_give_folder(target, target->context.mount_path, err);
	return r;
}

static int zfs_kernel_unmount(struct target *target, struct err *err)
{
	struct undo_sink *undo = target->context.undo;
	int r = RUN(NULL, err, "zfs", "unmount", target->context.id);

	return r < 0 ? r : undo->forget(undo, target->undo_id, err);
}

static int zfs_kernel_sync(struct target *target, struct err *err)
{
	int r = block_target_sync(target, err);

	return r < 0 ? r : RUN(NULL, err, "zpool", "sync", target->context.id);
}

static int import_pool(const struct target_context *context, struct err *err)
{
	struct arguments arguments = { .arena = ARENA_INIT };

	add(&arguments, "zpool");
	add(&arguments, "import");
	add(&arguments, "-N");
	add(&arguments, "-R");
	add(&arguments, context->mount_path);
	add(&arguments, "-o");
	add(&arguments, "cachefile=none");
	for (size_t i = 0; i < context->device_count; i++) {
		add(&arguments, "-d");
		add(&arguments, context->devices[i].path);
	}
	add(&arguments, context->id);
	return run(&arguments, NULL, err);
}

static int zfs_kernel_release(struct target *target, struct err *err)
{
	struct zfs_kernel *zfs = CONTAINER_OF(target, struct zfs_kernel, base);
	struct undo_sink *undo = target->context.undo;
	int r = RUN(NULL, err, "zpool", "export", target->context.id);

	return r < 0 ? r : undo->forget(undo, zfs->pool_undo_id, err);
}

/* Noted anew: the devices may have been attached again since, and are let go after their pool. */
static int zfs_kernel_take(struct target *target, struct err *err)
{
	struct zfs_kernel *zfs = CONTAINER_OF(target, struct zfs_kernel, base);
	struct undo_sink *undo = target->context.undo;
	struct undo_record record = {
		.kind = UNDO_POOL, .path = target->context.id, .owner = zfs->guid
	};
	int r = undo->note(undo, &record, &zfs->pool_undo_id, err);

	return r < 0 ? r : import_pool(&target->context, err);
}

static int zfs_kernel_drop_cache(struct target *target, struct err *err)
{
	int r = target_unmount(target, err);

	if (r == 0)
		r = zfs_kernel_release(target, err);
	if (r == 0)
		r = zfs_kernel_take(target, err);
	return r < 0 ? r : target_mount(target, err);
}

static int zfs_kernel_destroy(struct target *target, struct err *err)
{
	struct zfs_kernel *zfs = CONTAINER_OF(target, struct zfs_kernel, base);
	struct undo_sink *undo = target->context.undo;
	int r = RUN(NULL, err, "zpool", "destroy", "-f", target->context.id);

	return r < 0 ? r : undo->forget(undo, zfs->pool_undo_id, err);
}

/* Lines "property<TAB>value" of zfs or zpool get -Hp as facts "filesystem.PROPERTY"; names that a
 * dataset has too are told apart by prefix. */
static void property_facts(
	struct trial_record *record, const struct settings *settings, bool pool, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *value = strchr(line, '\t');
		char name[96], canonical[128];

		if (!value || strncmp(line, "type\t", 5) == 0) /* not [filesystem] type */
			continue;
		*value++ = '\0';
		snprintf(canonical, sizeof(canonical), "%s", value);
		zfs_property_canonical(line, canonical, sizeof(canonical));
		zfs_property_fact_name(line, pool, name, sizeof(name));
		trial_record_fact(record, name, settings_text(settings, name, NULL), canonical);
	}
}

static void engine_facts(struct trial_record *record, const struct settings *settings)
{
	char seconds[32];

	for (size_t i = 0; i < ARRAY_SIZE(engine_sizes); i++) {
		const char *key = engine_sizes[i].key;
		int64_t value = engine_value(engine_sizes[i].parameter);
		struct strbuf text = STRBUF_INIT;

		if (value >= 0) {
			size_format((uint64_t)value, &text);
			trial_record_fact(
				record, key, settings_text(settings, key, NULL), text.data);
		}
		strbuf_release(&text);
	}
	snprintf(seconds, sizeof(seconds), "%llds", (long long)engine_value("zfs_txg_timeout"));
	trial_record_fact(record, "zfs.txg_timeout",
		settings_text(settings, "zfs.txg_timeout", NULL), seconds);
	trial_record_fact(record, "filesystem.engine", NULL, "kernel");
	target_version_fact(record, "zfs", "zfs", "version");
}

static int zfs_kernel_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const struct settings *settings = target->context.settings;
	const char *pool = target->context.id;
	struct strbuf text = STRBUF_INIT;
	int r = block_target_describe(target, record, err);

	if (r == 0)
		r = RUN(&text, err, "zfs", "get", "-Hp", "-o", "property,value", "all", pool);
	if (r == 0) {
		property_facts(record, settings, false, text.data);
		strbuf_clear(&text);
		r = RUN(&text, err, "zpool", "get", "-Hp", "-o", "property,value", "all", pool);
	}
	if (r == 0) {
		property_facts(record, settings, true, text.data);
		engine_facts(record, settings);
	}
	strbuf_release(&text);
	return r;
}

static int zfs_kernel_counters(struct target *target, json_t **ret_counters, struct err *err UNUSED)
{
	*ret_counters = json_object();
	zfs_counters_read(*ret_counters, target->context.id);
	return 0;
}

/* One number a line or cell of the output, in the order of metrics. */
static void space_samples(struct trial_record *record, const char *phase, const char *source,
	const char *const *metrics, char *text)
{
	for (char *cell; *metrics && (cell = strsep(&text, "\t\n")); metrics++)
		trial_record_sample(record, &(struct sample){ *metrics, phase, source,
						    strtod(cell, NULL), SAMPLE_WHOLE });
}

static int zfs_kernel_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err)
{
	static const char *const dataset[] = { "filesystem_used_bytes",
		"filesystem_available_bytes", "compression_ratio", NULL };
	static const char *const whole[] = { "filesystem_pool_alloc_bytes",
		"filesystem_pool_free_bytes", NULL };
	const char *pool = target->context.id;
	int64_t arc_bytes = zfs_arc_gauge("size");
	struct strbuf text = STRBUF_INIT;
	int r = RUN(&text, err, "zfs", "get", "-Hp", "-o", "value", "used,available,compressratio",
		pool);

	if (r == 0) {
		space_samples(record, phase, "zfs get", dataset, text.data);
		strbuf_clear(&text);
		r = RUN(&text, err, "zpool", "list", "-Hp", "-o", "alloc,free", pool);
	}
	if (r == 0) {
		space_samples(record, phase, "zpool list", whole, text.data);
		if (arc_bytes >= 0)
			trial_record_sample(
				record, &(struct sample){ "zfs_arc_size_bytes", phase, "arcstats",
						(double)arc_bytes, SAMPLE_WHOLE });
	}
	strbuf_release(&text);
	return r;
}

static void zfs_kernel_close(struct target *target)
{
	free(CONTAINER_OF(target, struct zfs_kernel, base));
}

const struct target_driver zfs_kernel_target = {
	.name = "zfs-kernel",
	.base = TARGET_ON_BLOCK,
	.settings = zfs_settings,
	.check = zfs_kernel_check,
	.check_settings = zfs_kernel_check_settings,
	.needs = zfs_needs,
	.open = zfs_kernel_open,
	.create = zfs_kernel_create,
	.mount = zfs_kernel_mount,
	.sync = zfs_kernel_sync,
	.drop_cache = zfs_kernel_drop_cache,
	.unmount = zfs_kernel_unmount,
	.release = zfs_kernel_release,
	.take = zfs_kernel_take,
	.destroy = zfs_kernel_destroy,
	.describe = zfs_kernel_describe,
	.counters = zfs_kernel_counters,
	.space = zfs_kernel_space,
	.close = zfs_kernel_close,
};
