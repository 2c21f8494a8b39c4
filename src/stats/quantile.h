/* Quantiles of a sample and intervals that hold whatever its distribution. */
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

/* sorted is ascending (summary_sort), count > 0, 0 <= p <= 1. Linear between order statistics:
 * definition 7 of Hyndman & Fan, Am. Stat. 50 (1996). */
double quantile_of(const double *sorted, size_t count, double p);

/* Inverse of the empirical distribution, definition 1: always one of the values. */
double quantile_step(const double *sorted, size_t count, double p);

/*
 * Interval of the quantile itself from order statistics: with l = the binomial quantile of
 * (1 - confidence) / 2 and u = that of (1 + confidence) / 2, plus 1, the values number l and u
 * (David & Nagaraja, Order Statistics, 2003, 7.1). False, nothing written, if the sample is too
 * small to have both (p = 0.99 at 95 % needs 368 values, 0.999 needs 3688).
 */
bool quantile_interval(
	const double *sorted, size_t count, double p, double confidence, double ret_bounds[2]);

/* Smallest count for which quantile_interval succeeds. 0 < p < 1. */
size_t quantile_count_needed(double p, double confidence);

#endif
