/*
 * plumb disk check, beyond single figures: is the distribution of latencies the model's, do a full
 * write cache and spent credits show when they should? Each is held against the same loop in
 * virtual time.
 *
 * The distance of two distributions is the demerit figure of Ruemmler and Wilkes ("An introduction
 * to disk drive modeling", 1994, section 3.1): the root mean square of the horizontal distance
 * between the curves, over the mean.
 */
#include "cmd/disk/disk_internal.h"

#include "base/macros.h"
#include "device/model_loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VIRTUAL_LEAST 20000 /* requests that the model's own curve is drawn from */

static struct model_job job_of(const struct model_expected *row, double slow)
{
	return (struct model_job){ row->model, row->parameters, disk_row_bytes(row),
		.write = row->write, .sequential = row->sequential, .size = row->size,
		.depth = row->depth, .span = row->span, .shift = row->shift, .slow = slow,
		.flush_every = row->flush_each };
}

int disk_demerit(const struct model_expected *row, double slow,
	const struct disk_measured *measured, double *ret_percent, struct err *err)
{
	struct model_job job = job_of(row, slow);
	struct model_job_result model;
	double sum = 0;
	int r;

	job.window_ns = (int64_t)(VIRTUAL_LEAST / row->iops * slow * NS_PER_S);
	job.ramp_ns = job.window_ns / 10;
	r = model_job_run(&job, &model, err);
	if (r == 0) {
		for (int i = 0; i < DISK_QUANTILES; i++) {
			double apart = measured->quantiles_us[i] -
				       model_job_quantile(model.latencies_us, model.count,
					       disk_quantile_shares[i]);

			sum += apart * apart;
		}
		*ret_percent = sqrt(sum / DISK_QUANTILES) / model.mean_us * 100;
	}
	model_job_release(&model);
	return r;
}

/* What changes its rate while it is used. */
static const struct knee_row {
	struct model_expected loop;
	const char *what;
	double seconds;
	double knee_percent, rate_percent; /* tolerances; devices of the table's section 9 */
} knees[] = {
	{ { "intel-320", .write = true, .size = 4096, .depth = 32, .span = 0.16 },
		"write cache full", 4, 10, 5 },
	{ { "ebs-gp2", "iops_credits=20000", .device_bytes = 20ULL << 30, .size = 4096,
		  .depth = 16 },
		"credits spent", 12, 2, 3 },
};

struct knee {
	double at_s, rate; /* when the rate changes, and what it is from then on */
};

static struct knee find_knee(const double *ends_s, size_t count)
{
	size_t knee = model_job_knee(ends_s, count);

	return (struct knee){ ends_s[knee],
		(double)(count - knee) / (ends_s[count - 1] - ends_s[knee]) };
}

static int measure_knee(
	const struct knee_row *row, double slow, struct knee *ret_knee, struct err *err)
{
	struct disk_load load = { &row->loop, 0, row->seconds * slow, .keep_ends = true };
	struct disk_measured measured = { 0 };
	int r = disk_run_process(&load, slow, &measured, err);

	if (r == 0)
		*ret_knee = find_knee(measured.ends_s, measured.count);
	disk_measured_release(&measured);
	return r;
}

static int model_knee(
	const struct knee_row *row, double slow, struct knee *ret_knee, struct err *err)
{
	struct model_job job = job_of(&row->loop, slow);
	struct model_job_result result;
	int r;

	job.window_ns = (int64_t)(row->seconds * slow * NS_PER_S);
	r = model_job_run(&job, &result, err);
	if (r == 0)
		*ret_knee = find_knee(result.ends_s, result.count);
	model_job_release(&result);
	return r;
}

int disk_check_knees(const char *model, double slow, int *ret_outside, struct err *err)
{
	*ret_outside = 0;
	for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
		const struct knee_row *row = &knees[i];
		struct knee want = { 0 }, got = { 0 };
		int r;

		if (strcmp(row->loop.model, model) != 0)
			continue;
		r = model_knee(row, slow, &want, err);
		if (r == 0)
			r = measure_knee(row, slow, &got, err);
		if (r < 0)
			return r;
		printf("  %s, rand %lluk qd%d %s (process)\n", row->what,
			(unsigned long long)row->loop.size / 1024, row->loop.depth,
			row->loop.write ? "write" : "read");
		*ret_outside += disk_print_figure(
			"after", "ms", want.at_s * 1e3, got.at_s * 1e3, row->knee_percent);
		*ret_outside +=
			disk_print_figure("then", "1/s", want.rate, got.rate, row->rate_percent);
	}
	return 0;
}
