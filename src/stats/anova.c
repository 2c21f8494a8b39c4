/* Factorial analysis by least squares (see anova.h). Factors are coded sum-to-zero, so that a
 * term's columns say nothing about the terms inside it. */
#include "stats/anova.h"
#include "stats/distribution.h"
#include "stats/summary.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A model: which of the anova's terms, and whether set-ups have columns. */
struct model {
	bool terms[ANOVA_TERMS_MOST];
	bool setups;
};

static double code(size_t level, size_t column, size_t levels)
{
	if (level == levels - 1)
		return -1;
	return level == column ? 1 : 0;
}

static size_t term_columns(const struct anova *anova, size_t factor_count, unsigned factors)
{
	size_t columns = 1;

	for (size_t f = 0; f < factor_count; f++)
		if (factors >> f & 1)
			columns *= anova->factors[f].levels - 1;
	return columns;
}

/* Product of the factors' codes for one column of a term; values(f, column) gives a factor's. */
static double term_value(const struct anova *anova, unsigned factors, size_t column,
	double (*value)(size_t factor, size_t column, size_t levels, const void *given),
	const void *given)
{
	double product = 1;

	for (size_t f = 0; factors >> f; f++) {
		if (!(factors >> f & 1))
			continue;
		size_t levels = anova->factors[f].levels;

		product *= value(f, column % (levels - 1), levels, given);
		column /= levels - 1;
	}
	return product;
}

static double row_code(size_t factor, size_t column, size_t levels, const void *row_levels)
{
	return code(((const size_t *)row_levels)[factor], column, levels);
}

static size_t largest_plus_one(const size_t *values, size_t count)
{
	size_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = MAX(largest, values[i] + 1);
	return largest;
}

/* Columns before the first term: the constant and the blocks. */
static size_t leading_columns(const struct anova_data *data)
{
	return 1 + (data->blocks ? largest_plus_one(data->blocks, data->rows) - 1 : 0);
}

static void fit_model(const struct anova *anova, const struct anova_data *data,
	const struct model *model, struct linear_fit *ret_fit)
{
	size_t leading = leading_columns(data);
	size_t setups = model->setups ? largest_plus_one(data->setups, data->rows) : 0;
	size_t columns = leading;

	for (size_t t = 0; t < anova->term_count; t++)
		if (model->terms[t])
			columns += term_columns(anova, data->factor_count, anova->terms[t].factors);
	double *design = memory_new_array(data->rows * (columns + setups), sizeof(*design));

	for (size_t row = 0; row < data->rows; row++) {
		double *line = design + row * (columns + setups);
		size_t at = leading;

		line[0] = 1;
		if (data->blocks && data->blocks[row] > 0)
			line[data->blocks[row]] = 1;
		for (size_t t = 0; t < anova->term_count; t++) {
			unsigned factors = anova->terms[t].factors;
			size_t width = term_columns(anova, data->factor_count, factors);

			if (!model->terms[t])
				continue;
			for (size_t column = 0; column < width; column++)
				line[at++] = term_value(anova, factors, column, row_code,
					data->levels + row * data->factor_count);
		}
		if (setups)
			line[columns + data->setups[row]] = 1;
	}
	linear_fit_init(ret_fit, design, data->rows, columns + setups, data->response);
	free(design);
}

/* All combinations of up to order factors, small ones first. */
static void list_terms(struct anova *anova, const struct anova_data *data, unsigned order)
{
	size_t columns = leading_columns(data);

	for (unsigned size = 1; size <= order; size++) {
		for (unsigned factors = 1; factors < 1u << data->factor_count; factors++) {
			if ((unsigned)__builtin_popcount(factors) != size)
				continue;
			struct anova_term *term = &anova->terms[anova->term_count];

			term->factors = factors;
			term->whole_plot = true;
			for (size_t f = 0; f < data->factor_count; f++)
				if (factors >> f & 1 && !data->factors[f].whole_plot)
					term->whole_plot = false;
			anova->first_column[anova->term_count++] = columns;
			columns += term_columns(anova, data->factor_count, factors);
		}
	}
}

static int check(const struct anova_data *data, struct err *err)
{
	if (data->rows == 0)
		return err_set(err, -ENODATA, "no values to analyse");
	if (data->factor_count > ANOVA_FACTORS_MOST)
		return err_set(err, -E2BIG, "%zu factors, at most %d can be analysed together",
			data->factor_count, ANOVA_FACTORS_MOST);
	for (size_t i = 0; i < data->rows * data->factor_count; i++)
		if (data->levels[i] >= data->factors[i % data->factor_count].levels)
			return err_set(err, -EINVAL, "row %zu: level %zu of a factor with %zu",
				i / data->factor_count, data->levels[i],
				data->factors[i % data->factor_count].levels);
	for (size_t row = 0; row < data->rows; row++)
		if (!isfinite(data->response[row]))
			return err_set(err, -EDOM,
				"row %zu: the logarithm %g is not a number to "
				"compute with",
				row, data->response[row]);
	return 0;
}

static struct anova_error error_of(double squares, double df)
{
	return (struct anova_error){ squares, df, df > 0 ? squares / df : NAN };
}

