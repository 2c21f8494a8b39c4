/* effect: the pooled form against the pair's own form, missing cells, and what has no interval. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/distribution.h"
#include "stats/dunnett.h"
#include "stats/effect.h"
#include "stats/ratio.h"
#include <errno.h>

static const double two_cells[] = {
	100, 96, 104, 90, 99, 101,  /* baseline */
	105, 100, 111, 93, 104, 108 /* 5.19 % above in pairs */
};

static void two_cells_are_a_paired_t(void **state UNUSED)
{
	const struct effect_table table = { .cells = 2, .blocks = 6, .values = two_cells };
	struct effect effects[2];

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, NULL), 0);
	assert_close(effects[1].ratio, 1.0519412, 5e-8);
	assert_close(effects[1].low, 1.0372457, 5e-8);
	assert_close(effects[1].high, 1.0668448, 5e-8);
	assert_close(effects[1].df, 5, 0);
	assert_int_equal(effects[0].status, EFFECT_OK);
	assert_close(effects[0].low, 1, 0);
	assert_close(effects[0].high, 1, 0);
}

static void unblocked_two_cells_are_a_pooled_t(void **state UNUSED)
{
	const struct effect_table table = { 2, 6, two_cells, .unblocked = true };
	struct effect effects[2];
	struct ratio ratio;

	ratio_pooled((struct ratio_sample){ two_cells, 6 },
		(struct ratio_sample){ two_cells + 6, 6 }, 0.95, &ratio, NULL);
	effect_against_baseline(&table, 0, 0.95, effects, NULL);
	assert_near(effects[1].low, ratio.low, 1e-10);
	assert_near(effects[1].high, ratio.high, 1e-10);
	assert_close(effects[1].df, 10, 0);
}

static void fill(double *values, size_t cells, size_t blocks, uint64_t stream)
{
	struct rng rng;

	rng_init(&rng, 11, stream);
	for (size_t block = 0; block < blocks; block++) {
		double luck = 0.1 * rng_normal(&rng);

		for (size_t cell = 0; cell < cells; cell++)
			values[cell * blocks + block] =
				exp(5 + luck + 0.05 * (double)cell + 0.02 * rng_normal(&rng));
	}
}

/* By hand: means over blocks, residuals of the two-way table, (k - 1)(n - 1) degrees. */
static void complete_blocks_by_hand(void **state UNUSED)
{
	enum { CELLS = 4, BLOCKS = 3 };
	double values[CELLS * BLOCKS], cell_mean[CELLS] = { 0 }, block_mean[BLOCKS] = { 0 };
	double grand = 0, squares = 0;
	const struct effect_table table = { .cells = CELLS, .blocks = BLOCKS, .values = values };
	struct effect effects[CELLS];

	fill(values, CELLS, BLOCKS, 1);
	for (int i = 0; i < CELLS * BLOCKS; i++) {
		cell_mean[i / BLOCKS] += log(values[i]) / BLOCKS;
		block_mean[i % BLOCKS] += log(values[i]) / CELLS;
		grand += log(values[i]) / (CELLS * BLOCKS);
	}
	for (int i = 0; i < CELLS * BLOCKS; i++)
		squares += pow(
			log(values[i]) - cell_mean[i / BLOCKS] - block_mean[i % BLOCKS] + grand, 2);
	double mse = squares / ((CELLS - 1) * (BLOCKS - 1));
	double half = dunnett_critical(CELLS - 1, 6, 0.95) * sqrt(2 * mse / BLOCKS);

	assert_int_equal(effect_against_baseline(&table, 1, 0.95, effects, NULL), 0);
	for (int cell = 0; cell < CELLS; cell++) {
		double d = cell_mean[cell] - cell_mean[1];

		assert_near(effects[cell].ratio, exp(d), 1e-11);
		if (cell != 1) {
			assert_near(effects[cell].low, exp(d - half), 1e-9);
			assert_near(effects[cell].high, exp(d + half), 1e-9);
			assert_true(effects[cell].inner_low > effects[cell].low);
		}
	}
}

/* A lost set-up is estimated around, the block's luck stays out of the ratio. */
static void missing_set_up(void **state UNUSED)
{
	double values[3 * 5];
	const struct effect_table table = { .cells = 3, .blocks = 5, .values = values };
	struct effect effects[3];

	for (int cell = 0; cell < 3; cell++)
		for (int block = 0; block < 5; block++)
			values[cell * 5 + block] = (1 + cell) * (1 + block);
	values[2 * 5 + 4] = NAN;
	values[0] = NAN;
	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, NULL), 0);
	assert_near(effects[1].ratio, 2, 1e-9);
	assert_near(effects[2].ratio, 3, 1e-9);
	assert_int_equal(effects[2].setups, 4);
	assert_int_equal(effects[2].status, EFFECT_OK);
}

