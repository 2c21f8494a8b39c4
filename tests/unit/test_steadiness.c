/* Windows that have settled and windows that have not, from the series of a trial's record. */
#include "unit/unit.h"

#include "base/clock.h"
#include "run/steadiness.h"

#include <math.h>
#include <string.h>

static double flat(int second)
{
	return second % 2 ? 1010 : 990;
}

static double rising(int second)
{
	return 1000 + second;
}

/* Slow for the first 20 s, then level: MSER leaves the beginning out. */
static double late(int second)
{
	return second < 20 ? 500 : flat(second);
}

static double stalls(int second)
{
	return second / 10 % 2 ? 700 : 1300;
}

static const struct {
	const char *name;
	double (*speed)(int second);
	int seconds;
	size_t cycles;
	bool told, warned;
	double cut_s;
} cases[] = {
	{ "flat", flat, 120, 0, true, false, 0 },
	{ "rising", rising, 120, 0, true, true, NAN },
	{ "late", late, 120, 0, true, false, 20 },
	{ "stalls", stalls, 120, 0, true, true, NAN },
	/* A saw tooth of checkpoints is level from cycle to cycle. */
	{ "cycles", stalls, 120, 6, true, false, 0 },
	{ "short", rising, 59, 0, false, false, 0 },
};

static void windows(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial_record record = { 0 };
		double value;

		for (int second = 0; second < cases[i].seconds; second++)
			trial_record_sample(
				&record, &(struct sample){ "tps", "run", "pgbench",
						 cases[i].speed(second), second * NS_PER_S });
		steadiness_judge(&record, cases[i].seconds, cases[i].cycles);
		if (trial_record_find(&record, "run", "steady_range", &value) != cases[i].told)
			fail_msg("%s: told", cases[i].name);
		if ((record.note_count == 1) != cases[i].warned)
			fail_msg("%s: %zu warnings", cases[i].name, record.note_count);
		if (cases[i].warned)
			assert_string_equal(record.notes[0].code, "no-steady-state");
		if (cases[i].told && !isnan(cases[i].cut_s)) {
			assert_true(trial_record_find(&record, "run", "steady_cut_s", &value));
			assert_true(value == cases[i].cut_s);
		}
		trial_record_release(&record);
	}
}

/* A series with a hole says nothing about the whole window. */
static void a_hole(void **state UNUSED)
{
	struct trial_record record = { 0 };
	double value;

	for (int second = 0; second < 120; second++)
		if (second < 50 || second >= 60)
			trial_record_sample(&record, &(struct sample){ "tps", "run", "pgbench",
							     flat(second), second * NS_PER_S });
	steadiness_judge(&record, 120, 0);
	assert_false(trial_record_find(&record, "run", "steady_range", &value));
	assert_int_equal(record.note_count, 0);
	trial_record_release(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(a_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
