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
		fit->setups[i / table->blocks]++;
		found++;
	}
	return found ? 0 : err_set(err, -ENODATA, "no cell has a valid set-up");
}

static bool is_balanced(const struct effect_fit *fit)
{
	size_t most = 0;

	for (size_t cell = 0; cell < fit->cells; cell++)
		most = MAX(most, fit->setups[cell]);
	for (size_t cell = 0; cell < fit->cells; cell++) {
		if (fit->setups[cell] == 0)
			continue;
		if (fit->setups[cell] != most)
			return false;
		/* The same blocks are missing everywhere, or none. */
		if (!fit->unblocked && most != fit->blocks)
			return false;
	}
	return true;
}

/* One column a cell, and unless unblocked one a block but the first. */
static void fit_model(struct effect_fit *fit)
{
	size_t columns = fit->cells + (fit->unblocked ? 0 : fit->blocks - 1);
	size_t row = 0;
	size_t rows = 0;

	for (size_t cell = 0; cell < fit->cells; cell++)
		rows += fit->setups[cell];
	double *design = memory_new_array(rows * columns, sizeof(*design));
	double *response = memory_new_array(rows, sizeof(*response));

	for (size_t cell = 0; cell < fit->cells; cell++) {
		for (size_t block = 0; block < fit->blocks; block++) {
			double value = fit->logs[cell * fit->blocks + block];

			if (isnan(value))
				continue;
			design[row * columns + cell] = 1;
			if (!fit->unblocked && block > 0)
				design[row * columns + fit->cells + block - 1] = 1;
			response[row++] = value;
		}
	}
	linear_fit_init(&fit->linear, design, rows, columns, response);
	fit->df = (double)(rows - fit->linear.rank);
	if (fit->linear.residual_squares < NOISE_FLOOR_SQUARES * (double)rows)
		fit->linear.residual_squares = 0;
	fit->residual_sd = fit->df > 0 ? sqrt(fit->linear.residual_squares / fit->df) : NAN;
	free(response);
	free(design);
}

/* One pass of the two-way table: take the row means, then the column means, out of the residuals.
 * Returns the sum of squares afterwards. */
static double sweep(const struct effect_fit *fit, double *residuals, size_t skip)
{
	double squares = 0;

	for (int direction = 0; direction < (fit->unblocked ? 1 : 2); direction++) {
		size_t outer = direction == 0 ? fit->cells : fit->blocks;
		size_t inner = direction == 0 ? fit->blocks : fit->cells;
		size_t outer_step = direction == 0 ? fit->blocks : 1;
		size_t inner_step = direction == 0 ? 1 : fit->blocks;

		for (size_t i = 0; i < outer; i++) {
			double sum = 0;
			double count = 0;

			for (size_t j = 0; j < inner; j++) {
				size_t at = i * outer_step + j * inner_step;

				if (at / fit->blocks != skip && !isnan(residuals[at])) {
					sum += residuals[at];
					count++;
				}
			}
			for (size_t j = 0; j < inner && count > 0; j++)
				residuals[i * outer_step + j * inner_step] -= sum / count;
		}
	}
	for (size_t at = 0; at < fit->cells * fit->blocks; at++)
		if (at / fit->blocks != skip && !isnan(residuals[at]))
			squares += residuals[at] * residuals[at];
	return squares;
}

/* Residual squares of the model without one cell. A complete table is done after one pass. */
static double squares_without(const struct effect_fit *fit, size_t skip)
{
	double *residuals = memory_new_array(fit->cells * fit->blocks, sizeof(*residuals));
	double before = INFINITY;
	double squares;

	memcpy(residuals, fit->logs, fit->cells * fit->blocks * sizeof(*residuals));
	squares = sweep(fit, residuals, skip);
	for (int i = 0; i < 200 && before - squares > 1e-6 * squares; i++) {
		before = squares;
		squares = sweep(fit, residuals, skip);
	}
	free(residuals);
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
	size_t groups = 0;

	for (size_t cell = 0; cell < fit->cells; cell++) {
		groups += fit->setups[cell] > 0;
		if (fit->setups[cell] > 0 && fit->setups[cell] < UNEQUAL_SETUPS)
			return false;
	}
	if (groups < 3 && !(fit->unblocked && groups == 2))
		return false;
	for (size_t cell = 0; cell < fit->cells; cell++) {
		if (fit->setups[cell] == 0)
			continue;
		double added_df = (double)fit->setups[cell] - 1;
		double rest_df = fit->df - added_df;
		double rest = squares_without(fit, cell);
		double added = fit->linear.residual_squares - rest;

		if (rest_df >= 1 && rest > 0 &&
			f_upper_p(added / added_df / (rest / rest_df), added_df, rest_df) <
				UNEQUAL_P / (double)groups)
			return true;
	}
	return false;
}

