/* validity and what a broken trial does to findings: bad values, failed arms, clocks set back;
 * never a NaN in a sentence, never a silent drop. */
#include "unit/close.h"

#include "lib/example_results.h"

#define STUDY "[study]\nname = t\n[filesystem]\ntype = ext4, xfs\n[workload]\ntype = pgbench\n"

static enum {
	GOOD,
	ZERO,
	NEGATIVE,
	NOT_A_NUMBER,
	CLOCK,
	SHORT_CLOCK,
	FULL,
	HOT,
	SLOW_CLOCK,
	ARM_FAILS,
	ALL_FAIL,
	ALL_VOID
} how;

static bool is_broken(const struct planned_trial *trial)
{
	return trial->cell == 1 && (trial->order < 4);
}

static void run(const struct example *example UNUSED, const struct planned_trial *trial,
	struct trial_record *record)
{
	double tps = 1000 * exp(example_luck(trial));

	if (how == ALL_FAIL || how == ALL_VOID || (how == ARM_FAILS && trial->cell == 1)) {
		record->state = how == ALL_VOID ? TRIAL_VOID : TRIAL_FAILED;
		record->reason = "initdb failed";
		return;
	}
	if (is_broken(trial)) {
		tps = how == ZERO ? 0 : how == NEGATIVE ? -5 : how == NOT_A_NUMBER ? NAN : tps;
		if (how == CLOCK)
			record->finished_utc_ns = record->started_utc_ns - 5 * NS_PER_S;
		if (how == SHORT_CLOCK)
			example_sample(record, "run", "window_s", 300);
		if (how == FULL) {
			example_sample(record, "closing", "filesystem_used_bytes", 9e9);
			example_sample(record, "closing", "filesystem_available_bytes", 1e9);
		}
	}
	example_sample(record, "run", "thermal_throttles", is_broken(trial) && how == HOT ? 3 : 0);
	example_sample(
		record, "run", "frequency_hz", is_broken(trial) && how == SLOW_CLOCK ? 2.8e9 : 3e9);
	example_sample(record, "run", "tps", tps);
}

static const struct {
	int how;
	const char *code, *text;
} cases[] = {
	{ ZERO, "value", "tps is 0: a ratio needs values above zero" },
	{ NEGATIVE, "value", "tps is -5: a ratio needs values above zero" },
	{ CLOCK, "clock", "it ends 5.0 s before it begins: the clock was set back meanwhile" },
	{ SHORT_CLOCK, "clock",
		"its window of 300.0 s does not fit into the 90.0 s it took: the clock was set "
		"back "
		"meanwhile" },
	{ FULL, "disk-full",
		"the filesystem was 90 % full (limit 80 %): it slows down for that reason alone" },
	{ HOT, "thermal", "a core was slowed down 3 times because it was too hot" },
	{ SLOW_CLOCK, "frequency",
		"the CPUs ran at 2.80 GHz, in the middle of the trials they ran at 3.00 (limit 5 % "
		"below)" },
};

static void spoiled_with_reason(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct example e;
		size_t seen = 0;

		how = cases[i].how;
		example_make(&e, STUDY, 6, run);
		for (size_t t = 0; t < e.results.trial_count; t++) {
			const struct results_trial *trial = &e.results.trials[t];

			if (!trial->spoiled)
				continue;
			seen++;
			assert_string_equal(
				trial->notes[trial->note_count - 1].code, cases[i].code);
			assert_string_equal(
				trial->notes[trial->note_count - 1].text, cases[i].text);
		}
		assert_int_equal(seen, 2);
		assert_int_equal(e.findings.trials_spoiled, 2);
		assert_int_equal(e.findings.cells[1].setups, 4);
		assert_int_equal(e.findings.cells[0].setups, 6);
		assert_int_not_equal(e.findings.cells[1].verdict, VERDICT_NONE);
		example_release(&e);
	}
}

/* The probe's NaN becomes a warning of its trial, which then has nothing to compare. */
static void not_a_number(void **state UNUSED)
{
	struct example e;
	size_t warned = 0;

	how = NOT_A_NUMBER;
	example_make(&e, STUDY, 6, run);
	for (size_t t = 0; t < e.results.trial_count; t++)
		for (size_t n = 0; n < e.results.trials[t].note_count; n++)
			warned += e.results.trials[t].notes[n].level == NOTE_WARNING;
	assert_int_equal(warned, 2);
	assert_int_equal(e.findings.cells[1].setups, 4);
	example_release(&e);
}

static void check_no_nan(const char *text)
{
	assert_non_null(text);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
}

static void one_arm_fails(void **state UNUSED)
{
	struct example e;

	how = ARM_FAILS;
	example_make(&e, STUDY, 6, run);
	assert_int_equal(e.findings.trials_failed, 6);
	assert_int_equal(e.findings.cells[1].verdict, VERDICT_NONE);
	assert_string_equal(e.findings.cells[1].reason, "it has no valid set-up");
	assert_string_equal(e.findings.verdict,
		"No verdict: no cell has enough valid set-ups beside its baseline.");
	check_no_nan(e.findings.recommendation.sentence);
	example_release(&e);
}

static void nothing_usable(void **state UNUSED)
{
	struct example e;

	how = ALL_FAIL;
	example_make(&e, STUDY, 2, run);
	assert_string_equal(e.findings.verdict,
		"No verdict: no trial is usable (4 failed, 0 void, 0 spoiled).");
	check_no_nan(e.findings.recommendation.sentence);
	example_release(&e);
	how = ALL_VOID;
	example_make(&e, STUDY, 2, run);
	assert_string_equal(e.findings.verdict,
		"No verdict: no trial is usable (0 failed, 4 void, 0 spoiled).");
	example_release(&e);
	how = GOOD;
	example_plan(&e, STUDY, 2);
	example_find(&e);
	assert_string_equal(e.findings.verdict, "No verdict: no trial has been run yet.");
	example_release(&e);
}

static void fewer_than_needed(void **state UNUSED)
{
	for (size_t blocks = 1; blocks < 7; blocks++) {
		struct example e;

		how = GOOD;
		example_make(&e, STUDY, blocks, run);
		assert_int_equal(e.findings.cells[1].verdict == VERDICT_NONE, blocks < 3);
		assert_int_equal(isnan(e.findings.cells[1].effect.low), blocks < 3);
		check_no_nan(e.findings.verdict);
		if (blocks < 3)
			assert_string_equal(
				e.findings.cells[1].reason, "fewer than 3 set-ups: no interval");
		example_release(&e);
	}
}

/* Alarms of a slow drift: each step is within the limits, their sum is not. */
static void run_drift(const struct example *example UNUSED, const struct planned_trial *trial,
	struct trial_record *record)
{
	example_sample(record, "run", "tps", 1000);
	example_sample(record, "before", "canary_copy_ns",
		1e6 * exp(0.2 * example_luck(trial) +
			      (trial->order > 12 ? 0.0009 * ((double)trial->order - 12) : 0)));
}

static void canary_drift(void **state UNUSED)
{
	struct example e;

	example_make(&e, STUDY, 20, run_drift);
	assert_int_equal(e.findings.controls.canary_runs, 40);
	assert_true(e.findings.controls.canary_alarms > 0);
	example_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spoiled_with_reason),
		cmocka_unit_test(not_a_number),
		cmocka_unit_test(one_arm_fails),
		cmocka_unit_test(nothing_usable),
		cmocka_unit_test(fewer_than_needed),
		cmocka_unit_test(canary_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
