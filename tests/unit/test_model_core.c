/* model_core: in virtual time each model gives the numbers of its table (docs/models.md), each
 * block does what it says, and the same trace gives the same times. */
#include "unit/unit.h"

#include "unit/model_fio.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define GIB (1ULL << 30)
#define S   NS_PER_S

/* Expected numbers: 0 is not checked. Tolerance in per cent: IOPS 3, mean 5, p99 15. */
static const struct {
	struct model_job job;
	double iops, mean_us, p99_us;
} tables[] = {
	{ { "hdd-7200", .size = 4096, .depth = 1, .window_ns = 400 * S }, 80, 12600, 21600 },
	{ { "hdd-7200", .size = 8192, .depth = 1, .window_ns = 400 * S }, 79, 12600, 21600 },
	{ { "hdd-7200", .size = 32768, .depth = 1, .window_ns = 400 * S }, 78, 12800, 0 },
	{ { "hdd-7200", .size = 131072, .depth = 1, .window_ns = 400 * S }, 73, 13700, 0 },
	{ { "hdd-7200", .size = 8192, .depth = 1, .span = 0.05, .window_ns = 400 * S }, 144, 7000,
		11600 },
	{ { "hdd-7200", .size = 8192, .depth = 4, .window_ns = 400 * S }, 113, 35000, 0 },
	{ { "hdd-7200", .size = 8192, .depth = 32, .window_ns = 400 * S }, 189, 168000, 770000 },
	{ { "hdd-7200", .size = 8192, .depth = 32, .span = 0.05, .window_ns = 400 * S }, 358, 89000,
		0 },
	{ { "hdd-7200", .write = true, .size = 8192, .depth = 32, .window_ns = 400 * S }, 264, 0,
		0 },
	{ { "hdd-7200", .write = true, .size = 8192, .depth = 32, .span = 0.05,
		  .window_ns = 400 * S },
		466, 0, 0 },
	{ { "hdd-7200", .sequential = true, .size = 1 << 20, .depth = 1, .span = 0.02,
		  .window_ns = 5 * S },
		150e6 / (1 << 20), 0, 0 },
	{ { "hdd-7200", .sequential = true, .size = 1 << 20, .depth = 1, .span = 0.02,
		  .shift = 47 * GIB, .window_ns = NS_PER_S / 4 },
		75e6 / (1 << 20), 0, 0 },
	{ { "hdd-7200", .write = true, .sequential = true, .size = 8192, .depth = 1,
		  .flush_every = 1, .window_ns = 60 * S },
		120, 0, 0 },
	{ { "intel-320", .size = 4096, .depth = 1, .window_ns = 4 * S }, 5000, 199, 239 },
	{ { "intel-320", .size = 4096, .depth = 4, .window_ns = 4 * S }, 16400, 0, 0 },
	{ { "intel-320", .size = 4096, .depth = 32, .window_ns = 4 * S }, 40600, 788, 0 },
	{ { "intel-320", .size = 8192, .depth = 1, .window_ns = 4 * S }, 4500, 0, 0 },
	{ { "intel-320", .size = 8192, .depth = 32, .window_ns = 4 * S }, 32500, 0, 0 },
	{ { "intel-320", .size = 16384, .depth = 32, .window_ns = 4 * S }, 16500, 0, 0 },
	{ { "intel-320", .size = 32768, .depth = 32, .window_ns = 4 * S }, 8200, 0, 0 },
	{ { "intel-320", .write = true, .size = 4096, .depth = 32, .span = 0.16,
		  .window_ns = 60 * S },
		23000, 0, 0 },
	{ { "intel-320", .write = true, .sequential = true, .size = 131072, .depth = 32,
		  .window_ns = 60 * S },
		205e6 / 131072, 0, 0 },
	{ { "nvme-plp", .size = 4096, .depth = 1, .window_ns = S / 4 }, 12600, 80, 0 },
	{ { "nvme-plp", .size = 4096, .depth = 4, .window_ns = S / 4 }, 48700, 0, 0 },
	{ { "nvme-plp", .size = 4096, .depth = 32, .window_ns = S / 4 }, 270000, 118, 0 },
	{ { "nvme-plp", .size = 4096, .depth = 128, .window_ns = S / 4 }, 622000, 0, 0 },
	{ { "nvme-plp", .size = 4096, .depth = 256, .window_ns = S / 4 }, 880000, 290, 0 },
	{ { "nvme-plp", .size = 8192, .depth = 1, .window_ns = S / 4 }, 12200, 0, 0 },
	{ { "nvme-plp", .size = 8192, .depth = 256, .window_ns = S / 4 }, 776000, 0, 0 },
	{ { "nvme-plp", .size = 16384, .depth = 256, .window_ns = S / 4 }, 396000, 0, 0 },
	{ { "nvme-plp", .size = 32768, .depth = 256, .window_ns = S / 4 }, 198000, 0, 0 },
	{ { "nvme-plp", .write = true, .size = 4096, .depth = 1, .window_ns = S / 4 }, 54000, 0,
		0 },
	{ { "nvme-plp", .write = true, .size = 8192, .depth = 1, .flush_every = 1,
		  .window_ns = S / 4 },
		29000, 0, 0 },
	{ { "nvme-plp", .write = true, .size = 4096, .depth = 32, .window_ns = 4 * S }, 200000, 0,
		0 },
	{ { "nvme-consumer", "flush=1600us", .write = true, .size = 8192, .depth = 1,
		  .flush_every = 1, .window_ns = 4 * S },
		600, 0, 0 },
	{ { "nvme-iu16", .size = 4096, .depth = 1, .window_ns = S / 4 }, 9100, 110, 0 },
	{ { "nvme-iu16", .size = 4096, .depth = 32, .window_ns = S / 4 }, 208000, 0, 0 },
	{ { "nvme-iu16", .size = 4096, .depth = 256, .window_ns = S / 4 }, 747000, 0, 0 },
	{ { "nvme-iu16", .write = true, .size = 4096, .depth = 32, .window_ns = 4 * S }, 43000, 0,
		0 },
	{ { "nvme-iu16", .write = true, .size = 8192, .depth = 32, .window_ns = 4 * S }, 43000, 0,
		0 },
	{ { "nvme-iu16", .write = true, .size = 16384, .depth = 32, .window_ns = 4 * S }, 43000, 0,
		0 },
	{ { "nvme-iu16", .write = true, .size = 32768, .depth = 32, .window_ns = 4 * S }, 21500, 0,
		0 },
	{ { "nvme-iu16", .write = true, .size = 65536, .depth = 32, .window_ns = 4 * S }, 10800, 0,
		0 },
	/* Not aligned to its units: two of them a write. */
	{ { "nvme-iu16", .write = true, .size = 16384, .depth = 32, .shift = 4096,
		  .window_ns = 4 * S },
		21500, 0, 0 },
	{ { "ebs-gp3", .size = 4096, .depth = 1, .window_ns = 60 * S }, 1429, 700, 2500 },
	{ { "ebs-gp3", .size = 4096, .depth = 2, .window_ns = 60 * S }, 2857, 0, 0 },
	{ { "ebs-gp3", .size = 4096, .depth = 4, .window_ns = 60 * S }, 3000, 0, 0 },
	{ { "ebs-gp3", .size = 32768, .depth = 16, .window_ns = 60 * S }, 3000, 0, 0 },
	{ { "ebs-gp3", .size = 65536, .depth = 16, .window_ns = 60 * S }, 2000, 0, 0 },
	{ { "ebs-gp3", .size = 131072, .depth = 16, .window_ns = 60 * S }, 1000, 0, 0 },
	{ { "ebs-gp3", .size = 262144, .depth = 16, .window_ns = 60 * S }, 500, 0, 0 },
	{ { "ebs-gp3", .size = 1 << 20, .depth = 16, .window_ns = 60 * S }, 125, 0, 0 },
	{ { "ebs-gp3", .sequential = true, .size = 8192, .depth = 32, .window_ns = 60 * S }, 16000,
		0, 0 },
	{ { "ebs-gp2", .device_bytes = 20 * GIB, .size = 4096, .depth = 16, .window_ns = 160 * S },
		3000, 0, 0 },
	{ { "ebs-gp2", .device_bytes = 20 * GIB, .size = 65536, .depth = 16, .window_ns = 100 * S },
		2048, 0, 0 },
};

