/* Running studies on fakes (see flow.h). */
#include "flow/flow.h"

#include "run/catalog.h"
#include <stdio.h>
#include <string.h>

static void take_event(struct run_listener *listener, const struct run_event *event)
{
	struct flow *flow = CONTAINER_OF(listener, struct flow, listener);

	flow->events[event->kind]++;
	flow->trials_ended += event->kind == RUN_TRIAL_END;
	if (event->text)
		snprintf(flow->last_text, sizeof(flow->last_text), "%s", event->text);
}

static bool wants_stop(struct run_listener *listener)
{
	struct flow *flow = CONTAINER_OF(listener, struct flow, listener);

	return flow->stop_after_trials && flow->trials_ended >= flow->stop_after_trials;
}

void flow_open(struct flow *flow, const char *text)
{
	struct study_options options = { .path = "test.ini", .catalog = catalog_get() };

	memset(flow, 0, sizeof(*flow));
	flow->listener = (struct run_listener){ take_event, wants_stop };
	fake_clock_init(&flow->clock);
	if (study_parse(&flow->study, &options, text, &flow->err) < 0)
		fail_msg("%s", flow->err.message);
	if (matrix_build(&flow->matrix, &flow->study, &flow->err) < 0)
		fail_msg("%s", flow->err.message);
	assert_int_equal(
		store_open(&memory_store, "flow", STORE_WRITE, &flow->store, &flow->err), 0);
}

/* Every cell has one trial a block here. */
static int is_precise(void *context, double precision, bool *ret_precise, struct err *err UNUSED)
{
	struct flow *flow = context;

	assert_true(precision > 0);
	*ret_precise = flow->trials_ended >= flow->blocks_until_precise * flow->matrix.count;
	return 0;
}

int flow_run(struct flow *flow)
{
	struct run_options options = {
		.study = &flow->study,
		.matrix = &flow->matrix,
		.store = flow->store,
		.program_version = "test",
		.clock = &flow->clock.base,
		.listener = &flow->listener,
		.probes = flow->probes,
		.precise = is_precise,
		.precise_context = flow,
	};

	err_clear(&flow->err);
	return runner_run(&options, &flow->summary, &flow->err);
}

void flow_close(struct flow *flow)
{
	store_close(flow->store);
	matrix_release(&flow->matrix);
	study_release(&flow->study);
}
