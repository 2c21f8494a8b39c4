/* Tables that only some studies have: a load by part, published ratios, queries with their plans
 * and times, the space of a pool. Each writes nothing where there is nothing. For the walk only. */
#ifndef REPORT_REPORT_COMPARED_H
#define REPORT_REPORT_COMPARED_H

#include "report/report.h"

void report_load(struct report *report);
void report_published(struct report *report);
void report_queries(struct report *report);
void report_space(struct report *report);

#endif
