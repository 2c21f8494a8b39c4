/* counters: differences, counters that restart, small files' lines. */
#include "unit/unit.h"

#include "probe/counters.h"
#include <string.h>

static void differences(void **state UNUSED)
{
	json_t *before = json_object(), *after = json_object();
	struct trial_record record;
	double value;

	counter_add(before, "wal_bytes", 100);
	counter_add(before, "blocks_hit", 100);
	counter_add(after, "wal_bytes", 150);
	counter_add(after, "wal_bytes", 25);
	counter_add(after, "blocks_hit", 40); /* the server was restarted */
	counter_add(after, "blocks_read", 9); /* not there before: no difference */
	trial_record_init(&record);
	counter_record(before, after, "run", "test", &record);
	assert_int_equal(record.sample_count, 2);
	assert_true(trial_record_find(&record, "run", "wal_bytes", &value) && value == 75);
	assert_true(trial_record_find(&record, "run", "blocks_hit", &value) && value == 40);
	assert_false(trial_record_find(&record, "run", "blocks_read", &value));
	trial_record_release(&record);
	json_decref(before);
	json_decref(after);
}

static void lines(void **state UNUSED)
{
	static const char text[] =
		"MemTotal:       24684092 kB\nCached: 12 kB\nthrottled_usec 77\n";

	assert_true(line_number(text, "MemTotal") == 24684092);
	assert_true(line_number(text, "Cached") == 12);
	assert_true(line_number(text, "throttled_usec") == 77);
	assert_true(line_number(text, "Cache") == -1);
	assert_true(line_number("", "x") == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
