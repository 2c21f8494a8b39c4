/* See model_fio.h. */
#include "unit/unit.h"

#include "unit/model_fio.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>

struct loop {
	const struct model_job *job;
	struct model_core *core;
	struct rng rng;
	uint64_t next_offset;
	int64_t start_ns, now_ns;
	double *latencies_us;
	size_t count, room;
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
	if (ticket->operation == DEVICE_FLUSH || ticket->due_ns < loop->start_ns)
		return;
	if (loop->count == loop->room) {
		loop->room = MAX(1024, loop->room * 2);
		loop->latencies_us =
			memory_resize(loop->latencies_us, loop->room, sizeof(*loop->latencies_us));
	}
	loop->latencies_us[loop->count++] = (double)(ticket->due_ns - ticket->arrival_ns) / 1e3;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void conclude(struct loop *loop, struct model_job_result *result)
{
	double sum = 0;

	assert_true(loop->count > 0);
	for (size_t i = 0; i < loop->count; i++)
		sum += loop->latencies_us[i];
	qsort(loop->latencies_us, loop->count, sizeof(double), compare);
	result->count = loop->count;
	result->mean_us = sum / (double)loop->count;
	result->p50_us = loop->latencies_us[loop->count / 2];
	result->p99_us = loop->latencies_us[loop->count * 99 / 100];
	result->iops = (double)loop->count / (double)(loop->now_ns - loop->start_ns) * 1e9;
	model_core_statistics(loop->core, loop->now_ns, &result->statistics);
}

void model_job_run(const struct model_job *job, struct model_job_result *ret_result)
{
	struct loop loop = { .job = job, .start_ns = job->window_ns / 10 };
	struct model_ticket *tickets = memory_new_array((size_t)job->depth, sizeof(*tickets));
	int64_t end_ns = job->window_ns + loop.start_ns;
	struct model_parameters model;
	struct model_ticket *ticket;

	assert_int_equal(model_parameters_load(job->model, job->parameters, &model, NULL), 0);
	loop.core = model_core_new(&model, job->device_bytes, job->slow > 0 ? job->slow : 1, 11);
	rng_init(&loop.rng, 5, 0);
	for (int i = 0; i < job->depth; i++)
		submit(&loop, &tickets[i]);
	while (loop.now_ns < end_ns) {
		int64_t next_ns = model_core_next_ns(loop.core);

		assert_true(next_ns >= loop.now_ns && next_ns < INT64_MAX);
		loop.now_ns = next_ns;
		while ((ticket = model_core_take(loop.core, loop.now_ns))) {
			note(&loop, ticket);
			submit(&loop, ticket);
		}
	}
	conclude(&loop, ret_result);
	(void)model_core_abandon(loop.core); /* they are ours */
	model_core_free(loop.core);
	free(loop.latencies_us);
	free(tickets);
}
