/* quantile: definitions, the sample sizes that tails need, and that the interval covers. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/quantile.h"
#include "stats/summary.h"

static void definitions(void **state UNUSED)
{
	const double sorted[] = { 1, 2, 3, 10 };

	assert_close(quantile_of(sorted, 4, 0), 1, 0);
	assert_close(quantile_of(sorted, 4, 0.5), 2.5, 1e-15);
	assert_close(quantile_of(sorted, 4, 0.9), 7.9, 1e-14);
	assert_close(quantile_of(sorted, 4, 1), 10, 0);
	assert_close(quantile_step(sorted, 4, 0.5), 2, 0);
	assert_close(quantile_step(sorted, 4, 0.51), 3, 0);
	assert_close(quantile_step(sorted, 4, 0), 1, 0);
	assert_close(quantile_of(sorted, 1, 0.3), 1, 0);
}

static void tails_need_many_values(void **state UNUSED)
{
	double sorted[400];
	double bounds[2] = { 7, 7 };

	for (int i = 0; i < 400; i++)
		sorted[i] = i + 1;
	assert_int_equal(quantile_count_needed(0.99, 0.95), 368);
	assert_int_equal(quantile_count_needed(0.999, 0.95), 3688);
	assert_false(quantile_interval(sorted, 367, 0.99, 0.95, bounds));
	assert_close(bounds[0], 7, 0);
	assert_true(quantile_interval(sorted, 368, 0.99, 0.95, bounds));
	assert_close(bounds[0], 360, 0);
	assert_close(bounds[1], 368, 0);
	assert_false(quantile_interval(sorted, 0, 0.5, 0.95, bounds));
}

static void covers_a_skewed_median(void **state UNUSED)
{
	int covered = 0;

	for (uint64_t study = 0; study < 2000; study++) {
		double values[30], bounds[2];
		struct rng rng;

		rng_init(&rng, 3, study);
		for (int i = 0; i < 30; i++)
			values[i] = exp(2 * rng_normal(&rng));
		summary_sort(values, 30);
		assert_true(quantile_interval(values, 30, 0.5, 0.95, bounds));
		covered += bounds[0] < 1 && bounds[1] > 1;
	}
	/* At least 95 % whatever the distribution; exactly 95.7 % for 30 values. */
	assert_in_range(covered, 1890, 1960);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions),
		cmocka_unit_test(tails_need_many_values),
		cmocka_unit_test(covers_a_skewed_median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
