/*
 * Which trials may be used: gates decided on causes, never on the value measured. Part of them is
 * judged while a trial runs and stored with it (spoiled notes); these here are judged from what was
 * stored, trial by trial and across trials (canary limits need those before).
 */
#ifndef ANALYSIS_VALIDITY_H
#define ANALYSIS_VALIDITY_H

#include "analysis/results.h"

/* The canary's control chart: limits are median +- 3 * 1.4826 * MAD of the last accepted ones, in
 * log units (reference: method of the project, section 10; Page's CUSUM, Biometrika 41, 1954). */
#define VALIDITY_CANARY_WINDOW 20
#define VALIDITY_CANARY_LEAST  8
#define VALIDITY_CUSUM_SLACK   0.5
#define VALIDITY_CUSUM_ALARM   5.0

struct validity {
	size_t canary_runs;   /* DONE trials that have canaries */
	size_t canary_alarms; /* of those, outside of the limits */
};

/*
 * Add a spoiled note, with the figures, to each DONE trial that breaks a gate:
 *   disk-full  the filesystem was more than 80 % full at the end
 *   clock      it ends before it begins, or its window is longer than the trial
 *   thermal    a core was slowed down because it was too hot
 *   frequency  the CPUs ran more than 5 % slower than in the middle of the trials
 *   value      the metric that is compared is zero or negative: no ratio can be made of it
 *   canary     fixed tests around it were outside of their limits
 * A query whose plan or result changes between repeats does not spoil its trial: it is left out of
 * m-time in all cells alike, and said (analysis/common_plans.h).
 * A trial that is spoiled already is left as it is. Fine to call twice. primary is the index of the
 * metric that is compared (results_metric_index()).
 */
void validity_judge(struct results *results, size_t primary, struct validity *ret_validity);

#endif