static void check_near(double got, double want, double percent, const char *what, size_t row)
{
	if (want > 0 && fabs(got / want - 1) * 100 > percent)
		fail_msg("row %zu (%s, %llu bytes, depth %d): %s is %.1f, the table has %.1f", row,
			tables[row].job.model, (unsigned long long)tables[row].job.size,
			tables[row].job.depth, what, got, want);
}

static void tables_hold(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct model_job job = tables[i].job;
		struct model_job_result result;

		if (job.device_bytes == 0)
			job.device_bytes = 48 * GIB;
		model_job_run(&job, &result);
		check_near(result.iops, tables[i].iops, 3, "IOPS", i);
		check_near(result.mean_us, tables[i].mean_us, 5, "mean", i);
		check_near(result.p99_us, tables[i].p99_us, 15, "p99", i);
	}
}

static void units_written_are_counted(void **state UNUSED)
{
	struct model_job job = { "nvme-iu16", .device_bytes = 48 * GIB, .write = true, .depth = 8,
		.window_ns = S / 4 };
	struct model_job_result result;

	for (job.size = 4096; job.size <= 32768; job.size *= 2) {
		double want = job.size < 16384 ? 16384.0 / (double)job.size : 1;

		model_job_run(&job, &result);
		assert_true(fabs((double)result.statistics.medium_write_bytes /
					    (double)result.statistics.host_write_bytes / want -
				    1) < 0.01);
	}
	/* In sequence, small writes fill whole units. */
	job.size = 4096;
	job.sequential = true;
	model_job_run(&job, &result);
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

		model_job_run(&job, &plain);
		job.slow = 10;
		job.window_ns *= 10;
		model_job_run(&job, &slow);
		assert_true(fabs(slow.iops * 10 / plain.iops - 1) < 0.001);
		assert_true(fabs(slow.p99_us / 10 / plain.p99_us - 1) < 0.001);
	}
}

static void same_trace_same_times(void **state UNUSED)
{
	static const char *const names[] = { "hdd-7200", "intel-320", "nvme-consumer", "ebs-gp2" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct model_job job = { names[i], .device_bytes = 48 * GIB, .size = 8192,
			.depth = 8, .window_ns = 20 * S };
		struct model_job_result first, second;

		model_job_run(&job, &first);
		model_job_run(&job, &second);
		assert_true(first.count == second.count);
		assert_true(first.mean_us == second.mean_us && first.p99_us == second.p99_us);
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
		cmocka_unit_test(spare_area_is_used_up),
		cmocka_unit_test(slow_stretches_time),
		cmocka_unit_test(same_trace_same_times),
		cmocka_unit_test(flush_drains_what_is_volatile),
		cmocka_unit_test(abandoned_requests_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
