/* A study with precision: blocks are added until every interval is narrow enough, or time is up; a
 * second call goes on from where the first stopped, and the plan is the one a longer study would
 * have had. */
#include "flow/flow.h"

#include "analysis/precision.h"
#include "run/catalog.h"
#include <errno.h>
#include <string.h>

#define STUDY(MORE)                                                                                \
	"[study]\nname = t\n[filesystem]\ntype = fake\n[workload]\ntype = fake\nfake_noise = "     \
	"0.02\n"                                                                                   \
	"[postgresql.conf]\nwork_mem = 4MB, 8MB\n[design]\nwarmup = 2s\nmeasure = 10s\nrepeats = " \
	"3\nseed = 7\n" MORE

struct job {
	struct flow flow;
	size_t asked;
	double widest; /* when it was last asked */
};

static int is_precise(void *context, double precision, bool *ret_precise, struct err *err)
{
	struct job *job = context;
	struct store_query query = { .study = "t" };
	struct results results;
	struct findings findings;

	results_init(&results);
	assert_int_equal(store_scan(job->flow.store, &query, results_add, &results, err), 0);
	assert_int_equal(
		findings_build(&findings, &results, &job->flow.study, &job->flow.matrix, err), 0);
	job->asked++;
	job->widest = precision_widest(&findings);
	findings_release(&findings);
	results_release(&results);
	*ret_precise = job->widest <= precision;
	return 0;
}

static int go(struct job *job)
{
	const struct run_options options = {
		.study = &job->flow.study,
		.matrix = &job->flow.matrix,
		.store = job->flow.store,
		.program_version = "test",
		.clock = &job->flow.clock.base,
		.listener = &job->flow.listener,
		.precise = is_precise,
		.precise_context = job,
	};

	err_clear(&job->flow.err);
	job->asked = 0;
	return runner_run(&options, &job->flow.summary, &job->flow.err);
}

static void until_narrow(void **state UNUSED)
{
	struct job job = { .asked = 0 };
	size_t blocks;

	flow_open(&job.flow, STUDY("precision = 1.5%\n"));
	assert_int_equal(go(&job), 0);
	blocks = job.flow.summary.done / job.flow.matrix.count;
	assert_true(blocks > 3 && blocks < 40);
	assert_int_equal(job.asked, blocks - 3 + 1);
	assert_true(job.widest <= 0.015);
	assert_int_equal(job.flow.summary.planned, job.flow.summary.done);
	/* Once more: all is sealed up to the blocks that were added, nothing is measured twice. */
	assert_int_equal(go(&job), 0);
	assert_int_equal(job.flow.summary.done, 0);
	flow_close(&job.flow);
}

static void until_time_is_up(void **state UNUSED)
{
	struct job job = { .asked = 0 };

	flow_open(&job.flow, STUDY("precision = 0.01%\nmax_time = 10min\n"));
	assert_int_equal(go(&job), 0);
	assert_true(job.flow.summary.measured_s >= 600 && job.flow.summary.measured_s < 700);
	assert_true(job.widest > 0.0001);
	flow_close(&job.flow);
}

static void stops_when_asked_to(void **state UNUSED)
{
	struct job job = { .asked = 0 };

	flow_open(&job.flow, STUDY("precision = 0.01%\nmax_time = 10min\n"));
	job.flow.stop_after_trials = 9; /* three more than planned at first */
	assert_int_equal(go(&job), -EINTR);
	assert_int_equal(job.flow.summary.done, 9);
	flow_close(&job.flow);
}

static void without_precision_nobody_asks(void **state UNUSED)
{
	struct job job = { .asked = 0 };

	flow_open(&job.flow, STUDY(""));
	assert_int_equal(go(&job), 0);
	assert_int_equal(job.asked, 0);
	assert_int_equal(job.flow.summary.done, 3 * job.flow.matrix.count);
	flow_close(&job.flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(until_narrow),
		cmocka_unit_test(until_time_is_up),
		cmocka_unit_test(stops_when_asked_to),
		cmocka_unit_test(without_precision_nobody_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
