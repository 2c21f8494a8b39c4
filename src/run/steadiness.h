/* Had the speed settled in the measured window? Judged from its series, told beside the value. */
#ifndef RUN_STEADINESS_H
#define RUN_STEADINESS_H

#include "record/record.h"

#include <stddef.h>

#define STEADINESS_BIN_S      10.0 /* holds a transaction group of OpenZFS or two */
#define STEADINESS_BINS_LEAST 6	   /* fewer say nothing of a trend */

/*
 * Add the samples steady_range, steady_slope and steady_cut_s of phase "run" from the series of
 * metric "tps", and the warning "no-steady-state" where the window has not settled: MSER would
 * leave out more than it may, or what it keeps moves by more than STEADY_RANGE or STEADY_SLOPE
 * (stats/steady.h). cycles: timed checkpoints that the window holds, each of which is a bin then;
 * 0: bins of STEADINESS_BIN_S. A window with too few bins, or without a series, gets nothing.
 */
void steadiness_judge(struct trial_record *record, double window_s, size_t cycles);

#endif
