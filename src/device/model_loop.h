/*
 * A closed loop in virtual time: depth requests under way at a model's core, each replaced when it
 * is done, as fio does it. What a model says of itself, without a machine.
 */
#ifndef DEVICE_MODEL_LOOP_H
#define DEVICE_MODEL_LOOP_H

#include "device/model_core.h"

struct model_job {
	const char *model, *parameters; /* parameters: replaced ones, NULL: none */
	uint64_t device_bytes;
	bool write, sequential;
	uint64_t size;
	int depth;
	double span;		    /* of the device, from its start; 0: all */
	uint64_t shift;		    /* added to each offset */
	int64_t ramp_ns, window_ns; /* virtual; counted is the window behind the ramp */
	int flush_every;	    /* flush after so many writes (depth 1); 0: never */
	double slow;		    /* 0: 1 */
};

struct model_job_result {
	double iops; /* without flushes */
	double mean_us;
	size_t count;
	double *latencies_us; /* count of them, sorted */
	double *ends_s;	      /* when each was done, behind the ramp; in order */
	struct model_statistics statistics;
};

/* -EINVAL: no such model or parameter. -ERANGE: nothing was done in the window. */
int model_job_run(
	const struct model_job *job, struct model_job_result *ret_result, struct err *err);
void model_job_release(struct model_job_result *result); /* the numbers stay */

/* Of count sorted values; share from 0 to 1. */
double model_job_quantile(const double *sorted, size_t count, double share);

/*
 * Where a rate changes: the place of ends_s at which the curve of what is done lies farthest above
 * the straight line from its begin to its end. A write cache that is full, credits that are spent.
 */
size_t model_job_knee(const double *ends_s, size_t count);

#endif
