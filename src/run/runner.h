/*
 * Running a study: the plan's set-ups in order, their trials, each sealed as it ends. What is
 * sealed already is not run again, so the same call resumes.
 */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "base/clock.h"
#include "base/err.h"
#include "run/folders.h"
#include "run/listener.h"
#include "store/store.h"
#include "study/matrix.h"
#include "study/plan.h"
#include "study/study.h"

struct run_options {
	const struct study *study;
	const struct matrix *matrix; /* of the study */
	struct store *store;	     /* open for writing */
	const char *results_folder;  /* raw files go to raw/ below it; NULL: none are kept */
	const struct folders *folders;
	const char *run_as; /* as root: the server's user; NULL: "postgres" */
	const char *program_version;
	struct clock *clock;
	struct run_listener *listener;
	const struct probe_driver *const *probes; /* NULL: all that plumb has (tests) */
	/* Optional: with design.precision, asked after each block whether every interval of what is
	 * sealed is at most that wide (half-width). Without it no blocks are added. */
	int (*precise)(void *context, double precision, bool *ret_precise, struct err *err);
	void *precise_context;
};

struct run_summary {
	size_t planned;	      /* without those of cells that can't run here */
	size_t sealed_before; /* of earlier runs */
	size_t done, failed, voided;
	bool interrupted;
	double measured_s; /* wall time of this call */
};

/*
 * Check every cell against this machine (runner_check), build the servers it needs, remember the
 * study and the cells that can't run here in the store, finish what a killed plumb left, run the
 * others. 0 when all trials of the plan have been tried, also when some are
 * FAILED or VOID: *ret_summary tells. -EINTR: the user stopped it, all that was sealed is kept.
 * Other errors: it could not start, or could not go on (the store, the journal); err says why.
 */
int runner_run(const struct run_options *options, struct run_summary *ret_summary, struct err *err);

/*
 * Which cells can run on this machine, and do they fit? Programs, kernel, user, disk space with
 * figures. Touches nothing. Cells that this machine has not what they need for are added to absent
 * (lend an empty one), and it is 0 as long as one cell of the study can run. -EINVAL, -ERANGE with
 * the cell's label: the study itself is wrong. Others: nothing of it can run here, with all
 * reasons.
 */
int runner_check(const struct run_options *options, struct absent_cells *absent, struct err *err);
/* By cell of the matrix: is it absent, or the control of a cell that is? To be freed. */
bool *runner_absent_flags(const struct matrix *matrix, const struct absent_cells *absent);

/* Bytes that one set-up of this cell needs at most in the filesystem, and on the host. */
void runner_space(const struct settings *settings, bool keeps_image, uint64_t *ret_filesystem_bytes,
	uint64_t *ret_host_bytes);

/* Step times measured on this machine by earlier runs of this store, for plan_estimate(); built-in
 * guesses where there are none. */
void runner_step_times(struct store *store, struct plan_step_times *ret_times);

#endif
