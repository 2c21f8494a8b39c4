/*
 * The PostgreSQL settings that the doctor reads: these and no others get into a facts file, so
 * that no connection string, command or password ever does. Each row also says how to make a
 * number of its text and which value holds where no file names it.
 */
#ifndef DOCTOR_GUC_LIST_H
#define DOCTOR_GUC_LIST_H

#include <jansson.h>

enum guc_kind { GUC_TEXT, GUC_NUMBER, GUC_BYTES, GUC_TIME };

struct guc {
	const char *name;
	enum guc_kind kind;
	const char *unit;     /* of a bare number: "8kB", "kB", "MB", "B", "ms", "s", "min" */
	const char *fallback; /* documented built-in value; NULL: differs by platform or build */
	long from;	      /* first server_version_num that has it; 0: all from 13 on */
	const char *fallback_before; /* value before the version below */
	long changed;		     /* 0: fallback holds for all */
};

extern const struct guc guc_list[]; /* ends with {0} */

const struct guc *guc_find(const char *name);

/* The documented built-in value of a version, or NULL if it has none or is not known. */
const char *guc_fallback(const struct guc *guc, long version);

/*
 * A setting as the rules use it: sizes in bytes, times in ms, numbers as numbers, the rest as text.
 * unit is the one the server told (NULL: the list's). -1 keeps its meaning. NULL if the text is no
 * number where one is needed. The caller owns the result.
 */
json_t *guc_value(const struct guc *guc, const char *text, const char *unit);

#endif
