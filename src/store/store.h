/*
 * Where results lie. One driver a kind (sqlite, memory). A trial is written whole, in one
 * transaction: it is sealed or it is not there.
 *
 * A results folder holds STORE_DATABASE, STORE_LOCK (one writer at a time) and raw files, whose
 * paths in the records are relative to the folder.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"
#include "record/absent.h"
#include "record/record.h"
#include <stdbool.h>
#include <stdint.h>

struct store_study {
	const char *name;
	const char *text; /* the study file, whole: a study that changed is refused */
	bool small;	  /* run with its [small] section applied */
	uint64_t seed;
	int64_t created_utc_ns;
	const char *program_version;
};

struct store_setup {
	const char *setup_id;
	const char *study;
	const char *label; /* arm or "recordsize=32K ..." of the set-up's settings */
	size_t block;
	size_t order;
	const struct settings *settings; /* that needed this set-up */
};

struct store_trial {
	const char *trial_id;
	const char *setup_id;
	size_t cell; /* index of the cell in the study's matrix */
	const char *cell_label;
	int role; /* of the cell: studied, A/A control, planted */
	size_t run;
	size_t order;
	/* Given by seal(), ignored as input: 1, 2, ... (earlier ones were VOID), and the plumb that
	 * measured. */
	size_t attempt;
	const char *program_version;
	const struct settings *settings; /* all, asked for */
};

/* A sealed trial as it comes back; everything is lent until the callback returns. */
struct store_result {
	struct store_setup setup;
	struct store_trial trial;
	const struct trial_record
		*record; /* samples: only whole ones unless series were asked for */
};
/* What a scan brings, in plan order, every attempt. */
struct store_query {
	const char *study;    /* NULL: of all studies */
	const char *trial_id; /* its beginning is enough; NULL: all */
	bool with_series;     /* also samples that have a time */
};
/* Return non-zero to stop the scan; that value is passed through. */
typedef int store_visit(void *context, const struct store_result *result);

#define STORE_DATABASE "results.sqlite"
#define STORE_LOCK     "plumb.lock"

enum store_mode { STORE_READ, STORE_WRITE };

struct store;
struct store_driver {
	const char *name;
	/* path: the results folder (made when missing, STORE_WRITE). Errors: read-only folder,
	 * locked (who holds it), damaged, newer schema: each with what to do. */
	int (*open)(
		const char *path, enum store_mode mode, struct store **ret_store, struct err *err);
	/* Remember the study, or check that it is the one remembered: -ESTALE if its text, --small
	 * or seed changed, with the first difference. */
	int (*put_study)(struct store *store, const struct store_study *study, struct err *err);
	/* Stored studies in the order they were put; everything lent until visit returns. */
	int (*studies)(struct store *store,
		int (*visit)(void *context, const struct store_study *study), void *context,
		struct err *err);
	/* Remember which cells of a study that was put could not run on the machine of its last
	 * run, in place of what was remembered before. */
	int (*put_absent)(struct store *store, const char *study, const struct absent_cells *absent,
		struct err *err);
	/* Adds them to absent. */
	int (*get_absent)(struct store *store, const char *study, struct absent_cells *absent,
		struct err *err);
	/* Write one trial whole; -EEXIST if a DONE or FAILED one with this id is sealed already. A
	 * VOID one may be repeated: its earlier attempts are kept with an attempt number. */
	int (*seal)(struct store *store, const struct store_setup *setup,
		const struct store_trial *trial, const struct trial_record *record,
		struct err *err);
	/* State of a sealed trial (DONE or FAILED, else VOID), or TRIAL_PLANNED when there is none.
	 */
	int (*state)(struct store *store, const char *trial_id, enum trial_state *ret_state,
		struct err *err);
	int (*scan)(struct store *store, const struct store_query *query, store_visit *visit,
		void *context, struct err *err);
	/* Step times for plan estimates and other small facts: name to number. */
	int (*put_number)(struct store *store, const char *name, double value, struct err *err);
	int (*get_number)(struct store *store, const char *name, double *ret_value,
		struct err *err); /* -ENOENT */
	void (*close)(struct store *store);
};

struct store {
	const struct store_driver *driver;
};

extern const struct store_driver sqlite_store, memory_store;

int store_open(const struct store_driver *driver, const char *path, enum store_mode mode,
	struct store **ret_store, struct err *err);
int store_put_study(struct store *store, const struct store_study *study, struct err *err);
int store_studies(struct store *store, int (*visit)(void *context, const struct store_study *study),
	void *context, struct err *err);
int store_put_absent(
	struct store *store, const char *study, const struct absent_cells *absent, struct err *err);
int store_get_absent(
	struct store *store, const char *study, struct absent_cells *absent, struct err *err);
int store_seal(struct store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err);
int store_state(
	struct store *store, const char *trial_id, enum trial_state *ret_state, struct err *err);
int store_scan(struct store *store, const struct store_query *query, store_visit *visit,
	void *context, struct err *err);
int store_put_number(struct store *store, const char *name, double value, struct err *err);
int store_get_number(struct store *store, const char *name, double *ret_value, struct err *err);
struct store *store_close(struct store *store); /* takes NULL, returns NULL */

#endif
