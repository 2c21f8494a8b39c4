/*
 * The queue of a model (see model_core.h): requests wait for a place in the device, are admitted
 * to the blocks behind it (model_flow.c or model_disk.c), and come out of a heap at their time.
 */
#include "device/model_internal.h"

#include "base/macros.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct model_core *model_core_new(
	const struct model_parameters *model, uint64_t size_bytes, double slow, uint64_t seed)
{
	struct model_core *core = memory_new(sizeof(*core));

	core->model = *model;
	core->size_bytes = size_bytes;
	core->slow = slow;
	core->seed = seed;
	core->waiting_tail = &core->waiting;
	model_flow_init(core);
	if (model_is_disk(model))
		core->disk = model_disk_new(core);
	return core;
}

void model_core_free(struct model_core *core)
{
	if (!core)
		return;
	model_disk_free(core->disk);
	model_flow_release(core);
	free(core->heap);
	free(core);
}

static bool is_before(const struct model_ticket *a, const struct model_ticket *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->number < b->number;
}

static void heap_push(struct model_core *core, struct model_ticket *ticket)
{
	size_t place = core->heap_count++;

	if (core->heap_count > core->heap_size) {
		core->heap_size = MAX(64, core->heap_size * 2);
		core->heap = memory_resize(core->heap, core->heap_size, sizeof(*core->heap));
	}
	for (; place > 0 && is_before(ticket, core->heap[(place - 1) / 2]); place = (place - 1) / 2)
		core->heap[place] = core->heap[(place - 1) / 2];
	core->heap[place] = ticket;
}

static struct model_ticket *heap_pop(struct model_core *core)
{
	struct model_ticket *first = core->heap[0];
	struct model_ticket *moved = core->heap[--core->heap_count];
	size_t place = 0;

	for (;;) {
		size_t child = place * 2 + 1;

		if (child + 1 < core->heap_count &&
			is_before(core->heap[child + 1], core->heap[child]))
			child++;
		if (child >= core->heap_count || !is_before(core->heap[child], moved))
			break;
		core->heap[place] = core->heap[child];
		place = child;
	}
	core->heap[place] = moved;
	return first;
}

void model_complete_at(struct model_core *core, struct model_ticket *ticket, double due_ns)
{
	ticket->due_ns = (int64_t)llround(due_ns * core->slow);
	heap_push(core, ticket);
}

static void admit(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	core->in_service++;
	if (core->disk)
		model_disk_admit(core, ticket, at_ns);
	else
		model_flow_admit(core, ticket, at_ns);
}

static bool has_place(const struct model_core *core)
{
	return core->model.queue_depth <= 0 || core->in_service < core->model.queue_depth;
}

void model_core_submit(struct model_core *core, struct model_ticket *ticket, int64_t now_ns)
{
	double now = (double)now_ns / core->slow;

	ticket->arrival_ns = now_ns;
	ticket->number = core->number++;
	ticket->next = NULL;
	if (core->disk)
		model_disk_run(core, now);
	if (has_place(core) && !core->waiting) {
		admit(core, ticket, now);
		return;
	}
	*core->waiting_tail = ticket;
	core->waiting_tail = &ticket->next;
}

int64_t model_core_next_ns(const struct model_core *core)
{
	int64_t next_ns = core->heap_count > 0 ? core->heap[0]->due_ns : INT64_MAX;

	if (core->disk) {
		double arm_ns = model_disk_next_ns(core) * core->slow;

		if (arm_ns < (double)next_ns)
			next_ns = (int64_t)ceil(arm_ns);
	}
	return next_ns;
}

/* A place has become free at time at_ns. */
static void admit_waiting(struct model_core *core, int64_t at_ns)
{
	struct model_ticket *ticket = core->waiting;

	if (!ticket || !has_place(core))
		return;
	core->waiting = ticket->next;
	if (!core->waiting)
		core->waiting_tail = &core->waiting;
	ticket->next = NULL;
	admit(core, ticket, (double)MAX(at_ns, ticket->arrival_ns) / core->slow);
}

struct model_ticket *model_core_take(struct model_core *core, int64_t now_ns)
{
	struct model_ticket *ticket;

	/* The arm must not run past a completion that lets another request in. */
	if (core->disk)
		model_disk_run(
			core, (core->heap_count > 0 ? (double)MIN(now_ns, core->heap[0]->due_ns)
						    : (double)now_ns) /
				      core->slow);
	if (core->heap_count == 0 || core->heap[0]->due_ns > now_ns)
		return NULL;
	ticket = heap_pop(core);
	core->in_service--;
	admit_waiting(core, ticket->due_ns);
	return ticket;
}

struct model_ticket *model_core_abandon(struct model_core *core)
{
	struct model_ticket *all = core->disk ? model_disk_abandon(core) : NULL;
	struct model_ticket **tail = &all;

	while (*tail)
		tail = &(*tail)->next;
	for (size_t i = 0; i < core->heap_count; i++) {
		*tail = core->heap[i];
		tail = &core->heap[i]->next;
	}
	*tail = core->waiting;
	core->heap_count = 0;
	core->waiting = NULL;
	core->waiting_tail = &core->waiting;
	core->in_service = 0;
	return all;
}

void model_core_statistics(
	struct model_core *core, int64_t now_ns, struct model_statistics *ret_statistics)
{
	double now = (double)now_ns / core->slow;

	*ret_statistics = core->statistics;
	if (core->disk) {
		ret_statistics->dirty_bytes = (double)model_disk_dirty_bytes(core);
		return;
	}
	model_cache_advance(core, now);
	bucket_take(&core->credits, 0, now);
	ret_statistics->dirty_bytes = core->dirty_bytes;
	ret_statistics->credits = MAX(core->credits.tokens, 0);
}
