/* summary: small tables by hand. */
#include "unit/close.h"

#include "stats/summary.h"

static void describes(void **state UNUSED)
{
	const double values[] = { 4, 1, 3, 2, 10 };
	struct summary summary;

	summary_of(values, 5, &summary);
	assert_close(summary.mean, 4, 1e-14);
	assert_close(summary.sd, sqrt(12.5), 1e-14);
	assert_close(summary.median, 3, 0);
	assert_close(summary.minimum, 1, 0);
	assert_close(summary.maximum, 10, 0);
	assert_close(summary_mad(values, 5), 1.4826, 1e-12);
	assert_close(summary_median(values, 4), 2.5, 0);
	summary_of(values, 1, &summary);
	assert_close(summary.sd, 0, 0);
}

static void geometric_mean(void **state UNUSED)
{
	const double values[] = { 1, 10, 100 };
	const double bad[] = { 1, 0 };

	assert_near(summary_geometric_mean(values, 3), 10, 1e-14);
	assert_true(isnan(summary_geometric_mean(bad, 2)));
	assert_true(isnan(summary_geometric_mean(NULL, 0)));
}

static void effect_sizes(void **state UNUSED)
{
	const double a[] = { 1, 2, 3 };
	const double b[] = { 2, 3, 4 };

	assert_near(summary_cliff_delta(a, 3, b, 3), 5.0 / 9, 1e-14);
	assert_near(summary_standardised(a, 3, b, 3), 1, 1e-14);
	assert_near(summary_hedges_g(a, 3, b, 3), 1 - 3.0 / 15, 1e-14);
	assert_true(isnan(summary_standardised(a, 1, b, 3)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describes),
		cmocka_unit_test(geometric_mean),
		cmocka_unit_test(effect_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
