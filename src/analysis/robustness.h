/*
 * The same comparisons without the assumptions of the table's intervals, and where the noise comes
 * from. For the appendix: verdicts come from the intervals (stats/effect.h) alone.
 */
#ifndef ANALYSIS_ROBUSTNESS_H
#define ANALYSIS_ROBUSTNESS_H

#include "analysis/results.h"

#include <stddef.h>

struct findings;

/* Larger studies would wait seconds for it: all 2^blocks flips, ten thousand draws a cell. */
#define ROBUSTNESS_CELLS_MOST  48
#define ROBUSTNESS_BLOCKS_MOST 16

/* Beside a cell's ratio to its baseline. NAN: too few set-ups, or the cell is a baseline. */
struct cell_check {
	size_t blocks;			      /* with both sides */
	double permutation_p;		      /* exact, signs of block differences flipped */
	double bootstrap_low, bootstrap_high; /* 95 %, this pair alone */
};

struct robustness {
	struct cell_check *cells; /* one a cell; NULL: nothing is compared, or too many */
	/* "Of the noise, ...": only where set-ups have several runs; else NULL. */
	const char *components;
};

/* Fills findings->robustness from findings->values and the runs in results; metric is the index of
 * the one that is compared. */
void robustness_analyse(struct findings *findings, const struct results *results, size_t metric);

#endif
