/* Effects of cells against a baseline by pooled residual (see effect.h). */
#include "stats/effect.h"
#include "stats/distribution.h"
#include "stats/dunnett.h"
#include "stats/ratio.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INNER_CONFIDENCE    0.90
#define UNEQUAL_P	    0.01
#define UNEQUAL_CELLS_MOST  400 /* more comparisons are screening anyway */
#define UNEQUAL_SETUPS	    5
#define NOISE_FLOOR_SQUARES 1e-24 /* rounding of logarithms, not noise */

static int take_logs(struct effect_fit *fit, const struct effect_table *table, struct err *err)
{
	size_t found = 0;

	for (size_t i = 0; i < table->cells * table->blocks; i++) {
		double value = table->values[i];

		if (isnan(value)) {
			fit->logs[i] = NAN;
			continue;
		}
		if (!(value > 0) || isinf(value))
			return err_set(err, -EDOM,
				"cell %zu, block %zu: value %g: a ratio needs values above zero",
				i / table->blocks, i % table->blocks, value);
		fit->logs[i] = log(value);
		found++;
	}
	return found ? 0 : err_set(err, -ENODATA, "no cell has a valid set-up");
}

/* Residual squares of the model without one cell. */
static double squares_without(const struct effect_fit *fit, double *logs, size_t skip)
{
	struct two_way without;
	double squares;

	memcpy(logs, fit->logs, fit->cells * fit->blocks * sizeof(*logs));
	for (size_t block = 0; block < fit->blocks; block++)
		logs[skip * fit->blocks + block] = NAN;
	two_way_init(&without, logs, fit->cells, fit->blocks, fit->unblocked);
	squares = without.residual_squares;
	two_way_release(&without);
	return squares;
}

/*
 * Is one cell clearly noisier than the rest? What its residuals add to those of the model without
 * it, over the latter: an F ratio, because the added part is independent of the rest. (Looking at
 * the residuals of the whole model says little: a noisy cell spreads over its blocks.) Bonferroni
 * over the cells. Below 5 set-ups a cell the pooled form is the safer one.
 */
static bool residuals_differ(const struct effect_fit *fit)
{
	double *logs = memory_new_array(fit->cells * fit->blocks, sizeof(*logs));
	size_t groups = 0;
	bool differ = false, enough = true;

	for (size_t cell = 0; cell < fit->cells; cell++) {
		groups += fit->setups[cell] > 0;
		if (fit->setups[cell] > 0 && fit->setups[cell] < UNEQUAL_SETUPS)
			enough = false;
	}
	enough = enough && groups >= (fit->unblocked ? 2 : 3) && groups <= UNEQUAL_CELLS_MOST;
	for (size_t cell = 0; cell < fit->cells && enough && !differ; cell++) {
		if (fit->setups[cell] == 0)
			continue;
		double added_df = (double)fit->setups[cell] - 1;
		double rest_df = fit->df - added_df;
		double rest = squares_without(fit, logs, cell);
		double added = fit->table.residual_squares - rest;

		differ = rest_df >= 1 && rest > 0 &&
			 f_upper_p(added / added_df / (rest / rest_df), added_df, rest_df) <
				 UNEQUAL_P / (double)groups;
	}
	free(logs);
	return differ;
}

int effect_fit_init(struct effect_fit *fit, const struct effect_table *table, struct err *err)
{
	assert(table->cells > 0 && table->blocks > 0);
	*fit = (struct effect_fit){
		.cells = table->cells,
		.blocks = table->blocks,
		.unblocked = table->unblocked,
		.logs = memory_new_array(table->cells * table->blocks, sizeof(double)),
	};
	int r = take_logs(fit, table, err);

	if (r < 0) {
		effect_fit_release(fit);
		return r;
	}
	two_way_init(&fit->table, fit->logs, fit->cells, fit->blocks, fit->unblocked);
	fit->setups = fit->table.counts;
	fit->df = fit->table.df;
	if (fit->table.residual_squares < NOISE_FLOOR_SQUARES * (double)(fit->cells * fit->blocks))
		fit->table.residual_squares = 0;
	fit->residual_sd = fit->df > 0 ? sqrt(fit->table.residual_squares / fit->df) : NAN;
	fit->unequal = fit->df > 0 && residuals_differ(fit);
	return 0;
}

