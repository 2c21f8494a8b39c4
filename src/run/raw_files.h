/* Raw files of a trial: written by the run-as user in the rig's scratch folder, kept in the results
 * folder, which that user need not be able to reach. */
#ifndef RUN_RAW_FILES_H
#define RUN_RAW_FILES_H

#include "platform/os_user.h"
#include "record/record.h"

/* A folder for one trial below the rig's raw folder, empty, the user's when user is not NULL. */
int raw_files_prepare(const char *path, const struct os_user *user, struct err *err);

/* The length of a log now: where a trial's part begins. */
uint64_t raw_files_length(const char *path);

/* A log that goes on over several trials. */
struct raw_log {
	const char *path;
	uint64_t start;	  /* its length when the trial began */
	const char *kind; /* of the raw file, as struct raw_file */
	const char *name;
};
/* Add what the log has gained to record, as a file in folder. */
int raw_files_add_log(struct trial_record *record, const struct raw_log *log, const char *folder,
	struct err *err);

/* Where a trial's files are kept: results/raw/STUDY/TRIAL. */
struct raw_place {
	const char *results; /* NULL: nowhere, they are dropped with their folder */
	const char *study;
	const char *trial_id;
};
/* Move the files that record names (relative to folder) there and make their names relative to
 * results. */
int raw_files_keep(struct trial_record *record, const char *folder, const struct raw_place *where,
	struct err *err);

#endif
