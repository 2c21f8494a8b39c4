/* btrfs on one device: copy on write on or off, compression, node size. */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "platform/os_mount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BTRFS_MIN_BYTES (256ULL << 20) /* below, mkfs.btrfs mixes data and metadata */

static const struct setting btrfs_settings[] = {
	BLOCK_TARGET_SETTINGS("btrfs"),
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = "btrfs",
		.type = SETTING_SIZE,
		.min = 4096,
		.max = 65536,
		.power_of_two = true,
		.fallback = "4K",
		.reload = true,
		.help = "sector size of the filesystem, as far as the kernel takes it" },
	{ .section = "filesystem",
		.key = "node_size",
		.types = "btrfs",
		.type = SETTING_SIZE,
		.min = 4096,
		.max = 65536,
		.power_of_two = true,
		.fallback = "16K",
		.reload = true,
		.help = "size of the nodes of its trees" },
	{ .section = "filesystem",
		.key = "nodatacow",
		.types = "btrfs",
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.reload = true,
		.help = "overwrite file data in place: no copies, no checksums, no compression" },
	{ .section = "filesystem",
		.key = "compression",
		.types = "btrfs",
		.type = SETTING_WORD,
		.words = "off zlib lzo zstd zlib-N:1:9 zstd-N:1:15",
		.fallback = "off",
		.reload = true,
		.help = "how file data is packed" },
	{ .section = "filesystem",
		.key = "compress_force",
		.types = "btrfs",
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.reload = true,
		.help = "try to pack also files whose first data did not pack" },
	{ .section = "filesystem",
		.key = "metadata",
		.types = "btrfs",
		.type = SETTING_WORD,
		.words = "single dup",
		.fallback = "dup",
		.reload = true,
		.help = "copies of metadata kept on the device" },
	{ .section = "filesystem",
		.key = "barrier",
		.types = "btrfs",
		.type = SETTING_BOOLEAN,
		.fallback = "on",
		.reload = true,
		.help = "flush the disk's cache where the trees need it; off is unsafe" },
	{ 0 },
};

static int btrfs_check(struct err *why)
{
	return block_target_check("btrfs", "mkfs.btrfs", "btrfs-progs", why);
}

static int check_sector(const struct settings *settings, struct err *err)
{
	static const char list[] = "/sys/fs/btrfs/features/supported_sectorsizes";
	uint64_t sector = settings_size(settings, "filesystem.fs_block_size", 4096);
	struct strbuf text = STRBUF_INIT;
	bool found = false;
	int r = 0;

	if (file_read(list, &text, NULL) == 0) { /* no such file: the kernel will tell at mount */
		char *rest = text.data, *word;

		while ((word = strsep(&rest, " \n")))
			found |= strtoull(word, NULL, 10) == sector;
		if (!found)
			r = err_set(err, -ENOTSUP,
				"filesystem.fs_block_size = %s: this kernel's btrfs takes %.*s",
				settings_text(settings, "filesystem.fs_block_size", ""),
				(int)strcspn(text.data, "\n"), text.data);
	}
	strbuf_release(&text);
	return r;
}

static int btrfs_check_settings(const struct settings *settings, struct err *err)
{
	const char *compression = settings_text(settings, "filesystem.compression", "off");

	if (settings_boolean(settings, "filesystem.nodatacow", false) &&
		strcmp(compression, "off") != 0)
		return err_set(err, -EINVAL,
			"filesystem.compression = %s: not possible with filesystem.nodatacow = on",
			compression);
	if (settings_size(settings, "filesystem.node_size", 16384) <
		settings_size(settings, "filesystem.fs_block_size", 4096))
		return err_set(err, -EINVAL,
			"filesystem.node_size = %s: must not be below filesystem.fs_block_size",
			settings_text(settings, "filesystem.node_size", ""));
	return check_sector(settings, err);
}

static int btrfs_needs(const struct settings *settings UNUSED, struct target_needs *ret_needs,
	struct err *err UNUSED)
{
	*ret_needs =
		(struct target_needs){ .data_devices = 1, .min_device_bytes = BTRFS_MIN_BYTES };
	return 0;
}

