/*
 * Values over time, reduced: the smallest, mean and largest value of each of at most 200 equal bins
 * of a trial, filled trial by trial from a scan of the store with its series.
 */
#ifndef ANALYSIS_TRACE_H
#define ANALYSIS_TRACE_H

#include "base/arena.h"
#include "store/store.h"
#include <stddef.h>
#include <stdint.h>

#define TRACE_BINS_MOST	 200
#define TRACE_MARKS_MOST 64

struct trace_bin {
	double at_s; /* middle of the bin, since the window began */
	double smallest, mean, largest;
	size_t count;
};

enum trace_mark_kind { TRACE_MARK_CHECKPOINT, TRACE_MARK_TXG };

struct trace_mark {
	enum trace_mark_kind kind;
	double at_s;
};

struct trace {
	const char *trial_id;
	size_t cell, block, run;
	struct trace_bin *bins; /* bins without a value are left out */
	size_t bin_count;
	double drift; /* log ratio of the window's halves (stats/steady.h); NAN: too short */
	struct trace_mark *marks; /* the first ones */
	size_t mark_count;
};

struct traces {
	struct arena arena;
	const char *metric; /* lent: whose series, phase "run" */
	size_t bins_most;   /* of one trace, at most TRACE_BINS_MOST */
	struct trace *traces;
	size_t count, size;
};

void traces_init(struct traces *traces, const char *metric, size_t bins_most);
void traces_release(struct traces *traces);
/* A store_visit: context is the struct traces; the query must ask for series. Trials that are not
 * DONE or have no series of the metric are left out. */
int traces_add(void *context, const struct store_result *result);

#endif
