/*
 * Queries whose plans are the same in every arm. Times of a query whose plan changed measure the
 * planner, not the storage: m-time is the time over the others alone, a metric of its own
 * ("m_time_ns") that is put into the results and preferred to the total over all queries.
 */
#ifndef ANALYSIS_COMMON_PLANS_H
#define ANALYSIS_COMMON_PLANS_H

#include "analysis/finding.h"

/* Look at the queries of all usable trials, add m_time_ns to each trial. Nothing happens without
 * queries. Fills findings->queries. Before the primary metric is chosen. */
void common_plans_make(
	struct findings *findings, struct results *results, const struct matrix *matrix);

#endif
