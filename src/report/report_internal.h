/* Shared by the two parts of the walk: report.c (what was measured), report_findings.c (what it
 * means). */
#ifndef REPORT_REPORT_INTERNAL_H
#define REPORT_REPORT_INTERNAL_H

#include "report/report.h"
#include "report/report_table.h"

/* A paragraph; nothing if text is NULL or the form has no paragraphs. */
void report_say(struct report *report, const char *key, const char *text);

void report_controls(struct report *report);
void report_noise(struct report *report);
void report_checks(struct report *report);
void report_factors(struct report *report);
void report_choices(struct report *report);
void report_ledger(struct report *report);

#endif
