/* See model_loop.h. */
#include "device/model_loop.h"

#include "base/memory.h"
#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

struct loop {
	const struct model_job *job;
	struct model_core *core;
	struct rng rng;
	uint64_t next_offset;
	int64_t now_ns;
	struct model_job_result *result;
	size_t room;
	double sum_us;
	int since_flush;
};

static void submit(struct loop *loop, struct model_ticket *ticket)
{
	const struct model_job *job = loop->job;
	double span = job->span > 0 ? job->span : 1;
	uint64_t places = (uint64_t)(span * (double)(job->device_bytes - job->shift)) / job->size;

	*ticket = (struct model_ticket){ .size = job->size };
	ticket->operation = job->write ? DEVICE_WRITE : DEVICE_READ;
	if (job->flush_every > 0 && loop->since_flush++ == job->flush_every) {
		ticket->operation = DEVICE_FLUSH;
		ticket->size = 0;
		loop->since_flush = 0;
	} else if (job->sequential) {
		ticket->offset = loop->next_offset + job->shift;
		loop->next_offset = (loop->next_offset + job->size) % (places * job->size);
	} else {
		ticket->offset = rng_below(&loop->rng, places) * job->size + job->shift;
	}
	model_core_submit(loop->core, ticket, loop->now_ns);
}

static void note(struct loop *loop, const struct model_ticket *ticket)
{
	struct model_job_result *result = loop->result;
	double latency_us = (double)(ticket->due_ns - ticket->arrival_ns) / 1e3;

	if (ticket->operation == DEVICE_FLUSH || ticket->due_ns < loop->job->ramp_ns)
		return;
	if (result->count == loop->room) {
		loop->room = MAX(1024, loop->room * 2);
		result->latencies_us = memory_resize(
			result->latencies_us, loop->room, sizeof(*result->latencies_us));
		result->ends_s = memory_resize(result->ends_s, loop->room, sizeof(*result->ends_s));
	}
	result->latencies_us[result->count] = latency_us;
	result->ends_s[result->count] = (double)(ticket->due_ns - loop->job->ramp_ns) / NS_PER_S;
	loop->sum_us += latency_us;
	result->count++;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void run(struct loop *loop, struct model_ticket *tickets)
{
	int64_t end_ns = loop->job->ramp_ns + loop->job->window_ns;
	struct model_ticket *ticket;

	for (int i = 0; i < loop->job->depth; i++)
		submit(loop, &tickets[i]);
	while (loop->now_ns < end_ns) {
		loop->now_ns = model_core_next_ns(loop->core);
		while ((ticket = model_core_take(loop->core, loop->now_ns))) {
			note(loop, ticket);
			submit(loop, ticket);
		}
	}
	(void)model_core_abandon(loop->core); /* they are ours */
}

int model_job_run(const struct model_job *job, struct model_job_result *ret_result, struct err *err)
{
	struct loop loop = { .job = job, .result = ret_result };
	struct model_ticket *tickets;
	struct model_parameters model;
	int r = model_parameters_load(job->model, job->parameters, &model, err);

	*ret_result = (struct model_job_result){ 0 };
	if (r < 0)
		return r;
	tickets = memory_new_array((size_t)job->depth, sizeof(*tickets));
	loop.core = model_core_new(&model, job->device_bytes, job->slow > 0 ? job->slow : 1, 11);
	rng_init(&loop.rng, 5, 0);
	run(&loop, tickets);
	model_core_statistics(loop.core, loop.now_ns, &ret_result->statistics);
	model_core_free(loop.core);
	free(tickets);
	if (ret_result->count == 0)
		return err_set(err, -ERANGE, "model '%s' ends no request in %.0f s", job->model,
			(double)job->window_ns / NS_PER_S);
	qsort(ret_result->latencies_us, ret_result->count, sizeof(double), compare);
	ret_result->mean_us = loop.sum_us / (double)ret_result->count;
	ret_result->iops =
		(double)ret_result->count / ((double)(loop.now_ns - job->ramp_ns) / NS_PER_S);
	return 0;
}

void model_job_release(struct model_job_result *result)
{
	free(result->latencies_us);
	free(result->ends_s);
	result->latencies_us = result->ends_s = NULL;
	result->count = 0;
}

double model_job_quantile(const double *sorted, size_t count, double share)
{
	size_t place = (size_t)(share * (double)count);

	return sorted[MIN(place, count - 1)];
}

size_t model_job_knee(const double *ends_s, size_t count)
{
	double last_s = ends_s[count - 1], highest = 0;
	size_t knee = 0;

	for (size_t i = 0; i < count; i++) {
		double above = (double)i - (double)count * ends_s[i] / last_s;

		if (above > highest) {
			highest = above;
			knee = i;
		}
	}
	return knee;
}
