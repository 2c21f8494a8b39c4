/*
 * Moving parts: one arm, one turning platter, a write cache in front of it.
 *
 * Every place on the disk has an angle, from the tracks that lie before it; the platter's angle is
 * the time. The cost of a request is the seek plus the wait until its angle comes round, so that
 * the order of service, sequential runs and the lost revolution of a log append follow from the
 * geometry. Zones: bytes a track, and so the rate, fall in a line from the first to the last
 * byte.
 *
 * The command overhead passes between the end of one thing and the choice of the next, so that a
 * host that answers at once is still in time for the choice. The arm chooses among what is there
 * then: reads; cached writes too when there are no reads, when the cache is full, or when a flush
 * waits for them. What goes on where the last one ended loses no time, if it was there by then.
 */
#include "device/model_internal.h"

#include "base/macros.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define NS 1e9

/* A cached write on its way to the platter. */
struct dirty {
	struct dirty *next;
	uint64_t offset, size;
	uint64_t mark; /* order of arrival */
	double arrival_ns;
	double angle;
};

enum arm { ARM_IDLE, ARM_CHOOSING, ARM_WORKING };

struct model_disk {
	double tracks_scale; /* of the logarithm in tracks_before() */
	double tail;	     /* 1 - rate_inner / rate_outer */

	struct model_ticket *queue; /* wait for the arm, oldest first: reads, uncached writes */
	struct model_ticket *full;  /* cached writes that wait for room, oldest first */
	struct model_ticket *flushes;
	struct dirty *dirty, **dirty_tail;
	uint64_t dirty_bytes, mark;

	enum arm arm;
	double until_ns;	 /* end of what the arm is doing */
	struct dirty *destaging; /* what it is writing from the cache */
	uint64_t position;	 /* where it ended or will end */
	double streamed_ns;	 /* when the byte at position had passed the head */
};

/* Tracks before a place: the integral of 1 / bytes a track. */
static double tracks_before(const struct model_core *core, uint64_t offset)
{
	const struct model_disk *disk = core->disk;
	double x = (double)offset / (double)core->size_bytes;

	if (disk->tail <= 0)
		return disk->tracks_scale * x;
	return -disk->tracks_scale * log1p(-disk->tail * x);
}

static double rate_at(const struct model_core *core, uint64_t offset)
{
	double x = (double)offset / (double)core->size_bytes;

	return core->model.rate_outer + (core->model.rate_inner - core->model.rate_outer) * x;
}

static double fraction(double value)
{
	return value - floor(value);
}

struct model_disk *model_disk_new(struct model_core *core)
{
	struct model_disk *disk = memory_new(sizeof(*disk));
	const struct model_parameters *model = &core->model;
	double tracks = (double)core->size_bytes / model->rate_outer * NS / model->revolution_ns;

	disk->tail = 1 - model->rate_inner / model->rate_outer;
	disk->tracks_scale = disk->tail > 0 ? tracks / disk->tail : tracks;
	disk->dirty_tail = &disk->dirty;
	return disk;
}

void model_disk_free(struct model_disk *disk)
{
	if (!disk)
		return;
	while (disk->dirty) {
		struct dirty *next = disk->dirty->next;

		free(disk->dirty);
		disk->dirty = next;
	}
	free(disk);
}

uint64_t model_disk_dirty_bytes(const struct model_core *core)
{
	return core->disk->dirty_bytes;
}

static double seek_ns(const struct model_core *core, uint64_t from, uint64_t to)
{
	const struct model_parameters *model = &core->model;
	uint64_t distance = from > to ? from - to : to - from;
	double x = (double)distance / (double)core->size_bytes;

	if (distance == 0)
		return 0;
	if ((double)distance < rate_at(core, to) * model->revolution_ns / NS)
		return model->switch_ns;
	if (x <= model->seek_knee)
		return model->seek_start_ns + model->seek_root_ns * sqrt(x);
	return model->seek_knee_ns + model->seek_slope_ns * (x - model->seek_knee);
}

/* From the decision until the first byte passes the head. */
static double access_ns(const struct model_core *core, uint64_t offset, double angle, double now_ns)
{
	double revolution_ns = core->model.revolution_ns;
	double there_ns = now_ns + seek_ns(core, core->disk->position, offset);
	double wait = fraction(angle - fraction(there_ns / revolution_ns));

	return there_ns - now_ns + wait * revolution_ns;
}

static double media_ns(const struct model_core *core, uint64_t offset, uint64_t size)
{
	return (double)size / rate_at(core, offset) * NS;
}

/* Cached writes: room, flushes. */

