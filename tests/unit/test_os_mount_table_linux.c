/* Mount table of Linux: escapes, missing tags and sources, stacked mounts, lines that are wrong. */
#include "unit/unit.h"

#include "platform/os_mount.h"
#include <errno.h>
#include <stdio.h>

static const char good[] =
	"1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"20 1 7:3 / /mnt/a\\040b rw - xfs /dev/loop3 rw,noquota\n"
	"21 20 7:4 /sub /mnt/a\\040b ro shared:2 master:1 - btrfs /dev/loop4 rw\n"
	"22 1 0:40 / /none rw - tmpfs  rw\n";

static void rows_are_understood(void **state UNUSED)
{
	struct os_mount_table table;
	struct err err = ERR_INIT;
	const struct os_mount *row;

	assert_int_equal(os_mount_table_parse(&table, good, &err), 0);
	assert_int_equal(table.count, 4);
	row = os_mount_table_at(&table, "/mnt/a b");
	assert_non_null(row);
	assert_string_equal(row->type, "btrfs");
	assert_string_equal(row->root, "/sub");
	assert_string_equal(row->options, "ro");
	assert_int_equal(row->major, 7);
	assert_int_equal(row->minor, 4);
	assert_int_equal(row->parent_id, 20);
	assert_string_equal(os_mount_table_at(&table, "/none")->source, "");
	assert_string_equal(os_mount_table_above(&table, "/mnt/a b/x")->type, "btrfs");
	assert_string_equal(os_mount_table_above(&table, "/mnt/other")->type, "ext4");
	assert_null(os_mount_table_at(&table, "/mnt"));
	os_mount_table_release(&table);
}

static void wrong_line_is_named_whole(void **state UNUSED)
{
	static const char *const wrong[] = { "20 1 7:3 /", "20 1 7 / /mnt rw - xfs /dev/loop3 rw",
		"20 1 7:3 / /mnt rw shared:1 xfs /dev/loop3 rw", "20 1 7:3 / /mnt rw - xfs" };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct os_mount_table table = { .count = 7 };
		struct err err = ERR_INIT;
		char text[512], expected[512];

		snprintf(text, sizeof(text), "%s%s\n%s", good, wrong[i], good);
		snprintf(expected, sizeof(expected), "mount table: line not understood: '%s'",
			wrong[i]);
		assert_int_equal(os_mount_table_parse(&table, text, &err), -EINVAL);
		assert_string_equal(err.message, expected);
		assert_int_equal(table.count, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_understood),
		cmocka_unit_test(wrong_line_is_named_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
