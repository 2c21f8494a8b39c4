/* record: samples are copied, numbers that are none become notes, metrics have rows. */
#include "unit/unit.h"

#include "record/metric.h"
#include "record/record.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static void samples_and_notes(void **state UNUSED)
{
	struct trial_record record;
	double value = 7;

	trial_record_init(&record);
	for (int i = 0; i < 100; i++)
		trial_record_sample(
			&record, &(struct sample){ "tps", "run", "pgbench", i, i * NS_PER_S });
	trial_record_sample(
		&record, &(struct sample){ "tps", "run", "pgbench", 812.5, SAMPLE_WHOLE });
	trial_record_sample(&record, &(struct sample){ "tps", "run", "pgbench", NAN, 0 });
	assert_int_equal(record.sample_count, 101);
	assert_int_equal(record.note_count, 1);
	assert_string_equal(record.notes[0].code, "not-a-number");
	assert_true(trial_record_find(&record, "run", "tps", &value));
	assert_true(value == 812.5);
	assert_false(trial_record_find(&record, "load", "tps", &value));
	trial_record_release(&record);
}

static void metrics(void **state UNUSED)
{
	size_t count;
	const struct metric *rows = metric_rows(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rows[i].name, rows[j].name);
	assert_string_equal(metric_find("zfs_arc_hits")->name, "zfs_*");
	assert_string_equal(metric_find("tps")->unit, "1/s");
	assert_null(metric_find("speed"));
}

static void states(void **state UNUSED)
{
	enum trial_state parsed = TRIAL_PLANNED;

	assert_int_equal(trial_state_parse("void", &parsed), 0);
	assert_int_equal(parsed, TRIAL_VOID);
	assert_int_equal(trial_state_parse("lost", &parsed), -EINVAL);
	assert_string_equal(trial_state_word(TRIAL_FAILED), "failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_notes),
		cmocka_unit_test(metrics),
		cmocka_unit_test(states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
