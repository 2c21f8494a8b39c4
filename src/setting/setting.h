/*
 * Settings: one row a key. The same row makes the parser, the help, the manual page,
 * docs/study-keys and the comparison of asked-for with effective values. Full name of a setting:
 * "section.key".
 */
#ifndef SETTING_SETTING_H
#define SETTING_SETTING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_type {
	SETTING_SIZE, /* bytes: 8192, 8K, 32MB, 1G (powers of 1024; "kB" and "K" are the same) */
	SETTING_DURATION, /* nanoseconds: 250us, 5ms, 30s, 15min, 2h, 1d; a bare number is seconds
			   */
	SETTING_INTEGER,
	SETTING_REAL,
	SETTING_PERCENT, /* "2%" */
	SETTING_BOOLEAN, /* on off yes no true false */
	SETTING_WORD,	 /* one of words */
	SETTING_TEXT,	 /* anything, checked by check() if there is one */
};

/* How a value may be given in a study. */
enum setting_use {
	SETTING_FACTOR, /* may have several levels, separated by commas */
	SETTING_FIXED,	/* one value for the whole study */
};

struct setting {
	const char *section; /* "filesystem", or "device.log" */
	const char *key;     /* "*": any key of this section, kept as text (postgresql.conf) */
	/* Words of the section's own "type" key for which this row holds; NULL: for all. Two rows
	 * may share a key when their types differ. */
	const char *types;
	enum setting_type type;
	enum setting_use use;
	int64_t min, max;  /* in the base unit (bytes, ns, ...); both 0: no bounds */
	bool power_of_two; /* size only */
	const char *words; /* SETTING_WORD: "off lz4 zstd"; "zstd-N:1:19" allows zstd-1..zstd-19 */
	const char *fallback;	 /* value when not given; NULL: unset, the part decides */
	bool reload;		 /* a change needs a new set-up (filesystem, page size, scale) */
	const char *unavailable; /* not NULL: known, refused with this reason */
	/* Optional. Further check of one value; text is already canonical. */
	int (*check)(const struct setting *setting, const char *text, struct err *err);
	const char *help; /* one line, no full stop */
};

/* All rows that a study may use: tables of rows, each ended by a row without key. */
struct setting_catalog {
	const struct setting *const *tables; /* NULL-ended */
};

/* The row of section.key, for the section's type word (NULL: the first that matches); NULL if
 * there is none. */
const struct setting *setting_find(const struct setting_catalog *catalog, const char *section,
	const char *key, const char *type);
bool setting_section_exists(const struct setting_catalog *catalog, const char *section);
/* Closest known key or section by edit distance; NULL when nothing is near. */
const char *setting_near_key(
	const struct setting_catalog *catalog, const char *section, const char *key);
const char *setting_near_section(const struct setting_catalog *catalog, const char *section);

/* Check text against the row; *ret_canonical (in arena) is its one canonical spelling: equal
 * values have equal text ("8192" and "8kB" both give "8K"; "yes" gives "on"). */
int setting_canonical(const struct setting *setting, const char *text, struct arena *arena,
	const char **ret_canonical, struct err *err);

/* Parse one value. -EINVAL, -ERANGE; the output is untouched on failure. */
int size_parse(const char *text, uint64_t *ret_bytes);
int duration_parse(const char *text, int64_t *ret_ns);
int boolean_parse(const char *text, bool *ret_value);
int integer_parse(const char *text, int64_t *ret_value);
int real_parse(const char *text, double *ret_value);
int percent_parse(const char *text, double *ret_fraction); /* "2%" gives 0.02 */
void size_format(uint64_t bytes, struct strbuf *text);	   /* "8K": largest exact unit */
void duration_format(int64_t ns, struct strbuf *text);	   /* "15min" */
/* For people: 3 digits and a unit: "1.23 GB", "45.1 ms". */
void size_format_human(double bytes, struct strbuf *text);
void duration_format_human(double ns, struct strbuf *text);

/* A set of values by full name, sorted by name: what a cell, an arm or a report holds. */
struct setting_value {
	const char *name; /* "filesystem.recordsize" */
	const char *text; /* canonical */
	bool reload;
	int line; /* in the study file; 0: a fallback */
};
struct settings {
	struct setting_value *values;
	size_t count;
	size_t size;
};
void settings_release(struct settings *settings); /* not the strings: those are an arena's */
/* Set or replace. name and text are lent and must live as long as settings. */
void settings_set(struct settings *settings, const struct setting_value *value);
void settings_copy(struct settings *to, const struct settings *from);
const struct setting_value *settings_find(const struct settings *settings, const char *name);
/* Text of a value, or fallback when unset. */
const char *settings_text(const struct settings *settings, const char *name, const char *fallback);
/* Typed access for values that were checked; fallback when unset. */
uint64_t settings_size(const struct settings *settings, const char *name, uint64_t fallback);
int64_t settings_duration(const struct settings *settings, const char *name, int64_t fallback_ns);
int64_t settings_integer(const struct settings *settings, const char *name, int64_t fallback);
double settings_real(const struct settings *settings, const char *name, double fallback);
double settings_percent(const struct settings *settings, const char *name, double fallback);
bool settings_boolean(const struct settings *settings, const char *name, bool fallback);

/* The text block about one section for help and manual: key, type, bounds, default, reload, help.
 */
enum setting_format { SETTING_AS_TEXT, SETTING_AS_ROFF, SETTING_AS_MARKDOWN };
void setting_document(
	const struct setting_catalog *catalog, enum setting_format format, struct strbuf *text);

#endif
