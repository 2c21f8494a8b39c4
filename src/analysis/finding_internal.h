/* Shared by the parts of findings. */
#ifndef ANALYSIS_FINDING_INTERNAL_H
#define ANALYSIS_FINDING_INTERNAL_H

#include "analysis/finding.h"

/* Measured, and no cause is known that spoils it. */
bool finding_is_usable(const struct results_trial *trial);

/* finding_cost.c */
void finding_fill_costs(struct findings *findings, const struct results *results);

#endif
