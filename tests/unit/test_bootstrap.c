/* bootstrap: exhaustive vectors, repeatability, and that draws agree with the exhaustive answer. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/summary.h"
#include <errno.h>
#include <stdlib.h>

static void exhaustive_ratio(const struct bootstrap_cell *a, const struct bootstrap_cell *b,
	double point, struct bootstrap_result *ret_result)
{
	size_t a_count, b_count;
	double *a_means = bootstrap_means_all(a, 1000, &a_count);
	double *b_means = bootstrap_means_all(b, 1000, &b_count);
	double *ratios = malloc(a_count * b_count * sizeof(*ratios));

	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++)
			ratios[i * b_count + j] = b_means[j] / a_means[i];
	bootstrap_describe(ratios, a_count * b_count, point, 0.95, ret_result);
	free(ratios);
	free(b_means);
	free(a_means);
}

/* 27 x 27 ratios of three set-ups each. */
static void exhaustive_three(void **state UNUSED)
{
	const double a[] = { 865.137263, 902.449933, 920.148011 };
	const double b[] = { 1071.697122, 1162.073678, 1182.126126 };
	const struct bootstrap_cell cells[] = { { a, NULL, 3 }, { b, NULL, 3 } };
	struct bootstrap_result result;
	size_t count;

	exhaustive_ratio(&cells[0], &cells[1], 0, &result);
	assert_close(result.low, 1.1974407, 5e-8);
	assert_close(result.median, 1.2709202, 5e-8);
	assert_close(result.high, 1.3394208, 5e-8);
	free(bootstrap_means_all(&cells[0], 27, &count));
	assert_int_equal(count, 27);
	assert_null(bootstrap_means_all(&cells[0], 26, &count));
}

static const double nested_a[] = { 10, 12, 14, 16 };
static const double nested_b[] = { 20, 22, 21, 25 };
static const size_t two_runs[] = { 2, 2 };

/* 64 x 64 ratios of two set-ups with two runs each; treating the runs as four set-ups is the
 * mistake that the second half shows. */
static void exhaustive_hierarchical(void **state UNUSED)
{
	const struct bootstrap_cell a = { nested_a, two_runs, 2 };
	const struct bootstrap_cell b = { nested_b, two_runs, 2 };
	const struct bootstrap_cell flat_a = { nested_a, NULL, 4 };
	const struct bootstrap_cell flat_b = { nested_b, NULL, 4 };
	struct bootstrap_result result;

	exhaustive_ratio(&a, &b, 1.6923077, &result);
	assert_close(result.low, 1.3548387, 5e-8);
	assert_close(result.median, 1.6923077, 5e-8);
	assert_close(result.high, 2.1904762, 5e-8);
	assert_close(result.mean, 1.7155238, 5e-8);
	assert_close(result.sd, 0.2193193, 3e-5); /* over n there, over n - 1 here */
	exhaustive_ratio(&flat_a, &flat_b, 0, &result);
	assert_close(result.low, 1.4166667, 5e-8);
	assert_close(result.high, 2.0681818, 5e-8);
}

static void draws_approach_the_exhaustive(void **state UNUSED)
{
	enum { DRAWS = 40000 };
	const struct bootstrap_options options = { DRAWS, 9, 0.95 };
	const struct bootstrap_cell cells[] = { { nested_a, two_runs, 2 },
		{ nested_b, two_runs, 2 } };
	double *a = malloc(DRAWS * sizeof(*a));
	double *b = malloc(DRAWS * sizeof(*b));
	struct bootstrap_result result;

	bootstrap_means(&cells[0], &options, 0, a);
	bootstrap_means(&cells[1], &options, 1, b);
	for (size_t i = 0; i < DRAWS; i++)
		b[i] /= a[i];
	bootstrap_describe(b, DRAWS, 0, 0.95, &result);
	assert_close(result.mean, 1.7155238, 0.005);
	assert_close(result.sd, 0.2193193, 0.005);
	free(b);
	free(a);
}

static void ratios_of_cells(void **state UNUSED)
{
	const double values[2][8] = { { 10, 11, 9, 10, 12, 10, 9, 11 },
		{ 20, 21, 19, 20, 23, 20, 18, 22 } };
	const struct bootstrap_cell cells[] = { { values[0], NULL, 8 }, { values[1], NULL, 8 } };
	const struct bootstrap_options options = { 10000, 1, 0.95 };
	const struct bootstrap_options other_seed = { 10000, 2, 0.95 };
	struct bootstrap_result first[2], second[2];

	assert_int_equal(bootstrap_ratios(cells, 2, &options, 0, first), 0);
	assert_int_equal(bootstrap_ratios(cells, 2, &options, 0, second), 0);
	assert_near(first[1].point, summary_mean(values[1], 8) / summary_mean(values[0], 8), 1e-12);
	assert_true(first[1].low == second[1].low && first[1].high == second[1].high);
	assert_true(first[1].low < first[1].point && first[1].point < first[1].high);
	assert_close(first[0].high, 1, 0);
	assert_int_equal(bootstrap_ratios(cells, 2, &other_seed, 0, second), 0);
	assert_true(first[1].mean != second[1].mean);
}

static void refuses_few_set_ups(void **state UNUSED)
{
	const double values[] = { 1, 2, 3, 4, 5, 6 };
	const double zeros[] = { 0, 0, 0, 0, 0, 0 };
	const struct bootstrap_cell few[] = { { values, NULL, 6 }, { values, NULL, 5 } };
	const struct bootstrap_cell bad[] = { { zeros, NULL, 6 }, { values, NULL, 6 } };
	const struct bootstrap_options options = { 100, 1, 0.95 };
	struct bootstrap_result results[2];

	assert_int_equal(bootstrap_ratios(few, 2, &options, 0, results), -ENODATA);
	assert_int_equal(bootstrap_ratios(bad, 2, &options, 0, results), -EDOM);
}

/* A series whose neighbours hang together: single values promise a far too narrow interval. */
static void series_keeps_its_blocks(void **state UNUSED)
{
	enum { COUNT = 600 };
	const struct bootstrap_options options = { 4000, 7, 0.95 };
	double values[COUNT];
	struct bootstrap_result blocks, single;
	struct rng rng;
	double level = 0;

	rng_init(&rng, 21, 0);
	for (int i = 0; i < COUNT; i++) {
		level = 0.9 * level + rng_normal(&rng);
		values[i] = 100 + level;
	}
	assert_int_equal(bootstrap_series(values, COUNT, 40, &options, &blocks), 0);
	assert_int_equal(bootstrap_series(values, COUNT, 1, &options, &single), 0);
	/* True SD of the mean: 10 / sqrt(600) = 0.41; of independent values 2.29 / sqrt(600) =
	 * 0.094. */
	assert_in_range(1000 * blocks.sd, 270, 500);
	assert_in_range(1000 * single.sd, 75, 115);
	assert_int_equal(bootstrap_series(values, COUNT, 0, &options, &single), -EINVAL);
	assert_int_equal(bootstrap_series(values, COUNT, COUNT + 1, &options, &single), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exhaustive_three),
		cmocka_unit_test(exhaustive_hierarchical),
		cmocka_unit_test(draws_approach_the_exhaustive),
		cmocka_unit_test(ratios_of_cells),
		cmocka_unit_test(refuses_few_set_ups),
		cmocka_unit_test(series_keeps_its_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
