/*
 * SQL scripts of a workload: shipped ones known by name, or the user's files. Either is put into
 * the trial's raw folder before use: that is kept with the results, and the server's user can read
 * it there even where it can't read the user's own folder.
 */
#ifndef WORKLOAD_SCRIPTS_H
#define WORKLOAD_SCRIPTS_H

#include "base/err.h"

/* Can it be used: shipped, or a file that we can read? -errno names it. */
int script_check(const char *name, struct err *err);

/* Put it into folder; *ret_path is yours. */
int script_place(const char *name, const char *folder, char **ret_path, struct err *err);

/* Every shipped script, for documentation: name and what it does; NULL ends. */
struct shipped_script {
	const char *name, *help, *text;
};
extern const struct shipped_script shipped_scripts[];

#endif
