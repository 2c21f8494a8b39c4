/*
 * Facts: everything the doctor knows about a system, as one JSON document. Collectors fill it on
 * the machine itself; rules judge it there or anywhere else (docs/format.md describes the shape).
 * A fact that could not be read is absent, and "unseen" says why: absent never means fine.
 */
#ifndef DOCTOR_FACTS_H
#define DOCTOR_FACTS_H

#include "base/err.h"
#include "base/strbuf.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define FACTS_SCHEMA	     1
#define FACTS_FILE_MAX_BYTES (16 * 1024 * 1024)

/* An empty document of this schema, with "origin" set. The caller owns the reference. */
json_t *facts_new(const char *origin);

/*
 * Read a document that may come from anyone: at most FACTS_FILE_MAX_BYTES, valid JSON without
 * repeated keys, an object of our schema whose lists and objects have the right kind. What is in
 * them is still not trusted: every reader checks the kind of what it takes.
 */
int facts_parse(const char *text, size_t length, json_t **ret_facts, struct err *err);
int facts_load(const char *path, json_t **ret_facts, struct err *err);

/* The document as text, indented, keys sorted; to a file, old or new, never half. */
int facts_format(const json_t *facts, struct strbuf *text, struct err *err);
int facts_save(const json_t *facts, const char *path, struct err *err);

/* The value at a dotted path such as "postgres.settings.fsync"; NULL if a step is not there.
 * Lent. */
json_t *facts_at(const json_t *facts, const char *path);

/* Put value (the reference is taken over; NULL is ignored) at a dotted path, making objects on the
 * way. */
void facts_put(json_t *facts, const char *path, json_t *value);
void facts_put_text(json_t *facts, const char *path, const char *text); /* NULL is ignored */
void facts_put_number(json_t *facts, const char *path, double number);	/* whole ones stay whole */
void facts_put_bool(json_t *facts, const char *path, bool value);

/* Text, number or truth of a member; the fallback if it is absent or of another kind. */
const char *facts_text(const json_t *object, const char *path, const char *fallback);
double facts_number(const json_t *object, const char *path, double fallback);
bool facts_bool(const json_t *object, const char *path, bool fallback);

/* Note that the facts below a dotted path could not be read, and why. */
void facts_unseen(json_t *facts, const char *path, const char *format, ...) PRINTF_LIKE(3, 4);

/* Why a path was not read: the reason noted for it or for the longest path above it; NULL if none
 * was. Lent. */
const char *facts_why_unseen(const json_t *facts, const char *path);

#endif