static void test_term(struct anova *anova, const struct anova_data *data, size_t tested)
{
	struct anova_term *term = &anova->terms[tested];
	struct model model = { .setups = anova->split && !term->whole_plot };
	const struct anova_error *error = term->whole_plot ? &anova->whole_plot : &anova->residual;
	struct linear_fit without, with;

	for (size_t t = 0; t < anova->term_count; t++)
		model.terms[t] = (anova->terms[t].factors & term->factors) != term->factors;
	fit_model(anova, data, &model, &without);
	model.terms[tested] = true;
	fit_model(anova, data, &model, &with);
	term->squares = fmax(0, without.residual_squares - with.residual_squares);
	term->df = (double)(with.rank - without.rank);
	linear_fit_release(&without);
	linear_fit_release(&with);
	term->mean_square = term->df > 0 ? term->squares / term->df : NAN;
	term->f = NAN;
	term->p = NAN;
	term->omega_squared = NAN;
	if (!(term->df > 0) || !(error->df > 0))
		return;
	term->omega_squared = (term->squares - term->df * error->mean_square) /
			      (anova->total_squares + error->mean_square);
	if (error->mean_square > 0) {
		term->f = term->mean_square / error->mean_square;
		term->p = f_upper_p(term->f, term->df, error->df);
	}
}

/* Do rows share set-ups at all? Otherwise there is one kind of noise only. */
static bool is_split(const struct anova_data *data)
{
	if (!data->setups)
		return false;
	size_t setups = largest_plus_one(data->setups, data->rows);
	bool *seen = memory_new_array(setups, sizeof(*seen));
	bool shared = false;

	for (size_t row = 0; row < data->rows; row++) {
		shared = shared || seen[data->setups[row]];
		seen[data->setups[row]] = true;
	}
	free(seen);
	return shared;
}

static void estimate_errors(struct anova *anova, const struct anova_data *data)
{
	struct model model = { .setups = false };

	for (size_t t = 0; t < anova->term_count; t++)
		model.terms[t] = true;
	fit_model(anova, data, &model, &anova->fit);
	anova->residual =
		error_of(anova->fit.residual_squares, (double)(data->rows - anova->fit.rank));
	anova->whole_plot = anova->residual;
	if (!anova->split)
		return;
	model.setups = true;
	fit_model(anova, data, &model, &anova->inside_fit);
	anova->residual = error_of(
		anova->inside_fit.residual_squares, (double)(data->rows - anova->inside_fit.rank));
	anova->whole_plot =
		error_of(fmax(0, anova->fit.residual_squares - anova->inside_fit.residual_squares),
			(double)(anova->inside_fit.rank - anova->fit.rank));
}

int anova_init(struct anova *anova, const struct anova_data *data, unsigned order, struct err *err)
{
	int r = check(data, err);

	assert(order >= 1 && order <= 3);
	if (r < 0)
		return r;
	*anova = (struct anova){ .split = is_split(data) };
	for (size_t f = 0; f < data->factor_count; f++)
		anova->factors[f] = data->factors[f];
	list_terms(anova, data, order);
	anova->total_squares =
		summary_variance(data->response, data->rows) * (double)(data->rows - 1);
	estimate_errors(anova, data);
	if (!(anova->residual.df > 0) && !(anova->whole_plot.df > 0)) {
		anova_release(anova);
		return err_set(err, -ENODATA,
			"%zu values and as many unknowns: nothing is left to estimate noise from",
			data->rows);
	}
	for (size_t t = 0; t < anova->term_count; t++)
		test_term(anova, data, t);
	return 0;
}

void anova_release(struct anova *anova)
{
	linear_fit_release(&anova->fit);
	linear_fit_release(&anova->inside_fit);
	anova->term_count = 0;
}

static double corner_code(size_t factor, size_t column, size_t levels, const void *corners)
{
	const struct anova_corner *corner = corners;

	while (corner->factor != factor)
		corner++;
	return code(corner->level, column, levels) - code(corner->reference, column, levels);
}

bool anova_effect(const struct anova *anova, const struct anova_corner *corners, size_t count,
	double confidence, struct anova_effect *ret_effect)
{
	unsigned factors = 0;
	size_t t = 0;
	double value, squares = 0;

	for (size_t i = 0; i < count; i++)
		factors |= 1u << corners[i].factor;
	while (t < anova->term_count && anova->terms[t].factors != factors)
		t++;
	if (t == anova->term_count || (size_t)__builtin_popcount(factors) != count)
		return false;
	bool inside = anova->split && !anova->terms[t].whole_plot;
	const struct linear_fit *fit = inside ? &anova->inside_fit : &anova->fit;
	const struct anova_error *error =
		anova->terms[t].whole_plot ? &anova->whole_plot : &anova->residual;
	double *weights = memory_new_array(2 * fit->columns, sizeof(*weights));
	double *vector = weights + fit->columns;
	size_t width = term_columns(anova, ANOVA_FACTORS_MOST, factors);

	for (size_t column = 0; column < width; column++)
		weights[anova->first_column[t] + column] =
			term_value(anova, factors, column, corner_code, corners);
	bool known = error->df > 0 && linear_contrast(fit, weights, &value, vector);

	if (known) {
		for (size_t i = 0; i < fit->columns; i++)
			squares += vector[i] * vector[i];
		double standard_error = sqrt(error->mean_square * squares);
		double half = t_quantile(0.5 + confidence / 2, error->df) * standard_error;

		*ret_effect = (struct anova_effect){ exp(value), exp(value - half),
			exp(value + half), standard_error, error->df };
	}
	free(weights);
	return known;
}
