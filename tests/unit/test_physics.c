/* physics: alignment of records and pages is found beside the effects of both sizes, and not where
 * there is none; data by memory as cells have it. */
#include "unit/close.h"

#include "lib/example_results.h"

#include "analysis/physics.h"

#include <stdlib.h>

#define GRID                                                                             \
	"[study]\nname = t\n[filesystem]\ntype = zfs\nrecordsize = 128K, 8K, 16K, 32K\n" \
	"[postgres]\nblock_size = 8K, 16K, 32K\n[workload]\ntype = pgbench\n"

static double below, above; /* what misalignment is made to cost */

static void run(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	const struct settings *settings = &example->matrix.cells[trial->cell].settings;
	double page = (double)settings_size(settings, "postgres.block_size", 0);
	double size = (double)settings_size(settings, "filesystem.recordsize", 0);
	/* Both sizes act on their own, too. */
	double value = 1000 * pow(page / 8192, -0.2) * pow(size / 8192, 0.1);

	value *= size < page ? below : size > page ? above : 1;
	example_sample(record, "run", "tps", value * exp(example_luck(trial)));
}

static void alignment(void **state UNUSED)
{
	const struct physics_effect *effects;
	struct example e;

	below = 0.8;
	above = 0.9;
	example_make(&e, GRID, 6, run);
	effects = e.findings.physics.alignment;
	assert_close(effects[PHYSICS_RECORD_BELOW_PAGE].ratio, 0.8, 0.02);
	assert_close(effects[PHYSICS_RECORD_ABOVE_PAGE].ratio, 0.9, 0.02);
	assert_true(effects[PHYSICS_RECORD_BELOW_PAGE].differs);
	assert_true(effects[PHYSICS_RECORD_BELOW_PAGE].low < 0.8 &&
		    effects[PHYSICS_RECORD_BELOW_PAGE].high > 0.8);
	assert_non_null(strstr(effects[PHYSICS_RECORD_BELOW_PAGE].sentence,
		"Records smaller than the page instead of equal to it: "));
	example_release(&e);

	below = above = 1;
	example_make(&e, GRID, 6, run);
	effects = e.findings.physics.alignment;
	assert_false(effects[PHYSICS_RECORD_BELOW_PAGE].differs);
	assert_non_null(strstr(effects[PHYSICS_RECORD_BELOW_PAGE].sentence, "no difference shown"));
	example_release(&e);
}

/* One page size: there is nothing to tell alignment from the record size. */
static void no_alignment(void **state UNUSED)
{
	struct example e;

	below = above = 1;
	example_make(&e,
		"[study]\nname = t\n[filesystem]\ntype = zfs\nrecordsize = 128K, 8K\n"
		"[postgres]\nblock_size = 8K\n[workload]\ntype = pgbench\n",
		5, run);
	for (size_t i = 0; i < PHYSICS_ALIGNMENTS; i++)
		assert_null(e.findings.physics.alignment[i].sentence);
	example_release(&e);
}

static void run_scales(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	double scale = strtod(example_setting(example, trial, "workload.scale"), NULL);

	example_sample(record, "run", "database_bytes", scale * 16e6);
	example_sample(record, "run", "tps", (scale > 50 ? 500 : 1000) * exp(example_luck(trial)));
}

static void data_to_memory(void **state UNUSED)
{
	struct example e;
	bool said = false;

	example_make(&e,
		"[study]\nname = t\n[machine]\nmemory = 512M\n[filesystem]\ntype = zfs\n"
		"recordsize = 8K, 128K\n[workload]\ntype = pgbench\nscale = 10, 100\n",
		5, run_scales);
	assert_close(physics_data_to_memory(&e.results, &e.matrix, "workload.scale", "100"),
		1600e6 / (512 << 20), 1e-9);
	assert_close(physics_data_to_memory(&e.results, &e.matrix, "workload.scale", "10"),
		160e6 / (512 << 20), 1e-9);
	/* Records do not say how much data there is: both scales have both. */
	assert_true(isnan(
		physics_data_to_memory(&e.results, &e.matrix, "filesystem.recordsize", "8K")));
	for (size_t i = 0; i < e.findings.factors.effect_count; i++)
		said |= strstr(e.findings.factors.effects[i].sentence,
				"scale = 100 (data 3 times the memory)") != NULL;
	assert_true(said);
	example_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alignment),
		cmocka_unit_test(no_alignment),
		cmocka_unit_test(data_to_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
