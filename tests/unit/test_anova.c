/* anova: published 2 x 2 with its reference numbers, split plots by hand, missing cells. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/anova.h"
#include <errno.h>

/* Page size 8 K and 32 K, full page writes off and on; three set-ups each. */
static const double tps[] = { 58070, 58551, 56614, 27220, 29978, 29509, 38084, 41847, 41237, 14902,
	17660, 16746 };

static void two_by_two(void **state UNUSED)
{
	const struct anova_factor factors[] = { { 2, true }, { 2, true } };
	double response[12];
	size_t levels[24];
	const struct anova_data data = { factors, 2, 12, levels, response };
	const struct anova_corner corners[] = { { 0, 1, 0 }, { 1, 1, 0 } };
	struct anova anova;
	struct anova_effect effect;

	for (size_t row = 0; row < 12; row++) {
		response[row] = log(tps[row]);
		levels[2 * row] = row / 3 % 2;
		levels[2 * row + 1] = row / 6;
	}
	assert_int_equal(anova_init(&anova, &data, 2, NULL), 0);
	assert_int_equal(anova.term_count, 3);
	assert_close(anova.terms[0].squares, 1.90473908, 5e-9);
	assert_close(anova.terms[1].squares, 0.64070508, 5e-9);
	assert_close(anova.terms[2].squares, 0.03239609, 5e-9);
	assert_close(anova.residual.squares, 0.02620575, 5e-9);
	assert_close(anova.residual.df, 8, 0);
	assert_close(anova.terms[0].f, 581.47201, 5e-6);
	assert_close(anova.terms[1].f, 195.59218, 5e-6);
	assert_close(anova.terms[2].f, 9.88976, 5e-6);
	assert_close(anova.terms[2].p, 0.013706, 5e-7);
	assert_close(anova.terms[0].omega_squared, 0.72927838, 5e-9);
	assert_close(anova.terms[1].omega_squared, 0.24447668, 5e-9);
	assert_close(anova.terms[2].omega_squared, 0.01116869, 5e-9);
	assert_true(anova_effect(&anova, &corners[0], 1, 0.95, &effect));
	assert_close(effect.ratio, 0.45076267, 5e-9);
	assert_true(anova_effect(&anova, &corners[1], 1, 0.95, &effect));
	assert_close(effect.ratio, 0.62993756, 5e-9);
	assert_true(anova_effect(&anova, corners, 2, 0.95, &effect));
	assert_close(effect.ratio, 0.81234224, 5e-9);
	assert_close(effect.low, 0.69751394, 5e-9);
	assert_close(effect.high, 0.94607417, 5e-9);
	anova_release(&anova);
	anova_release(&anova);
}

/* Whole plots: 2 levels x 3 set-ups; inside each set-up 2 levels of another factor. */
static void split_plot_by_hand(void **state UNUSED)
{
	const struct anova_factor factors[] = { { 2, true }, { 2, false } };
	const double response[] = { 1, 3, 2, 5, 3, 4, 6, 9, 7, 9, 5, 9 };
	size_t levels[24], setups[12];
	const struct anova_data data = { factors, 2, 12, levels, response, setups };
	struct anova anova;

	for (size_t row = 0; row < 12; row++) {
		setups[row] = row / 2;
		levels[2 * row] = row / 6;
		levels[2 * row + 1] = row % 2;
	}
	assert_int_equal(anova_init(&anova, &data, 2, NULL), 0);
	/* Sums of set-ups 4 7 7 | 15 16 14: A = (45 - 18)^2 / 12, set-ups in A = (6 + 2) / 2 ... */
	assert_close(anova.terms[0].squares, 60.75, 1e-10);
	assert_close(anova.whole_plot.squares, 4, 1e-10);
	assert_close(anova.whole_plot.df, 4, 0);
	/* Differences inside 2 3 1 | 3 2 4: B = 15^2 / 12, A x B = (9 - 6)^2 / 12, rest (2 + 2)
	 * / 2. */
	assert_close(anova.terms[1].squares, 18.75, 1e-10);
	assert_close(anova.terms[2].squares, 0.75, 1e-10);
	assert_close(anova.residual.squares, 2, 1e-10);
	assert_close(anova.residual.df, 4, 0);
	assert_close(anova.terms[0].f, 60.75, 1e-9);
	assert_close(anova.terms[1].f, 37.5, 1e-9);
	assert_close(anova.terms[2].f, 1.5, 1e-9);
	anova_release(&anova);
}

