/* controls: a study that passes its gates, and one that fails each of them and then says nothing.
 */
#include "unit/close.h"

#include "lib/example_results.h"

#define STUDY                                                                             \
	"[study]\nname = t\n[filesystem]\ntype = ext4, xfs\n[workload]\ntype = pgbench\n" \
	"[design]\nbaseline = filesystem.type=ext4\ncontrols = on\nplanted = 5%\n"

/* What the copies of the baseline measure, times the baseline. */
static double aa = 1, planted = 0.95, xfs = 1.1;

static void run(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	const struct cell *cell = &example->matrix.cells[trial->cell];
	double factor =
		cell->role == CELL_CONTROL_AA	     ? aa
		: cell->role == CELL_CONTROL_PLANTED ? planted
		: strcmp(cell->label, "xfs") == 0 ||
				strstr(example_setting(example, trial, "filesystem.type"), "xfs")
			? xfs
			: 1;

	example_sample(record, "run", "tps", 1000 * factor * exp(0.3 * example_luck(trial)));
}

static void passes(void **state UNUSED)
{
	struct example e;

	example_make(&e, STUDY, 6, run);
	assert_int_equal(e.findings.cell_count, 4);
	assert_int_equal(e.findings.controls.aa.state, CONTROL_PASSED);
	assert_int_equal(e.findings.controls.planted.state, CONTROL_PASSED);
	assert_int_equal(e.findings.controls.canary.state, CONTROL_ABSENT);
	assert_false(e.findings.controls.failed);
	assert_int_equal(e.findings.cells[1].verdict, VERDICT_FASTER);
	assert_non_null(strstr(e.findings.controls.planted.text, "slowed by 5 %"));
	example_release(&e);
}

static void check_nothing_is_said(struct example *e, const char *why)
{
	assert_true(e->findings.controls.failed);
	for (size_t i = 0; i < e->findings.cell_count; i++)
		assert_int_equal(e->findings.cells[i].verdict, VERDICT_NONE);
	assert_non_null(strstr(e->findings.verdict, "this machine can't tell"));
	assert_non_null(strstr(e->findings.verdict, why));
	assert_false(e->findings.recommendation.found);
	assert_string_equal(e->findings.cells[1].reason, "this machine can't tell");
	/* What was measured is still there. */
	assert_true(e->findings.cells[1].effect.ratio > 1.05);
}

static void copy_differs(void **state UNUSED)
{
	struct example e;

	aa = 0.97;
	example_make(&e, STUDY, 6, run);
	aa = 1;
	check_nothing_is_said(&e, "A/A control failed");
	example_release(&e);
}

static void planted_is_missed(void **state UNUSED)
{
	struct example e;

	planted = 1;
	example_make(&e, STUDY, 6, run);
	planted = 0.95;
	check_nothing_is_said(&e, "Planted effect missed");
	example_release(&e);
}

static void too_few_to_check(void **state UNUSED)
{
	struct example e;

	aa = 0.5;
	example_make(&e, STUDY, 2, run);
	aa = 1;
	assert_int_equal(e.findings.controls.aa.state, CONTROL_TOO_FEW);
	assert_false(e.findings.controls.failed);
	example_release(&e);
}

/* Half of the trials have a slow canary, once eight steady ones have set the limits. */
static void run_with_canary(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	run(example, trial, record);
	example_sample(record, "before", "canary_spin_ns",
		1e6 * exp(0.3 * example_luck(trial)) *
			(trial->order > 9 && trial->order % 2 ? 1.3 : 1));
}

static void canary_fails(void **state UNUSED)
{
	struct example e;

	example_make(&e, STUDY, 8, run_with_canary);
	assert_int_equal(e.findings.controls.canary_runs, 32);
	assert_int_equal(e.findings.controls.canary_alarms, 11);
	assert_int_equal(e.findings.trials_spoiled, 11);
	check_nothing_is_said(&e, "host unsuitable");
	example_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes),
		cmocka_unit_test(copy_differs),
		cmocka_unit_test(planted_is_missed),
		cmocka_unit_test(too_few_to_check),
		cmocka_unit_test(canary_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
