/* Rows and helpers that the kernel's and the embedded ZFS share (see zfs_settings.h). */
#include "target/zfs_settings.h"

#include "base/strbuf.h"
#include "target/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZFS	      "zfs zfs-kernel zfs-embedded"
#define MIN_POOL_SIZE (64LL << 20)
#define M	      (1LL << 20)
#define G	      (1LL << 30)

/* A property of zfs(8) or zpool(8) given as a word, or as a size. */
#define WORD_ROW(KEY, WORDS, FALLBACK, HELP)                                             \
	{                                                                                \
		.section = "filesystem", .key = KEY, .types = ZFS, .type = SETTING_WORD, \
		.words = WORDS, .fallback = FALLBACK, .reload = true, .help = HELP       \
	}
#define SIZE_ROW(KEY, MIN, MAX, POWER, FALLBACK, HELP)                                   \
	{                                                                                \
		.section = "filesystem", .key = KEY, .types = ZFS, .type = SETTING_SIZE, \
		.min = MIN, .max = MAX, .power_of_two = POWER, .fallback = FALLBACK,     \
		.reload = true, .help = HELP                                             \
	}
#define COUNT_ROW(KEY, MIN, MAX, FALLBACK, HELP)                                            \
	{                                                                                   \
		.section = "filesystem", .key = KEY, .types = ZFS, .type = SETTING_INTEGER, \
		.min = MIN, .max = MAX, .fallback = FALLBACK, .reload = true, .help = HELP  \
	}
#define ENGINE_SIZE_ROW(KEY, MIN, HELP)                                                          \
	{                                                                                        \
		.section = "zfs", .key = KEY, .type = SETTING_SIZE, .min = MIN, .max = 1024 * G, \
		.reload = true, .help = HELP                                                     \
	}

const struct setting zfs_settings[] = {
	{ .section = "filesystem",
		.key = "layout",
		.types = ZFS,
		.type = SETTING_TEXT,
		.check = layout_check,
		.fallback = "stripe 1",
		.reload = true,
		.help = "stripe N, N x mirror M, raidz1 N, raidz2 N or raidz3 N" },
	COUNT_ROW("log", 0, 8, "0", "log devices, with their own [device.log]"),
	COUNT_ROW("cache", 0, 8, "0", "cache devices (L2ARC), the kernel's engine only"),
	SIZE_ROW("recordsize", 512, 16 * M, true, "128K", "largest block of a file"),
	WORD_ROW("compression",
		"off on lz4 lzjb zle gzip gzip-N:1:9 zstd zstd-N:1:19 zstd-fast zstd-fast-N:1:1000",
		"lz4", "how blocks are packed"),
	WORD_ROW("atime", "on off", "off", "reading a file updates its access time"),
	WORD_ROW("relatime", "on off", "on", "with atime: at most once a day, or after a change"),
	WORD_ROW("logbias", "latency throughput", "latency", "how synchronous writes are logged"),
	WORD_ROW("primarycache", "all none metadata", "all", "what ARC keeps"),
	WORD_ROW("secondarycache", "all none metadata", "all", "what a cache device keeps"),
	WORD_ROW("sync", "standard always disabled", "standard",
		"how fsync is obeyed; disabled is unsafe"),
	WORD_ROW("redundant_metadata", "all most some none", "all", "extra copies of metadata"),
	WORD_ROW("xattr", "on off sa dir", "sa", "how extended attributes are stored"),
	WORD_ROW("dnodesize", "legacy auto 1k 2k 4k 8k 16k", "legacy", "size of a file's dnode"),
	WORD_ROW("checksum", "on off fletcher2 fletcher4 sha256 sha512 skein edonr blake3", "on",
		"how blocks are checked"),
	COUNT_ROW("copies", 1, 3, "1", "copies of every block, above the layout's own"),
	SIZE_ROW("quota", 64 * M, 1LL << 60, false, NULL, "most space of the dataset; unset: none"),
	SIZE_ROW("reservation", M, 1LL << 60, false, NULL,
		"space kept for the dataset; unset: none"),
	COUNT_ROW("ashift", 9, 16, "12", "smallest block of the pool, as a power of two"),
	WORD_ROW("autotrim", "on off", "off", "discard freed blocks at once"),
	{ .section = "filesystem",
		.key = "compatibility",
		.types = ZFS,
		.type = SETTING_TEXT,
		.reload = true,
		.help = "feature set of the pool as in zpool(8); unset: all" },
	ENGINE_SIZE_ROW("arc_max", 64 * M, "most memory of the ARC"),
	ENGINE_SIZE_ROW("arc_min", 16 * M, "least memory of the ARC"),
	ENGINE_SIZE_ROW("dirty_data_max", 16 * M, "unwritten data before writers are slowed"),
	{ .section = "zfs",
		.key = "cached",
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.reload = true,
		.help = "embedded engine: keep files in the page cache too, not in ARC alone" },
	{ .section = "zfs",
		.key = "txg_timeout",
		.type = SETTING_DURATION,
		.min = NS_PER_S,
		.max = 600 * NS_PER_S,
		.fallback = "5s",
		.reload = true,
		.help = "longest time that a transaction group stays open" },
	{ 0 },
};

