/* Shared by the reader's files: lines, values, errors with file:line. */
#ifndef STUDY_STUDY_INTERNAL_H
#define STUDY_STUDY_INTERNAL_H

#include "study/matrix.h"
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

/* Settings that shape the plan, not a cell: they are no part of any identity. */
bool name_belongs_to_plan(const char *name);

/* What an arm sets; NULL: nothing of that name, or no arm. */
const struct override *arm_override(const struct arm *arm, const char *name);

/* Set the baseline of every cell to the first of count candidates (cells' indices, ascending, at
 * least one) that it is comparable with, else to the first of all. Comparable: they agree in every
 * factor that the baseline does not name and no arm of theirs sets: all of them, or with no
 * baseline given those of the workload. What varies only because another filesystem has other keys
 * does not count. */
void baselines_assign(
	struct matrix *matrix, const struct study *study, const size_t *candidates, size_t count);

#endif
