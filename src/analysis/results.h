/*
 * The sealed trials of one study, reduced to what findings and reports need: filled trial by trial
 * from a scan of the store, so that ten thousand of them stay a few megabytes.
 */
#ifndef ANALYSIS_RESULTS_H
#define ANALYSIS_RESULTS_H

#include "base/arena.h"
#include "record/metric.h"
#include "record/record.h"
#include "store/store.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A metric in a phase, as the samples name it. */
struct results_metric {
	const char *phase;
	const char *name;
	const struct metric *row; /* NULL: not known to this plumb */
};

/* What the facts "query.NAME.plan" and ".result" of an analytic workload say; either may be NULL.
 */
struct results_query {
	const char *name, *plan, *result;
};

struct results_trial {
	const char *trial_id;
	const char *setup_id;
	size_t cell;
	size_t block;
	size_t run;
	size_t order;
	size_t attempt;
	enum trial_state state;
	const char *reason; /* FAILED, VOID */
	bool spoiled;	    /* has a note that says so: shown, not analysed */
	struct note *notes; /* warnings and spoiled marks */
	size_t note_count;
	double *values; /* by index of results.metrics; see results_value() */
	size_t value_count;
	struct results_query *queries;
	size_t query_count;
	int64_t started_utc_ns;
	int64_t finished_utc_ns;
};

/* A setting that was not what was asked for, in some trials. */
struct results_difference {
	const char *name;
	const char *asked;
	const char *value;
	size_t trials;
	const char *first_trial_id;
};

/* Cells as the trials name them; one without trials has label NULL. */
struct results_cell {
	const char *label;
	int role;	    /* of struct cell */
	const char *engine; /* of its filesystem, as read back: "embedded", "kernel"; may be NULL */
};

struct results {
	struct arena arena;
	struct results_metric *metrics;
	size_t metric_count, metric_size;
	struct results_trial *trials; /* plan order, every attempt */
	size_t trial_count, trial_size;
	struct results_cell *cells;
	size_t cell_count;
	struct absent_cells absent; /* could not run on the machine of the last run */
	struct results_difference *differences;
	size_t difference_count, difference_size;
	struct arena environment_arena;
	/* Facts of the last trial that began: the environment and effective settings. */
	struct fact *environment;
	size_t environment_count;
	int64_t environment_utc_ns;
	const char *program_version; /* of that trial */
	size_t next_metric;	     /* where the search for the next sample's metric begins */
};

void results_init(struct results *results);
void results_release(struct results *results);
/* A store_visit: context is the struct results. */
int results_add(void *context, const struct store_result *result);
/* Index of a metric that is computed from others; added if it is not there. */
size_t results_metric_add(struct results *results, const char *phase, const char *name);
/* Index of a metric, or results->metric_count when no trial has it. */
size_t results_metric_index(const struct results *results, const char *phase, const char *name);
/* Value of a fact of the environment; NULL: not recorded. */
const char *results_fact(const struct results *results, const char *name);
/* The whole-window value, NAN when the trial has none (also for an index past the end). */
double results_value(const struct results_trial *trial, size_t metric);
/* Mean over a cell's usable trials (DONE, not spoiled); NAN: not measured. */
double results_cell_mean(
	const struct results *results, size_t cell, const char *phase, const char *name);

#endif
