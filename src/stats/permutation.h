/* Exact permutation tests: a check that needs no distribution at all. The p values are for the
 * appendix of a report; verdicts come from intervals. */
#ifndef STATS_PERMUTATION_H
#define STATS_PERMUTATION_H

#include <stddef.h>

#define PERMUTATION_BLOCKS_MOST	 20	 /* 2^20 sign flips */
#define PERMUTATION_CHOICES_MOST 2000000 /* ways to choose one set out of both */

/* Blocks: share of the 2^count ways to flip the signs of the differences whose mean is at least as
 * far from 0. NAN if count is 0 or above PERMUTATION_BLOCKS_MOST. Fisher, Design of Experiments,
 * 1935, section 21. */
double permutation_blocks(const double *differences, size_t count);

/* Two unpaired sets: share of the ways to choose a_count of all values whose difference of means is
 * at least as large. NAN if a set is empty or there are too many ways. Pitman, Suppl. J. R. Stat.
 * Soc. 4 (1937). */
double permutation_sets(const double *a, size_t a_count, const double *b, size_t b_count);

#endif
