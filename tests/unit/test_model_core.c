/* model_core: in virtual time each model gives the numbers of its table (docs/models.md), each
 * block does what it says, and the same trace gives the same times. */
#include "unit/unit.h"

#include "device/model_expected.h"
#include "device/model_loop.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define GIB (1ULL << 30)
#define S   NS_PER_S

/* A window of job's, behind a ramp of a tenth of it. The caller releases the result. */
static void run_job(struct model_job job, struct model_job_result *ret_result)
{
	struct err err = ERR_INIT;

	job.ramp_ns = job.window_ns / 10;
	if (model_job_run(&job, ret_result, &err) < 0)
		fail_msg("%s", err.message);
}

static double p99_us(const struct model_job_result *result)
{
	return model_job_quantile(result->latencies_us, result->count, 0.99);
}

static void check_near(
	double got, double want, double percent, const char *what, const struct model_expected *row)
{
	if (want > 0 && fabs(got / want - 1) * 100 > percent)
		fail_msg("row %td (%s, %llu bytes, depth %d): %s is %.1f, the table has %.1f",
			row - model_expected, row->model, (unsigned long long)row->size, row->depth,
			what, got, want);
}

static void tables_hold(void **state UNUSED)
{
	for (const struct model_expected *row = model_expected; row->model; row++) {
		struct model_job job = { row->model, row->parameters, .write = row->write,
			.sequential = row->sequential, .size = row->size, .depth = row->depth,
			.span = row->span, .shift = row->shift, .flush_every = row->flush_each,
			.device_bytes = row->device_bytes > 0 ? row->device_bytes : 48 * GIB,
			.window_ns = (int64_t)(row->virtual_s * NS_PER_S) };
		struct model_job_result result;

		run_job(job, &result);
		check_near(result.iops, row->iops,
			row->iops_percent > 0 ? row->iops_percent : MODEL_IOPS_PERCENT, "IOPS",
			row);
		check_near(result.mean_us, row->mean_us, MODEL_MEAN_PERCENT, "mean", row);
		check_near(p99_us(&result), row->p99_us, MODEL_P99_PERCENT, "p99", row);
		model_job_release(&result);
	}
}

static void units_written_are_counted(void **state UNUSED)
{
	struct model_job job = { "nvme-iu16", .device_bytes = 48 * GIB, .write = true, .depth = 8,
		.window_ns = S / 4 };
	struct model_job_result result;

	for (job.size = 4096; job.size <= 32768; job.size *= 2) {
		double want = job.size < 16384 ? 16384.0 / (double)job.size : 1;

		run_job(job, &result);
		model_job_release(&result);
		assert_true(fabs((double)result.statistics.medium_write_bytes /
					    (double)result.statistics.host_write_bytes / want -
				    1) < 0.01);
	}
	/* In sequence, small writes fill whole units. */
	job.size = 4096;
	job.sequential = true;
	run_job(job, &result);
	model_job_release(&result);
	assert_true((double)result.statistics.medium_write_bytes <
		    1.01 * (double)result.statistics.host_write_bytes);
}

/* Rate of a model in one-second windows of virtual time; the first in which it is below half. */
static int seconds_until_slow(const struct model_job *job, double fast)
{
	struct model_ticket *tickets = memory_new_array((size_t)job->depth, sizeof(*tickets));
	struct model_parameters model;
	struct model_core *core;
	int64_t now_ns = 0;
	double done = fast;
	int second = 0;

	assert_int_equal(model_parameters_load(job->model, job->parameters, &model, NULL), 0);
	core = model_core_new(&model, job->device_bytes, 1, 3);
	for (int i = 0; i < job->depth; i++) {
		tickets[i] =
			(struct model_ticket){ .operation = job->write ? DEVICE_WRITE : DEVICE_READ,
				.size = job->size };
		model_core_submit(core, &tickets[i], 0);
	}
	while (done > fast / 2) {
		struct model_ticket *ticket;

		done = 0;
		second++;
		while ((now_ns = model_core_next_ns(core)) < second * S) {
			while ((ticket = model_core_take(core, now_ns))) {
				done++;
				ticket->offset = rng_at(9, 9, ticket->number) %
						 (job->device_bytes / job->size) * job->size;
				model_core_submit(core, ticket, now_ns);
			}
		}
	}
	(void)model_core_abandon(core);
	model_core_free(core);
	free(tickets);
	return second;
}

