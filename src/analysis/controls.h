/*
 * Can this machine tell at all? The hidden A/A copy of the baseline must not differ from it, the
 * planted slowdown must be found, and the fixed small tests around the trials (canaries) must have
 * been steady. If one of them fails, no verdict of the study is given.
 */
#ifndef ANALYSIS_CONTROLS_H
#define ANALYSIS_CONTROLS_H

#include "base/arena.h"
#include "stats/effect.h"
#include <stdbool.h>
#include <stddef.h>

#define CONTROL_AA_CONFIDENCE 0.99
#define CONTROL_CANARY_SHARE  0.10 /* of runs outside of the canary's limits: host unsuitable */

enum control_state {
	CONTROL_ABSENT,	 /* the study did not ask for it */
	CONTROL_TOO_FEW, /* asked for, but not enough set-ups (canaries) to check yet */
	CONTROL_PASSED,
	CONTROL_FAILED
};

struct control {
	enum control_state state;
	double ratio; /* A/A, planted: of the copy to its original; NAN: none */
	double low, high;
	const char *text; /* one sentence with the figures; NULL when absent */
};

struct controls {
	struct control aa;	/* at 99 % */
	struct control planted; /* at 95 % */
	double planted_share;	/* the slowdown that was planted, 0.05 for 5 % */
	struct control canary;
	size_t canary_runs, canary_alarms;
	bool failed; /* one of them: "this machine can't tell" */
};

struct findings;

/* From the fit of all cells; texts go to findings->arena. canary counts are set before. */
void controls_judge(struct findings *findings, const struct effect_fit *fit);

#endif
