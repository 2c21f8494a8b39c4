/* Tables beside the cells: published ratios, and queries with their plans. For the walk only. */
#ifndef REPORT_REPORT_COMPARED_H
#define REPORT_REPORT_COMPARED_H

#include "report/report.h"

void report_published(struct report *report);
void report_queries(struct report *report);

#endif
