/*
 * The names that conditions and texts of rules may use, what they mean, and which part of the
 * facts document they come from: so that a rule that could not be judged says what was not seen
 * and why.
 */
#ifndef DOCTOR_FACT_NAMES_H
#define DOCTOR_FACT_NAMES_H

struct fact_name {
	const char *name;    /* ends with '.': any name that begins so */
	const char *from;    /* path in the facts document whose absence explains it */
	const char *meaning; /* with its source, in words */
};

extern const struct fact_name fact_names[]; /* ends with {0} */

/* The row of a name (the longest that fits), or NULL: a rule must not use it. */
const struct fact_name *fact_name_find(const char *name);

#endif