static void credits_last_as_long_as_they_should(void **state UNUSED)
{
	struct model_job job = { "ebs-gp2", .device_bytes = 20 * GIB, .size = 4096, .depth = 16 };

	/* 5.4 million credits at 3000 a second, refilled with 100 (300) a second. */
	assert_in_range(seconds_until_slow(&job, 3000), 1862 * 98 / 100, 1862 * 102 / 100);
	/* A tenth of the credits, so that the test is not long. */
	job.device_bytes = 100 * GIB;
	job.parameters = "iops_credits=540000";
	assert_in_range(seconds_until_slow(&job, 3000), 200 * 98 / 100, 200 * 102 / 100);
}

static void cache_fills_at_its_knee(void **state UNUSED)
{
	struct model_job job = { "nvme-plp", "cache=8G,link=2000e6,drain_iops=100e3",
		.device_bytes = 48 * GIB, .write = true, .size = 4096, .depth = 16 };
	/* 16 writes at once come in at the link's rate; drained at 100000 x 4096 a second. */
	double in = 2000e6, out = 100e3 * 4096;
	double knee_s = 8.0 * GIB / (in - out);

	assert_in_range(seconds_until_slow(&job, in / 4096), (int)(knee_s * 0.9),
		(int)ceil(knee_s * 1.1) + 1);
}

static void a_change_of_rate_is_found(void **state UNUSED)
{
	double ends_s[400];
	struct model_job job = { "intel-320", .device_bytes = 48 * GIB, .write = true, .size = 4096,
		.depth = 32, .span = 0.16, .window_ns = 2 * S };
	struct model_job_result result;
	struct err err = ERR_INIT;
	/* The cache of 64M takes what comes in over what drains; a full queue comes in at the
	 * link's rate. */
	double want_s = (64 << 20) / (270e6 - 23000 * 4096.0);

	for (int i = 0; i < 400; i++) /* 100 a second, then 10 */
		ends_s[i] = i < 300 ? i * 0.01 : 3 + (i - 300) * 0.1;
	assert_in_range(model_job_knee(ends_s, 400), 299, 301);
	assert_int_equal(model_job_run(&job, &result, &err), 0);
	assert_true(fabs(result.ends_s[model_job_knee(result.ends_s, result.count)] / want_s - 1) <
		    0.1);
	model_job_release(&result);
}

static void spare_area_is_used_up(void **state UNUSED)
{
	struct model_job job = { "intel-320", .device_bytes = 48 * GIB, .write = true, .size = 4096,
		.depth = 32 };
	int seconds = seconds_until_slow(&job, 23000);

	/* Small span (8G) is exceeded at once by random writes; then 4G of spare, plus cache. */
	assert_in_range(seconds, 43, 60);
}

static void slow_stretches_time(void **state UNUSED)
{
	static const char *const names[] = { "hdd-7200", "intel-320", "ebs-gp3" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct model_job job = { names[i], .device_bytes = 48 * GIB, .size = 8192,
			.depth = 4, .window_ns = 100 * S };
		struct model_job_result plain, slow;

		run_job(job, &plain);
		job.slow = 10;
		job.window_ns *= 10;
		run_job(job, &slow);
		assert_true(fabs(slow.iops * 10 / plain.iops - 1) < 0.001);
		assert_true(fabs(p99_us(&slow) / 10 / p99_us(&plain) - 1) < 0.001);
		model_job_release(&plain);
		model_job_release(&slow);
	}
}

