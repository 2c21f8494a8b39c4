/*
 * The time of a model: given its state and a request, when does the request complete? Pure: no
 * clock, no thread, no I/O. Time is what the caller says, in real use (model_shim.c) and in
 * virtual time (tests). Submits should come in order of time; one that is a little early does no
 * harm. The same requests at the same times give the same times: random draws come from hash(seed,
 * number of the request). docs/models.md says how the blocks work together.
 */
#ifndef DEVICE_MODEL_CORE_H
#define DEVICE_MODEL_CORE_H

#include "device/device.h"
#include "device/model_table.h"

/* A request as the core sees it: the caller's memory, the core's from submit until taken. */
struct model_ticket {
	enum device_operation operation;
	bool durable; /* force unit access */
	uint64_t offset;
	uint64_t size;

	/* Filled by the core. */
	int64_t arrival_ns;
	int64_t due_ns;
	uint64_t number; /* of the request, from 0 */
	struct model_ticket *next;
	double angle;	     /* place under the head, in revolutions; disks */
	uint64_t dirty_mark; /* flush: cached writes up to this one must be on the platter */
};

struct model_core;

/* slow: divides all rates, multiplies all times. */
struct model_core *model_core_new(
	const struct model_parameters *model, uint64_t size_bytes, double slow, uint64_t seed);
void model_core_free(struct model_core *core); /* takes NULL */

void model_core_submit(struct model_core *core, struct model_ticket *ticket, int64_t now_ns);

/* The next time at which model_core_take() should be called; INT64_MAX: not until a submit. */
int64_t model_core_next_ns(const struct model_core *core);

/* A request that is complete by now_ns, earliest first; NULL: no more. */
struct model_ticket *model_core_take(struct model_core *core, int64_t now_ns);

/* Forget the requests under way: linked by next. The state of caches and buckets stays. */
struct model_ticket *model_core_abandon(struct model_core *core);

/* What the model did to the writes: all only grow, except dirty_bytes. */
struct model_statistics {
	uint64_t host_write_bytes;     /* of writes that the model timed */
	uint64_t medium_write_bytes;   /* with whole indirection units */
	uint64_t indirection_requests; /* writes that touched part of a unit */
	uint64_t counted_requests;     /* as iops counts them */
	double dirty_bytes;
	double credits; /* of iops_credits */
};
void model_core_statistics(
	struct model_core *core, int64_t now_ns, struct model_statistics *ret_statistics);

#endif
