/* robustness: exact p of block differences, the bootstrap's interval around the same ratio, and
 * which part of the noise is whose. */
#include "unit/close.h"

#include "lib/example_results.h"

#include <stdlib.h>

#define PAIR                                                                                 \
	"[study]\nname = t\n[filesystem]\ntype = ext4\nfs_block_size = 4K, 1K\n[workload]\n" \
	"type = pgbench\n[design]\ncontrols = off\n"

static double setup_noise, run_noise;

static void run(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	bool small = strcmp(example_setting(example, trial, "filesystem.fs_block_size"), "1K") == 0;
	struct rng rng;

	rng_init(&rng, 7, trial->order);
	example_sample(record, "run", "tps",
		1000 * (small ? 0.8 : 1) *
			exp(setup_noise * 100 * example_luck(trial) +
				run_noise * rng_normal(&rng)));
}

/* All six differences have one sign: 2 of 64 ways are as far from zero. */
static void pair(void **state UNUSED)
{
	const struct cell_check *check;
	struct example e;

	setup_noise = 0.01;
	run_noise = 0;
	example_make(&e, PAIR, 6, run);
	check = &e.findings.robustness.cells[1];
	assert_int_equal(check->blocks, 6);
	assert_close(check->permutation_p, 2.0 / 64, 1e-12);
	assert_true(check->bootstrap_low < e.findings.cells[1].effect.ratio);
	assert_true(check->bootstrap_high > e.findings.cells[1].effect.ratio);
	assert_true(check->bootstrap_high < 0.9);
	assert_true(isnan(e.findings.robustness.cells[0].permutation_p));
	assert_null(e.findings.robustness.components); /* one run a set-up */
	example_release(&e);
	/* Five set-ups are too few to draw from (stats/bootstrap.h). */
	example_make(&e, PAIR, 5, run);
	assert_true(isnan(e.findings.robustness.cells[1].bootstrap_low));
	assert_close(e.findings.robustness.cells[1].permutation_p, 2.0 / 32, 1e-12);
	example_release(&e);
}

static void components(void **state UNUSED)
{
	struct example e;

	setup_noise = 0.04;
	run_noise = 0.005;
	example_make(&e, PAIR "runs = 4\n", 10, run);
	assert_non_null(strstr(e.findings.robustness.components, "more set-ups narrow"));
	example_release(&e);
	setup_noise = 0.001;
	run_noise = 0.04;
	example_make(&e, PAIR "runs = 4\n", 10, run);
	assert_non_null(strstr(e.findings.robustness.components, "more runs a set-up narrow"));
	example_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pair),
		cmocka_unit_test(components),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
