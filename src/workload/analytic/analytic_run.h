/*
 * Running the queries: a thread of its own times them, so that the caller can step, show progress
 * and stop. Pass 1 meets the start state (cold where the study asks for that), the later passes
 * are warm. Independent of studies and records.
 */
#ifndef WORKLOAD_ANALYTIC_RUN_H
#define WORKLOAD_ANALYTIC_RUN_H

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "workload/analytic/analytic_queries.h"

#include <stdbool.h>

#define ANALYTIC_PASSES_MAX 20

struct analytic_run_options {
	const char *connection; /* lent, as everything here */
	bool chosen[ANALYTIC_QUERIES];
	int passes;
	int64_t timeout_ns; /* of one query; 0: none */
	int workers;	    /* max_parallel_workers_per_gather */
	bool jit;
	struct clock *clock;
};

/* What one query did. */
struct analytic_query_result {
	int64_t time_ns[ANALYTIC_PASSES_MAX]; /* 0: not run or timed out */
	int passes;			      /* that ended well */
	int rows;
	bool timed_out;
	bool plan_changed, result_changed; /* between passes */
	char plan[HASH_TEXT_SIZE], result[HASH_TEXT_SIZE];
	char *structure; /* of the plan; owned by the run */
};

struct analytic_run;

/* Begin. The options' strings must live until close. */
int analytic_run_start(
	const struct analytic_run_options *options, struct analytic_run **ret_run, struct err *err);
/* 1: ended, 0: running, negative: the server failed (err has its words). *ret_fraction done,
 * *ret_query is the query now running (may be NULL). Never blocks. */
int analytic_run_poll(struct analytic_run *run, double *ret_fraction,
	const struct analytic_query **ret_query, struct err *err);
/* Cancel what runs and wait for the thread. Fine when ended. */
void analytic_run_stop(struct analytic_run *run);
/* Results of query i (index in analytic_queries), after the end. */
const struct analytic_query_result *analytic_run_result(const struct analytic_run *run, size_t i);
void analytic_run_close(struct analytic_run *run); /* stops; fine with NULL */

#endif
