/*
 * The plan: set-ups in randomised complete blocks, and the trials inside them. Pure: the same
 * study and seed give the same plan on any machine.
 *
 * Cells that differ only in settings with reload = no share a set-up: it is provisioned once per
 * block and its trials run in random order from the same start state.
 */
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H

#include "base/hash.h"
#include "study/matrix.h"

struct planned_setup {
	char id[HASH_TEXT_SIZE]; /* hash(study name, settings that need a set-up, label, block,
				    seed) */
	size_t block;		 /* 0-based */
	size_t order;		 /* position in the whole plan */
	size_t cell;		 /* a cell that has these set-up settings */
	size_t first_trial;	 /* in plan.trials */
	size_t trial_count;
};

struct planned_trial {
	char id[HASH_TEXT_SIZE]; /* hash(setup id, run-level settings, run number) */
	size_t setup;		 /* in plan.setups */
	size_t cell;
	size_t run;   /* 0-based run inside the set-up */
	size_t order; /* position in the whole plan */
};

struct plan {
	struct arena arena;
	uint64_t seed;
	size_t block_count;
	struct planned_setup *setups;
	size_t setup_count;
	struct planned_trial *trials;
	size_t trial_count;
};

/* blocks: how many blocks to plan (design.repeats, or more when precision asks for them; a longer
 * plan begins with the shorter one). */
int plan_build(struct plan *plan, const struct study *study, const struct matrix *matrix,
	size_t blocks, struct err *err);
void plan_release(struct plan *plan);

/* Time and disk that a plan needs, from step times (seconds) that the caller measured before. */
struct plan_step_times {
	double setup_s;		 /* device, mkfs, initdb, start, stop, destroy; 0: not known */
	double load_s_per_scale; /* pgbench -i, one unit of scale */
	double overhead_run_s;	 /* around warm-up and window of a run */
	bool measured;		 /* false: built-in guesses */
	/* Bytes that the workload of a cell will make; NULL: not known. */
	uint64_t (*expected_bytes)(const struct settings *settings);
	const bool *absent; /* by cell: it can't run here and takes no time; NULL: all can */
};
struct plan_estimate {
	double total_s;
	uint64_t peak_disk_bytes; /* the largest set-up; one exists at a time */
};
void plan_estimate(const struct plan *plan, const struct matrix *matrix,
	const struct plan_step_times *times, struct plan_estimate *ret_estimate);

#endif
