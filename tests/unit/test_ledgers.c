/* Memory and write ledgers: sums, the line that overflows, factors, counters that went back. */
#include "unit/unit.h"

#include "doctor/cross/memory_ledger.h"
#include "doctor/cross/write_ledger.h"
#include "doctor/facts.h"

#include <string.h>

static json_t *load(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	return value;
}

#define SETTINGS                                                                             \
	"\"setting\": {\"shared_buffers\": 1000, \"work_mem\": 10, \"max_connections\": 50," \
	" \"autovacuum_max_workers\": 3, \"autovacuum_work_mem\": -1,"                       \
	" \"maintenance_work_mem\": 100, \"huge_pages\": \"try\"}"

static void adds_up(void **state UNUSED)
{
	json_t *root = load("{" SETTINGS ", \"layout\": {\"any_zfs\": true, \"kernel_zfs\": true},"
			    " \"zfs\": {\"arc\": {\"c_max\": 5000}},"
			    " \"memory\": {\"total_bytes\": 6000}}");
	json_t *ledger = memory_ledger(root);

	assert_true(facts_number(ledger, "sum_bytes", 0) == 1000 + 500 + 300 + 5000);
	assert_true(facts_number(ledger, "limit_bytes", 0) == 6000);
	const json_t *lines = json_object_get(ledger, "lines");
	assert_int_equal(json_array_size(lines), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(facts_bool(json_array_get(lines, i), "overflows", false), i == 3);
	assert_int_equal(json_array_size(json_object_get(ledger, "missing")), 0);
	json_decref(ledger);
	json_decref(root);
}

static void the_tighter_limit_counts(void **state UNUSED)
{
	/* The kernel's ARC is not charged to the cgroup: 1800 of 1900 there, 6800 of 20000 here. */
	json_t *root = load("{" SETTINGS ", \"layout\": {\"any_zfs\": true, \"kernel_zfs\": true},"
			    " \"zfs\": {\"arc\": {\"c_max\": 5000}}, \"memory\":"
			    " {\"total_bytes\": 20000, \"cgroup_limit_bytes\": 1900}}");
	json_t *ledger = memory_ledger(root);

	assert_true(facts_number(ledger, "sum_bytes", 0) == 1800);
	assert_true(facts_number(ledger, "limit_bytes", 0) == 1900);
	json_decref(ledger);
	/* plumb-zfsd's is. */
	facts_put_bool(root, "layout.kernel_zfs", false);
	ledger = memory_ledger(root);
	assert_true(facts_number(ledger, "sum_bytes", 0) == 6800);
	json_decref(ledger);
	json_decref(root);
}

static void huge_pages_are_not_counted_twice(void **state UNUSED)
{
	json_t *root = load("{" SETTINGS ", \"layout\": {\"any_zfs\": false}, \"memory\":"
			    " {\"total_bytes\": 20000, \"huge_page_pool_bytes\": 1200}}");
	json_t *ledger = memory_ledger(root);

	assert_true(facts_number(ledger, "sum_bytes", 0) == 1000 + 200 + 500 + 300);
	json_decref(ledger);
	facts_put_text(root, "setting.huge_pages", "off");
	ledger = memory_ledger(root);
	assert_true(facts_number(ledger, "sum_bytes", 0) == 1000 + 1200 + 500 + 300);
	json_decref(ledger);
	json_decref(root);
}

static void missing_lines_are_named(void **state UNUSED)
{
	json_t *root = load("{\"setting\": {\"shared_buffers\": 1000}, \"layout\": {},"
			    " \"memory\": {\"total_bytes\": 2000}}");
	json_t *ledger = memory_ledger(root);

	assert_true(facts_number(ledger, "sum_bytes", 0) == 1000);
	assert_true(json_array_size(json_object_get(ledger, "missing")) >= 4);
	json_decref(ledger);
	json_decref(root);
	root = load("{}");
	assert_null(memory_ledger(root));
	json_decref(root);
}

static double factor(const json_t *ledger, const char *name)
{
	size_t i;
	json_t *step;

	json_array_foreach(json_object_get(ledger, "steps"), i,
		step) if (strcmp(facts_text(step, "name", ""), name) == 0) return facts_number(step,
		"factor", -1);
	return -2;
}

static void follows_the_writes(void **state UNUSED)
{
	json_t *facts =
		load("{\"ledger\": {\"seconds\": 10, \"begin\": {\"wal_position\": 1000,"
		     " \"file_write_bytes\": 0, \"rows_inserted\": 1, \"rows_updated\": 0,"
		     " \"rows_deleted\": 0, \"devices\": [{\"name\": \"a\", \"write_bytes\": 100,"
		     " \"busy_ms\": 0}, {\"name\": \"b\", \"write_bytes\": 0, \"busy_ms\": 100}]},"
		     " \"end\": {\"wal_position\": 2000, \"file_write_bytes\": 500,"
		     " \"rows_inserted\": 11, \"rows_updated\": 0, \"rows_deleted\": 0,"
		     " \"devices\": [{\"name\": \"a\", \"write_bytes\": 4600, \"busy_ms\": 9000},"
		     " {\"name\": \"b\", \"write_bytes\": 0, \"busy_ms\": 200}]}}}");
	json_t *ledger = write_ledger(facts);

	assert_true(facts_number(ledger, "rows_changed", 0) == 10);
	assert_true(factor(ledger, "WAL") == -1); /* the first has nothing before it */
	assert_true(factor(ledger, "files") == 1.5);
	assert_true(factor(ledger, "device") == 3);
	assert_string_equal(facts_text(ledger, "multiplies", ""), "device");
	assert_true(facts_number(ledger, "device_busy_percent", 0) == 90);
	json_decref(ledger);

	/* A reset in between: the step is left out, the others stay. */
	facts_put_number(facts, "ledger.end.file_write_bytes", -1);
	ledger = write_ledger(facts);
	assert_true(factor(ledger, "files") == -2);
	assert_true(factor(ledger, "device") == 4.5);
	json_decref(ledger);
	json_object_del(facts_at(facts, "ledger"), "end");
	assert_null(write_ledger(facts));
	json_decref(facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(the_tighter_limit_counts),
		cmocka_unit_test(huge_pages_are_not_counted_twice),
		cmocka_unit_test(missing_lines_are_named),
		cmocka_unit_test(follows_the_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
