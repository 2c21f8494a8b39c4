/* Shared by runner.c, runner_setup.c and runner_check.c. */
#ifndef RUN_RUNNER_INTERNAL_H
#define RUN_RUNNER_INTERNAL_H

#include "platform/os_user.h"
#include "run/rig.h"
#include "run/runner.h"
#include "run/trial.h"

/* One call of runner_run(). */
struct runner {
	const struct run_options *options;
	struct run_summary *summary;
	struct plan plan;
	struct absent_cells absent;
	bool *is_absent; /* by cell; NULL until they were checked */
	struct os_user user;
	bool drop_user;
	bool stopped;
	int64_t began_ns;
	double planned_s; /* estimate for what is still to do, when it began */
	size_t to_do, tried;
	struct run_event now; /* what the next event is about */
};

/* Does this cell need a server of our own building that is not there yet? */
struct pg_build_spec;
bool runner_needs_build(const struct settings *settings, struct pg_build_spec *ret_spec);
/* Build what the cells need (builds.c): minutes each, told to the listener. Cells whose server
 * can't be built become absent. -EINTR. */
int runner_build_servers(struct runner *runner, struct err *err);

/* 0 while a cell of the study can run; else all reasons. */
int runner_some_can_run(
	const struct matrix *matrix, const struct absent_cells *absent, int code, struct err *err);

bool runner_is_fake(const struct matrix *matrix);
/* Who the server runs as. */
int runner_user(const struct run_options *options, struct os_user *ret_user, bool *ret_drop,
	struct err *err);

/* Is there still room for one set-up? Others fill the same disk. -ENOSPC with figures. */
int runner_space_now(const struct run_options *options, const struct settings *settings,
	bool keeps_image, struct err *err);

/* Fill in time and place, call the listener. text may be NULL. */
void runner_tell(struct runner *runner, enum run_event_kind kind, const char *text);
bool runner_wants_stop(struct runner *runner);

/* Provision one set-up, run those of its trials that are not sealed, take it down. -EINTR, or a
 * failure that ends the study (the store); what the trials came to is sealed. */
int runner_setup(struct runner *runner, size_t setup, struct err *err);

#endif
