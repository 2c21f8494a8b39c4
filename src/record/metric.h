/* Names of everything that is measured: one row a metric. docs/metrics is made from these rows. */
#ifndef RECORD_METRIC_H
#define RECORD_METRIC_H

#include "base/strbuf.h"
#include <stddef.h>

enum metric_direction { METRIC_HIGHER, METRIC_LOWER, METRIC_NEITHER };

/* How the values of one set-up's runs become one number for the analysis. */
enum metric_aggregate { METRIC_GEOMETRIC_MEAN, METRIC_MEAN, METRIC_SUM, METRIC_LAST, METRIC_MAX };

struct metric {
	const char *name; /* "tps", "latency_p99_ns"; a "*" at the end stands for a family */
	const char *unit; /* "1/s", "ns", "bytes", "count", "ratio", "percent" */
	enum metric_direction better;
	enum metric_aggregate aggregate;
	const char *help;
};

/* The row for a name (also of a family); NULL if unknown: such a sample is a mistake of ours. */
const struct metric *metric_find(const char *name);
const struct metric *metric_rows(size_t *ret_count);
void metric_document(struct strbuf *text); /* docs/metrics.md */

#endif
