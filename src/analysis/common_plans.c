/* Queries with common plans, and m-time (see common_plans.h). */
#include "analysis/common_plans.h"

#include "analysis/finding_internal.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct results_query *query_of(const struct results_trial *trial, const char *name)
{
	for (size_t i = 0; i < trial->query_count; i++)
		if (strcmp(trial->queries[i].name, name) == 0)
			return &trial->queries[i];
	return NULL;
}

/* A run-level value of a query; the last pass that it has: warm, or cold where there is one pass.
 */
static double query_time_ns(
	const struct results *results, const struct results_trial *trial, const char *name)
{
	static const char *const passes[] = { "warm", "cold" };

	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		char metric[64];
		double value;

		snprintf(metric, sizeof(metric), "query_%s_%s_ns", name, passes[i]);
		value = results_value(trial, results_metric_index(results, "run", metric));
		if (isfinite(value))
			return value;
	}
	return NAN;
}

/* Every query that any usable trial ran, in the order met. */
static void list_queries(struct findings *findings, const struct results *results)
{
	size_t room = 0;

	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];

		for (size_t q = 0; finding_is_usable(trial) && q < trial->query_count; q++) {
			size_t known = 0;

			while (known < findings->query_count &&
				strcmp(findings->queries[known].name, trial->queries[q].name) != 0)
				known++;
			if (known < findings->query_count)
				continue;
			if (findings->query_count == room) {
				struct query_finding *bigger = arena_new_array(
					&findings->arena, room ? room * 2 : 32, sizeof(*bigger));

				if (room)
					memcpy(bigger, findings->queries, room * sizeof(*bigger));
				findings->queries = bigger;
				room = room ? room * 2 : 32;
			}
			findings->queries[findings->query_count++] = (struct query_finding){
				.name = arena_copy_string(&findings->arena, trial->queries[q].name)
			};
		}
	}
}

/* Plans and results of one query over all usable trials. */
static void look_at_query(struct findings *findings, struct query_finding *query,
	const struct results *results, const struct matrix *matrix)
{
	const char **plans = memory_new_array(results->trial_count + 1, sizeof(*plans));
	const char **of_cell = memory_new_array(matrix->count + 1, sizeof(*of_cell));
	const char *first_result = NULL;

	query->in_all = true;
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		const struct results_query *mine = query_of(trial, query->name);
		size_t known = 0;

		if (!finding_is_usable(trial) || !trial->query_count ||
			trial->cell >= matrix->count)
			continue;
		query->in_all &= mine && isfinite(query_time_ns(results, trial, query->name));
		if (!mine || !mine->plan)
			continue;
		query->timed_out |= !isfinite(query_time_ns(results, trial, query->name));
		while (known < query->plans && strcmp(plans[known], mine->plan) != 0)
			known++;
		if (known == query->plans)
			plans[query->plans++] = mine->plan;
		if (of_cell[trial->cell] && strcmp(of_cell[trial->cell], mine->plan) != 0)
			query->unsteady_cell = arena_copy_string(
				&findings->arena, matrix->cells[trial->cell].label);
		of_cell[trial->cell] = mine->plan;
		if (first_result && mine->result && strcmp(first_result, mine->result) != 0)
			query->results_differ = true;
		if (mine->result)
			first_result = mine->result;
	}
	query->common = query->plans == 1 && query->in_all && !query->results_differ;
	free(plans);
	free(of_cell);
}

/* Put a value of a new metric into a trial. */
static void add_value(
	struct results *results, struct results_trial *trial, size_t metric, double value)
{
	double *values = arena_new_array(&results->arena, metric + 1, sizeof(*values));

	for (size_t i = 0; i <= metric; i++)
		values[i] = results_value(trial, i);
	values[metric] = value;
	trial->values = values;
	trial->value_count = metric + 1;
}

static void add_m_time(const struct findings *findings, struct results *results)
{
	size_t metric = results_metric_add(results, "run", "m_time_ns");

	for (size_t t = 0; t < results->trial_count; t++) {
		struct results_trial *trial = &results->trials[t];
		double sum_ns = 0;

		if (!finding_is_usable(trial) || !trial->query_count)
			continue;
		for (size_t q = 0; q < findings->query_count; q++)
			if (findings->queries[q].common)
				sum_ns += query_time_ns(results, trial, findings->queries[q].name);
		if (sum_ns > 0)
			add_value(results, trial, metric, sum_ns);
	}
}

void common_plans_make(
	struct findings *findings, struct results *results, const struct matrix *matrix)
{
	bool any = false;

	list_queries(findings, results);
	for (size_t q = 0; q < findings->query_count; q++) {
		look_at_query(findings, &findings->queries[q], results, matrix);
		any |= findings->queries[q].common;
	}
	if (any)
		add_m_time(findings, results);
}
