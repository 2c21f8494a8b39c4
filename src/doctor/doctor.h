/*
 * The doctor: what is wrong with this PostgreSQL and the filesystem under it? Facts are gathered
 * (collect/collect.h) or loaded (facts.h), judged by rules (judge.h) and looked at together
 * (cross/); here the whole, and the forms it is printed in. Nothing is written but what a caller
 * asks for.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "doctor/judge.h"
#include "base/err.h"
#include "base/strbuf.h"
#include <jansson.h>

struct doctor {
	const json_t *facts; /* lent */
	struct view view;
	struct diagnosis diagnosis;
	json_t *safety;	    /* cross/safety_verdict.h */
	json_t *memory;	    /* cross/memory_ledger.h; NULL if no limit is known */
	json_t *writes;	    /* cross/write_ledger.h; NULL without --seconds */
	json_t *asked_real; /* cross/asked_real.h */
	json_t *space;	    /* cross/space_forecast.h */
};

/* The facts must outlive the doctor. */
int doctor_init(struct doctor *doctor, const json_t *facts, struct err *err);
void doctor_release(struct doctor *doctor); /* fine after a failed init */

/* Text for a terminal: one screen, or everything. */
void doctor_text(const struct doctor *doctor, bool verbose, struct strbuf *out);
/* One JSON object: schema version, findings, skipped rules, cross-checks. */
void doctor_json(const struct doctor *doctor, struct strbuf *out);
/* One self-contained page; every text from facts is escaped. */
void doctor_html(const struct doctor *doctor, struct strbuf *out);
/* One line as monitoring plugins print it; returns 0 OK, 1 warning, 2 critical, 3 unknown. A rule
 * that could be a danger and was not judged makes "unknown" of "OK". */
int doctor_nagios(const struct doctor *doctor, struct strbuf *out);
/* A commented shell script with the fixes in a safe order; it is printed, never run. */
void doctor_fix_script(const struct doctor *doctor, struct strbuf *out);

/* All rules as the page docs/rules.md; one rule in long form. */
void doctor_rules_page(struct strbuf *out);
void doctor_explain(const struct check *check, struct strbuf *out);

/* "`plumb run studies/NAME.ini`", or the crash lab's command for a rule's study. */
void doctor_measure_command(const struct check *check, struct strbuf *out);

#endif
