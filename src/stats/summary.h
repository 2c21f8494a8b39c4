/* Short descriptions of a set of numbers. Nothing here says whether two sets differ. */
#ifndef STATS_SUMMARY_H
#define STATS_SUMMARY_H

#include <stddef.h>

struct summary {
	size_t count;
	double mean;
	double sd; /* n - 1 in the denominator; 0 for one value */
	double minimum;
	double median;
	double maximum;
};

/* count > 0, values finite. */
void summary_of(const double *values, size_t count, struct summary *ret_summary);

double summary_mean(const double *values, size_t count);
double summary_variance(const double *values, size_t count); /* n - 1; 0 below two values */
double summary_median(const double *values, size_t count);
/* Median absolute deviation from the median times 1.4826: the SD of normal data, unmoved by a few
 * wild values (Hampel, JASA 69, 1974). */
double summary_mad(const double *values, size_t count);

/* Geometric mean: the average that belongs to ratios (Fleming & Wallace, CACM 29, 1986). NAN if
 * any value is not above zero, or there is none. */
double summary_geometric_mean(const double *values, size_t count);

/* Cliff's delta (Psychol. Bull. 114, 1993): P(b > a) - P(b < a), from -1 to 1. */
double summary_cliff_delta(const double *a, size_t a_count, const double *b, size_t b_count);

/* Difference of means over the pooled SD: d, and g = J d with J = 1 - 3 / (4 v - 1), v = n1 + n2
 * - 2 (Hedges, J. Educ. Stat. 6, 1981). NAN below two values each or without spread. */
double summary_standardised(const double *a, size_t a_count, const double *b, size_t b_count);
double summary_hedges_g(const double *a, size_t a_count, const double *b, size_t b_count);

/* Ascending order, in place; for quantile.h and every median. */
void summary_sort(double *values, size_t count);

#endif
