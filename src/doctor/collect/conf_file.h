/* Reader for PostgreSQL configuration files. */
#ifndef DOCTOR_COLLECT_CONF_FILE_H
#define DOCTOR_COLLECT_CONF_FILE_H

#include "base/err.h"

/* Called for each "name = value" in file order (a later one wins), names in lower case. */
typedef void conf_file_visit(void *context, const char *file, const char *name, const char *value);

/* Read a file and what it includes (include, include_if_exists, include_dir), at most 10 deep.
 * A line that is no setting is an error with file and line. */
int conf_file_read(const char *path, conf_file_visit *visit, void *context, struct err *err);

#endif
