/*
 * What the models must give: the tables of docs/models.md. The unit tests hold them in virtual
 * time, `plumb disk check` in real time.
 */
#ifndef DEVICE_MODEL_EXPECTED_H
#define DEVICE_MODEL_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_IOPS_PERCENT    3
#define MODEL_MEAN_PERCENT    5
#define MODEL_P99_PERCENT     15
#define MODEL_DEMERIT_PERCENT 5 /* of the curve of latencies, see disk_shape.c */

/* A closed loop of depth requests, at random places unless sequential. Numbers that are 0 are not
 * in the tables. */
struct model_expected {
	const char *model, *parameters; /* parameters: replaced ones, NULL: none */
	bool write, sequential;
	bool flush_each;       /* a flush after each write, not counted in iops */
	uint64_t device_bytes; /* 0: 48G */
	uint64_t size;
	int depth;
	double span;	/* share of the device, from its start; 0: all */
	uint64_t shift; /* added to each offset */
	double iops, mean_us, p99_us;
	double iops_percent; /* tolerance; 0: MODEL_IOPS_PERCENT */
	double virtual_s;    /* how long in virtual time */
	bool quick;	     /* also in the short form of the check */
};

extern const struct model_expected model_expected[]; /* ends with one without model */

#endif
