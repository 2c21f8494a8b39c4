/* What the load driver does, as data: the steps of one load in their order. Of the world only the
 * current folder is asked for, from which a user's paths count. */
#ifndef WORKLOAD_LOAD_STEPS_H
#define WORKLOAD_LOAD_STEPS_H

#include "base/arena.h"
#include "base/err.h"
#include "setting/setting.h"

#include <stdbool.h>

/* The database that is loaded, dropped and made anew before each run. */
#define LOAD_DATABASE "plumb_load"

#define LOAD_ARGUMENTS_MAX 16
#define LOAD_STEPS_MAX	   40

struct load_step {
	const char *part;    /* load_PART_s; NULL: not counted (preparation) */
	const char *program; /* "psql", "pgbench", "pg_restore": of the cluster's version */
	const char *arguments[LOAD_ARGUMENTS_MAX]; /* without argv[0]; NULL-ended */
	const char *file;			   /* of the user's that it reads; NULL: none */
	bool script;	      /* file is among the arguments and SQL for psql */
	bool parts_in_output; /* pgbench -i: its own parts are read from its last line */
};

struct load_steps {
	struct load_step steps[LOAD_STEPS_MAX];
	size_t count;
};

/* Steps of a cell's settings. Strings are the arena's or the settings'. -EINVAL: a setting that
 * can't be (an empty table name, too many files). */
int load_steps_make(const struct settings *settings, struct arena *arena,
	struct load_steps *ret_steps, struct err *err);

#endif
