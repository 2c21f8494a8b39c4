/* Where the noise comes from: between set-ups or between the runs of one, and what that says about
 * spending time. */
#ifndef STATS_COMPONENTS_H
#define STATS_COMPONENTS_H

#include "base/err.h"

#include <stddef.h>

struct components {
	double mean;
	double mean_square_between; /* set-ups */
	double mean_square_within;  /* runs in a set-up */
	double df_between;
	double df_within;
	double f;		 /* between over within; NAN if within is 0 */
	double p;		 /* of f */
	double variance_setup;	 /* s_b^2, not below 0 */
	double variance_run;	 /* s_w^2 */
	double correlation;	 /* of two runs of one set-up (ICC), 0 to 1 */
	double half_width;	 /* of the mean over set-ups, at the asked-for confidence */
	double half_width_naive; /* the same if all runs were independent: what not to believe */
};

/*
 * One-way random effects (Searle, Casella & McCulloch, Variance Components, 1992, chapter 3):
 * values of set-up 0, then of set-up 1, ...; runs[i] values in set-up i, which may differ.
 * -ENODATA below two set-ups, or if no set-up has two runs.
 */
int components_of(const double *values, const size_t *runs, size_t setups, double confidence,
	struct components *ret_components);

/*
 * Runs in a set-up that buy the narrowest interval for the time spent (Kalibera & Jones, ISMM
 * 2013): sqrt(cost_setup / cost_run * variance_run / variance_setup), not rounded. INFINITY if
 * variance_setup is 0. components_runs_best rounds up, at least 1, at most 1000.
 */
double components_runs_best_raw(const struct components *components, double cost_ratio);
size_t components_runs_best(const struct components *components, double cost_ratio);

enum repeats_design {
	REPEATS_UNPAIRED, /* two cells, t with 2 n - 2 degrees */
	REPEATS_PAIRED	  /* differences in blocks, t with n - 1 */
};

/* Smallest n >= 2 at which the interval of a log ratio reaches half_width to each side, sd being
 * that of a set-up's mean (unpaired) or of the block differences (paired). At most 100000. */
size_t repeats_for_half_width(
	enum repeats_design design, double sd, double half_width, double confidence);

#endif
