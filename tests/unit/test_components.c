/* components: published read-only runs, seven set-ups of three, and the table of repeats. */
#include "unit/close.h"

#include "stats/components.h"
#include <errno.h>

static void seven_set_ups(void **state UNUSED)
{
	const double tps[] = { 442168, 440906, 440424, 450808, 448797, 446834, 439761, 437365,
		436388, 444409, 444806, 440950, 445746, 444470, 439569, 449754, 443149, 448514,
		449380, 447865, 446368 };
	const size_t runs[] = { 3, 3, 3, 3, 3, 3, 3 };
	struct components c;

	assert_int_equal(components_of(tps, runs, 7, 0.95, &c), 0);
	assert_close(c.mean, 444211, 0.5);
	assert_close(c.mean_square_between, 47306178, 0.5);
	assert_close(c.mean_square_within, 5356635.8, 0.05);
	assert_close(c.f, 8.8313225, 5e-8);
	assert_close(c.p, 0.00041893957, 5e-12);
	assert_close(c.variance_setup, 13983181, 0.5);
	assert_close(c.correlation, 0.72302551, 5e-9);
	assert_close(100 * c.half_width / c.mean, 0.8267578, 5e-8);
	assert_close(100 * c.half_width_naive / c.mean, 0.43404734, 5e-9);
	assert_close(components_runs_best_raw(&c, 1500.0 / 960), 0.77366524, 5e-9);
	assert_int_equal(components_runs_best(&c, 1500.0 / 960), 1);
}

static void no_spread_between(void **state UNUSED)
{
	const double values[] = { 1, 3, 3, 1 };
	const double same[] = { 2, 2, 2, 2 };
	const size_t runs[] = { 2, 2 };
	struct components c;

	assert_int_equal(components_of(values, runs, 2, 0.95, &c), 0);
	assert_close(c.variance_setup, 0, 0);
	assert_close(c.correlation, 0, 0);
	assert_true(isinf(components_runs_best_raw(&c, 2)));
	assert_int_equal(components_runs_best(&c, 2), 1000);
	assert_int_equal(components_of(same, runs, 2, 0.95, &c), 0);
	assert_true(isnan(c.f));
	assert_close(c.correlation, 0, 0);
}

static void too_little(void **state UNUSED)
{
	const double values[] = { 1, 3, 4 };
	const size_t runs[] = { 1, 1, 1 };
	struct components c;

	assert_int_equal(components_of(values, runs, 3, 0.95, &c), -ENODATA);
	assert_int_equal(components_of(values, runs, 1, 0.95, &c), -ENODATA);
}

static void unequal_runs(void **state UNUSED)
{
	const double values[] = { 1, 2, 3, 10, 12 };
	const size_t runs[] = { 3, 2 };
	struct components c;

	assert_int_equal(components_of(values, runs, 2, 0.95, &c), 0);
	assert_close(c.mean_square_within, 4.0 / 3, 1e-12);
	/* between: 3 (2 - 5.6)^2 + 2 (11 - 5.6)^2; runs as they count: 5 - 13/5 = 2.4 */
	assert_close(c.mean_square_between, 97.2, 1e-12);
	assert_close(c.variance_setup, (97.2 - 4.0 / 3) / 2.4, 1e-12);
}

static const struct {
	double sd, half_width;
	size_t unpaired, paired;
} repeats[] = {
	{ 0.005, 0.005, 9, 7 },
	{ 0.005, 0.01, 4, 4 },
	{ 0.005, 0.02, 3, 3 },
	{ 0.005, 0.03, 2, 3 },
	{ 0.005, 0.05, 2, 2 },
	{ 0.01, 0.005, 32, 18 },
	{ 0.01, 0.01, 9, 7 },
	{ 0.01, 0.02, 4, 4 },
	{ 0.01, 0.03, 3, 3 },
	{ 0.01, 0.05, 2, 3 },
	{ 0.02, 0.005, 125, 64 },
	{ 0.02, 0.01, 32, 18 },
	{ 0.02, 0.02, 9, 7 },
	{ 0.02, 0.03, 5, 5 },
	{ 0.02, 0.05, 3, 3 },
	{ 0.03, 0.005, 278, 141 },
	{ 0.03, 0.01, 71, 38 },
	{ 0.03, 0.02, 19, 12 },
	{ 0.03, 0.03, 9, 7 },
	{ 0.03, 0.05, 5, 4 },
	{ 0.05, 0.005, 770, 387 },
	{ 0.05, 0.01, 194, 99 },
	{ 0.05, 0.02, 50, 27 },
	{ 0.05, 0.03, 23, 14 },
	{ 0.05, 0.05, 9, 7 },
};

static void repeats_table(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(repeats); i++) {
		assert_int_equal(repeats_for_half_width(REPEATS_UNPAIRED, repeats[i].sd,
					 repeats[i].half_width, 0.95),
			repeats[i].unpaired);
		assert_int_equal(repeats_for_half_width(REPEATS_PAIRED, repeats[i].sd,
					 repeats[i].half_width, 0.95),
			repeats[i].paired);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seven_set_ups),
		cmocka_unit_test(no_spread_between),
		cmocka_unit_test(too_little),
		cmocka_unit_test(unequal_runs),
		cmocka_unit_test(repeats_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
