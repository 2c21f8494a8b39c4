/*
 * Cumulative distributions and quantiles: normal, Student t, F, binomial, and the distribution of
 * a sample SD over its expectation. Written here because the packaged libraries that have them are
 * under other licences or pull in far more than these few functions.
 */
#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include <stdint.h>

double normal_density(double x);
double normal_cdf(double x);
/* 0 < p < 1. Start value: Abramowitz & Stegun 26.2.23, then Halley steps on normal_cdf. */
double normal_quantile(double p);

/* Regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1. Continued fraction DLMF
 * 8.17.22 by the modified Lentz method (Thompson & Barnett, J. Comput. Phys. 64, 1986). */
double beta_cdf(double x, double a, double b);

/* Student t; df > 0, need not be whole. */
double t_cdf(double t, double df);
double t_two_sided_p(double t, double df); /* P(|T| >= |t|), without cancellation */
double t_quantile(double p, double df);	   /* 0 < p < 1 */

double f_upper_p(double f, double df1, double df2); /* P(F >= f) */
double f_quantile(double p, double df1, double df2);

double binomial_cdf(uint64_t k, uint64_t n, double p); /* P(X <= k) */
/* Smallest k with P(X <= k) >= q; 0 < q < 1. */
uint64_t binomial_quantile(double q, uint64_t n, double p);

/* Density at s of S/sigma where df * S^2 / sigma^2 is chi-squared with df degrees of freedom. */
double sd_ratio_density(double s, double df);
/* The range of s outside of which nothing that matters for a probability to 1e-9 lies. */
void sd_ratio_range(double df, double *ret_low, double *ret_high);

#endif
