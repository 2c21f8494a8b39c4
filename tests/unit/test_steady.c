/* steady: the reference series, and series that never settle. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/steady.h"

static const double warming[] = { 310, 480, 600, 690, 760, 800, 835, 850, 862, 858, 861, 866, 859,
	864, 857, 863, 860, 865, 858, 862 };

static void mser(void **state UNUSED)
{
	struct steady_cut cut = steady_mser(warming, ARRAY_SIZE(warming));
	double rising[40];

	assert_int_equal(cut.cut, 8);
	assert_close(cut.z, 0.6545139, 5e-8);
	assert_false(cut.too_short);
	for (int i = 0; i < 40; i++)
		rising[i] = i;
	assert_true(steady_mser(rising, 40).too_short);
	assert_true(steady_mser(rising, 1).too_short);
}

static void window(void **state UNUSED)
{
	struct steady_window settled = steady_window_of(warming + 10, 10);
	struct steady_window early = steady_window_of(warming + 3, 10);

	assert_close(settled.range, 0.0104469, 5e-8);
	assert_close(settled.slope, 0.001456234, 5e-10);
	assert_true(steady_window_passes(&settled, STEADY_RANGE, STEADY_SLOPE));
	assert_true(settled.cov < 0.02);
	assert_close(early.range, 0.21356631, 5e-9);
	/* 144.490909 / 824.1 by hand. */
	assert_close(early.slope, 0.17533177, 5e-9);
	assert_false(steady_window_passes(&early, STEADY_RANGE_SNIA, STEADY_SLOPE_SNIA));
}

static void nothing_to_divide_by(void **state UNUSED)
{
	const double zeros[] = { 0, 0, 0 };
	struct steady_window none = steady_window_of(zeros, 3);

	assert_true(isnan(none.range));
	assert_false(steady_window_passes(&none, 1, 1));
	assert_true(isnan(steady_drift(zeros, 3)));
	assert_true(isnan(steady_drift(warming, 1)));
	assert_close(steady_effective_count(zeros, 3), 3, 0);
}

static void drift_and_effective_count(void **state UNUSED)
{
	const double doubled[] = { 1, 1, 7, 2, 2 };
	double values[2000];
	struct rng rng;
	double level = 0;

	assert_close(steady_drift(doubled, 5), M_LN2, 1e-15);
	rng_init(&rng, 4, 4);
	for (int i = 0; i < 2000; i++) {
		level = 0.5 * level + rng_normal(&rng);
		values[i] = level;
	}
	/* rho 0.5: a third of the values. */
	assert_in_range(steady_effective_count(values, 2000), 560, 780);
	for (int i = 0; i < 2000; i++)
		values[i] = i % 2;
	assert_close(steady_effective_count(values, 2000), 2000, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mser),
		cmocka_unit_test(window),
		cmocka_unit_test(nothing_to_divide_by),
		cmocka_unit_test(drift_and_effective_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
