/* Has a run settled? Tests on a series of equal bins (or checkpoint cycles) of one run. */
#ifndef STATS_STEADY_H
#define STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* MSER truncation (White, Simulation 69, 1997): the number of values at the start whose removal
 * makes the standard error of the rest smallest. */
struct steady_cut {
	size_t cut;	/* values to leave out, 0 to count / 2 */
	double z;	/* the statistic at cut: sum of squares / kept^2 */
	bool too_short; /* the best cut lies at the end of the allowed range: not settled */
};
/* count >= 2, or too_short with cut 0. */
struct steady_cut steady_mser(const double *values, size_t count);

/* How far a window moves, as shares of its mean; the form of the SNIA SSS performance test. */
struct steady_window {
	double range; /* (largest - smallest) / mean */
	double slope; /* |least-squares slope| * (count - 1) / mean */
	double cov;   /* SD / mean (Georges et al., OOPSLA 2007, ask for less than 0.02) */
};
#define STEADY_RANGE_SNIA 0.20
#define STEADY_SLOPE_SNIA 0.10
#define STEADY_RANGE	  0.10 /* what plumb asks for before it gives verdicts */
#define STEADY_SLOPE	  0.03

/* count >= 2, mean above 0; else all NAN. */
struct steady_window steady_window_of(const double *values, size_t count);
bool steady_window_passes(const struct steady_window *window, double range, double slope);

/* Log ratio of the second half's mean to the first's (the middle value of an odd count belongs to
 * neither); NAN below 2 values or if a half's mean is not above 0. A verdict wants |this| below
 * half the margin. */
double steady_drift(const double *values, size_t count);

/* Independent values that count values with their lag-1 correlation are worth: count (1 - rho) /
 * (1 + rho), at least 1, at most count. */
double steady_effective_count(const double *values, size_t count);

#endif
