/* What the printed forms share. */
#ifndef DOCTOR_PRINT_DOCTOR_PRINT_INTERNAL_H
#define DOCTOR_PRINT_DOCTOR_PRINT_INTERNAL_H

#include "doctor/doctor.h"

/* Call visit for each line "kind: text" of a fix or undo; kind without the colon. The texts are
 * lent for the call. */
void print_commands(const char *lines,
	void (*visit)(void *context, const char *kind, const char *text), void *context);

/* "PostgreSQL 15.4, Linux 6.1.0, seen through server"; control characters taken out. */
void print_subject(const struct doctor *doctor, struct strbuf *out);

/* "2 danger, 3 cost, 1 hint". */
void print_counts(const struct doctor *doctor, struct strbuf *out);

/* Skipped rules by reason: call visit once a reason with the ids that share it. */
void print_skipped(const struct doctor *doctor,
	void (*visit)(void *context, const char *reason, const char *ids, const char *missing),
	void *context);

#endif
