/*
 * Power: how likely a study of a given size is to show an effect of a given size. Half-widths
 * (components.h) say how wide an interval will be; a study planned by half-width alone finds an
 * effect of that size about half the time.
 */
#ifndef STATS_POWER_H
#define STATS_POWER_H

#include "base/strbuf.h"

#include <stddef.h>

struct power_design {
	double sd;	   /* of one set-up's logarithm, block taken out */
	size_t cells;	   /* in the study, baseline included, at least 2 */
	size_t setups;	   /* of each cell, at least 2 */
	double confidence; /* of all intervals together, 0.95 is usual */
};

/*
 * Probability that the interval of a cell whose true log ratio is effect (> 0) lies above bound: 0
 * for "1 is excluded", log(1 + margin) for "faster". Complete blocks, (cells - 1)(setups - 1)
 * degrees of freedom, Dunnett; the noncentral t of the textbooks (Kraemer & Paik, Technometrics 21,
 * 1979), written as an integral over the residual SD so that bound may differ from 0.
 */
double power_of(const struct power_design *design, double effect, double bound);

/* Smallest number of set-ups of each cell, at least 3, with at least the asked-for power;
 * design->setups is ignored. At most 10000. */
size_t power_setups(const struct power_design *design, double effect, double bound, double power);

/* docs/power.md: set-ups by noise, effect and number of cells. */
void power_document(struct strbuf *text);

#endif
