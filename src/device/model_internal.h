/* What the parts of a model's core share: model_core.c (queue), model_flow.c (solid state and
 * volumes), model_disk.c (moving parts). Times in model time: real time divided by slow. */
#ifndef DEVICE_MODEL_INTERNAL_H
#define DEVICE_MODEL_INTERNAL_H

#include "device/model_core.h"

#include "base/rng.h"

#define MODEL_STREAM_COUNT 16 /* sequential streams that are told apart */

/* What a request's random draws are for: streams of rng_at. */
enum model_draw { DRAW_UNIT = 1, DRAW_SERVICE };

struct token_bucket {
	double rate;   /* a second; 0: open */
	double burst;  /* most that is saved up */
	double tokens; /* may be negative: owed */
	double updated_ns;
};

/* Ends of the last requests of an operation, to know one that goes on from there. */
struct streams {
	uint64_t starts[MODEL_STREAM_COUNT];
	uint64_t ends[MODEL_STREAM_COUNT];
	int oldest;
};

struct model_disk;

struct model_core {
	struct model_parameters model;
	uint64_t size_bytes;
	uint64_t seed;
	double slow;

	/* queue */
	uint64_t number;
	uint32_t in_service;
	struct model_ticket *waiting, **waiting_tail;
	struct model_ticket **heap; /* by due, then number */
	size_t heap_count, heap_size;

	/* flow: all in ns of model time */
	struct token_bucket credits, ceiling, bytes;
	double controller_free_ns;
	double *unit_free_ns;
	double read_link_free_ns, write_link_free_ns;
	struct streams reads, writes;
	double read_sigma, write_sigma; /* of the logarithm */

	/* write cache */
	double dirty_bytes, drained_until_ns, cache_now_ns;
	double written_bytes; /* in all, for fast_share */
	double spare_left;
	uint64_t *regions; /* a bit for each region ever written */
	uint64_t region_bytes, region_count, regions_written;
	struct model_statistics statistics;

	struct model_disk *disk; /* NULL: no moving parts */
};

/* Take a ticket into service at time at_ns. Sets due and calls model_complete_at, now or later. */
void model_flow_admit(struct model_core *core, struct model_ticket *ticket, double at_ns);
void model_flow_init(struct model_core *core);
void model_flow_release(struct model_core *core);
void model_cache_advance(struct model_core *core, double now_ns);

/* Where the queue learns a due time. */
void model_complete_at(struct model_core *core, struct model_ticket *ticket, double due_ns);

struct model_disk *model_disk_new(struct model_core *core);
void model_disk_free(struct model_disk *disk);
void model_disk_admit(struct model_core *core, struct model_ticket *ticket, double at_ns);
/* Let the arm do all it begins until now. */
void model_disk_run(struct model_core *core, double now_ns);
double model_disk_next_ns(const struct model_core *core); /* INFINITY: idle */
struct model_ticket *model_disk_abandon(struct model_core *core);
uint64_t model_disk_dirty_bytes(const struct model_core *core);

double bucket_take(struct token_bucket *bucket, double count, double now_ns);
bool streams_continue(struct streams *streams, uint64_t offset, uint64_t size);

#endif
