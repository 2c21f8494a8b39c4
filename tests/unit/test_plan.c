/* plan: complete random blocks, shared set-ups, identities, a longer plan begins with the shorter.
 */
#include "unit/unit.h"

#include "lib/example_catalog.h"
#include "study/plan.h"
#include <string.h>

static const char text[] = "[study]\nname = t\n[filesystem]\ntype = ext4, xfs\n"
			   "fs_block_size = 1K, 4K\n[workload]\nclients = 1, 4, 16\n"
			   "[design]\ncontrols = no\nruns = 2\nseed = 11\n";

struct fixture {
	struct study study;
	struct matrix matrix;
	struct plan plan;
};

static void make(struct fixture *fixture, const char *study_file, size_t blocks)
{
	const struct study_options options = { "t.ini", &example_catalog, false };
	struct err err = ERR_INIT;

	assert_int_equal(study_parse(&fixture->study, &options, study_file, &err), 0);
	assert_int_equal(matrix_build(&fixture->matrix, &fixture->study, &err), 0);
	assert_int_equal(
		plan_build(&fixture->plan, &fixture->study, &fixture->matrix, blocks, &err), 0);
}

static void drop(struct fixture *fixture)
{
	plan_release(&fixture->plan);
	matrix_release(&fixture->matrix);
	study_release(&fixture->study);
}

static void blocks_are_complete_and_random(void **state UNUSED)
{
	struct fixture f;
	int same_order = 0;

	make(&f, text, 5);
	assert_int_equal(f.plan.setup_count, 5 * 4);
	assert_int_equal(f.plan.trial_count, 5 * 12 * 2);
	for (size_t block = 0; block < 5; block++) {
		int seen[12] = { 0 };

		for (size_t i = 0; i < 24; i++) {
			const struct planned_trial *trial = &f.plan.trials[block * 24 + i];

			assert_int_equal(f.plan.setups[trial->setup].block, block);
			seen[trial->cell]++;
		}
		for (size_t cell = 0; cell < 12; cell++)
			assert_int_equal(seen[cell], 2);
		for (size_t i = 0; block > 0 && i < 4; i++)
			same_order += f.plan.setups[block * 4 + i].cell == f.plan.setups[i].cell;
	}
	assert_true(same_order < 16);
	drop(&f);
}

static void same_seed_same_plan(void **state UNUSED)
{
	struct fixture a, b, longer;

	make(&a, text, 3);
	make(&b, text, 3);
	make(&longer, text, 4);
	assert_int_equal(a.plan.trial_count, b.plan.trial_count);
	for (size_t i = 0; i < a.plan.trial_count; i++) {
		assert_string_equal(a.plan.trials[i].id, b.plan.trials[i].id);
		assert_string_equal(a.plan.trials[i].id, longer.plan.trials[i].id);
	}
	drop(&a);
	drop(&b);
	drop(&longer);
}

static void identities_are_unique_and_depend_on_settings(void **state UNUSED)
{
	struct fixture a, b;

	make(&a, text, 3);
	make(&b,
		"[study]\nname = t\n[filesystem]\ntype = ext4, xfs\nfs_block_size = 1K, 4K\n"
		"[workload]\nclients = 1, 4, 16\nscale = 11\n[design]\ncontrols = no\nruns = "
		"2\nseed = 11\n",
		3);
	for (size_t i = 0; i < a.plan.trial_count; i++) {
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(a.plan.trials[i].id, a.plan.trials[j].id);
		for (size_t j = 0; j < b.plan.trial_count; j++)
			assert_string_not_equal(a.plan.trials[i].id, b.plan.trials[j].id);
	}
	drop(&a);
	drop(&b);
}

static uint64_t one_gigabyte(const struct settings *settings UNUSED)
{
	return 1ULL << 30;
}

static void estimate_adds_up(void **state UNUSED)
{
	struct plan_step_times times = { .setup_s = 3,
		.load_s_per_scale = 0.1,
		.overhead_run_s = 2,
		.expected_bytes = one_gigabyte };
	struct plan_estimate estimate;
	struct fixture f;

	make(&f, text, 1);
	plan_estimate(&f.plan, &f.matrix, &times, &estimate);
	/* 4 set-ups of 3 s and scale 10; 24 runs of 2 + 60 + 300 s. */
	assert_true(estimate.total_s > 8703.9 && estimate.total_s < 8704.1);
	assert_true(estimate.peak_disk_bytes == (1ULL << 30) + (1ULL << 30) + (64ULL << 20));
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_complete_and_random),
		cmocka_unit_test(same_seed_same_plan),
		cmocka_unit_test(identities_are_unique_and_depend_on_settings),
		cmocka_unit_test(estimate_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
