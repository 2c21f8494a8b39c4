/* When has a study with [design] precision enough blocks? */
#ifndef ANALYSIS_PRECISION_H
#define ANALYSIS_PRECISION_H

#include "analysis/finding.h"

/*
 * The widest half-width of the intervals that the study is about, as a share (0.02: 2 %): of ratios
 * to the baseline, controls left out. INFINITY while a cell that has values has no interval; cells
 * whose every trial failed are not waited for. NAN: there is nothing to compare.
 */
double precision_widest(const struct findings *findings);

#endif