void effect_fit_release(struct effect_fit *fit)
{
	free(fit->logs);
	fit->logs = NULL;
	fit->setups = NULL;
	two_way_release(&fit->table);
}

static bool has_interval(const struct effect_fit *fit, size_t cell, size_t baseline)
{
	return cell != baseline && fit->df > 0 && fit->setups[cell] >= EFFECT_SETUPS_LEAST &&
	       fit->setups[baseline] >= EFFECT_SETUPS_LEAST &&
	       two_way_linked(&fit->table, cell, baseline);
}

static size_t count_against(const struct effect_fit *fit, size_t baseline)
{
	size_t count = 0;

	for (size_t cell = 0; cell < fit->cells; cell++)
		count += has_interval(fit, cell, baseline);
	return count;
}

/* Cells that take part in at least one comparison with an interval. */
static size_t count_in_pairs(const struct effect_fit *fit)
{
	size_t count = 0;

	for (size_t cell = 0; cell < fit->cells; cell++)
		count += fit->setups[cell] >= EFFECT_SETUPS_LEAST;
	return count;
}

static double simulate_multiplier(
	const struct effect_fit *fit, size_t baseline, size_t count, double confidence)
{
	size_t width = fit->table.order;
	double *own = memory_new_array(count, sizeof(*own));
	double *shared = memory_new_array(count * width + 1, sizeof(*shared));
	struct max_t_family family = {
		.width = width,
		.baseline_own = 1 / sqrt((double)fit->setups[baseline]),
		.own = own,
		.shared = shared,
	};

	for (size_t cell = 0; cell < fit->cells; cell++) {
		if (!has_interval(fit, cell, baseline))
			continue;
		own[family.count] = 1 / sqrt((double)fit->setups[cell]);
		two_way_block_part(&fit->table, cell, baseline, shared + family.count++ * width);
	}
	double critical = max_t_critical(&family, fit->df, confidence);

	free(shared);
	free(own);
	return critical;
}

double effect_fit_multiplier(
	const struct effect_fit *fit, enum effect_family family, size_t baseline, double confidence)
{
	size_t pairs = count_in_pairs(fit);
	size_t count = family == EFFECT_SINGLE	    ? 1
		       : family == EFFECT_ALL_PAIRS ? pairs * (pairs - (pairs > 0)) / 2
						    : count_against(fit, baseline);

	if (count == 0 || !(fit->df > 0))
		return NAN;
	if (count == 1)
		return t_quantile(0.5 + confidence / 2, fit->df);
	if (family == EFFECT_ALL_PAIRS)
		return all_pairs_critical(pairs, fit->df, confidence);
	if (fit->table.complete)
		return dunnett_critical(count, fit->df, confidence);
	return simulate_multiplier(fit, baseline, count, confidence);
}

static const struct effect no_effect = {
	.status = EFFECT_NOT_COMPARABLE,
	.ratio = NAN,
	.low = NAN,
	.high = NAN,
	.inner_low = NAN,
	.inner_high = NAN,
	.standard_error = NAN,
};

