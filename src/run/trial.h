/* One trial: the same start state, warm-up, window, closing, everything into its record. */
#ifndef RUN_TRIAL_H
#define RUN_TRIAL_H

#include "record/record.h"
#include "run/rig.h"
#include "study/study.h"
#include "workload/workload.h"

struct trial_options {
	struct rig *rig;		 /* up, loaded, server stopped */
	const struct settings *settings; /* of the cell */
	const struct workload_driver *driver;
	uint64_t seed;
	bool restore; /* not the first run of the set-up: the loaded state is brought back */
	bool canary;  /* fixed tests of the machine before and after */
	const struct probe_driver *const *probes; /* NULL: all */
	const char *raw_folder;			  /* of the run-as user, empty */
	/* Tells where it is; true: the user wants to stop. May be NULL. progress NULL: a phase
	 * begins. */
	bool (*tell)(void *listener, const char *phase, const struct workload_progress *progress);
	void *listener;
};

/* Bring the server up on the same start state, run, collect into record. 0: measured; -EINTR: the
 * user stopped it; else it broke, and rig->blame says on whose side. The server is stopped when it
 * returns. */
int trial_run(const struct trial_options *options, struct trial_record *record, struct err *err);

/* The load of a set-up, server running: phase "load" of record. Errors as above. */
int trial_load(const struct trial_options *options, struct trial_record *record, struct err *err);

#endif
