/*
 * Resampling: intervals without a formula for the distribution. Every random pick depends on seed,
 * cell, draw and its own number alone (base/rng.h), so a result repeats on any machine.
 */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOTSTRAP_SETUPS_LEAST 6 /* percentile intervals of fewer are far too narrow */

/* The values of one cell: those of its first set-up, then those of its second, ... */
struct bootstrap_cell {
	const double *values;
	const size_t *runs; /* values in each set-up, each at least 1; NULL: one each */
	size_t setups;
};

struct bootstrap_options {
	size_t draws; /* 10000 is usual */
	uint64_t seed;
	double confidence;
};

struct bootstrap_result {
	double point; /* of the values as they are */
	double low;   /* percentile interval, inverse empirical distribution */
	double median;
	double high;
	double mean; /* of the draws */
	double sd;
};

/*
 * Hierarchical (Davison & Hinkley, Bootstrap Methods, 1997, 3.8): in every draw each cell's set-ups
 * are drawn with replacement, and in each drawn one its runs; statistic: the ratio of the means of
 * set-up means, cell over baseline. ret_results has count elements, the baseline's is 1. -ENODATA
 * if a cell has fewer than 6 set-ups, -EDOM if the baseline's mean is not above zero.
 */
int bootstrap_ratios(const struct bootstrap_cell *cells, size_t count,
	const struct bootstrap_options *options, size_t baseline,
	struct bootstrap_result *ret_results);

/* The mean of a cell in each of the draws of one stream, written to ret_means (draws elements).
 * Takes any number of set-ups: for those who know what they do with so few. */
void bootstrap_means(const struct bootstrap_cell *cell, const struct bootstrap_options *options,
	uint64_t stream, double *ret_means);

/* All the equally likely draws of a cell, for small ones: the means (caller frees) and their
 * number; NULL if there are more than limit. */
double *bootstrap_means_all(const struct bootstrap_cell *cell, size_t limit, size_t *ret_count);

/* Interval of the draws of a statistic. Sorts draws. */
void bootstrap_describe(double *draws, size_t count, double point, double confidence,
	struct bootstrap_result *ret_result);

/*
 * Moving blocks (Kuensch, Ann. Stat. 17, 1989) for the mean of a series whose neighbours hang
 * together: blocks of length values, at least one checkpoint cycle. Describes one run, never a
 * comparison. -EINVAL unless 1 <= length <= count.
 */
int bootstrap_series(const double *values, size_t count, size_t length,
	const struct bootstrap_options *options, struct bootstrap_result *ret_result);

#endif
