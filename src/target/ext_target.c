/*
 * ext2, ext3 and ext4: three drivers of one file, because the kernel's ext4 code serves all three
 * and mke2fs makes them. Lazy initialisation is done by mkfs, before any clock runs.
 */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "platform/os_mount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXT_ALL	      "ext2 ext3 ext4"
#define EXT_JOURNALED "ext3 ext4"

static const struct setting ext_settings[] = {
	BLOCK_TARGET_SETTINGS(EXT_ALL),
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = EXT_ALL,
		.type = SETTING_SIZE,
		.min = 1024,
		.max = 4096,
		.power_of_two = true,
		.fallback = "4K",
		.reload = true,
		.help = "block size of the filesystem" },
	{ .section = "filesystem",
		.key = "cluster_size",
		.types = "ext4",
		.type = SETTING_SIZE,
		.min = 2048,
		.max = 256 << 20,
		.power_of_two = true,
		.reload = true,
		.help = "unit of allocation (bigalloc), at least two blocks; unset: one block" },
	{ .section = "filesystem",
		.key = "barrier",
		.types = EXT_JOURNALED,
		.type = SETTING_BOOLEAN,
		.fallback = "on",
		.reload = true,
		.help = "flush the disk's cache where the journal needs it; off is unsafe" },
	{ .section = "filesystem",
		.key = "data",
		.types = EXT_JOURNALED,
		.type = SETTING_WORD,
		.words = "ordered journal writeback",
		.fallback = "ordered",
		.reload = true,
		.help = "how file data goes with the journal" },
	{ .section = "filesystem",
		.key = "journal_size",
		.types = EXT_JOURNALED,
		.type = SETTING_SIZE,
		.min = 1 << 20,
		.max = 40LL << 30,
		.reload = true,
		.help = "size of the journal; unset: mke2fs chooses by the size of the disk" },
	{ 0 },
};

static int check_any(const char *type, struct err *why)
{
	/* The ext4 code mounts all three; a kernel may also have a module of its own for ext2. */
	const char *known = os_filesystem_known(type) ? type : "ext4";

	return block_target_check(known, "mke2fs", "e2fsprogs", why);
}

static int ext2_check(struct err *why)
{
	return check_any("ext2", why);
}

static int ext3_check(struct err *why)
{
	return check_any("ext3", why);
}

static int ext4_check(struct err *why)
{
	return check_any("ext4", why);
}

static int ext_check_settings(const struct settings *settings, struct err *err)
{
	uint64_t block = settings_size(settings, "filesystem.fs_block_size", 4096);
	uint64_t cluster = settings_size(settings, "filesystem.cluster_size", 0);

	if (cluster && cluster < 2 * block)
		return err_set(err, -EINVAL,
			"filesystem.cluster_size = %s: must be at least two blocks of %s",
			settings_text(settings, "filesystem.cluster_size", ""),
			settings_text(settings, "filesystem.fs_block_size", "4K"));
	return 0;
}

static int ext_needs(const struct settings *settings UNUSED, struct target_needs *ret_needs,
	struct err *err UNUSED)
{
	*ret_needs = (struct target_needs){ .data_devices = 1, .min_device_bytes = 64 << 20 };
	return 0;
}

static int ext_create(struct target *target, struct err *err)
{
	const struct settings *settings = target->context.settings;
	uint64_t journal = settings_size(settings, "filesystem.journal_size", 0);
	uint64_t cluster = settings_size(settings, "filesystem.cluster_size", 0);
	char block_text[32], cluster_text[32], journal_text[32];
	const char *arguments[24] = { "mke2fs", "-q", "-F", "-t", target->driver->name, "-m", "0",
		"-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", "-b", block_text };
	size_t count = 11;

	snprintf(block_text, sizeof(block_text), "%llu",
		(unsigned long long)settings_size(settings, "filesystem.fs_block_size", 4096));
	if (cluster) {
		snprintf(cluster_text, sizeof(cluster_text), "%llu", (unsigned long long)cluster);
		arguments[count++] = "-O";
		arguments[count++] = "bigalloc";
		arguments[count++] = "-C";
		arguments[count++] = cluster_text;
	}
	if (journal) {
		snprintf(journal_text, sizeof(journal_text), "size=%llu",
			(unsigned long long)(journal >> 20));
		arguments[count++] = "-J";
		arguments[count++] = journal_text;
	}
	arguments[count++] = block_target_device(target);
	return block_target_mkfs(arguments, err);
}

static int ext_mount(struct target *target, struct err *err)
{
	const char *type = target->driver->name;
	const struct settings *settings = target->context.settings;
	struct strbuf options = STRBUF_INIT;
	int r;

	if (strcmp(type, "ext2") != 0) {
		target_add_option(
			&options, "data=%s", settings_text(settings, "filesystem.data", "ordered"));
		target_add_option(&options, "barrier=%d",
			settings_boolean(settings, "filesystem.barrier", true));
	}
	r = block_target_mount(
		target, os_filesystem_known(type) ? type : "ext4", options.data, err);
	strbuf_release(&options);
	return r;
}

/* The kernel lists every option in force, defaults too, in /proc/fs/ext4/DEVICE/options. */
static void read_options(const char *device, struct strbuf *options)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/fs/ext4/%s/options", strrchr(device, '/') + 1);
	if (file_read(path, options, NULL) < 0)
		strbuf_clear(options);
}

static void add_option_facts(
	struct trial_record *record, const struct settings *settings, const char *options)
{
	bool barrier = strstr(options, "nobarrier") == NULL;
	const char *data = strstr(options, "data=");

	trial_record_fact(record, "filesystem.barrier",
		settings_text(settings, "filesystem.barrier", NULL), barrier ? "on" : "off");
	if (data) {
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)strcspn(data + 5, "\n,"), data + 5);
		trial_record_fact(record, "filesystem.data",
			settings_text(settings, "filesystem.data", NULL), word);
	}
}

static int ext_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const struct settings *settings = target->context.settings;
	struct strbuf text = STRBUF_INIT;
	struct os_space space;
	int r = block_target_describe(target, record, err);

	if (r < 0)
		return r;
	r = os_space(target->context.mount_path, &space);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", target->context.mount_path);
	size_format(space.block_bytes, &text);
	trial_record_fact(record, "filesystem.fs_block_size",
		settings_text(settings, "filesystem.fs_block_size", NULL), text.data);
	strbuf_clear(&text);
	read_options(block_target_device(target), &text);
	if (text.length) {
		if (strcmp(target->driver->name, "ext2") != 0)
			add_option_facts(record, settings, text.data);
		for (char *c = text.data; *c; c++)
			*c = *c == '\n' ? ',' : *c;
		trial_record_fact(record, "filesystem.all_options", NULL, text.data);
	}
	strbuf_release(&text);
	target_version_fact(record, "mke2fs", "mke2fs", "-V");
	return 0;
}

#define EXT_OPERATIONS                                                                           \
	.base = TARGET_ON_BLOCK, .settings = ext_settings, .check_settings = ext_check_settings, \
	.needs = ext_needs, .open = block_target_open, .create = ext_create, .mount = ext_mount, \
	.sync = block_target_sync, .unmount = block_target_unmount,                              \
	.destroy = block_target_destroy, .describe = ext_describe, .space = block_target_space,  \
	.close = block_target_close

const struct target_driver ext2_target = { .name = "ext2", .check = ext2_check, EXT_OPERATIONS };
const struct target_driver ext3_target = { .name = "ext3", .check = ext3_check, EXT_OPERATIONS };
const struct target_driver ext4_target = { .name = "ext4", .check = ext4_check, EXT_OPERATIONS };
