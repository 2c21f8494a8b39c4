/* block_target: what is missing is named with its package; mount options that a study may give. */
#include "unit/unit.h"

#include "target/block_target.h"
#include "target/drivers.h"
#include <errno.h>
#include <string.h>

static void a_missing_program_is_named(void **state UNUSED)
{
	struct err err = ERR_INIT;

	assert_int_equal(target_need_program("sh", "dash", &err), 0);
	assert_int_equal(
		target_need_program("mkfs.no-such-thing", "no-such-progs", &err), -ENOTSUP);
	assert_non_null(strstr(err.message, "mkfs.no-such-thing"));
	assert_non_null(strstr(err.message, "no-such-progs"));
}

static void a_missing_filesystem_is_named(void **state UNUSED)
{
	struct err err = ERR_INIT;

	assert_int_equal(block_target_check("no-such-fs", "sh", "dash", &err), -ENOTSUP);
	assert_true(err.message[0] != '\0');
}

static void options_are_words(void **state UNUSED)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = { { "commit=30,discard", 0 }, { "x-a.b:c_d", 0 }, { "a b", -EINVAL },
		{ "a;b", -EINVAL }, { "a/b", -EINVAL }, { "a\nb", -EINVAL } };
	const struct setting row = { .section = "filesystem", .key = "mount_options" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			block_target_check_options(&row, cases[i].text, NULL), cases[i].code);
}

static struct settings make(const char *name, const char *text)
{
	struct settings settings = { 0 };

	settings_set(&settings, &(struct setting_value){ .name = name, .text = text });
	return settings;
}

/* Impossible cells are refused before anything is touched. */
static void impossible_cells(void **state UNUSED)
{
	struct settings settings = make("filesystem.cluster_size", "4K");
	struct err err = ERR_INIT;

	assert_int_equal(ext4_target.check_settings(&settings, &err), -EINVAL);
	settings_release(&settings);
	settings = make("filesystem.cluster_size", "8K");
	assert_int_equal(ext4_target.check_settings(&settings, &err), 0);
	settings_release(&settings);
	settings = make("filesystem.nodatacow", "on");
	assert_int_equal(btrfs_target.check_settings(&settings, &err), 0);
	settings_set(&settings,
		&(struct setting_value){ .name = "filesystem.compression", .text = "zstd" });
	assert_int_equal(btrfs_target.check_settings(&settings, &err), -EINVAL);
	settings_release(&settings);
	settings = make("filesystem.path", "/no/such/folder");
	assert_int_equal(directory_target.check_settings(&settings, &err), -ENOENT);
	settings_release(&settings);
}

/* Every driver has what target.c calls without asking. */
static void drivers_are_whole(void **state UNUSED)
{
	for (size_t i = 0; target_drivers[i]; i++) {
		const struct target_driver *driver = target_drivers[i];

		assert_true(driver->check && driver->open && driver->create && driver->mount &&
			    driver->sync && driver->unmount && driver->destroy &&
			    driver->describe && driver->space && driver->close);
		assert_ptr_equal(target_find(driver->name), driver);
	}
	assert_non_null(target_find("zfs"));
	assert_null(target_find("no-such-fs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_program_is_named),
		cmocka_unit_test(a_missing_filesystem_is_named),
		cmocka_unit_test(options_are_words),
		cmocka_unit_test(impossible_cells),
		cmocka_unit_test(drivers_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
