/* From a study's text to sealed trials, on fakes and a fake clock: order, resuming, stopping, and
 * what a broken filesystem or workload turns a trial into. */
#include "flow/flow.h"

#include "probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STUDY(MORE)                                                               \
	"[study]\nname = t\n[filesystem]\ntype = fake\n[workload]\ntype = fake\n" \
	"[design]\nwarmup = 2s\nmeasure = 10s\nrepeats = 3\nseed = 7\n" MORE

struct seen {
	size_t count;
	size_t states[TRIAL_STATE_COUNT];
	size_t orders[64];
	const char *wanted; /* text that each reason must hold */
};

static int count_trial(void *context, const struct store_result *result)
{
	struct seen *seen = context;

	assert_true(seen->count < 64);
	seen->orders[seen->count++] = result->trial.order;
	seen->states[result->record->state]++;
	if (seen->wanted)
		assert_non_null(strstr(result->record->reason, seen->wanted));
	return 0;
}

static void scan(struct flow *flow, struct seen *seen)
{
	struct store_query query = { .study = "t" };

	assert_int_equal(store_scan(flow->store, &query, count_trial, seen, &flow->err), 0);
}

static void every_trial_is_sealed_once(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow, STUDY("") "[arm a]\nworkload.fake_tps = 100\n[arm b]\n"
				   "workload.fake_tps = 200\n");
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.summary.planned, 6);
	assert_int_equal(flow.summary.done, 6);
	assert_int_equal(flow.events[RUN_TRIAL_END], 6);
	scan(&flow, &seen);
	assert_int_equal(seen.count, 6);
	assert_int_equal(seen.states[TRIAL_DONE], 6);
	/* At least the windows passed on the clock that it was given, and no real time. */
	assert_true(flow.clock.now_ns >= 6 * 12 * NS_PER_S);

	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.summary.sealed_before, 6);
	assert_int_equal(flow.summary.done, 0);
	flow_close(&flow);
}

static void a_stopped_study_resumes(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow, STUDY("runs = 2\n"));
	flow.stop_after_trials = 3;
	assert_int_equal(flow_run(&flow), -EINTR);
	assert_true(flow.summary.interrupted);
	assert_int_equal(flow.summary.done, 3);
	/* What was provisioned is taken down again before it returns. */
	assert_int_equal(flow.events[RUN_SETUP_BEGIN], flow.events[RUN_SETUP_END]);

	flow.stop_after_trials = 0;
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.summary.sealed_before, 3);
	assert_int_equal(flow.summary.done, 3);
	scan(&flow, &seen);
	assert_int_equal(seen.count, 6);
	for (size_t i = 0; i < seen.count; i++)
		assert_int_equal(seen.orders[i], i);
	flow_close(&flow);
}

static void faults_become_failed_trials(void **state UNUSED)
{
	static const struct {
		const char *line, *reason;
	} cases[] = {
		{ "filesystem.fails = create\n", "create fails as asked" },
		{ "filesystem.fails = mount\n", "mount fails as asked" },
		{ "filesystem.fails = sync\n", "sync fails as asked" },
		{ "workload.fake_fault = load\n", "load breaks, as asked" },
		{ "workload.fake_fault = run\n", "run breaks, as asked" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen seen = { .wanted = cases[i].reason };
		char text[512];
		struct flow flow;

		snprintf(text, sizeof(text), STUDY("") "[arm broken]\n%s", cases[i].line);
		flow_open(&flow, text);
		assert_int_equal(flow_run(&flow), 0);
		assert_int_equal(flow.summary.failed, 3);
		scan(&flow, &seen);
		assert_int_equal(seen.states[TRIAL_FAILED], 3);
		flow_close(&flow);
	}
}

static void a_broken_cell_leaves_the_others(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow, STUDY("") "[arm good]\nfilesystem.speed = 1\n[arm broken]\n"
				   "filesystem.fails = create\n");
	assert_int_equal(flow_run(&flow), 0);
	scan(&flow, &seen);
	assert_int_equal(seen.states[TRIAL_DONE], 3);
	assert_int_equal(seen.states[TRIAL_FAILED], 3);
	flow_close(&flow);
}

/* Cells that can't run on this machine: the others run, and the store knows why. */
static void absent_cells_leave_the_others(void **state UNUSED)
{
	struct absent_cells kept = { 0 };
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow,
		STUDY("controls = on\nplanted = 20%\n") "[arm good]\n[arm absent]\n"
							"filesystem.fails = check\n[arm "
							"absent too]\n"
							"filesystem.fails = "
							"check\nworkload.fake_tps = 200\n");
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.matrix.count, 5);
	assert_int_equal(flow.summary.planned, 9); /* the good cell and its two controls */
	assert_int_equal(flow.summary.done, 9);
	assert_int_equal(flow.events[RUN_MESSAGE], 1);
	scan(&flow, &seen);
	assert_int_equal(seen.states[TRIAL_DONE], 9);
	assert_int_equal(store_get_absent(flow.store, "t", &kept, &flow.err), 0);
	assert_int_equal(kept.count, 2);
	assert_string_equal(kept.cells[0].label, "absent");
	assert_string_equal(kept.cells[1].reason, "fake filesystem: not on this machine, as asked");
	absent_cells_release(&kept);
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.summary.sealed_before, 9);
	flow_close(&flow);
}

/* Nothing is left to run: every reason is said, and nothing is remembered. */
static void a_study_of_absent_cells_is_refused(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow, STUDY("") "[arm a]\nfilesystem.fails = check\n[arm b]\n"
				   "filesystem.fails = check\nfilesystem.speed = 2\n");
	assert_int_equal(flow_run(&flow), -ENOTSUP);
	assert_non_null(strstr(flow.err.message, "nothing of the study can run"));
	assert_non_null(strstr(flow.err.message, "2 cells (a, b): fake filesystem: not on"));
	scan(&flow, &seen);
	assert_int_equal(seen.count, 0);
	flow_close(&flow);
}

