/* setting: rows by type, canonical text, bounds, near misses. */
#include "unit/unit.h"

#include "setting/setting.h"
#include <errno.h>
#include <string.h>

static const struct setting rows[] = {
	{ .section = "filesystem",
		.key = "recordsize",
		.types = "zfs zfs-kernel",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 1 << 24,
		.power_of_two = true,
		.fallback = "128K",
		.reload = true,
		.help = "largest block of a file" },
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = "ext4",
		.type = SETTING_SIZE,
		.min = 1024,
		.max = 4096,
		.help = "block" },
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = "xfs",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 65536,
		.help = "block" },
	{ .section = "filesystem",
		.key = "compression",
		.types = "zfs",
		.type = SETTING_WORD,
		.words = "off lz4 zstd zstd-N:1:19",
		.help = "how blocks are packed" },
	{ .section = "zfs",
		.key = "arc_max",
		.type = SETTING_SIZE,
		.help = "ARC",
		.unavailable = "the engine is not built" },
	{ .section = "device.log", .key = "size", .type = SETTING_SIZE, .help = "rows of its own" },
	{ .section = "device.*", .key = "*", .type = SETTING_TEXT, .help = "any model's" },
	{ .section = "device.*", .key = "units", .type = SETTING_INTEGER, .help = "servers" },
	{ .section = "postgresql.conf", .key = "*", .type = SETTING_TEXT, .help = "any" },
	{ 0 },
};
static const struct setting *const tables[] = { rows, NULL };
static const struct setting_catalog catalog = { tables };

static void rows_depend_on_the_type(void **state UNUSED)
{
	assert_int_equal(setting_find(&catalog, "filesystem", "fs_block_size", "xfs")->max, 65536);
	assert_int_equal(setting_find(&catalog, "filesystem", "fs_block_size", "ext4")->max, 4096);
	assert_null(setting_find(&catalog, "filesystem", "recordsize", "ext4"));
	assert_non_null(setting_find(&catalog, "filesystem", "recordsize", NULL));
	assert_string_equal(setting_find(&catalog, "postgresql.conf", "fsync", NULL)->key, "*");
	assert_non_null(setting_find(&catalog, "device.mine", "units", NULL));
	assert_int_equal(
		setting_find(&catalog, "device.mine", "units", NULL)->type, SETTING_INTEGER);
	assert_string_equal(setting_find(&catalog, "device.mine", "size", NULL)->key, "*");
	assert_null(setting_find(&catalog, "device.log", "units", NULL));
	assert_null(setting_find(&catalog, "device", "units", NULL));
}

static const struct {
	const char *section, *key, *type, *text;
	int error;
	const char *result; /* canonical text or part of the message */
} cases[] = {
	{ "filesystem", "recordsize", "zfs", "8192", 0, "8K" },
	{ "filesystem", "recordsize", "zfs", "5K", -EINVAL, "power of two" },
	{ "filesystem", "recordsize", "zfs", "32M", -ERANGE, "from 512 to 16M" },
	{ "filesystem", "recordsize", "zfs", "big", -EINVAL, "a size such as" },
	{ "filesystem", "fs_block_size", "ext4", "8K", -ERANGE, "from 1K to 4K" },
	{ "filesystem", "compression", "zfs", "zstd-7", 0, "zstd-7" },
	{ "filesystem", "compression", "zfs", "zstd-77", -EINVAL, "one of" },
	{ "filesystem", "compression", "zfs", "lz5", -EINVAL, "did you mean 'lz4'" },
	{ "zfs", "arc_max", NULL, "1G", -ENOTSUP, "the engine is not built" },
};

static void values_are_checked(void **state UNUSED)
{
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *result = "untouched";
		struct err err = ERR_INIT;
		int r = setting_canonical(
			setting_find(&catalog, cases[i].section, cases[i].key, cases[i].type),
			cases[i].text, &arena, &result, &err);

		assert_int_equal(r, cases[i].error);
		if (r == 0) {
			assert_string_equal(result, cases[i].result);
		} else {
			assert_string_equal(result, "untouched");
			assert_non_null(strstr(err.message, cases[i].result));
		}
	}
	arena_release(&arena);
}

static void near_misses(void **state UNUSED)
{
	assert_string_equal(setting_near_key(&catalog, "filesystem", "recordsiez"), "recordsize");
	assert_null(setting_near_key(&catalog, "filesystem", "shared_buffers"));
	assert_string_equal(setting_near_section(&catalog, "filesytem"), "filesystem");
}

static void sets_are_sorted_and_replaced(void **state UNUSED)
{
	struct settings settings = { 0 };

	settings_set(&settings, &(struct setting_value){ .name = "b.x", .text = "8K" });
	settings_set(&settings, &(struct setting_value){ .name = "a.y", .text = "on" });
	settings_set(&settings, &(struct setting_value){ .name = "b.x", .text = "16K" });
	assert_int_equal(settings.count, 2);
	assert_string_equal(settings.values[0].name, "a.y");
	assert_true(settings_size(&settings, "b.x", 0) == 16384);
	assert_true(settings_boolean(&settings, "a.y", false));
	assert_int_equal(settings_integer(&settings, "none", 5), 5);
	settings_release(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_depend_on_the_type),
		cmocka_unit_test(values_are_checked),
		cmocka_unit_test(near_misses),
		cmocka_unit_test(sets_are_sorted_and_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
