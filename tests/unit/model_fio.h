/* A closed loop in virtual time: keeps depth requests under way at a model's core and says what
 * they took, as fio would. */
#ifndef TESTS_MODEL_FIO_H
#define TESTS_MODEL_FIO_H

#include "device/model_core.h"

struct model_job {
	const char *model, *parameters;
	uint64_t device_bytes;
	bool write, sequential;
	uint64_t size;
	int depth;
	double span;	   /* of the device, from its start; 0: all */
	int64_t window_ns; /* virtual; counted after a ramp of a tenth */
	uint64_t shift;	   /* added to each offset */
	int flush_every;   /* flush after so many writes (depth 1); 0: never */
	double slow;
};

struct model_job_result {
	double iops; /* without flushes */
	double mean_us, p50_us, p99_us;
	uint64_t count;
	struct model_statistics statistics;
};

void model_job_run(const struct model_job *job, struct model_job_result *ret_result);

#endif
