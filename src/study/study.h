/*
 * A study file: INI, read by our own small reader because errors must name file:line, the key and
 * a near miss. Lines up to 4096 bytes; "; comment" or "# comment" at a line's start or after white
 * space outside quotes; '...' keeps commas, semicolons and spaces ('' is a quote inside).
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "base/arena.h"
#include "base/err.h"
#include "setting/setting.h"
#include <stddef.h>
#include <stdint.h>

#define STUDY_LINE_MAX	4096
#define STUDY_CELLS_MAX 100000

/* A key with its levels, in the file's order. */
struct factor {
	const char *name;	   /* "filesystem.recordsize" */
	const struct setting *row; /* the first row of that key; types are checked per cell */
	const char **levels;	   /* as written, quotes removed */
	size_t level_count;
	int line;
};

/* [arm NAME]: overrides. Also an exclude or baseline line: a list of name=value. */
struct override {
	const char *name;
	const char *text;
	int line;
};
struct arm {
	const char *label;
	struct override *overrides;
	size_t override_count;
	int line;
};

struct study {
	struct arena arena;
	const char *path;
	const char *name;     /* [study] name: letters, digits, '-', '_' */
	const char *question; /* may be NULL */
	const char *text;     /* the file, whole: kept with the results */
	struct factor *factors;
	size_t factor_count;
	struct arm *arms; /* empty: full factorial */
	size_t arm_count;
	struct arm *excludes; /* label NULL */
	size_t exclude_count;
	struct arm baseline; /* override_count 0: none given */
	bool small;	     /* read with its [small] section applied */
	const struct setting_catalog *catalog;
};

/* How a study is read. */
struct study_options {
	const char *path; /* of the file; study_parse() uses it for messages only */
	const struct setting_catalog *catalog;
	bool small; /* keys of its [small] section replace those of the file; an error without one
		     */
	/* Given beside the file, on the command line: fixed keys or single levels that replace
	 * those of the file; line 0. All but design.seed are noted at the end of study.text as a
	 * comment, so that a run with other ones is seen as another study. */
	const struct override *overrides;
	size_t override_count;
};

/* Parse text. On failure study is released and err says "PATH:LINE: what, near miss". */
int study_parse(struct study *study, const struct study_options *options, const char *text,
	struct err *err);
int study_load(struct study *study, const struct study_options *options, struct err *err);
void study_release(struct study *study);
/* Value of a key that is fixed for the whole study ("design.repeats"), or its fallback. */
const char *study_text(const struct study *study, const char *name);
int64_t study_integer(const struct study *study, const char *name);
int64_t study_duration(const struct study *study, const char *name);
double study_percent(const struct study *study, const char *name);
bool study_boolean(const struct study *study, const char *name);

/* The rows that belong to no driver: study, machine, device, postgres, postgresql.conf, design. */
extern const struct setting study_settings[];

#endif
