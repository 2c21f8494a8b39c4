/* What the flow tests share: a study text run on fakes, a fake clock and the store of tests. */
#ifndef TESTS_FLOW_H
#define TESTS_FLOW_H

#include "unit/unit.h"

#include "base/clock.h"
#include "run/runner.h"
#include "store/store.h"

struct flow {
	struct study study;
	struct matrix matrix;
	struct fake_clock clock;
	struct store *store;
	struct run_listener listener;
	size_t events[RUN_EVENT_COUNT];
	size_t blocks_until_precise;		  /* with design.precision */
	size_t stop_after_trials;		  /* 0: never */
	const struct probe_driver *const *probes; /* NULL: the real ones */
	size_t trials_ended;
	char last_text[512]; /* of the last event that had one */
	struct run_summary summary;
	struct err err;
};

/* Read text, open the memory store. */
void flow_open(struct flow *flow, const char *text);
/* Run, or resume; returns what runner_run() returned. */
int flow_run(struct flow *flow);
void flow_close(struct flow *flow);

#endif