static int btrfs_create(struct target *target, struct err *err)
{
	const struct settings *settings = target->context.settings;
	char sector[32], node[32];
	const char *const arguments[] = { "mkfs.btrfs", "-q", "-f", "-K", "-s", sector, "-n", node,
		"-d", "single", "-m", settings_text(settings, "filesystem.metadata", "dup"),
		block_target_device(target), NULL };

	snprintf(sector, sizeof(sector), "%llu",
		(unsigned long long)settings_size(settings, "filesystem.fs_block_size", 4096));
	snprintf(node, sizeof(node), "%llu",
		(unsigned long long)settings_size(settings, "filesystem.node_size", 16384));
	return block_target_mkfs(arguments, err);
}

static int btrfs_mount(struct target *target, struct err *err)
{
	const struct settings *settings = target->context.settings;
	const char *compression = settings_text(settings, "filesystem.compression", "off");
	bool force = settings_boolean(settings, "filesystem.compress_force", false);
	struct strbuf options = STRBUF_INIT;
	int r;

	if (settings_boolean(settings, "filesystem.nodatacow", false))
		target_add_option(&options, "nodatacow");
	if (!settings_boolean(settings, "filesystem.barrier", true))
		target_add_option(&options, "nobarrier");
	if (strcmp(compression, "off") != 0) {
		const char *level = strchr(compression, '-');

		target_add_option(&options, "compress%s=%.*s%s%s", force ? "-force" : "",
			(int)strcspn(compression, "-"), compression, level ? ":" : "",
			level ? level + 1 : "");
	}
	r = block_target_mount(target, "btrfs", options.data, err);
	strbuf_release(&options);
	return r;
}

/* The value of "compress=zstd:3" in a list of options as the study spells it: "zstd-3". */
static void read_compression(const char *options, char *word, size_t size)
{
	const char *found = strstr(options, "compress");

	snprintf(word, size, "off");
	found = found ? strchr(found, '=') : NULL;
	if (!found)
		return;
	snprintf(word, size, "%.*s", (int)strcspn(found + 1, ","), found + 1);
	if (strchr(word, ':'))
		*strchr(word, ':') = '-';
}

static void add_option_facts(
	struct trial_record *record, const struct settings *settings, const char *options)
{
	const char *asked = settings_text(settings, "filesystem.compression", NULL);
	char word[64];

	trial_record_fact(record, "filesystem.nodatacow",
		settings_text(settings, "filesystem.nodatacow", NULL),
		strstr(options, "nodatacow") ? "on" : "off");
	trial_record_fact(record, "filesystem.barrier",
		settings_text(settings, "filesystem.barrier", NULL),
		strstr(options, "nobarrier") ? "off" : "on");
	read_compression(options, word, sizeof(word));
	/* Asked for without a level: the kernel shows the level it chose, which is no difference.
	 */
	if (asked && !strchr(asked, '-') && strchr(word, '-')) {
		trial_record_fact(
			record, "filesystem.compression_level", NULL, strchr(word, '-') + 1);
		*strchr(word, '-') = '\0';
	}
	trial_record_fact(record, "filesystem.compression", asked, word);
}

static int btrfs_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const struct settings *settings = target->context.settings;
	struct strbuf text = STRBUF_INIT;
	const struct os_mount *mount;
	struct os_mount_table table;
	struct os_space space;
	int r = block_target_describe(target, record, err);

	if (r == 0)
		r = os_mount_table_read(&table, err);
	if (r < 0)
		return r;
	mount = os_mount_table_at(&table, target->context.mount_path);
	if (mount)
		add_option_facts(record, settings, mount->super_options);
	os_mount_table_release(&table);
	if (os_space(target->context.mount_path, &space) == 0) {
		size_format(space.block_bytes, &text);
		trial_record_fact(record, "filesystem.fs_block_size",
			settings_text(settings, "filesystem.fs_block_size", NULL), text.data);
	}
	strbuf_release(&text);
	target_version_fact(record, "mkfs.btrfs", "mkfs.btrfs", "--version");
	return 0;
}

const struct target_driver btrfs_target = {
	.name = "btrfs",
	.base = TARGET_ON_BLOCK,
	.settings = btrfs_settings,
	.check = btrfs_check,
	.check_settings = btrfs_check_settings,
	.needs = btrfs_needs,
	.open = block_target_open,
	.create = btrfs_create,
	.mount = btrfs_mount,
	.sync = block_target_sync,
	.unmount = block_target_unmount,
	.destroy = block_target_destroy,
	.describe = btrfs_describe,
	.space = block_target_space,
	.close = block_target_close,
};
