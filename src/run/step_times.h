/* How long set-ups and runs take on this machine: measured by every run, kept in the store, used by
 * estimates. Moving averages, so that a change of the machine is forgotten after some set-ups. */
#ifndef RUN_STEP_TIMES_H
#define RUN_STEP_TIMES_H

#include "store/store.h"
#include "study/plan.h"

void step_times_load(struct store *store, struct plan_step_times *ret_times);
/* Mix one measurement in; 0 or less: nothing was measured. Errors of the store are of no matter
 * here: an estimate is lost. */
void step_times_add_setup(struct store *store, double seconds);
void step_times_add_load(struct store *store, double seconds, int64_t scale);
void step_times_add_run(struct store *store, double overhead_seconds);

#endif
