/* zfs_counters: the kernel's kstat files. */
#include "unit/unit.h"

#include "target/zfs_counters.h"
#include <string.h>

static void rows_of_numbers_only(void **state UNUSED)
{
	char text[] = "13 1 0x01 147 39984 8262183465 1121929131364\n"
		      "name                            type data\n"
		      "hits                            4    1234567890123\n"
		      "misses                          4    0\n"
		      "arc_no_grow                     3    0\n"
		      "memory_available_bytes          3    -5\n"
		      "state                           7    ONLINE\n"
		      "broken\n";
	json_t *counters = json_object();

	zfs_counters_parse(counters, "arc", text);
	assert_int_equal(json_object_size(counters), 4);
	assert_int_equal(
		json_integer_value(json_object_get(counters, "arc.hits")), 1234567890123LL);
	assert_int_equal(
		json_integer_value(json_object_get(counters, "arc.memory_available_bytes")), -5);
	json_decref(counters);
}

static void a_missing_file_adds_none(void **state UNUSED)
{
	json_t *counters = json_object();

	zfs_counters_add(counters, "arc", "/nonexistent/arcstats");
	assert_int_equal(json_object_size(counters), 0);
	json_decref(counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_numbers_only),
		cmocka_unit_test(a_missing_file_adds_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
