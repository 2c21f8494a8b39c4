/*
 * Ratios of two sets of positive values with their intervals, by way of logarithms. Each answers
 * for one pair; tables of several cells use effect.h.
 */
#ifndef STATS_RATIO_H
#define STATS_RATIO_H

#include "base/err.h"

#include <stddef.h>

struct ratio {
	double ratio; /* b over a */
	double low;
	double high;
	double log_ratio;
	double standard_error; /* of log_ratio */
	double df;
	double t;
	double p; /* two-sided; for tests and tables of reference, reports show intervals */
};

struct ratio_sample {
	const double *values;
	size_t count;
};

/* Blocks: value i of a and of b share block i; -EINVAL if there are not as many of each. Student's
 * t on the differences of logarithms. At least two, or -ENODATA; a value not above 0 is -EDOM.
 * ret_ratio is written on success only. */
int ratio_paired(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err);

/* Unpaired, each set its own variance: Welch, Biometrika 34 (1947). At least two values each. */
int ratio_welch(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err);

/* Unpaired, one variance. */
int ratio_pooled(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err);

/* Two one-sided tests (Schuirmann, J. Pharmacokin. Biopharm. 15, 1987) of |log ratio| < log_margin.
 * The p of equivalence is the larger of the two. standard_error > 0. */
struct tost {
	double p_lower; /* of: the log ratio is not above -log_margin */
	double p_upper; /* of: the log ratio is not below log_margin */
};
struct tost ratio_tost(double log_ratio, double standard_error, double df, double log_margin);

#endif
