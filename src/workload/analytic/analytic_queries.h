/*
 * The queries of the analytic workload: plumb's own, on its own schema; results are not
 * comparable to TPC results. Every result is in a total order and free of floating point, so that
 * equal data give equal text.
 */
#ifndef WORKLOAD_ANALYTIC_QUERIES_H
#define WORKLOAD_ANALYTIC_QUERIES_H

#include <stddef.h>

struct analytic_query {
	const char *name; /* "q01": part of metric names */
	const char *kind; /* what it stresses */
	const char *sql;
};

#define ANALYTIC_QUERIES 22
extern const struct analytic_query analytic_queries[ANALYTIC_QUERIES];

/* NULL: no query of that name. */
const struct analytic_query *analytic_query_find(const char *name, size_t length);

#endif
