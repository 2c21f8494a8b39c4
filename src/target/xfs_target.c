/* XFS: block sizes from 512 bytes (format of version 4 only) to 64K (above the page size from
 * Linux 6.12 on, as far as the kernel can hold such a block in one folio). */
#include "target/block_target.h"
#include "target/drivers.h"

#include "base/file.h"
#include "base/subprocess.h"
#include "platform/os_mount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* mkfs.xfs 5.19 and later make nothing smaller. */
#define XFS_MIN_BYTES (300ULL << 20)

static const struct setting xfs_settings[] = {
	BLOCK_TARGET_SETTINGS("xfs"),
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = "xfs",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 65536,
		.power_of_two = true,
		.fallback = "4K",
		.reload = true,
		.help = "block size of the filesystem; 512 is made in format version 4, above the "
			"page size needs Linux 6.12" },
	{ .section = "filesystem",
		.key = "log_size",
		.types = "xfs",
		.type = SETTING_SIZE,
		.min = 2 << 20,
		.max = 2LL << 30,
		.reload = true,
		.help = "size of the internal log; unset: mkfs.xfs chooses by the size of the "
			"disk" },
	{ .section = "filesystem",
		.key = "log_buffer_size",
		.types = "xfs",
		.type = SETTING_SIZE,
		.min = 16384,
		.max = 262144,
		.power_of_two = true,
		.reload = true,
		.help = "size of each log buffer in memory (logbsize)" },
	{ 0 },
};

static int xfs_check(struct err *why)
{
	return block_target_check("xfs", "mkfs.xfs", "xfsprogs", why);
}

/* Was this kernel built with option=y? -1: there is no way to tell. */
static int kernel_config(const char *option)
{
	static const char *const unpack[] = { "zcat", "/proc/config.gz", NULL };
	struct strbuf text = STRBUF_INIT;
	char wanted[128], path[256];
	struct utsname name;
	int found = -1;

	uname(&name);
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	snprintf(wanted, sizeof(wanted), "\n%s=y\n", option);
	if (file_read(path, &text, NULL) < 0) {
		strbuf_clear(&text);
		if (!file_exists(unpack[1]) || subprocess_capture(unpack, &text, NULL) < 0)
			strbuf_clear(&text);
	}
	if (text.length)
		found = strstr(text.data, wanted) != NULL;
	strbuf_release(&text);
	return found;
}

static int check_large_block(uint64_t block, struct err *err)
{
	int major, minor;

	os_kernel_version(&major, &minor);
	if (major < 6 || (major == 6 && minor < 12))
		return err_set(err, -ENOTSUP,
			"filesystem.fs_block_size = %lluK is above the page size: Linux 6.12 or "
			"later "
			"mounts such an XFS, this is %d.%d",
			(unsigned long long)(block >> 10), major, minor);
	if (!file_exists("/sys/kernel/mm/transparent_hugepage"))
		return err_set(err, -ENOTSUP,
			"filesystem.fs_block_size = %lluK is above the page size, and this kernel "
			"was "
			"built without transparent huge pages, which XFS needs for that",
			(unsigned long long)(block >> 10));
	return 0;
}

static int xfs_check_settings(const struct settings *settings, struct err *err)
{
	uint64_t block = settings_size(settings, "filesystem.fs_block_size", 4096);

	if (block == 512 && kernel_config("CONFIG_XFS_SUPPORT_V4") == 0)
		return err_set(err, -ENOTSUP,
			"filesystem.fs_block_size = 512 needs XFS of format version 4, and this "
			"kernel "
			"was built without it (CONFIG_XFS_SUPPORT_V4)");
	if (block > (uint64_t)sysconf(_SC_PAGESIZE))
		return check_large_block(block, err);
	return 0;
}

static int xfs_needs(const struct settings *settings UNUSED, struct target_needs *ret_needs,
	struct err *err UNUSED)
{
	*ret_needs = (struct target_needs){ .data_devices = 1, .min_device_bytes = XFS_MIN_BYTES };
	return 0;
}

static int xfs_create(struct target *target, struct err *err)
{
	const struct settings *settings = target->context.settings;
	uint64_t block = settings_size(settings, "filesystem.fs_block_size", 4096);
	uint64_t log = settings_size(settings, "filesystem.log_size", 0);
	char block_text[40], log_text[40];
	const char *arguments[16] = { "mkfs.xfs", "-q", "-f", "-K", "-b", block_text };
	size_t count = 6;

	snprintf(block_text, sizeof(block_text), "size=%llu", (unsigned long long)block);
	if (block == 512) {
		arguments[count++] = "-m";
		arguments[count++] = "crc=0";
	}
	if (log) {
		snprintf(log_text, sizeof(log_text), "size=%llu", (unsigned long long)log);
		arguments[count++] = "-l";
		arguments[count++] = log_text;
	}
	arguments[count++] = block_target_device(target);
	return block_target_mkfs(arguments, err);
}

static int xfs_mount(struct target *target, struct err *err)
{
	uint64_t buffer = settings_size(target->context.settings, "filesystem.log_buffer_size", 0);
	struct strbuf options = STRBUF_INIT;
	int r;

	if (buffer)
		target_add_option(&options, "logbsize=%llu", (unsigned long long)buffer);
	r = block_target_mount(target, "xfs", options.data, err);
	strbuf_release(&options);
	return r;
}

/* "key=1234" after the word section of a line of xfs_info; 0 when it is not there. */
static uint64_t info_number(const char *text, const char *section, const char *key)
{
	const char *line = strstr(text, section);
	const char *found = line ? strstr(line, key) : NULL;

	return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

static int xfs_describe(struct target *target, struct trial_record *record, struct err *err)
{
	const struct settings *settings = target->context.settings;
	const char *const arguments[] = { "xfs_info", target->context.mount_path, NULL };
	struct strbuf info = STRBUF_INIT, text = STRBUF_INIT;
	int r = block_target_describe(target, record, err);

	if (r == 0)
		r = subprocess_capture(arguments, &info, err);
	if (r == 0) {
		uint64_t block = info_number(info.data, "\ndata ", "bsize=");

		size_format(block, &text);
		trial_record_fact(record, "filesystem.fs_block_size",
			settings_text(settings, "filesystem.fs_block_size", NULL), text.data);
		strbuf_clear(&text);
		size_format(info_number(info.data, "\nlog ", "bsize=") *
				    info_number(info.data, "\nlog ", "blocks="),
			&text);
		trial_record_fact(record, "filesystem.log_size",
			settings_text(settings, "filesystem.log_size", NULL), text.data);
		trial_record_fact(record, "filesystem.xfs_info", NULL, info.data);
		target_version_fact(record, "mkfs.xfs", "mkfs.xfs", "-V");
	}
	strbuf_release(&info);
	strbuf_release(&text);
	return r;
}

const struct target_driver xfs_target = {
	.name = "xfs",
	.base = TARGET_ON_BLOCK,
	.settings = xfs_settings,
	.check = xfs_check,
	.check_settings = xfs_check_settings,
	.needs = xfs_needs,
	.open = block_target_open,
	.create = xfs_create,
	.mount = xfs_mount,
	.sync = block_target_sync,
	.unmount = block_target_unmount,
	.destroy = block_target_destroy,
	.describe = xfs_describe,
	.space = block_target_space,
	.close = block_target_close,
};
