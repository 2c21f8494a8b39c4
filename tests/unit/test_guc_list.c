/* Settings as numbers, their defaults by version, and that nothing secret is in the list. */
#include "unit/unit.h"

#include "doctor/guc_list.h"

#include <string.h>

static void makes_numbers(void **state UNUSED)
{
	static const struct {
		const char *name, *text, *unit;
		double number; /* -2: none */
	} cases[] = {
		{ "shared_buffers", "16384", "8kB", 134217728 },
		{ "shared_buffers", "16384", NULL, 134217728 }, /* the list's own unit */
		{ "shared_buffers", "128MB", NULL, 134217728 },
		{ "shared_buffers", "16384", "16kB", 268435456 }, /* pages of 16K */
		{ "shared_buffers", "1 GB", NULL, 1073741824 },
		{ "max_wal_size", "1024", "MB", 1073741824 },
		{ "work_mem", "4096", "kB", 4194304 },
		{ "autovacuum_work_mem", "-1", "kB", -1 },
		{ "wal_segment_size", "16777216", "B", 16777216 },
		{ "checkpoint_timeout", "300", "s", 300000 },
		{ "checkpoint_timeout", "15min", NULL, 900000 },
		{ "checkpoint_timeout", "1h", NULL, 3600000 },
		{ "wal_writer_delay", "200", "ms", 200 },
		{ "max_connections", "100", NULL, 100 },
		{ "random_page_cost", "1.1", NULL, 1.1 },
		{ "shared_buffers", "128 ms", NULL, -2 },
		{ "checkpoint_timeout", "5kB", NULL, -2 },
		{ "max_connections", "many", NULL, -2 },
		{ "max_connections", "5x", NULL, -2 },
		{ "shared_buffers", "", NULL, -2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *value = guc_value(guc_find(cases[i].name), cases[i].text, cases[i].unit);
		double number = json_is_number(value) ? json_number_value(value) : -2;

		if (number != cases[i].number)
			fail_msg("%s %s: %g", cases[i].name, cases[i].text, number);
		json_decref(value);
	}
}

static void knows_defaults(void **state UNUSED)
{
	const struct guc *target = guc_find("checkpoint_completion_target");
	const struct guc *concurrency = guc_find("effective_io_concurrency");

	assert_string_equal(guc_fallback(target, 130000), "0.5");
	assert_string_equal(guc_fallback(target, 140000), "0.9");
	assert_string_equal(guc_fallback(concurrency, 170000), "1");
	assert_string_equal(guc_fallback(concurrency, 180000), "16");
	assert_null(guc_fallback(guc_find("io_method"), 170000));
	assert_string_equal(guc_fallback(guc_find("io_method"), 180000), "worker");
	assert_null(guc_fallback(guc_find("wal_sync_method"), 180000));
}

static void holds_no_secret(void **state UNUSED)
{
	static const char *const words[] = { "conninfo", "command", "password", "passphrase", "ssl",
		"key", "user" };

	for (const struct guc *guc = guc_list; guc->name; guc++) {
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			assert_null(strstr(guc->name, words[i]));
		if (guc[1].name)
			assert_true(strcmp(guc->name, guc[1].name) < 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_numbers),
		cmocka_unit_test(knows_defaults),
		cmocka_unit_test(holds_no_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
