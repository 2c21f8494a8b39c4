/* Shared by the kernel's filesystems on a block device (see block_target.h). */
#include "target/block_target.h"

#include "base/memory.h"
#include "base/subprocess.h"
#include "platform/os_mount.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MKFS_TIME_NS	(30 * 60 * NS_PER_S)
#define UNMOUNT_WAIT_NS (10 * NS_PER_S)

int target_need_program(const char *program, const char *package, struct err *why)
{
	char *path = subprocess_find(program);

	if (!path)
		return err_set(why, -ENOTSUP, "program '%s' is not installed (Debian package '%s')",
			program, package);
	free(path);
	return 0;
}

int block_target_check(
	const char *filesystem, const char *program, const char *package, struct err *why)
{
	if (geteuid() != 0)
		return err_set(why, -ENOTSUP, "mounting %s needs root", filesystem);
	if (!os_filesystem_known(filesystem))
		return err_set(why, -ENOTSUP, "this kernel has no filesystem '%s'", filesystem);
	if (access("/dev/loop-control", R_OK | W_OK) < 0)
		return err_set(why, -ENOTSUP, "there are no loop devices: no /dev/loop-control");
	return target_need_program(program, package, why);
}

int block_target_check_options(const struct setting *setting, const char *text, struct err *err)
{
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_=,.:-+", *c))
			return err_set(err, -EINVAL, "%s: '%c' has no place in a mount option",
				setting->key, *c);
	return 0;
}

int block_target_open(
	const struct target_context *context, struct target **ret_target, struct err *err UNUSED)
{
	struct target *target = memory_new(sizeof(*target));

	target->context = *context;
	*ret_target = target;
	return 0;
}

void block_target_close(struct target *target)
{
	free(target);
}

const char *block_target_device(const struct target *target)
{
	for (size_t i = 0; i < target->context.device_count; i++)
		if (target->context.devices[i].role == TARGET_DEVICE_DATA)
			return target->context.devices[i].path;
	return NULL;
}

int block_target_mkfs(const char *const *arguments, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments, .die_with_parent = true };

	return subprocess_run(&options, MKFS_TIME_NS, NULL, NULL, err);
}

void target_add_option(struct strbuf *options, const char *format, ...)
{
	va_list args;

	if (options->length)
		strbuf_add_char(options, ',');
	va_start(args, format);
	strbuf_add_format_args(options, format, args);
	va_end(args);
}

int target_give_folder(const struct target *target, const char *path, struct err *err)
{
	const struct target_context *context = &target->context;

	if (chown(path, context->owner_user, context->owner_group) < 0)
		return err_set_errno(err, -errno, "cannot give '%s' to user %u", path,
			(unsigned)context->owner_user);
	if (chmod(path, 0700) < 0)
		return err_set_errno(err, -errno, "cannot change the mode of '%s'", path);
	return 0;
}

static int mount_device(
	struct target *target, const char *filesystem, const char *options, struct err *err)
{
	static const struct {
		const char *word, *option;
	} access_times[] = { { "on", "strictatime" }, { "off", "noatime" },
		{ "relatime", "relatime" } };
	const struct settings *settings = target->context.settings;
	const char *access_time = settings_text(settings, "filesystem.atime", "relatime");
	const char *more = settings_text(settings, "filesystem.mount_options", "");
	struct strbuf all = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(access_times); i++)
		if (strcmp(access_times[i].word, access_time) == 0)
			target_add_option(&all, "%s", access_times[i].option);
	if (*options)
		target_add_option(&all, "%s", options);
	if (*more)
		target_add_option(&all, "%s", more);
	r = os_mount(
		block_target_device(target), target->context.mount_path, filesystem, all.data, err);
	strbuf_release(&all);
	return r;
}

int block_target_mount(
	struct target *target, const char *filesystem, const char *options, struct err *err)
{
	struct undo_sink *undo = target->context.undo;
	struct undo_record record = {
		.kind = UNDO_MOUNT,
		.path = target->context.mount_path,
		.owner = block_target_device(target),
	};
	uint64_t id;
	int r = undo->note(undo, &record, &id, err);

	if (r < 0)
		return r;
	r = mount_device(target, filesystem, options, err);
	if (r == 0)
		r = target_give_folder(target, target->context.mount_path, err);
	if (r < 0)
		(void)os_unmount(target->context.mount_path, false); /* may not be mounted at all */
	else
		target->undo_id = id;
	return r;
}

int block_target_unmount(struct target *target, struct err *err)
{
	struct undo_sink *undo = target->context.undo;
	struct clock *clock = clock_system();
	int64_t deadline = clock->now_ns(clock) + UNMOUNT_WAIT_NS;
	const char *path = target->context.mount_path;
	int r;

	/* A process that was just killed may hold files for a moment longer. */
	while ((r = os_unmount(path, false)) == -EBUSY && clock->now_ns(clock) < deadline)
		clock->sleep_until(clock, clock->now_ns(clock) + 50 * NS_PER_MS);
	if (r < 0)
		return err_set_errno(err, r, "cannot unmount '%s'", path);
	return undo->forget(undo, target->undo_id, err);
}

int block_target_sync(struct target *target, struct err *err)
{
	int r = os_sync_filesystem(target->context.mount_path);

	return r < 0 ? err_set_errno(err, r, "cannot sync '%s'", target->context.mount_path) : 0;
}

int block_target_destroy(struct target *target UNUSED, struct err *err UNUSED)
{
	return 0;
}

int block_target_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const char *path = target->context.mount_path;
	const struct os_mount *mount;
	struct os_mount_table table;
	int r = os_mount_table_read(&table, err);

	if (r < 0)
		return r;
	mount = os_mount_table_at(&table, path);
	if (mount) {
		struct strbuf options = STRBUF_INIT;

		strbuf_add_format(&options, "%s,%s", mount->options, mount->super_options);
		trial_record_fact(record, "filesystem.type_mounted", NULL, mount->type);
		trial_record_fact(record, "filesystem.mount_options",
			settings_text(target->context.settings, "filesystem.mount_options", NULL),
			options.data);
		strbuf_release(&options);
	} else {
		r = err_set(err, -EINVAL, "nothing is mounted at '%s'", path);
	}
	os_mount_table_release(&table);
	return r;
}

int block_target_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err)
{
	struct os_space space;
	struct sample sample = { .phase = phase, .source = "statvfs", .at_ns = SAMPLE_WHOLE };
	int r = os_space(target->context.mount_path, &space);

	if (r < 0)
		return err_set_errno(
			err, r, "cannot read the space of '%s'", target->context.mount_path);
	sample.metric = "filesystem_used_bytes";
	sample.value = (double)(space.total_bytes - space.free_bytes);
	trial_record_sample(record, &sample);
	sample.metric = "filesystem_available_bytes";
	sample.value = (double)space.available_bytes;
	trial_record_sample(record, &sample);
	return 0;
}

void target_version_fact(
	struct trial_record *record, const char *name, const char *program, const char *option)
{
	const char *const arguments[] = { program, option, NULL };
	struct subprocess_options options = { .arguments = arguments };
	struct strbuf output = STRBUF_INIT, errors = STRBUF_INIT;

	/* mke2fs tells its version on stderr. A program without one leaves no fact. */
	if (subprocess_run(&options, 10 * NS_PER_S, &output, &errors, NULL) == 0) {
		char *line = output.length ? output.data : errors.data;
		char full[64];

		line[strcspn(line, "\n")] = '\0';
		snprintf(full, sizeof(full), "versions.%s", name);
		trial_record_fact(record, full, NULL, line);
	}
	strbuf_release(&output);
	strbuf_release(&errors);
}
