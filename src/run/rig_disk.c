/* Disks of a rig (see rig_disk.h). */
#include "run/rig_disk.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "device/device_spec.h"
#include "device/diskd_client.h"
#include "device/model_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const role_words[] = {
	[TARGET_DEVICE_DATA] = "disk",
	[TARGET_DEVICE_LOG] = "log",
	[TARGET_DEVICE_CACHE] = "cache",
};

/* A key of [device.log] for log devices, else (or where it is unset there) of [device]. */
static const char *device_text(
	const struct settings *settings, enum target_device_role role, const char *key)
{
	char name[64];
	const char *text = NULL;

	if (role == TARGET_DEVICE_LOG) {
		snprintf(name, sizeof(name), "device.log.%s", key);
		text = settings_text(settings, name, NULL);
	}
	if (text)
		return text;
	snprintf(name, sizeof(name), "device.%s", key);
	return settings_text(settings, name, NULL);
}

static uint64_t device_size(const struct settings *settings, enum target_device_role role,
	const char *key, uint64_t fallback)
{
	const char *text = device_text(settings, role, key);
	uint64_t bytes = fallback;

	if (text)
		(void)size_parse(text, &bytes); /* checked when the study was read */
	return bytes;
}

/* An own model: keys of [device.NAME] replace those of the model that its "like" key names, or that
 * has its name. */
static void take_own_model(
	const struct settings *settings, const char *model, struct device_spec *spec)
{
	struct strbuf parameters = STRBUF_INIT;
	char *prefix = memory_format("device.%s.", model);
	const char *like = model_find(model) ? model : "none";
	bool found = false;

	for (size_t i = 0; i < settings->count; i++) {
		const struct setting_value *value = &settings->values[i];
		const char *key;

		if (strncmp(value->name, prefix, strlen(prefix)) != 0)
			continue;
		found = true;
		key = value->name + strlen(prefix);
		if (strcmp(key, "like") == 0)
			like = value->text;
		else
			strbuf_add_format(&parameters, "%s%s=%s", parameters.length ? "," : "", key,
				value->text);
	}
	free(spec->model);
	spec->model = memory_copy_string(found ? like : model);
	if (parameters.length)
		spec->model_parameters = strbuf_detach(&parameters);
	strbuf_release(&parameters);
	free(prefix);
}

/* The text form of the disk's stack, for whoever opens it. */
static void plan_spec(struct rig_disk *disk, size_t index, const struct rig_disk_context *context)
{
	const struct settings *settings = context->settings;
	const char *model = device_text(settings, disk->role, "model");
	const char *slow = device_text(settings, disk->role, "slow");
	struct strbuf text = STRBUF_INIT;
	struct device_spec spec;

	device_spec_init(&spec);
	spec.in_memory = !disk->image_path;
	spec.path = memory_copy_string(disk->image_path);
	spec.size_bytes = disk->size_bytes;
	spec.logical_sector_bytes = disk->sector_bytes;
	spec.seed = (context->seed + index + ((uint64_t)disk->role << 32)) & INT64_MAX;
	if (slow)
		(void)real_parse(slow, &spec.slow); /* checked when the study was read */
	if (model)
		take_own_model(settings, model, &spec);
	device_spec_format(&spec, &text);
	disk->spec = arena_copy_string(context->arena, text.data);
	strbuf_release(&text);
	device_spec_release(&spec);
}

/* A model that is not known, or a parameter that is not its: said before anything is made. */
static int check_spec(const struct rig_disk *disk, struct err *err)
{
	struct model_parameters parameters;
	struct device_spec spec;
	int r;

	device_spec_init(&spec);
	r = device_spec_parse(disk->spec, &spec, err);
	if (r == 0)
		r = model_parameters_load(spec.model, spec.model_parameters, &parameters, err);
	device_spec_release(&spec);
	return r;
}

int rig_disk_plan(struct rig_disk *disk, enum target_device_role role, size_t index,
	const struct rig_disk_context *context, struct err *err)
{
	const struct settings *settings = context->settings;
	const char *model = device_text(settings, role, "model");
	const char *store = device_text(settings, role, "store");
	bool in_memory = store && strcmp(store, "ram") == 0;

	*disk = (struct rig_disk){ .role = role };
	disk->size_bytes = device_size(settings, role, "size", 48ULL << 30);
	disk->sector_bytes = (uint32_t)device_size(settings, role, "sector", 512);
	if (!in_memory)
		disk->image_path = arena_format(context->arena, "%s/%s-%zu.image", context->folder,
			role_words[role], index);
	/* A plain file behind a plain loop device needs no daemon. */
	if (context->base == TARGET_ON_BLOCK && !in_memory &&
		(!model || strcmp(model, "none") == 0))
		return 0;
	plan_spec(disk, index, context);
	return check_spec(disk, err);
}

