/* recommendation: speed, cost and safety weighed; the Pareto set. */
#include "unit/close.h"

#include "lib/example_results.h"

/* ext4 4K | ext4 1K | xfs 4K | xfs 1K by numbers of the test. */
static double speed[4], writes[4];
static const char *more = "";

static void run(const struct example *example UNUSED, const struct planned_trial *trial,
	struct trial_record *record)
{
	example_sample(record, "run", "tps", speed[trial->cell] * exp(0.5 * example_luck(trial)));
	example_sample(record, "run", "transactions", 1000);
	example_sample(record, "run", "device_write_bytes", 1000 * writes[trial->cell]);
}

static void make(struct example *e, const double speeds[4], const double costs[4])
{
	char text[512];

	memcpy(speed, speeds, sizeof(speed));
	memcpy(writes, costs, sizeof(writes));
	snprintf(text, sizeof(text),
		"[study]\nname = t\n[filesystem]\ntype = ext4, xfs\nfs_block_size = 4K, 1K\n"
		"[workload]\ntype = pgbench\n%s",
		more);
	example_make(e, text, 6, run);
	assert_int_equal(e->findings.cell_count, 4);
}

static void fastest_alone(void **state UNUSED)
{
	const double speeds[] = { 100, 150, 100, 90 }, costs[] = { 1000, 1200, 900, 1000 };
	struct example e;

	make(&e, speeds, costs);
	assert_true(e.findings.recommendation.found);
	assert_int_equal(e.findings.recommendation.cell, 1);
	assert_non_null(strstr(e.findings.recommendation.sentence, "every other acceptable cell"));
	assert_non_null(strstr(e.findings.recommendation.sentence, "durable"));
	/* 2 writes least; 0 is only as fast as 2 and writes more. */
	assert_int_equal(e.findings.recommendation.cells[1].beaten_by, 1);
	assert_int_equal(e.findings.recommendation.cells[2].beaten_by, 2);
	assert_int_equal(e.findings.recommendation.cells[0].beaten_by, 2);
	assert_int_not_equal(e.findings.recommendation.cells[3].beaten_by, 3);
	example_release(&e);
}

static void ties_go_to_the_cheap(void **state UNUSED)
{
	const double speeds[] = { 100, 100.3, 99.8, 80 }, costs[] = { 1000, 1010, 500, 100 };
	struct example e;

	make(&e, speeds, costs);
	assert_int_equal(e.findings.recommendation.cell, 2);
	assert_non_null(strstr(e.findings.recommendation.sentence, "not shown to be slower"));
	example_release(&e);
}

static void unsafe_is_not_recommended(void **state UNUSED)
{
	const double speeds[] = { 100, 100, 300, 300 }, costs[] = { 1, 1, 1, 1 };
	struct example e;

	more = "[arm safe]\nworkload.clients = 1\n[arm unsafe]\npostgresql.conf.fsync = off\n"
	       "[design]\nbaseline = safe\n";
	memcpy(speed, (double[]){ 100, 300, 0, 0 }, sizeof(speed));
	memcpy(writes, costs, sizeof(writes));
	(void)speeds;
	char text[512];

	snprintf(text, sizeof(text),
		"[study]\nname = t\n[filesystem]\ntype = ext4\n[workload]\ntype = pgbench\n%s",
		more);
	example_make(&e, text, 6, run);
	more = "";
	assert_int_equal(e.findings.cell_count, 2);
	assert_int_equal(e.findings.cells[1].verdict, VERDICT_FASTER);
	assert_int_equal(e.findings.recommendation.cells[1].safety, SAFETY_CORRUPTS);
	assert_non_null(strstr(e.findings.recommendation.cells[1].safety_reason, "fsync = off"));
	assert_int_equal(e.findings.recommendation.cell, 0);
	/* Fast is one kind of good: it stays in the Pareto set, marked. */
	assert_int_equal(e.findings.recommendation.cells[1].beaten_by, 1);
	example_release(&e);
}

/* Nothing speaks for a change: the baseline stays. */
static void ties_keep_the_baseline(void **state UNUSED)
{
	const double speeds[] = { 100, 100.1, 99.9, 99.8 }, costs[] = { 1000, 1005, 995, 1000 };
	struct example e;

	make(&e, speeds, costs);
	assert_non_null(strstr(e.findings.recommendation.sentence, "no other cell is shown"));
	assert_int_equal(e.findings.recommendation.cell, 0);
	example_release(&e);
}

static const struct {
	const char *name, *value, *name2, *value2;
	enum safety safety;
} switches[] = {
	{ "x", "y", "x", "y", SAFETY_DURABLE },
	{ "postgresql.conf.fsync", "off", "x", "y", SAFETY_CORRUPTS },
	{ "postgresql.conf.fsync", "false", "x", "y", SAFETY_CORRUPTS },
	{ "postgresql.conf.fsync", "on", "x", "y", SAFETY_DURABLE },
	{ "postgresql.conf.synchronous_commit", "off", "x", "y", SAFETY_LOSES },
	{ "postgresql.conf.synchronous_commit", "off", "postgresql.conf.fsync", "off",
		SAFETY_CORRUPTS },
	{ "filesystem.sync", "disabled", "filesystem.type", "zfs", SAFETY_LOSES },
	{ "postgresql.conf.full_page_writes", "off", "filesystem.type", "ext4", SAFETY_CORRUPTS },
	{ "postgresql.conf.full_page_writes", "off", "filesystem.type", "zfs", SAFETY_DURABLE },
};

static void safety_of_switches(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		struct settings settings = { 0 };
		struct arena arena = ARENA_INIT;
		const char *reason;

		settings_set(&settings,
			&(struct setting_value){ switches[i].name, switches[i].value, false, 0 });
		settings_set(&settings,
			&(struct setting_value){ switches[i].name2, switches[i].value2, false, 0 });
		assert_int_equal(safety_of(&settings, &arena, &reason), switches[i].safety);
		assert_int_equal(reason == NULL, switches[i].safety == SAFETY_DURABLE);
		if (strcmp(switches[i].value2, "zfs") == 0 &&
			switches[i].safety == SAFETY_DURABLE) {
			settings_set(&settings,
				&(struct setting_value){ "filesystem.recordsize", "4K", false, 0 });
			assert_int_equal(safety_of(&settings, &arena, &reason), SAFETY_CORRUPTS);
		}
		settings_release(&settings);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fastest_alone),
		cmocka_unit_test(ties_go_to_the_cheap),
		cmocka_unit_test(ties_keep_the_baseline),
		cmocka_unit_test(unsafe_is_not_recommended),
		cmocka_unit_test(safety_of_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