static void wake_full(struct model_core *core, double now_ns)
{
	struct model_disk *disk = core->disk;

	while (disk->full &&
		(double)(disk->dirty_bytes + disk->full->size) <= core->model.cache_bytes) {
		struct model_ticket *ticket = disk->full;

		disk->full = ticket->next;
		model_disk_admit(core, ticket, now_ns);
	}
}

static void wake_flushes(struct model_core *core, double now_ns)
{
	struct model_disk *disk = core->disk;
	uint64_t oldest = disk->dirty ? disk->dirty->mark : UINT64_MAX;

	for (struct model_ticket **link = &disk->flushes; *link;) {
		struct model_ticket *ticket = *link;

		if (ticket->dirty_mark < oldest) {
			*link = ticket->next;
			model_complete_at(core, ticket, now_ns + core->model.flush_ns);
		} else {
			link = &ticket->next;
		}
	}
}

/* What the arm was writing has arrived. */
static void end_destage(struct model_core *core, double now_ns)
{
	struct model_disk *disk = core->disk;
	struct dirty *done = disk->destaging;
	struct dirty **link = &disk->dirty;

	while (*link != done)
		link = &(*link)->next;
	*link = done->next;
	if (!*link)
		disk->dirty_tail = link;
	disk->dirty_bytes -= done->size;
	disk->destaging = NULL;
	free(done);
	if (disk->flushes)
		wake_flushes(core, now_ns);
	wake_full(core, now_ns);
}

static void add_dirty(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	struct model_disk *disk = core->disk;
	struct dirty *dirty = memory_new(sizeof(*dirty));

	dirty->offset = ticket->offset;
	dirty->size = ticket->size;
	dirty->mark = ++disk->mark;
	dirty->arrival_ns = at_ns;
	dirty->angle = fraction(tracks_before(core, ticket->offset));
	*disk->dirty_tail = dirty;
	disk->dirty_tail = &dirty->next;
	disk->dirty_bytes += dirty->size;
}

/* The arm. */

struct choice {
	struct model_ticket **ticket; /* the link to it; NULL: dirty */
	struct dirty *dirty;
	double access_ns;
	bool continues; /* goes on where the arm stands, without a gap */
};

static void consider_queue(struct model_core *core, double now_ns, struct choice *best)
{
	struct model_disk *disk = core->disk;
	const struct model_parameters *model = &core->model;
	struct model_ticket *oldest = disk->queue;
	double age_ns = oldest ? now_ns - (double)oldest->arrival_ns / core->slow : 0;
	bool first_only = model->shortest_first <= 0 ||
			  (model->age_limit_ns > 0 && age_ns > model->age_limit_ns);

	for (struct model_ticket **link = &disk->queue; *link; link = &(*link)->next) {
		const struct model_ticket *ticket = *link;
		struct choice choice = { .ticket = link };

		choice.continues = ticket->offset == disk->position;
		if (!choice.continues || ticket->operation == DEVICE_WRITE)
			choice.access_ns = access_ns(
				core, ticket->offset, ticket->angle, now_ns + model->overhead_ns);
		if (choice.access_ns < best->access_ns)
			*best = choice;
		if (first_only)
			break;
	}
}

static void consider_dirty(struct model_core *core, double now_ns, struct choice *best)
{
	struct model_disk *disk = core->disk;
	int left = (int)core->model.destage_window;

	for (struct dirty *dirty = disk->dirty; dirty && left-- > 0; dirty = dirty->next) {
		struct choice choice = { .dirty = dirty };

		choice.continues = dirty->offset == disk->position &&
				   dirty->arrival_ns < disk->streamed_ns &&
				   now_ns - disk->streamed_ns <= core->model.overhead_ns + 1;
		if (!choice.continues)
			choice.access_ns = access_ns(core, dirty->offset, dirty->angle, now_ns);
		if (choice.access_ns < best->access_ns)
			*best = choice;
	}
}

/* Read-ahead: the head has gone on behind the last read, as far as the buffer reaches. */
static double serve_stream(
	struct model_core *core, const struct model_ticket *ticket, double now_ns)
{
	struct model_disk *disk = core->disk;
	double ahead_ns = media_ns(core, ticket->offset, (uint64_t)core->model.read_ahead_bytes);
	double media_end_ns = MAX(disk->streamed_ns, now_ns - ahead_ns) +
			      media_ns(core, ticket->offset, ticket->size);

	disk->streamed_ns = media_end_ns;
	return MAX(media_end_ns, now_ns);
}