static void too_few_and_not_comparable(void **state UNUSED)
{
	double values[] = { 10, 11, 12, 10, 20, 21, NAN, NAN, NAN, NAN, NAN, NAN };
	const struct effect_table table = { .cells = 3, .blocks = 4, .values = values };
	struct effect effects[3];

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, NULL), 0);
	assert_int_equal(effects[1].status, EFFECT_TOO_FEW);
	assert_true(effects[1].ratio > 1.8 && isnan(effects[1].low));
	assert_int_equal(effects[2].status, EFFECT_NOT_COMPARABLE);
	assert_true(isnan(effects[2].ratio));
}

static void cells_without_shared_blocks(void **state UNUSED)
{
	double values[] = { 10, 11, 12, NAN, NAN, NAN, NAN, NAN, NAN, 20, 21, 22 };
	const struct effect_table table = { .cells = 2, .blocks = 6, .values = values };
	struct effect effects[2];

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, NULL), 0);
	assert_int_equal(effects[1].status, EFFECT_NOT_COMPARABLE);
}

static void study_of_one_cell(void **state UNUSED)
{
	const double values[] = { 10, 11, 12 };
	const struct effect_table table = { .cells = 1, .blocks = 3, .values = values };
	struct effect effect;

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, &effect, NULL), 0);
	assert_close(effect.ratio, 1, 0);
	assert_close(effect.high, 1, 0);
}

static void bad_values(void **state UNUSED)
{
	double values[] = { 10, 11, 12, 10, -1, 10 };
	const struct effect_table table = { .cells = 2, .blocks = 3, .values = values };
	struct effect effects[2];
	struct err err = ERR_INIT;

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, &err), -EDOM);
	assert_string_equal(
		err.message, "cell 1, block 1: value -1: a ratio needs values above zero");
	for (int i = 0; i < 6; i++)
		values[i] = NAN;
	err_clear(&err);
	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, &err), -ENODATA);
}

static void same_values_give_a_point(void **state UNUSED)
{
	const double values[] = { 8192, 8192, 8192, 16384, 16384, 16384 };
	const struct effect_table table = { .cells = 2, .blocks = 3, .values = values };
	struct effect effects[2];

	assert_int_equal(effect_against_baseline(&table, 0, 0.95, effects, NULL), 0);
	assert_near(effects[1].low, 2, 1e-12);
	assert_near(effects[1].high, 2, 1e-12);
}

/* One cell ten times as noisy: pairs without it must not pay for its noise. */
static void unequal_noise(void **state UNUSED)
{
	enum { CELLS = 3, BLOCKS = 12 };
	double values[CELLS * BLOCKS];
	const struct effect_table table = { .cells = CELLS, .blocks = BLOCKS, .values = values };
	struct effect_fit fit;
	struct effect effects[CELLS];
	struct rng rng;

	fill(values, CELLS, BLOCKS, 3);
	assert_int_equal(effect_fit_init(&fit, &table, NULL), 0);
	assert_false(fit.unequal);
	effect_fit_release(&fit);
	rng_init(&rng, 5, 5);
	for (int block = 0; block < BLOCKS; block++)
		values[2 * BLOCKS + block] *= exp(0.4 * rng_normal(&rng));
	assert_int_equal(effect_fit_init(&fit, &table, NULL), 0);
	assert_true(fit.unequal);
	effect_fit_release(&fit);
	effect_fit_release(&fit);
	effect_against_baseline(&table, 0, 0.95, effects, NULL);
	assert_true(effects[1].high / effects[1].low < 1.08);
	assert_true(effects[2].high / effects[2].low > 1.5);
}

/* Simultaneous coverage of 95 % intervals, noise pooled over the cells. */
static void intervals_cover_together(void **state UNUSED)
{
	enum { CELLS = 4, BLOCKS = 5, STUDIES = 600 };
	const double multipliers[] = { dunnett_critical(CELLS - 1, 12, 0.95), 0 };
	int whole = 0;

	for (uint64_t study = 0; study < STUDIES; study++) {
		double values[CELLS * BLOCKS];
		const struct effect_table table = {
			.cells = CELLS, .blocks = BLOCKS, .values = values
		};
		struct effect_fit fit;
		int covered = 0;

		fill(values, CELLS, BLOCKS, 100 + study);
		assert_int_equal(effect_fit_init(&fit, &table, NULL), 0);
		for (size_t cell = 1; cell < CELLS; cell++) {
			struct effect effect;
			double truth = exp(0.05 * (double)cell);

			effect_fit_compare(&fit, cell, 0, multipliers, &effect);
			covered += effect.low < truth && effect.high > truth;
		}
		effect_fit_release(&fit);
		whole += covered == CELLS - 1;
	}
	/* 570 expected, SD 5.3; the seed is fixed. */
	assert_in_range(whole, 555, 585);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cells_are_a_paired_t),
		cmocka_unit_test(unblocked_two_cells_are_a_pooled_t),
		cmocka_unit_test(complete_blocks_by_hand),
		cmocka_unit_test(missing_set_up),
		cmocka_unit_test(too_few_and_not_comparable),
		cmocka_unit_test(cells_without_shared_blocks),
		cmocka_unit_test(study_of_one_cell),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(same_values_give_a_point),
		cmocka_unit_test(unequal_noise),
		cmocka_unit_test(intervals_cover_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