int rig_disk_check_settings(const struct settings *settings, enum target_base base, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct rig_disk_context context = {
		.settings = settings, .folder = "", .base = base, .arena = &arena
	};
	struct rig_disk disk;
	int r = rig_disk_plan(&disk, TARGET_DEVICE_DATA, 0, &context, err);

	if (r == 0)
		r = rig_disk_plan(&disk, TARGET_DEVICE_LOG, 0, &context, err);
	arena_release(&arena);
	return r;
}

int rig_disk_create(const struct rig_disk *disk, struct err *err)
{
	int fd, r = 0;

	if (!disk->image_path)
		return 0;
	fd = open(disk->image_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make the disk '%s'", disk->image_path);
	if (ftruncate(fd, (off_t)disk->size_bytes) < 0)
		r = err_set_errno(err, -errno, "cannot make '%s' %llu bytes long", disk->image_path,
			(unsigned long long)disk->size_bytes);
	close(fd);
	return r;
}

static int attach_plain(
	struct rig_disk *disk, const struct rig_disk_context *context, struct err *err)
{
	struct undo_record record = { .kind = UNDO_LOOP };
	struct stat info;
	int r;

	if (stat(disk->image_path, &info) < 0)
		return err_set_errno(err, -errno, "'%s'", disk->image_path);
	record.owner = disk->image_path;
	record.inode = info.st_ino;
	record.device = info.st_dev;
	r = context->undo->note(context->undo, &record, &disk->undo_id, err);
	if (r == 0)
		r = os_loop_attach(disk->image_path, disk->sector_bytes, disk->loop_path, err);
	if (r < 0)
		return r;
	record.path = disk->loop_path;
	return context->undo->amend(context->undo, disk->undo_id, &record, err);
}

static int attach_daemon(
	struct rig_disk *disk, const struct rig_disk_context *context, struct err *err)
{
	struct undo_record loop = { .kind = UNDO_LOOP }, process = { .kind = UNDO_PROCESS };
	struct diskd_options options = {
		.spec = disk->spec,
		.output_path = context->log_path,
		.die_with_parent = true,
		.cgroup_procs = NULL, /* the disk is no part of the machine under test */
	};
	const char *name = disk->image_path ? strrchr(disk->image_path, '/') + 1 : "ram";
	int r = context->undo->note(context->undo, &loop, &disk->undo_id, err);

	if (r == 0)
		r = context->undo->note(context->undo, &process, &disk->daemon_undo_id, err);
	if (r < 0)
		return r;
	options.socket_path = arena_format(context->arena, "%s/%s%llu.socket",
		context->runtime_folder, name, (unsigned long long)disk->undo_id);
	r = diskd_start(&options, &disk->daemon, err);
	if (r < 0)
		return r;
	snprintf(disk->loop_path, sizeof(disk->loop_path), "%s", diskd_loop_path(disk->daemon));
	loop.path = disk->loop_path;
	loop.owner = diskd_loop_owner(disk->daemon);
	process.pid = diskd_pid(disk->daemon);
	process.start_ticks = diskd_start_ticks(disk->daemon);
	r = context->undo->amend(context->undo, disk->undo_id, &loop, err);
	if (r == 0)
		r = context->undo->amend(context->undo, disk->daemon_undo_id, &process, err);
	/* A model that this machine can't carry would give times that are not its own. */
	return r < 0 ? r : diskd_check_speed(disk->daemon, err);
}

int rig_disk_attach(struct rig_disk *disk, const struct rig_disk_context *context, struct err *err)
{
	return disk->spec ? attach_daemon(disk, context, err) : attach_plain(disk, context, err);
}

int rig_disk_detach(struct rig_disk *disk, const struct rig_disk_context *context, struct err *err)
{
	int r;

	if (!disk->loop_path[0])
		return 0;
	if (disk->daemon) {
		r = diskd_stop(disk->daemon, err);
		if (r < 0)
			return r;
		disk->daemon = diskd_close(disk->daemon);
		r = context->undo->forget(context->undo, disk->daemon_undo_id, err);
	} else {
		r = os_loop_detach(disk->loop_path, err);
	}
	if (r < 0)
		return r;
	disk->loop_path[0] = '\0';
	return context->undo->forget(context->undo, disk->undo_id, err);
}

int rig_disk_set_clock(struct rig_disk *disk, bool running, struct err *err)
{
	return disk->daemon ? diskd_set_clock(disk->daemon, running, err) : 0;
}

int rig_disk_check(const struct rig_disk *disk, struct err *err)
{
	if (disk->daemon && !diskd_is_running(disk->daemon))
		return err_set(
			err, -EPIPE, "the emulated disk behind '%s' has ended", disk->loop_path);
	return 0;
}
