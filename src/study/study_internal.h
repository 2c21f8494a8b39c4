/* Shared by the reader's files: lines, values, errors with file:line. */
#ifndef STUDY_STUDY_INTERNAL_H
#define STUDY_STUDY_INTERNAL_H

#include "study/study.h"

/* Levels of a value: commas outside quotes; quotes removed; white space trimmed. -EINVAL for an
 * open quote or an empty level. */
int value_split(const char *text, struct arena *arena, const char ***ret_levels, size_t *ret_count,
	struct err *err);

/* "a.b=c d.e=f" into overrides (white space outside quotes separates). */
int assignments_split(
	const char *text, int line, struct arena *arena, struct arm *ret_arm, struct err *err);

/* "postgresql.conf.fsync" into section and key by the catalog's sections; -ENOENT. */
int name_split(const struct setting_catalog *catalog, const char *name, struct arena *arena,
	const char **ret_section, const char **ret_key);

#endif
