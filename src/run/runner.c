/* A study from its plan to its last sealed trial (see runner.h). */
#include "run/runner_internal.h"

#include "base/memory.h"
#include "run/clean.h"
#include "run/step_times.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that precision may add up to, and those that it is not believed below. */
#define BLOCKS_MOST  1000
#define BLOCKS_LEAST 5

#define RUN_EVENT_AS_WORD(id, word) [RUN_##id] = word,
static const char *const event_words[] = { RUN_EVENTS(RUN_EVENT_AS_WORD) };

const char *run_event_word(enum run_event_kind kind)
{
	return event_words[kind];
}

/* What is left at the pace so far, or as planned while nothing has ended. */
static double remaining_s(const struct runner *runner)
{
	struct clock *clock = runner->options->clock;
	double passed = (double)(clock->now_ns(clock) - runner->began_ns) / NS_PER_S;
	double left;

	if (runner->tried == 0)
		left = runner->planned_s - passed;
	else
		left = passed / (double)runner->tried * (double)(runner->to_do - runner->tried);
	return MAX(left, 0);
}

void runner_tell(struct runner *runner, enum run_event_kind kind, const char *text)
{
	struct run_listener *listener = runner->options->listener;
	struct clock *clock = runner->options->clock;

	if (!listener)
		return;
	runner->now.kind = kind;
	runner->now.utc_ns = clock->utc_ns(clock);
	runner->now.text = text;
	runner->now.remaining_s = remaining_s(runner);
	listener->event(listener, &runner->now);
}

bool runner_wants_stop(struct runner *runner)
{
	struct run_listener *listener = runner->options->listener;

	if (listener && listener->stop && listener->stop(listener))
		runner->stopped = true;
	return runner->stopped;
}

void runner_step_times(struct store *store, struct plan_step_times *ret_times)
{
	step_times_load(store, ret_times);
}

static int put_study(struct runner *runner, struct err *err)
{
	const struct run_options *options = runner->options;
	struct store_study study = {
		.name = options->study->name,
		.text = options->study->text,
		.small = options->study->small,
		.seed = runner->plan.seed,
		.created_utc_ns = options->clock->utc_ns(options->clock),
		.program_version = options->program_version,
	};

	return store_put_study(options->store, &study, err);
}

static void say_cleaned(void *context, const char *sentence)
{
	runner_tell(context, RUN_MESSAGE, sentence);
}

/* A killed plumb's server and disks would spoil what is measured now. */
static int finish_leftovers(struct runner *runner, struct err *err)
{
	struct undo_report report = { .say = say_cleaned, .context = runner };
	int r = clean_run(runner->options->folders, &report, NULL, err);

	return r < 0 ? err_prefix(err, r, "finish what an earlier plumb left") : 0;
}

/* How much of the plan is sealed already, and how long the rest will take. */
static int look_at_plan(struct runner *runner, struct err *err)
{
	struct plan_step_times times = { 0 };
	struct plan_estimate estimate;

	size_t sealed = 0;

	runner->summary->planned = 0;
	for (size_t i = 0; i < runner->plan.trial_count; i++) {
		enum trial_state state;
		int r = store_state(runner->options->store, runner->plan.trials[i].id, &state, err);

		if (r < 0)
			return r;
		if (runner->is_absent[runner->plan.trials[i].cell])
			continue;
		runner->summary->planned++;
		sealed += state == TRIAL_DONE || state == TRIAL_FAILED;
	}
	/* Also asked when blocks were added: some are of this run then. */
	runner->summary->sealed_before =
		sealed - MIN(sealed, runner->summary->done + runner->summary->failed);
	runner->to_do = runner->tried + runner->summary->planned - sealed;
	step_times_load(runner->options->store, &times);
	times.absent = runner->is_absent;
	plan_estimate(&runner->plan, runner->options->matrix, &times, &estimate);
	if (runner->summary->planned)
		runner->planned_s =
			estimate.total_s * (double)runner->to_do / (double)runner->summary->planned;
	return 0;
}

static int prepare(struct runner *runner, struct err *err)
{
	const struct run_options *options = runner->options;
	int r = runner_check(options, &runner->absent, err);

	if (r == 0)
		r = runner_build_servers(runner, err);
	if (r == 0 && !runner_is_fake(options->matrix)) {
		r = runner_user(options, &runner->user, &runner->drop_user, err);
		if (r == 0)
			r = folders_make(options->folders, err);
	}
	if (r == 0)
		r = put_study(runner, err);
	if (r == 0)
		r = store_put_absent(options->store, options->study->name, &runner->absent, err);
	if (r == 0 && !runner_is_fake(options->matrix))
		r = finish_leftovers(runner, err);
	if (r < 0)
		return r;
	runner->is_absent = runner_absent_flags(options->matrix, &runner->absent);
	return look_at_plan(runner, err);
}

