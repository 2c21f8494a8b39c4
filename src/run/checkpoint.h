/* CHECKPOINT that can be interrupted, and the arithmetic of windows made of timed ones. */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include "base/clock.h"
#include "base/err.h"
#include "postgres/cluster.h"
#include <stdbool.h>

/* Run one and wait for it. -EINTR as soon as stop() says so (the server is left working). */
int checkpoint_run(
	struct pg_cluster *cluster, bool (*stop)(void *context), void *context, struct err *err);

/*
 * Timed checkpoints follow each other by timeout_ns, counted from the start of the last one. Given
 * that one began since_ns ago, make the window begin with a timed checkpoint and hold whole cycles:
 * *warmup_ns is raised to the first such moment at or after it, *measure_ns to whole cycles, at
 * least one.
 */
void checkpoint_align(
	int64_t timeout_ns, int64_t since_ns, int64_t *warmup_ns, int64_t *measure_ns);

#endif