static void same_trace_same_times(void **state UNUSED)
{
	static const char *const names[] = { "hdd-7200", "intel-320", "nvme-consumer", "ebs-gp2" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct model_job job = { names[i], .device_bytes = 48 * GIB, .size = 8192,
			.depth = 8, .window_ns = 20 * S };
		struct model_job_result first, second;

		run_job(job, &first);
		run_job(job, &second);
		assert_true(first.count == second.count);
		assert_true(first.mean_us == second.mean_us && p99_us(&first) == p99_us(&second));
		model_job_release(&first);
		model_job_release(&second);
	}
}

/* One request after another: what each costs. */
static double cost_us(struct model_core *core, struct model_ticket ticket, int64_t *now_ns)
{
	struct model_ticket *done = NULL;

	model_core_submit(core, &ticket, *now_ns);
	while (!done) {
		*now_ns = MAX(*now_ns, model_core_next_ns(core));
		done = model_core_take(core, *now_ns);
	}
	assert_ptr_equal(done, &ticket);
	return (double)(ticket.due_ns - ticket.arrival_ns) / 1e3;
}

static void flush_drains_what_is_volatile(void **state UNUSED)
{
	struct model_parameters model;
	struct model_core *core;
	int64_t now_ns = 0;

	assert_int_equal(
		model_parameters_load("nvme-consumer", "drain_iops=1000", &model, NULL), 0);
	core = model_core_new(&model, GIB, 1, 1);
	for (int i = 0; i < 10; i++)
		cost_us(core,
			(struct model_ticket){ .operation = DEVICE_WRITE,
				.size = 4096,
				.offset = (uint64_t)i * 40960 },
			&now_ns);
	/* Ten units at a thousandth of a second each, and the flush's own 0.8 ms. */
	assert_true(
		fabs(cost_us(core, (struct model_ticket){ .operation = DEVICE_FLUSH }, &now_ns) -
			10800) < 250);
	/* The second in a row has nothing to drain. */
	assert_true(
		fabs(cost_us(core, (struct model_ticket){ .operation = DEVICE_FLUSH }, &now_ns) -
			800) < 1);
	/* A durable write waits for itself. */
	assert_true(fabs(cost_us(core,
				 (struct model_ticket){ .operation = DEVICE_WRITE,
					 .durable = true,
					 .size = 4096,
					 .offset = 81920000 },
				 &now_ns) -
			    1810) < 20);
	model_core_free(core);
}

static void abandoned_requests_are_all_there(void **state UNUSED)
{
	static const char *const names[] = { "hdd-7200", "intel-320" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct model_ticket tickets[100];
		struct model_parameters model;
		struct model_ticket *left;
		struct model_core *core;
		int count = 0;

		assert_int_equal(model_parameters_load(names[i], NULL, &model, NULL), 0);
		core = model_core_new(&model, GIB, 1, 1);
		for (int k = 0; k < 100; k++) {
			tickets[k] =
				(struct model_ticket){ .operation = (enum device_operation)(k % 3),
					.size = k % 3 == DEVICE_FLUSH ? 0 : 4096,
					.offset = k % 3 == DEVICE_FLUSH ? 0 : (uint64_t)k * 65536 };
			model_core_submit(core, &tickets[k], k);
		}
		for (left = model_core_abandon(core); left; left = left->next)
			count++;
		assert_int_equal(count, 100);
		assert_true(model_core_take(core, INT64_MAX / 2) == NULL);
		model_core_free(core);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_hold),
		cmocka_unit_test(units_written_are_counted),
		cmocka_unit_test(credits_last_as_long_as_they_should),
		cmocka_unit_test(cache_fills_at_its_knee),
		cmocka_unit_test(a_change_of_rate_is_found),
		cmocka_unit_test(spare_area_is_used_up),
		cmocka_unit_test(slow_stretches_time),
		cmocka_unit_test(same_trace_same_times),
		cmocka_unit_test(flush_drains_what_is_volatile),
		cmocka_unit_test(abandoned_requests_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