static int run_setups(struct runner *runner, size_t first, struct err *err)
{
	int r = 0;

	runner->now.trial_count = runner->plan.trial_count;
	runner->now.setup_count = runner->plan.setup_count;
	for (size_t i = first; r == 0 && i < runner->plan.setup_count; i++)
		r = runner_setup(runner, i, err);
	return r;
}

/* Does the study want one block more? */
static int wants_block(struct runner *runner, bool *ret_wants, struct err *err)
{
	const struct run_options *options = runner->options;
	double precision = study_percent(options->study, "design.precision");
	int64_t most_ns = study_duration(options->study, "design.max_time");
	int64_t passed_ns = options->clock->now_ns(options->clock) - runner->began_ns;
	bool precise = false;
	char text[160];
	int r;

	*ret_wants = false;
	if (precision <= 0 || !options->precise || runner->plan.block_count >= BLOCKS_MOST)
		return 0;
	r = options->precise(options->precise_context, precision, &precise, err);
	if (r < 0)
		return err_prefix(err, r, "precision after block %zu", runner->plan.block_count);
	/* Below that an interval may be narrow by luck. */
	if (precise && runner->plan.block_count >= BLOCKS_LEAST)
		return 0;
	if (most_ns > 0 && passed_ns >= most_ns) {
		snprintf(text, sizeof(text),
			"the precision asked for is not reached after %zu blocks, and max_time is "
			"spent",
			runner->plan.block_count);
		runner_tell(runner, RUN_MESSAGE, text);
		return 0;
	}
	*ret_wants = true;
	return 0;
}

/* A longer plan begins with the shorter one: what was sealed stays in its place. */
static int add_block(struct runner *runner, struct err *err)
{
	const struct run_options *options = runner->options;
	size_t blocks = runner->plan.block_count + 1;
	struct plan longer;
	int r = plan_build(&longer, options->study, options->matrix, blocks, err);

	if (r < 0)
		return r;
	plan_release(&runner->plan);
	runner->plan = longer;
	return look_at_plan(runner, err);
}

static void say_absent(void *context, const char *sentence)
{
	char *text = memory_format("can't run on this machine: %s", sentence);

	runner_tell(context, RUN_MESSAGE, text);
	free(text);
}

static int run_plan(struct runner *runner, struct err *err)
{
	bool more = false;
	int r;

	runner->now.study = runner->options->study->name;
	runner->now.trial_count = runner->plan.trial_count;
	runner->now.setup_count = runner->plan.setup_count;
	runner_tell(runner, RUN_STUDY_BEGIN, NULL);
	absent_cells_say(&runner->absent, say_absent, runner);
	r = run_setups(runner, 0, err);
	if (r == 0)
		r = wants_block(runner, &more, err);
	while (r == 0 && more) {
		size_t first = runner->plan.setup_count;

		r = add_block(runner, err);
		if (r == 0)
			r = run_setups(runner, first, err);
		if (r == 0)
			r = wants_block(runner, &more, err);
	}
	return r;
}

static void tell_end(struct runner *runner)
{
	const struct run_summary *summary = runner->summary;
	char text[256];

	snprintf(text, sizeof(text),
		"%s%zu of %zu trials are sealed: %zu measured now, %zu failed, "
		"%zu void, %zu from earlier runs",
		summary->interrupted ? "stopped: " : "",
		summary->sealed_before + summary->done + summary->failed, summary->planned,
		summary->done, summary->failed, summary->voided, summary->sealed_before);
	runner_tell(runner, RUN_STUDY_END, text);
}

int runner_run(const struct run_options *options, struct run_summary *ret_summary, struct err *err)
{
	struct run_summary summary = { 0 };
	struct runner runner = { .options = options, .summary = &summary };
	size_t blocks = (size_t)MAX(study_integer(options->study, "design.repeats"), 1);
	int r;

	runner.began_ns = options->clock->now_ns(options->clock);
	r = plan_build(&runner.plan, options->study, options->matrix, blocks, err);
	if (r == 0)
		r = prepare(&runner, err);
	if (r == 0) {
		r = run_plan(&runner, err);
		summary.interrupted = r == -EINTR;
		summary.measured_s =
			(double)(options->clock->now_ns(options->clock) - runner.began_ns) /
			NS_PER_S;
		tell_end(&runner);
	}
	plan_release(&runner.plan);
	absent_cells_release(&runner.absent);
	free(runner.is_absent);
	*ret_summary = summary;
	return r;
}
