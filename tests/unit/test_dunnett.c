/* dunnett: critical values against numeric integration by SciPy 1.10 and against simulation. */
#include "unit/close.h"

#include "stats/distribution.h"
#include "stats/dunnett.h"

static void against_one_baseline(void **state UNUSED)
{
	assert_close(dunnett_critical(1, 4, 0.95), 2.776445112584668, 1e-7);
	assert_close(dunnett_critical(2, 10, 0.95), 2.568338876057168, 2e-6);
	assert_close(dunnett_critical(4, 20, 0.95), 2.6510295885627833, 2e-6);
	assert_close(dunnett_critical(4, 8, 0.95), 3.0227021499287328, 2e-6);
	assert_close(dunnett_critical(23, 46, 0.95), 3.0749590066075134, 2e-6);
	assert_close(dunnett_critical(3, 2, 0.95), 6.0648477882803995, 2e-5);
}

static void all_pairs(void **state UNUSED)
{
	assert_close(all_pairs_critical(3, 10, 0.95), 2.7412951290806484, 2e-6);
	assert_close(all_pairs_critical(5, 20, 0.95), 2.9923746042261743, 2e-6);
	assert_close(all_pairs_critical(24, 46, 0.95), 3.8639686658762797, 2e-6);
	assert_close(all_pairs_critical(2, 4, 0.95), 2.7764451051977934, 1e-7);
}

static void one_comparison_is_student(void **state UNUSED)
{
	for (double df = 1; df < 40; df += 3)
		assert_close(dunnett_probability(2.0, 1, df), 1 - t_two_sided_p(2.0, df), 1e-6);
}

static void grows_with_count_and_confidence(void **state UNUSED)
{
	for (size_t count = 1; count < 20; count++) {
		assert_true(
			dunnett_critical(count + 1, 12, 0.95) > dunnett_critical(count, 12, 0.95));
		assert_true(dunnett_critical(count, 12, 0.99) > dunnett_critical(count, 12, 0.95));
		assert_true(dunnett_critical(count + 1, 12, 0.95) <
			    all_pairs_critical(count + 2, 12, 0.95));
	}
}

/* The general form must give what the integral gives where both apply. */
static void simulation_agrees(void **state UNUSED)
{
	const double own[] = { 1, 1, 1, 1 };
	const struct max_t_family family = { 4, 0, 1, own, NULL };
	const struct max_t_family one = { 1, 0, 2, own, NULL };

	assert_close(max_t_critical(&family, 8, 0.95), dunnett_critical(4, 8, 0.95), 0.02);
	assert_close(max_t_critical(&family, 40, 0.9), dunnett_critical(4, 40, 0.9), 0.02);
	assert_close(max_t_critical(&one, 8, 0.95), t_quantile(0.975, 8), 0.02);
}

/* What comparisons share makes them alike: the more, the smaller the largest of them. */
static void shared_part_lowers_it(void **state UNUSED)
{
	const double own[] = { 1, 1, 1, 1 };
	const double shared[] = { 0.8, 0.8, 0.8, 0.8 };
	const struct max_t_family apart = { 4, 0, 0.1, own, NULL };
	const struct max_t_family together = { 4, 0, 3, own, NULL };
	const struct max_t_family blocks = { 4, 1, 0.1, own, shared };
	double most = max_t_critical(&apart, 12, 0.95);

	assert_true(max_t_critical(&together, 12, 0.95) < most - 0.1);
	assert_true(max_t_critical(&blocks, 12, 0.95) < most);
	assert_true(max_t_critical(&blocks, 12, 0.95) == max_t_critical(&blocks, 12, 0.95));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_one_baseline),
		cmocka_unit_test(all_pairs),
		cmocka_unit_test(one_comparison_is_student),
		cmocka_unit_test(grows_with_count_and_confidence),
		cmocka_unit_test(simulation_agrees),
		cmocka_unit_test(shared_part_lowers_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
