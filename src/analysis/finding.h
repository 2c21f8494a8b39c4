/*
 * Findings of one study: each cell's level and its ratio to its baseline, with intervals and the
 * words that they earn, and what the cell costs beside it. Values are those of set-ups; trials that
 * are VOID, FAILED or spoiled are counted, not used.
 */
#ifndef ANALYSIS_FINDING_H
#define ANALYSIS_FINDING_H

#include "analysis/controls.h"
#include "analysis/factor.h"
#include "analysis/physics.h"
#include "analysis/recommendation.h"
#include "analysis/results.h"
#include "analysis/robustness.h"
#include "base/err.h"
#include "stats/effect.h"
#include "stats/verdict.h"
#include "study/matrix.h"

#define FINDING_CONFIDENCE 0.95

/* What a cell costs, beside the value that is compared. NAN: not known. */
struct finding_costs {
	double load_s;			  /* geometric mean over set-ups */
	double wal_bytes_per_transaction; /* window and closing checkpoint together */
	double device_write_bytes_per_transaction;
	double size_bytes; /* on disk at the end */
	double closing_s;  /* closing checkpoint and sync */
	double latency_p95_ns;
};

struct cell_finding {
	const char *label;
	int role;	 /* of struct cell */
	size_t baseline; /* index of the cell it is compared with; its own: a baseline */
	size_t copy_of;	 /* of a control: the cell it copies */
	size_t setups_planned;
	size_t setups; /* with a value */
	size_t trials, failed, voided, spoiled;
	double mean;	      /* geometric mean over set-ups; NAN: none */
	double low, high;     /* its 95 % interval (t of its own set-ups); NAN below 3 */
	struct effect effect; /* against the baseline */
	enum verdict verdict; /* VERDICT_NONE for a baseline */
	const char *reason; /* why there is no verdict, in words; NULL: there is, or none is due */
	const char *absent; /* why it can't run on the machine of the last run; NULL: it can */
	struct finding_costs costs;
};

/* A published ratio beside the measured one; see analysis/published.h. NAN: not known. */
enum agreement { AGREEMENT_CANT_TELL, AGREEMENT_AGREE, AGREEMENT_DISAGREE };
struct published_finding {
	const char *name;
	const char *metric; /* that was measured */
	double published, published_low, published_high;
	size_t published_values; /* least of both sides; 0: the author states the ratio */
	double measured, low, high;
	size_t setups; /* blocks with both sides */
	enum agreement agreement;
	const char *why; /* may be NULL */
};

/* One query of an analytic workload over all usable trials; see analysis/common_plans.h. */
struct query_finding {
	const char *name;
	size_t plans;	     /* different ones */
	bool in_all;	     /* every trial has a time of it */
	bool timed_out;	     /* some trial planned it and has no time: its limit was reached */
	bool results_differ; /* between any two trials: something is broken */
	const char *unsteady_cell; /* a cell whose own repeats had different plans; NULL: none */
	bool common;		   /* counts in m-time */
};

struct findings {
	struct arena arena;
	const char *study;
	const char *question;
	const struct metric *primary; /* what is compared; NULL: no trial has anything to compare */
	const char *primary_phase;
	bool lower_is_better;
	double margin;
	double residual_sd; /* pooled, of the logarithm of one set-up's value; NAN: none */
	double residual_df;
	bool unequal; /* residuals clearly differ between cells: pairs stand alone */
	bool has_baseline;
	size_t setups_least, setups_most; /* of the studied cells */
	size_t trials_planned, trials_done, trials_failed, trials_void, trials_spoiled;
	struct cell_finding *cells;
	size_t cell_count;
	size_t block_count;
	double *values;	      /* [cell * block_count + block] of the primary, NAN: none */
	size_t setups_needed; /* of each cell, for every interval to decide; 0: not known */
	struct controls controls;
	struct factor_findings factors;
	struct physics physics;
	struct robustness robustness;
	struct recommendation recommendation;
	const char *verdict; /* one sentence */
	const char *absent;  /* cells that can't run, in one sentence; NULL: none */
	size_t cells_absent;
	struct published_finding *published;
	size_t published_count;
	struct query_finding *queries;
	size_t query_count;
};

/* Cells and baselines come from the matrix, as the study was run. Everything is copied into
 * findings->arena; on failure nothing needs releasing. Trials that break a gate of validity.h are
 * marked in results. */
int findings_build(struct findings *findings, struct results *results, const struct study *study,
	const struct matrix *matrix, struct err *err);
void findings_release(struct findings *findings);
/* The sentence of verdict, for findings that are otherwise complete; in findings->arena. */
const char *finding_verdict_text(struct findings *findings);

/* "14 set-ups", or "more than 1000 set-ups": nobody runs those, so the figure itself says nothing.
 */
const char *finding_setups_words(size_t setups, struct arena *arena);

#endif
