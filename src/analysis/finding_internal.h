/* Shared by the parts of findings. */
#ifndef ANALYSIS_FINDING_INTERNAL_H
#define ANALYSIS_FINDING_INTERNAL_H

#include "analysis/finding.h"

/* Measured, and no cause is known that spoils it. */
bool finding_is_usable(const struct results_trial *trial);

/* engine.c: withdraw verdicts between an embedded and a kernel filesystem where the CPU, not the
 * device, was the limit. */
void finding_withdraw_cpu_bound(struct findings *findings, const struct results *results);

/* Cells that could not run and why, each reason once; NULL: all could. In findings->arena. */
const char *finding_absent_text(struct findings *findings, const struct results *results);

/* finding_cost.c */
enum setup_cost { SETUP_COST_SIZE, SETUP_COST_DEVICE_WRITES };
/* A cost of each set-up, values[cell * block_count + block]; NAN: not known. */
void finding_setup_costs(const struct findings *findings, const struct results *results,
	enum setup_cost cost, double *values);
void finding_fill_costs(struct findings *findings, const struct results *results);

#endif