void effect_fit_compare(const struct effect_fit *fit, size_t cell, size_t baseline,
	const double multipliers[2], struct effect *ret_effect)
{
	struct effect effect = no_effect;

	effect.setups = MIN(fit->setups[cell], fit->setups[baseline]);
	effect.df = fit->df;
	if (cell == baseline && effect.setups > 0) {
		effect = (struct effect){ EFFECT_OK, effect.setups, 1, 1, 1, 1, 1, 0, fit->df };
	} else if (two_way_linked(&fit->table, cell, baseline)) {
		double value = fit->table.cell_effects[cell] - fit->table.cell_effects[baseline];

		effect.status = EFFECT_TOO_FEW;
		effect.ratio = exp(value);
		effect.standard_error =
			sqrt(two_way_variance(&fit->table, cell, baseline)) * fit->residual_sd;
		if (effect.setups >= EFFECT_SETUPS_LEAST && fit->df > 0) {
			effect.status = EFFECT_OK;
			effect.low = exp(value - multipliers[0] * effect.standard_error);
			effect.high = exp(value + multipliers[0] * effect.standard_error);
			effect.inner_low = exp(value - multipliers[1] * effect.standard_error);
			effect.inner_high = exp(value + multipliers[1] * effect.standard_error);
		}
	}
	*ret_effect = effect;
}

static int pair_ratio(const struct effect_fit *fit, const size_t pair[2], double confidence,
	struct ratio *ret_ratio)
{
	double *values = memory_new_array(2 * fit->blocks, sizeof(*values));
	double *a = values;
	double *b = values + fit->blocks;
	size_t a_count = 0;
	size_t b_count = 0;
	int r;

	for (size_t block = 0; block < fit->blocks; block++) {
		double baseline = fit->logs[pair[1] * fit->blocks + block];
		double cell = fit->logs[pair[0] * fit->blocks + block];

		if (!fit->unblocked && (isnan(cell) || isnan(baseline)))
			continue;
		if (!isnan(baseline))
			a[a_count++] = exp(baseline);
		if (!isnan(cell))
			b[b_count++] = exp(cell);
	}
	if (MIN(a_count, b_count) < EFFECT_SETUPS_LEAST)
		r = -ENODATA;
	else
		r = (fit->unblocked ? ratio_welch : ratio_paired)(
			(struct ratio_sample){ a, a_count }, (struct ratio_sample){ b, b_count },
			confidence, ret_ratio, NULL);
	free(values);
	return r;
}

void effect_fit_pair_alone(const struct effect_fit *fit, const size_t pair[2], size_t comparisons,
	double confidence, struct effect *ret_effect)
{
	const double unused[2] = { NAN, NAN };
	struct ratio outer, inner;
	double share = (double)MAX(comparisons, (size_t)1);

	effect_fit_compare(fit, pair[0], pair[1], unused, ret_effect);
	if (ret_effect->status != EFFECT_OK)
		return;
	if (pair_ratio(fit, pair, 1 - (1 - confidence) / share, &outer) < 0 ||
		pair_ratio(fit, pair, 1 - (1 - INNER_CONFIDENCE) / share, &inner) < 0) {
		ret_effect->status = EFFECT_TOO_FEW;
		return;
	}
	ret_effect->ratio = outer.ratio;
	ret_effect->low = outer.low;
	ret_effect->high = outer.high;
	ret_effect->inner_low = inner.low;
	ret_effect->inner_high = inner.high;
	ret_effect->standard_error = outer.standard_error;
	ret_effect->df = outer.df;
}

int effect_against_baseline(const struct effect_table *table, size_t baseline, double confidence,
	struct effect *ret_effects, struct err *err)
{
	struct effect_fit fit;
	int r = effect_fit_init(&fit, table, err);

	if (r < 0)
		return r;
	size_t comparisons = count_against(&fit, baseline);
	const double multipliers[2] = {
		effect_fit_multiplier(&fit, EFFECT_AGAINST_BASELINE, baseline, confidence),
		effect_fit_multiplier(&fit, EFFECT_AGAINST_BASELINE, baseline, INNER_CONFIDENCE),
	};

	for (size_t cell = 0; cell < table->cells; cell++) {
		const size_t pair[2] = { cell, baseline };

		if (fit.unequal && cell != baseline)
			effect_fit_pair_alone(
				&fit, pair, comparisons, confidence, &ret_effects[cell]);
		else
			effect_fit_compare(&fit, cell, baseline, multipliers, &ret_effects[cell]);
	}
	effect_fit_release(&fit);
	return 0;
}
