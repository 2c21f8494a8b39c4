/*
 * An existing folder of whatever filesystem: for plain users, and for disks that plumb must not
 * format. It makes and removes only a marked subfolder of its own.
 */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os_mount.h"
#include "record/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_path(const struct setting *setting, const char *text, struct err *err)
{
	if (text[0] != '/')
		return err_set(err, -EINVAL, "%s.%s = '%s': must be an absolute path",
			setting->section, setting->key, text);
	return 0;
}

static const struct setting directory_settings[] = {
	{ .section = "filesystem",
		.key = "path",
		.types = "directory",
		.type = SETTING_TEXT,
		.check = check_path,
		.reload = true,
		.help = "existing folder; default: plumb's scratch folder" },
	{ 0 },
};

static int directory_check(struct err *why UNUSED)
{
	return 0;
}

static int directory_check_settings(const struct settings *settings, struct err *err)
{
	const char *path = settings_text(settings, "filesystem.path", NULL);
	struct stat info;

	if (!path)
		return 0;
	if (stat(path, &info) < 0)
		return err_set_errno(err, -errno, "filesystem.path = '%s'", path);
	if (!S_ISDIR(info.st_mode))
		return err_set(err, -ENOTDIR, "filesystem.path = '%s' is not a folder", path);
	if (access(path, W_OK | X_OK) < 0)
		return err_set_errno(err, -errno, "filesystem.path = '%s'", path);
	return 0;
}

static int directory_needs(const struct settings *settings UNUSED, struct target_needs *ret_needs,
	struct err *err UNUSED)
{
	*ret_needs = (struct target_needs){ 0 };
	return 0;
}

static int directory_create(struct target *target, struct err *err)
{
	return marker_make_folder(target->context.mount_path, target->context.id,
		target->context.undo, &target->undo_id, err);
}

static int directory_mount(struct target *target, struct err *err)
{
	if (geteuid() != 0)
		return 0;
	return target_give_folder(target, target->context.mount_path, err);
}

static int directory_unmount(struct target *target UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int forget_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", path);
	/* Only clean pages can be forgotten. */
	if (fsync(fd) < 0)
		r = err_set_errno(err, -errno, "cannot sync '%s'", path);
	else if ((r = -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) < 0)
		err_set_errno(err, r, "cannot advise on '%s'", path);
	close(fd);
	return r;
}

static int directory_drop_cache(struct target *target, struct err *err)
{
	char *const roots[] = { (char *)target->context.mount_path, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;
	int r = 0;

	if (!walk)
		return err_set_errno(err, -errno, "cannot read '%s'", roots[0]);
	while (r == 0 && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_F)
			r = forget_file(entry->fts_path, err);
	fts_close(walk);
	return r;
}

static int directory_destroy(struct target *target, struct err *err)
{
	return marker_remove_folder(target->context.mount_path, target->context.id,
		target->context.undo, target->undo_id, err);
}

static int directory_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const char *path = target->context.mount_path;
	const struct os_mount *mount;
	struct os_mount_table table;
	int r = os_mount_table_read(&table, err);

	if (r < 0)
		return r;
	mount = os_mount_table_above(&table, path);
	if (mount) {
		struct strbuf options = STRBUF_INIT;

		strbuf_add_format(&options, "%s,%s", mount->options, mount->super_options);
		trial_record_fact(record, "filesystem.type_mounted", NULL, mount->type);
		trial_record_fact(record, "filesystem.mount_point", NULL, mount->path);
		trial_record_fact(record, "filesystem.mount_source", NULL, mount->source);
		trial_record_fact(record, "filesystem.mount_options", NULL, options.data);
		strbuf_release(&options);
	}
	os_mount_table_release(&table);
	return 0;
}

static int directory_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err)
{
	struct sample sample = { .phase = phase, .source = "stat", .at_ns = SAMPLE_WHOLE };
	struct os_space space;
	uint64_t used;
	int r = file_tree_allocated_bytes(target->context.mount_path, &used, err);

	if (r < 0)
		return r;
	sample.metric = "filesystem_used_bytes";
	sample.value = (double)used;
	trial_record_sample(record, &sample);
	r = os_space(target->context.mount_path, &space);
	if (r < 0)
		return err_set_errno(
			err, r, "cannot read the space of '%s'", target->context.mount_path);
	sample.metric = "filesystem_available_bytes";
	sample.source = "statvfs";
	sample.value = (double)space.available_bytes;
	trial_record_sample(record, &sample);
	return 0;
}

const struct target_driver directory_target = {
	.name = "directory",
	.base = TARGET_ON_NOTHING,
	.settings = directory_settings,
	.check = directory_check,
	.check_settings = directory_check_settings,
	.needs = directory_needs,
	.open = block_target_open,
	.create = directory_create,
	.mount = directory_mount,
	.sync = block_target_sync,
	.drop_cache = directory_drop_cache,
	.unmount = directory_unmount,
	.destroy = directory_destroy,
	.describe = directory_describe,
	.space = directory_space,
	.close = block_target_close,
};