static int look(const struct probe_context *context UNUSED, struct err *why UNUSED)
{
	return 0;
}

static int open_probe(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	static struct probe probe;

	*ret_probe = &probe;
	return 0;
}

static int begin_probe(struct probe *probe UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int break_at_end(struct probe *probe UNUSED, const char *phase UNUSED,
	struct trial_record *record UNUSED, struct err *err)
{
	return err_set(err, -EIO, "counters can't be read");
}

static void close_probe(struct probe *probe UNUSED)
{
}

/* Counters of the machine that can't be read say nothing of the system under test: VOID, and tried
 * again. A server that does not answer is a result: FAILED. */
static void a_broken_probe_is_blamed_on_its_side(void **state UNUSED)
{
	struct probe_driver probe = { .name = "test",
		.check = look,
		.open = open_probe,
		.begin = begin_probe,
		.end = break_at_end,
		.close = close_probe };
	const struct probe_driver *const probes[] = { &probe, NULL };

	for (int asks = 0; asks < 2; asks++) {
		struct seen seen = { .wanted = "probe test: counters can't be read" };
		struct flow flow;

		probe.asks_system = asks == 1;
		flow_open(&flow, STUDY(""));
		flow.probes = probes;
		assert_int_equal(flow_run(&flow), 0);
		scan(&flow, &seen);
		assert_int_equal(seen.states[TRIAL_VOID], asks ? 0 : 3);
		assert_int_equal(seen.states[TRIAL_FAILED], asks ? 3 : 0);
		assert_int_equal(flow_run(&flow), 0);
		assert_int_equal(flow.summary.sealed_before, asks ? 3 : 0);
		flow_close(&flow);
	}
}

/* A failure to take down is told and never changes what was measured. */
static void failed_undo_is_told_beside(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct flow flow;

	flow_open(&flow, STUDY("") "[arm a]\nfilesystem.fails = destroy\n");
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(flow.events[RUN_MESSAGE], 3);
	scan(&flow, &seen);
	assert_int_equal(seen.states[TRIAL_DONE], 3);
	flow_close(&flow);
}

static void changed_study_is_refused(void **state UNUSED)
{
	struct flow flow, other;
	struct store *own;

	flow_open(&flow, STUDY(""));
	assert_int_equal(flow_run(&flow), 0);
	flow_open(&other, STUDY("runs = 2\n"));
	own = other.store;
	other.store = flow.store;
	assert_int_equal(flow_run(&other), -ESTALE);
	other.store = own;
	flow_close(&other);
	flow_close(&flow);
}

static void blocks_are_added_until_precise(void **state UNUSED)
{
	static const struct {
		const char *more;
		size_t precise_after, blocks;
	} cases[] = {
		{ "", 7, 3 }, /* not asked for: as planned */
		{ "precision = 2%\n", 7, 7 },
		{ "precision = 2%\n", 2, 5 }, /* narrow by luck is not believed */
		{ "precision = 2%\nmax_time = 1s\n", 7, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen seen = { 0 };
		char text[512];
		struct flow flow;

		snprintf(text, sizeof(text),
			STUDY("") "%s[arm a]\nworkload.fake_tps = 1\n[arm b]\n"
				  "workload.fake_tps = 2\n",
			cases[i].more);
		flow_open(&flow, text);
		flow.blocks_until_precise = cases[i].precise_after;
		assert_int_equal(flow_run(&flow), 0);
		scan(&flow, &seen);
		assert_int_equal(seen.count, 2 * cases[i].blocks);
		assert_int_equal(flow.summary.done, 2 * cases[i].blocks);
		assert_int_equal(flow.summary.sealed_before, 0);
		flow_close(&flow);
	}
}

struct slowed {
	double tps[3]; /* by role of the cell */
};

static int take_tps(void *context, const struct store_result *result)
{
	struct slowed *slowed = context;

	assert_true(
		trial_record_find(result->record, "run", "tps", &slowed->tps[result->trial.role]));
	return 0;
}

/* The hidden copy runs like its original; the planted one loses the share that was planted. */
static void controls_run_as_planted(void **state UNUSED)
{
	struct store_query query = { .study = "t" };
	struct slowed slowed;
	struct flow flow;

	flow_open(&flow,
		STUDY("controls = on\nplanted = 20%\n") "[arm a]\nworkload.fake_tps = 100\n"
							"[arm b]\nworkload.fake_tps = 100\n");
	assert_int_equal(flow_run(&flow), 0);
	assert_int_equal(store_scan(flow.store, &query, take_tps, &slowed, &flow.err), 0);
	assert_true(slowed.tps[CELL_CONTROL_AA] == slowed.tps[CELL_STUDIED]);
	assert_true(slowed.tps[CELL_CONTROL_PLANTED] > 75);
	assert_true(slowed.tps[CELL_CONTROL_PLANTED] < 85);
	flow_close(&flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_trial_is_sealed_once),
		cmocka_unit_test(a_stopped_study_resumes),
		cmocka_unit_test(faults_become_failed_trials),
		cmocka_unit_test(a_broken_cell_leaves_the_others),
		cmocka_unit_test(absent_cells_leave_the_others),
		cmocka_unit_test(a_study_of_absent_cells_is_refused),
		cmocka_unit_test(a_broken_probe_is_blamed_on_its_side),
		cmocka_unit_test(failed_undo_is_told_beside),
		cmocka_unit_test(changed_study_is_refused),
		cmocka_unit_test(blocks_are_added_until_precise),
		cmocka_unit_test(controls_run_as_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
