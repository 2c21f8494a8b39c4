/* m-time: only queries whose plans are equal in all cells; what changed or differs is marked. */
#include "unit/unit.h"

#include "analysis/common_plans.h"
#include "lib/example_results.h"

#include <math.h>
#include <string.h>

#define TEXT                                                                                      \
	"[study]\nname = q\n[filesystem]\ntype = zfs\nrecordsize = 8K, 32K\n[design]\nrepeats = " \
	"3\n"

static bool large(const struct example *example, const struct planned_trial *trial)
{
	return strcmp(example_setting(example, trial, "filesystem.recordsize"), "32K") == 0;
}

static void query(struct trial_record *record, const char *name, double time_ns, const char *plan,
	const char *result)
{
	char text[64];

	snprintf(text, sizeof(text), "query_%s_cold_ns", name);
	example_sample(record, "run", text, time_ns * 3);
	if (time_ns > 0) {
		snprintf(text, sizeof(text), "query_%s_warm_ns", name);
		example_sample(record, "run", text, time_ns);
	}
	snprintf(text, sizeof(text), "query.%s.plan", name);
	trial_record_fact(record, text, NULL, plan);
	snprintf(text, sizeof(text), "query.%s.structure", name);
	trial_record_fact(record, text, NULL, "Seq Scan");
	snprintf(text, sizeof(text), "query.%s.result", name);
	trial_record_fact(record, text, NULL, result);
}

/* q01 is common; q02 has another plan with large records; q03's plan flutters in one cell; q04
 * gives another result once. */
static void run_trial(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	size_t block = example->plan.setups[trial->setup].block;
	bool is_large = large(example, trial);

	query(record, "q01", is_large ? 200 : 100, "a", "r1");
	query(record, "q02", is_large ? 90000 : 100, is_large ? "b" : "c", "r2");
	query(record, "q03", 100, is_large && block == 1 ? "d" : "e", "r3");
	query(record, "q04", 100, "f", is_large && block == 2 ? "other" : "r4");
	example_sample(record, "run", "queries_total_ns", is_large ? 90400 : 400);
}

static void only_common_plans_count(void **state UNUSED)
{
	struct example example;
	const struct query_finding *queries;

	example_make(&example, TEXT, 3, run_trial);
	queries = example.findings.queries;
	assert_int_equal(example.findings.query_count, 4);
	assert_true(queries[0].common && queries[0].plans == 1);
	assert_true(!queries[1].common && queries[1].plans == 2 && !queries[1].unsteady_cell);
	assert_true(!queries[2].common && queries[2].plans == 2);
	assert_string_equal(queries[2].unsteady_cell, "recordsize=32K");
	assert_true(!queries[3].common && queries[3].results_differ);
	assert_string_equal(example.findings.primary->name, "m_time_ns");
	for (size_t i = 0; i < example.findings.cell_count; i++) {
		double expected = i == 0 ? 100 : 200;

		assert_true(fabs(example.findings.cells[i].mean - expected) < 1e-9);
	}
	example_release(&example);
}

/* A query that timed out somewhere has no warm and no cold time there. */
static void run_timeout(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	query(record, "q01", 100, "a", "r1");
	trial_record_fact(record, "query.q02.plan", NULL, "b");
	if (!large(example, trial))
		example_sample(record, "run", "query_q02_warm_ns", 5);
}

static void timed_out_queries_do_not_count(void **state UNUSED)
{
	struct example example;

	example_make(&example, TEXT, 3, run_timeout);
	assert_true(example.findings.queries[0].common);
	assert_false(example.findings.queries[1].common);
	assert_false(example.findings.queries[1].in_all);
	assert_true(example.findings.queries[1].timed_out);
	assert_false(example.findings.queries[0].timed_out);
	assert_true(fabs(example.findings.cells[0].mean - 100) < 1e-9);
	example_release(&example);
}

static void run_plain(const struct example *example UNUSED,
	const struct planned_trial *trial UNUSED, struct trial_record *record)
{
	example_sample(record, "run", "tps", 100);
}

static void nothing_without_queries(void **state UNUSED)
{
	struct example example;

	example_make(&example, TEXT, 3, run_plain);
	assert_int_equal(example.findings.query_count, 0);
	assert_string_equal(example.findings.primary->name, "tps");
	example_release(&example);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(only_common_plans_count),
		cmocka_unit_test(timed_out_queries_do_not_count),
		cmocka_unit_test(nothing_without_queries) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
