/* factor: planted effects are found with their interaction, split plots use their own noise. */
#include "unit/close.h"

#include "lib/example_results.h"

#define STUDY                                                                       \
	"[study]\nname = t\n[filesystem]\ntype = zfs\nrecordsize = 128K, 8K, 32K\n" \
	"[postgres]\nblock_size = 8K, 32K\n[workload]\ntype = pgbench\n"

/* 8K records: 20 % faster; 32K pages: 10 % slower, but not with 32K records. */
static void run(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	const char *size = example_setting(example, trial, "filesystem.recordsize");
	bool large = strcmp(example_setting(example, trial, "postgres.block_size"), "32K") == 0;
	double factor = strcmp(size, "8K") == 0 ? 1.2 : 1;

	factor *= large ? 0.9 : 1;
	factor *= large && strcmp(size, "32K") == 0 ? 1 / 0.9 : 1;
	example_sample(record, "run", "tps", 1000 * factor * exp(example_luck(trial)));
}

static const struct factor_level_effect *find(
	const struct factor_findings *factors, const char *level, const char *by_level)
{
	for (size_t i = 0; i < factors->effect_count; i++)
		if (strcmp(factors->effects[i].level, level) == 0 &&
			(by_level ? strcmp(factors->effects[i].by_level, by_level) == 0 &&
						factors->effects[i].factor !=
							factors->effects[i].by_factor
				  : factors->effects[i].factor == factors->effects[i].by_factor))
			return &factors->effects[i];
	fail_msg("no effect of %s", level);
	return NULL;
}

static size_t count_differing(const struct factor_findings *factors)
{
	size_t count = 0;

	for (size_t i = 0; i < factors->effect_count; i++)
		count += factors->effects[i].differs;
	return count;
}

static void planted_effects(void **state UNUSED)
{
	struct example e;
	const struct factor_findings *factors = &e.findings.factors;

	example_make(&e, STUDY, 8, run);
	assert_null(factors->reason);
	assert_int_equal(factors->name_count, 2);
	assert_int_equal(factors->effect_count, 2 + 1 + 2);
	assert_int_equal(factors->share_count, 3);

	const struct factor_level_effect *small = find(factors, "8K", NULL);
	const struct factor_level_effect *both = find(factors, "32K", "32K");

	assert_close(small->ratio, 1.2, 0.015);
	assert_true(small->differs && small->verdict == VERDICT_FASTER);
	assert_non_null(
		strstr(small->sentence, "recordsize = 8K instead of 128K is faster on average"));
	assert_close(both->ratio, 1 / 0.9, 0.03);
	assert_true(both->differs);
	assert_non_null(strstr(both->sentence, "depends on "));
	/* All three main effects on average, and of the two interactions the planted one. */
	assert_int_equal(count_differing(factors), 3 + 1);
	assert_string_equal(factors->shares[0].name, "recordsize");
	example_release(&e);
}

/* clients vary inside one set-up, the record size needs a new one. */
#define SPLIT                                                                  \
	"[study]\nname = t\n[filesystem]\ntype = zfs\nrecordsize = 128K, 8K\n" \
	"[workload]\ntype = pgbench\nclients = 1, 4\n"

static void run_split(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	struct rng rng;
	double run_noise;

	rng_init(&rng, 5, trial->order);
	run_noise = 0.001 * rng_normal(&rng);
	example_sample(record, "run", "tps",
		1000 * exp(3 * example_luck(trial) + run_noise) *
			(strcmp(example_setting(example, trial, "workload.clients"), "4") == 0
					? 1.02
					: 1));
}

static void split_plot(void **state UNUSED)
{
	struct example e;
	const struct factor_findings *factors = &e.findings.factors;

	example_make(&e, SPLIT, 6, run_split);
	assert_null(factors->reason);
	const struct factor_level_effect *record = find(factors, "8K", NULL);
	const struct factor_level_effect *clients = find(factors, "4", NULL);

	/* 3 % between set-ups, 0.1 % between runs of one. */
	assert_false(record->differs);
	assert_true(record->high / record->low > 1.04);
	assert_true(clients->differs);
	assert_true(clients->high / clients->low < 1.01);
	example_release(&e);
}

static void no_factors(void **state UNUSED)
{
	struct example e;

	example_make(&e,
		"[study]\nname = t\n[workload]\ntype = pgbench\n[arm a]\nfilesystem.type = ext4\n"
		"[arm b]\nfilesystem.type = xfs\n[design]\nbaseline = a\n",
		4, run);
	assert_non_null(strstr(e.findings.factors.reason, "arms"));
	example_release(&e);
	example_make(&e, "[study]\nname = t\n[filesystem]\ntype = ext4\n", 4, run);
	assert_string_equal(e.findings.factors.reason, "no setting has values at two levels");
	assert_int_equal(e.findings.cells[0].verdict, VERDICT_NONE);
	assert_string_equal(e.findings.verdict,
		"No verdict: the study has one cell, and nothing to compare it with.");
	assert_string_equal(e.findings.recommendation.sentence,
		"No recommendation: there is nothing to choose between.");
	example_release(&e);
}

static void one_block(void **state UNUSED)
{
	struct example e;

	example_make(&e, STUDY, 1, run);
	assert_int_equal(e.findings.factors.effect_count > 0, e.findings.factors.reason == NULL);
	for (size_t i = 0; i < e.findings.cell_count; i++)
		assert_int_equal(e.findings.cells[i].verdict, VERDICT_NONE);
	example_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_effects),
		cmocka_unit_test(split_plot),
		cmocka_unit_test(no_factors),
		cmocka_unit_test(one_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
