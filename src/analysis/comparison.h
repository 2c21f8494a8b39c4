/*
 * Two stored studies beside each other: the same cells paired, what changed with its verdict, how
 * the environments differ. The two were not set up in common blocks, so whatever the machine did
 * between them is in the change: intervals hold for the set-ups, not for the days.
 */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include "analysis/finding.h"
#include "analysis/results.h"
#include "base/arena.h"
#include "record/metric.h"

/* One of the two studies, loaded; all lent. */
struct comparison_side {
	const struct results *results;
	const struct findings *findings;
	const struct matrix *matrix;
};

struct cell_change {
	const char *label;
	double before, after; /* geometric means over set-ups; NAN: no value */
	size_t setups_before, setups_after;
	struct effect effect; /* after over before, Welch, all pairs together at 95 % */
	enum verdict verdict;
	const char *reason; /* why there is none; NULL: there is */
};

/* A fact or setting that is not the same; NULL: not there. */
struct comparison_difference {
	const char *name;
	const char *before, *after;
};

struct comparison {
	struct arena arena;
	const struct metric *metric;
	const char *phase;
	bool lower_is_better;
	double margin;
	struct cell_change *changes;
	size_t change_count;
	const char **only_before, **only_after; /* labels of cells without a partner */
	size_t only_before_count, only_after_count;
	struct comparison_difference *differences;
	size_t difference_count;
	const char *sentence;
};

struct comparison_options {
	const char *metric; /* "tps", or "closing.wal_bytes"; NULL: what both studies compare */
	double margin;	    /* not above 0: that of the later study */
};

/* Cells pair by the label, then by equal settings of what varies, then if each side has one.
 * -ENOENT: no side has the metric, or no cell of one is in the other. On failure nothing needs
 * releasing. */
int comparison_build(struct comparison *comparison, const struct comparison_side sides[2],
	const struct comparison_options *options, struct err *err);
void comparison_release(struct comparison *comparison);

#endif