static void serve_ticket(struct model_core *core, const struct choice *choice, double now_ns)
{
	struct model_disk *disk = core->disk;
	struct model_ticket *ticket = *choice->ticket;
	double end_ns;

	*choice->ticket = ticket->next;
	ticket->next = NULL;
	if (choice->continues && ticket->operation == DEVICE_READ) {
		end_ns = serve_stream(core, ticket, now_ns);
	} else {
		end_ns = now_ns + choice->access_ns + media_ns(core, ticket->offset, ticket->size);
		if (ticket->operation == DEVICE_WRITE)
			end_ns += core->model.settle_ns;
		disk->streamed_ns = end_ns;
	}
	if (ticket->operation == DEVICE_WRITE) {
		core->statistics.host_write_bytes += ticket->size;
		core->statistics.medium_write_bytes += ticket->size;
	}
	disk->position = ticket->offset + ticket->size;
	disk->until_ns = end_ns;
	model_complete_at(core, ticket, end_ns);
}

static void serve_dirty(struct model_core *core, const struct choice *choice, double now_ns)
{
	struct model_disk *disk = core->disk;
	struct dirty *dirty = choice->dirty;

	if (choice->continues)
		now_ns = disk->streamed_ns;
	disk->destaging = dirty;
	disk->until_ns = now_ns + choice->access_ns + media_ns(core, dirty->offset, dirty->size);
	disk->position = dirty->offset + dirty->size;
	disk->streamed_ns = disk->until_ns;
	core->statistics.medium_write_bytes += dirty->size;
}

/* Begin the next thing at now_ns; false when there is none. */
static bool begin(struct model_core *core, double now_ns)
{
	struct model_disk *disk = core->disk;
	struct choice best = { .access_ns = INFINITY };

	consider_queue(core, now_ns, &best);
	if (disk->dirty && (!disk->queue || disk->full || disk->flushes))
		consider_dirty(core, now_ns, &best);
	if (best.dirty)
		serve_dirty(core, &best, now_ns);
	else if (best.ticket)
		serve_ticket(core, &best, now_ns);
	return best.dirty || best.ticket;
}

void model_disk_run(struct model_core *core, double now_ns)
{
	struct model_disk *disk = core->disk;

	while (disk->arm != ARM_IDLE && disk->until_ns <= now_ns) {
		if (disk->arm == ARM_CHOOSING) {
			disk->arm = begin(core, disk->until_ns) ? ARM_WORKING : ARM_IDLE;
			continue;
		}
		if (disk->destaging)
			end_destage(core, disk->until_ns);
		disk->arm = ARM_CHOOSING;
		disk->until_ns += core->model.overhead_ns;
	}
}

double model_disk_next_ns(const struct model_core *core)
{
	return core->disk->arm == ARM_IDLE ? INFINITY : core->disk->until_ns;
}

static void append(struct model_ticket **list, struct model_ticket *ticket)
{
	while (*list)
		list = &(*list)->next;
	ticket->next = NULL;
	*list = ticket;
}

static void admit_write(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	struct model_disk *disk = core->disk;

	if (core->model.cache_bytes <= 0 || ticket->durable) {
		append(&disk->queue, ticket);
		return;
	}
	if ((double)(disk->dirty_bytes + ticket->size) > core->model.cache_bytes) {
		append(&disk->full, ticket);
		return;
	}
	add_dirty(core, ticket, at_ns);
	core->statistics.host_write_bytes += ticket->size;
	model_complete_at(core, ticket, at_ns + core->model.ack_ns);
}

void model_disk_admit(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	struct model_disk *disk = core->disk;

	switch (ticket->operation) {
	case DEVICE_READ:
		ticket->angle = fraction(tracks_before(core, ticket->offset));
		append(&disk->queue, ticket);
		break;
	case DEVICE_WRITE:
		ticket->angle = fraction(tracks_before(core, ticket->offset));
		admit_write(core, ticket, at_ns);
		break;
	case DEVICE_FLUSH:
		ticket->dirty_mark = disk->mark;
		append(&disk->flushes, ticket);
		wake_flushes(core, at_ns + core->model.overhead_ns);
		break;
	case DEVICE_DISCARD:
	case DEVICE_ZERO:
	case DEVICE_OPERATION_COUNT:
		model_complete_at(core, ticket, at_ns + core->model.overhead_ns);
		break;
	}
	if (disk->arm == ARM_IDLE) {
		disk->arm = ARM_CHOOSING;
		disk->until_ns = at_ns + core->model.overhead_ns;
	}
}

struct model_ticket *model_disk_abandon(struct model_core *core)
{
	struct model_disk *disk = core->disk;
	struct model_ticket *all = disk->queue, **tail = &all;

	while (*tail)
		tail = &(*tail)->next;
	*tail = disk->full;
	while (*tail)
		tail = &(*tail)->next;
	*tail = disk->flushes;
	disk->queue = disk->full = disk->flushes = NULL;
	return all;
}
