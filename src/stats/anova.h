/*
 * Factorial analysis: which setting mattered, by how much, and what depends on what. Works on
 * logarithms, so that an effect is a ratio and an interaction a ratio of ratios. Least squares by
 * QR, type II tests (each term after all those that do not contain it: Yates 1934; Langsrud, Stat.
 * Comput. 13, 2003), so cells may be missing or of different sizes. Split plots: settings that need
 * a new set-up are tested against the noise between set-ups, those that vary inside one against
 * the residual (Box, Hunter & Hunter 2005, 9.1).
 */
#ifndef STATS_ANOVA_H
#define STATS_ANOVA_H

#include "base/err.h"
#include "stats/linear.h"

#include <stdbool.h>
#include <stddef.h>

#define ANOVA_FACTORS_MOST 8
#define ANOVA_TERMS_MOST   92 /* 8 factors with all two- and three-way interactions */

struct anova_factor {
	size_t levels;	 /* at least 2, each present in the data */
	bool whole_plot; /* constant inside a set-up */
};

struct anova_data {
	const struct anova_factor *factors;
	size_t factor_count;
	size_t rows;
	const size_t *levels;	/* [row * factor_count + factor], from 0 */
	const double *response; /* logarithms */
	const size_t *setups; /* which set-up a row belongs to; NULL: each row is one of its own */
	const size_t *blocks; /* NULL: none */
};

struct anova_term {
	unsigned factors; /* bit f: factor f takes part */
	bool whole_plot;
	double squares;
	double df; /* 0: the data cannot tell this term from others */
	double mean_square;
	double f; /* NAN without an error term or df */
	double p;
	double omega_squared; /* share of the variance explained, unbiased (Hays 1963) */
};

struct anova_error {
	double squares;
	double df;
	double mean_square; /* NAN if df is 0 */
};

struct anova {
	struct anova_term terms[ANOVA_TERMS_MOST];
	size_t term_count;
	struct anova_error
		whole_plot; /* between set-ups; the same as residual without split plots */
	struct anova_error residual;
	double total_squares;
	/* private */
	struct anova_factor factors[ANOVA_FACTORS_MOST];
	size_t first_column[ANOVA_TERMS_MOST];
	struct linear_fit fit;	      /* blocks and all terms */
	struct linear_fit inside_fit; /* and set-ups; unused without split plots */
	bool split;
};

/* order: largest number of factors in an interaction, 1 to 3. -ENODATA if nothing is left to
 * estimate the noise from, -E2BIG above ANOVA_FACTORS_MOST factors, -EINVAL for a level out of
 * range. On failure nothing needs releasing. */
int anova_init(struct anova *anova, const struct anova_data *data, unsigned order, struct err *err);
void anova_release(struct anova *anova); /* fine twice */

/* A corner of an effect: going from reference to level of factor. */
struct anova_corner {
	size_t factor;
	size_t level;
	size_t reference;
};

struct anova_effect {
	double ratio; /* one corner: of the levels, averaged over the other factors; two: of ratios
		       */
	double low;
	double high;
	double standard_error; /* of the logarithm */
	double df;
};

/* The effect of one corner, or the interaction of two or three with different factors, interval by
 * t at confidence. False if its term is not in the model, the cells do not determine it or there is
 * no error term. */
bool anova_effect(const struct anova *anova, const struct anova_corner *corners, size_t count,
	double confidence, struct anova_effect *ret_effect);

#endif