const char *const zfs_dataset_properties[] = { "recordsize", "compression", "atime", "relatime",
	"logbias", "primarycache", "secondarycache", "sync", "redundant_metadata", "xattr",
	"dnodesize", "checksum", "copies", "quota", "reservation", NULL };
const char *const zfs_pool_properties[] = { "ashift", "autotrim", "compatibility", NULL };

int zfs_needs(const struct settings *settings, struct target_needs *ret_needs, struct err *err)
{
	const char *text = settings_text(settings, "filesystem.layout", "stripe 1");
	struct layout layout;
	int r = layout_parse(text, &layout, err);

	if (r < 0)
		return r;
	*ret_needs = (struct target_needs){
		.data_devices = layout_devices(&layout),
		.log_devices = (size_t)settings_integer(settings, "filesystem.log", 0),
		.cache_devices = (size_t)settings_integer(settings, "filesystem.cache", 0),
		.min_device_bytes = MIN_POOL_SIZE,
	};
	return 0;
}

int zfs_check_settings(const struct settings *settings, struct err *err)
{
	uint64_t arc_max = settings_size(settings, "zfs.arc_max", 0);
	uint64_t arc_min = settings_size(settings, "zfs.arc_min", 0);
	uint64_t memory = settings_size(settings, "machine.memory", 0);
	uint64_t record = settings_size(settings, "filesystem.recordsize", 128 << 10);
	int64_t ashift = settings_integer(settings, "filesystem.ashift", 12);

	if (arc_max && arc_min >= arc_max)
		return err_set(err, -EINVAL, "zfs.arc_min = %s: must be below zfs.arc_max = %s",
			settings_text(settings, "zfs.arc_min", ""),
			settings_text(settings, "zfs.arc_max", ""));
	if (memory && arc_max >= memory)
		return err_set(err, -EINVAL,
			"zfs.arc_max = %s: must be below machine.memory = %s, of which it is a "
			"part",
			settings_text(settings, "zfs.arc_max", ""),
			settings_text(settings, "machine.memory", ""));
	/* A record below the pool's smallest block is possible, and wastes the rest of it. */
	if (record < (1ULL << ashift) / 8)
		return err_set(err, -EINVAL,
			"filesystem.recordsize = %s: less than an eighth of a block of 2^%lld "
			"bytes",
			settings_text(settings, "filesystem.recordsize", ""), (long long)ashift);
	return 0;
}

const char *zfs_property_text(const struct settings *settings, const char *property)
{
	char name[64];

	snprintf(name, sizeof(name), "filesystem.%s", property);
	return settings_text(settings, name, NULL);
}

void zfs_property_fact_name(const char *property, bool pool, char *text, size_t size)
{
	/* Pools and datasets share names: guid, version, readonly. Keys of studies are clear. */
	for (size_t i = 0; zfs_pool_properties[i]; i++)
		if (strcmp(zfs_pool_properties[i], property) == 0)
			pool = false;
	snprintf(text, size, "filesystem.%s%s", pool ? "pool." : "", property);
}

static bool is_size(const char *property)
{
	return strcmp(property, "recordsize") == 0 || strcmp(property, "quota") == 0 ||
	       strcmp(property, "reservation") == 0;
}

void zfs_property_canonical(const char *property, char *text, size_t size)
{
	struct strbuf formatted = STRBUF_INIT;

	/* From 2.3 on "on" stores them as "sa" does, and is what the property shows. */
	if (strcmp(property, "xattr") == 0 && strcmp(text, "on") == 0)
		snprintf(text, size, "sa");
	if (!is_size(property))
		return;
	size_format(strtoull(text, NULL, 10), &formatted);
	snprintf(text, size, "%s", formatted.data);
	strbuf_release(&formatted);
}