int effect_fit_init(struct effect_fit *fit, const struct effect_table *table, struct err *err)
{
	assert(table->cells > 0 && table->blocks > 0);
	*fit = (struct effect_fit){
		.cells = table->cells,
		.blocks = table->blocks,
		.unblocked = table->unblocked,
		.logs = memory_new_array(table->cells * table->blocks, sizeof(double)),
		.setups = memory_new_array(table->cells, sizeof(size_t)),
	};
	int r = take_logs(fit, table, err);

	if (r < 0) {
		effect_fit_release(fit);
		return r;
	}
	fit->balanced = is_balanced(fit);
	fit_model(fit);
	fit->unequal = fit->df > 0 && residuals_differ(fit);
	return 0;
}

void effect_fit_release(struct effect_fit *fit)
{
	free(fit->logs);
	free(fit->setups);
	fit->logs = NULL;
	fit->setups = NULL;
	linear_fit_release(&fit->linear);
}

/* The log ratio of two cells and its vector (linear.h); false if no data determine it. */
static bool contrast(const struct effect_fit *fit, size_t cell, size_t baseline, double *ret_value,
	double *ret_vector)
{
	if (fit->setups[cell] == 0 || fit->setups[baseline] == 0)
		return false;
	double *weights = memory_new_array(fit->linear.columns, sizeof(*weights));

	weights[cell] += 1;
	weights[baseline] -= 1;
	bool known = linear_contrast(&fit->linear, weights, ret_value, ret_vector);

	free(weights);
	return known;
}

static bool has_interval(const struct effect_fit *fit, size_t cell, size_t baseline)
{
	double value;

	return cell != baseline && fit->df > 0 && fit->setups[cell] >= EFFECT_SETUPS_LEAST &&
	       fit->setups[baseline] >= EFFECT_SETUPS_LEAST &&
	       contrast(fit, cell, baseline, &value, NULL);
}

/* The family's comparisons as rows of vectors; with vectors NULL only their number. */
static size_t family_rows(
	const struct effect_fit *fit, enum effect_family family, size_t baseline, double *vectors)
{
	size_t rows = 0;
	size_t width = fit->linear.columns;
	double value;

	for (size_t other = 0; other < fit->cells; other++) {
		if (family == EFFECT_AGAINST_BASELINE && other != baseline)
			continue;
		size_t first = family == EFFECT_ALL_PAIRS ? other + 1 : 0;

		for (size_t cell = first; cell < fit->cells; cell++) {
			if (!has_interval(fit, cell, other))
				continue;
			if (vectors)
				(void)contrast(fit, cell, other, &value, vectors + rows * width);
			rows++;
		}
	}
	return rows;
}

double effect_fit_multiplier(
	const struct effect_fit *fit, enum effect_family family, size_t baseline, double confidence)
{
	size_t rows = family == EFFECT_SINGLE ? 1 : family_rows(fit, family, baseline, NULL);

	if (rows == 0 || !(fit->df > 0))
		return NAN;
	if (rows == 1)
		return t_quantile(0.5 + confidence / 2, fit->df);
	if (fit->balanced && family == EFFECT_AGAINST_BASELINE)
		return dunnett_critical(rows, fit->df, confidence);
	if (fit->balanced) {
		size_t cells = (size_t)floor(0.5 + sqrt(0.25 + 2 * (double)rows));

		return all_pairs_critical(cells, fit->df, confidence);
	}
	double *vectors = memory_new_array(rows * fit->linear.columns, sizeof(*vectors));

	family_rows(fit, family, baseline, vectors);
	double critical = max_t_critical(vectors, rows, fit->linear.columns, fit->df, confidence);

	free(vectors);
	return critical;
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
	double *vector = memory_new_array(fit->linear.columns, sizeof(*vector));
	double value;

	effect.setups = MIN(fit->setups[cell], fit->setups[baseline]);
	effect.df = fit->df;
	if (cell == baseline && effect.setups > 0)
		effect = (struct effect){ EFFECT_OK, effect.setups, 1, 1, 1, 1, 1, 0, fit->df };
	else if (contrast(fit, cell, baseline, &value, vector)) {
		double squares = 0;

		for (size_t i = 0; i < fit->linear.columns; i++)
			squares += vector[i] * vector[i];
		effect.status = EFFECT_TOO_FEW;
		effect.ratio = exp(value);
		effect.standard_error = sqrt(squares) * fit->residual_sd;
		if (effect.setups >= EFFECT_SETUPS_LEAST && fit->df > 0) {
			effect.status = EFFECT_OK;
			effect.low = exp(value - multipliers[0] * effect.standard_error);
			effect.high = exp(value + multipliers[0] * effect.standard_error);
			effect.inner_low = exp(value - multipliers[1] * effect.standard_error);
			effect.inner_high = exp(value + multipliers[1] * effect.standard_error);
		}
	}
	free(vector);
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
	size_t comparisons = family_rows(&fit, EFFECT_AGAINST_BASELINE, baseline, NULL);
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