/* The residual would call set-up noise an effect of the whole-plot factor in most studies. */
static void whole_plot_error_keeps_its_level(void **state UNUSED)
{
	const struct anova_factor factors[] = { { 2, true }, { 2, false } };
	int called = 0;

	for (uint64_t study = 0; study < 400; study++) {
		double response[24];
		size_t levels[48], setups[24];
		const struct anova_data data = { factors, 2, 24, levels, response, setups };
		struct anova anova;
		struct rng rng;
		double luck = 0;

		rng_init(&rng, 31, study);
		for (size_t row = 0; row < 24; row++) {
			if (row % 4 == 0)
				luck = 0.02 * rng_normal(&rng);
			response[row] = luck + 0.005 * rng_normal(&rng);
			setups[row] = row / 4;
			levels[2 * row] = row / 4 % 2;
			levels[2 * row + 1] = row % 2;
		}
		assert_int_equal(anova_init(&anova, &data, 2, NULL), 0);
		called += anova.terms[0].p < 0.05;
		anova_release(&anova);
	}
	/* 20 expected, SD 4.4; the seed is fixed. */
	assert_in_range(called, 8, 33);
}

/* Exact data with a cell missing: the effects are still found, what can't be is not made up. */
static void missing_cells(void **state UNUSED)
{
	const struct anova_factor factors[] = { { 3, true }, { 2, true } };
	double response[10];
	size_t levels[20];
	const struct anova_data data = { factors, 2, 10, levels, response };
	const struct anova_corner wide = { 0, 2, 0 };
	const struct anova_corner both[] = { { 0, 2, 0 }, { 1, 1, 0 } };
	struct anova anova;
	struct anova_effect effect;
	size_t row = 0;

	for (size_t a = 0; a < 3; a++) {
		for (size_t b = 0; b < 2; b++) {
			for (size_t repeat = 0; repeat < 2 && !(a == 2 && b == 1);
				repeat++, row++) {
				levels[2 * row] = a;
				levels[2 * row + 1] = b;
				response[row] =
					0.1 * (double)a + 0.3 * (double)b + (repeat ? 0.01 : -0.01);
			}
		}
	}
	assert_int_equal(anova_init(&anova, &data, 1, NULL), 0);
	assert_true(anova_effect(&anova, &wide, 1, 0.95, &effect));
	assert_near(effect.ratio, exp(0.2), 1e-9);
	anova_release(&anova);
	assert_int_equal(anova_init(&anova, &data, 2, NULL), 0);
	assert_close(anova.terms[2].df, 1, 0); /* of two */
	assert_false(anova_effect(&anova, both, 2, 0.95, &effect));
	anova_release(&anova);
}

static void nothing_left_for_noise(void **state UNUSED)
{
	const struct anova_factor factors[] = { { 2, true } };
	const double response[] = { 1, 2 };
	const double bad[] = { 1, -INFINITY };
	const size_t levels[] = { 0, 1 };
	const size_t beyond[] = { 0, 2 };
	struct anova_data data = { factors, 1, 2, levels, response };
	struct anova anova;
	struct err err = ERR_INIT;

	assert_int_equal(anova_init(&anova, &data, 1, &err), -ENODATA);
	assert_string_equal(err.message,
		"2 values and as many unknowns: nothing is left to estimate noise from");
	data.levels = beyond;
	assert_int_equal(anova_init(&anova, &data, 1, NULL), -EINVAL);
	data.levels = levels;
	data.response = bad;
	assert_int_equal(anova_init(&anova, &data, 1, NULL), -EDOM);
	data.rows = 0;
	assert_int_equal(anova_init(&anova, &data, 1, NULL), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_by_two),
		cmocka_unit_test(split_plot_by_hand),
		cmocka_unit_test(whole_plot_error_keeps_its_level),
		cmocka_unit_test(missing_cells),
		cmocka_unit_test(nothing_left_for_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
