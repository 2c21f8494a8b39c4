/*
 * The conditions of the rules: short expressions over named facts, so that what a rule asks can be
 * read, documented and tested as data.
 *
 *	location.zfs and dataset.recordsize <= 8K and pool.ashift >= 12
 *	zfs.version < v2.1.14 or dataset.compression in ('gzip', 'zle')
 *
 * Words: or, and, not, comparison (= != < <= > >= in), + -, * /, (...); numbers with K M G T
 * (powers of 1024), vA.B.C (a version as a number, see expression_version), 'text', names with
 * dots. Values are truth, number or text. Logic has three values (Kleene): an absent fact, or one
 * of the wrong kind, is unknown, and unknown only spreads where the other side does not decide.
 */
#ifndef DOCTOR_EXPRESSION_H
#define DOCTOR_EXPRESSION_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

struct expression;

/* Where names are looked up: first in subject (may be NULL), then in root. */
struct scope {
	const json_t *subject;
	const json_t *root;
};

/* Names that were asked for and not usable, in the order met, each once. */
#define MISSING_MAX 16
struct missing {
	const char *names[MISSING_MAX]; /* lent by the expression */
	size_t count;
};

/* The expression lives as long as the arena. Errors say where in the text. */
int expression_parse(
	const char *text, struct arena *arena, struct expression **ret_expression, struct err *err);

/* missing may be NULL; it is added to, never cleared. A result that is not truth is unknown. */
enum truth expression_evaluate(
	const struct expression *expression, const struct scope *scope, struct missing *missing);

/* Call visit once for each name, in text order, repeats included. */
void expression_names(const struct expression *expression,
	void (*visit)(void *context, const char *name), void *context);

/* The value a name has in a scope; NULL if absent. Lent. */
const json_t *scope_find(const struct scope *scope, const char *name);

/* "2.1.14", "6.12.9-amd64", "zfs-2.3.2-1" -> 20114, 61209, 20302; -1 without a leading number.
 * Each of the later parts counts up to 99. */
long expression_version(const char *text);

#endif
