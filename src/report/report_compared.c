/* Tables that only some studies have (see report_compared.h). */
#include "report/report_compared.h"

#include "report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *agreement_word(enum agreement agreement)
{
	static const char *const words[] = {
		[AGREEMENT_CANT_TELL] = "can't tell",
		[AGREEMENT_AGREE] = "agree",
		[AGREEMENT_DISAGREE] = "disagree",
	};

	return words[agreement];
}

static void add_published_row(
	struct table_builder *builder, const struct published_finding *finding)
{
	static const enum report_tone tones[] = {
		[AGREEMENT_CANT_TELL] = REPORT_DOUBTFUL,
		[AGREEMENT_AGREE] = REPORT_GOOD,
		[AGREEMENT_DISAGREE] = REPORT_BAD,
	};

	table_add_text(builder, finding->name);
	table_add_text(builder, finding->metric);
	table_add_number(builder, finding->published);
	table_add_number(builder, finding->published_low);
	table_add_number(builder, finding->published_high);
	table_add_number(builder, finding->measured);
	table_add_number(builder, finding->low);
	table_add_number(builder, finding->high);
	table_add_number(builder, (double)finding->setups);
	table_add_text(builder, agreement_word(finding->agreement));
	table_tone(builder, tones[finding->agreement]);
	table_add_text(builder, finding->why);
}

void report_published(struct report *report)
{
	static const struct report_column columns[] = {
		{ "pair", "published pair", REPORT_WORDS, REPORT_VALUE },
		{ "metric", "metric", REPORT_WORDS, REPORT_VALUE },
		{ "published_ratio", "published", REPORT_RATIO, REPORT_VALUE },
		{ "published_ratio_low", NULL, REPORT_RATIO, REPORT_LOW },
		{ "published_ratio_high", NULL, REPORT_RATIO, REPORT_HIGH },
		{ "measured_ratio", "measured", REPORT_RATIO, REPORT_VALUE },
		{ "measured_ratio_low", NULL, REPORT_RATIO, REPORT_LOW },
		{ "measured_ratio_high", NULL, REPORT_RATIO, REPORT_HIGH },
		{ "setups", "set-ups", REPORT_COUNT, REPORT_VALUE },
		{ "agreement", "agreement", REPORT_WORDS, REPORT_VALUE },
		{ "why", "because", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;

	if (!findings->published_count)
		return;
	table_begin(&builder, "published", "Published ratios beside measured ones", columns);
	for (size_t i = 0; i < findings->published_count; i++)
		add_published_row(&builder, &findings->published[i]);
	table_end(&builder, report);
	report_say(report, "published_note",
		"Published intervals come from runs on one set-up, or are the ends of a range that "
		"the author states: they are narrower than those of repeated set-ups would be.");
}

/* Cold and warm time of every query in every cell: many rows, so not where room is short. */
static void write_query_times(struct report *report)
{
	static const struct report_column columns[] = {
		{ "query", "query", REPORT_WORDS, REPORT_VALUE },
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "cold_ns", "cold", REPORT_NANOSECONDS, REPORT_VALUE },
		{ "warm_ns", "warm", REPORT_NANOSECONDS, REPORT_VALUE },
		{ 0 },
	};
	static const char *const passes[] = { "cold", "warm" };
	const struct findings *findings = report->findings;
	struct table_builder builder;

	if (!report->format->for_machines && !report->format->has_room && !report->options->full) {
		report_say(report, "query_times_note",
			"Cold and warm time of each query: plumb report --full.");
		return;
	}
	table_begin(
		&builder, "query_times", "Queries: first (cold) and later (warm) times", columns);
	for (size_t q = 0; q < findings->query_count; q++)
		for (size_t i = 0; i < findings->cell_count; i++) {
			table_add_text(&builder, findings->queries[q].name);
			table_add_text(&builder, findings->cells[i].label);
			for (size_t p = 0; p < ARRAY_SIZE(passes); p++) {
				char metric[64];

				snprintf(metric, sizeof(metric), "query_%s_%s_ns",
					findings->queries[q].name, passes[p]);
				table_add_number(&builder,
					results_cell_mean(report->results, i, "run", metric));
			}
		}
	table_end(&builder, report);
}

void report_queries(struct report *report)
{
	static const struct report_column columns[] = {
		{ "query", "query", REPORT_WORDS, REPORT_VALUE },
		{ "plans", "plans", REPORT_COUNT, REPORT_VALUE },
		{ "in_m_time", "in m-time", REPORT_WORDS, REPORT_VALUE },
		{ "mark", "mark", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;

	if (!findings->query_count)
		return;
	table_begin(&builder, "queries",
		"Queries: m-time holds those whose plans are equal in all cells", columns);
	for (size_t i = 0; i < findings->query_count; i++) {
		const struct query_finding *query = &findings->queries[i];

		table_add_text(&builder, query->name);
		table_add_number(&builder, (double)query->plans);
		table_add_text(&builder, query->common ? "yes" : "no");
		table_add_text(&builder,
			query->results_differ ? "results differ"
			: query->unsteady_cell
				? arena_format(&builder.arena, "plan differs between repeats of %s",
					  query->unsteady_cell)
			: query->timed_out  ? "reached its time limit"
			: !query->in_all    ? "not in every trial"
			: query->plans != 1 ? "plan changes between cells"
					    : NULL);
		table_tone(&builder, query->results_differ ? REPORT_BAD : REPORT_DOUBTFUL);
	}
	table_end(&builder, report);
	write_query_times(report);
	report_say(report, "queries_note", "Results are not comparable to TPC results.");
}

/* Mean of a metric over the trials of a cell, whichever phase has it last; NAN: none. */
static double cell_mean(const struct results *results, size_t cell, const char *metric)
{
	double sum = 0;
	size_t count = 0;

	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		double value = NAN;

		if (trial->cell != cell || trial->state != TRIAL_DONE || trial->spoiled)
			continue;
		for (size_t m = 0; m < results->metric_count; m++)
			if (strcmp(results->metrics[m].name, metric) == 0 &&
				isfinite(results_value(trial, m)))
				value = results_value(trial, m);
		if (isfinite(value)) {
			sum += value;
			count++;
		}
	}
	return count ? sum / (double)count : NAN;
}

void report_space(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "used_bytes", "used", REPORT_BYTES, REPORT_VALUE },
		{ "available_bytes", "available", REPORT_BYTES, REPORT_VALUE },
		{ "pool_alloc_bytes", "pool alloc", REPORT_BYTES, REPORT_VALUE },
		{ "pool_free_bytes", "pool free", REPORT_BYTES, REPORT_VALUE },
		{ 0 },
	};
	static const char *const metrics[] = { "filesystem_used_bytes",
		"filesystem_available_bytes", "filesystem_pool_alloc_bytes",
		"filesystem_pool_free_bytes" };
	const struct findings *findings = report->findings;
	struct table_builder builder;
	bool any = false;

	for (size_t i = 0; i < findings->cell_count; i++)
		any |= isfinite(cell_mean(report->results, i, metrics[2]));
	if (!any)
		return;
	table_begin(&builder, "space",
		"Space: used and available after parity, pool alloc and free with it", columns);
	for (size_t i = 0; i < findings->cell_count; i++) {
		table_add_text(&builder, findings->cells[i].label);
		for (size_t m = 0; m < ARRAY_SIZE(metrics); m++)
			table_add_number(&builder, cell_mean(report->results, i, metrics[m]));
	}
	table_end(&builder, report);
}

/* What a load is made of, in the order of the work; then what it cost the processors. */
static const struct report_column load_columns[] = {
	{ "load_s", "in all", REPORT_SECONDS, REPORT_VALUE },
	{ "load_schema_s", "schema", REPORT_SECONDS, REPORT_VALUE },
	{ "load_drop_s", "drop", REPORT_SECONDS, REPORT_VALUE },
	{ "load_drop_tables_s", "drop tables", REPORT_SECONDS, REPORT_VALUE },
	{ "load_tables_s", "tables", REPORT_SECONDS, REPORT_VALUE },
	{ "load_create_tables_s", "create tables", REPORT_SECONDS, REPORT_VALUE },
	{ "load_generate_s", "generate", REPORT_SECONDS, REPORT_VALUE },
	{ "load_copy_s", "copy", REPORT_SECONDS, REPORT_VALUE },
	{ "load_restore_s", "restore", REPORT_SECONDS, REPORT_VALUE },
	{ "load_keys_s", "keys", REPORT_SECONDS, REPORT_VALUE },
	{ "load_primary_keys_s", "primary keys", REPORT_SECONDS, REPORT_VALUE },
	{ "load_foreign_keys_s", "foreign keys", REPORT_SECONDS, REPORT_VALUE },
	{ "load_index_s", "index", REPORT_SECONDS, REPORT_VALUE },
	{ "load_indexes_s", "indexes", REPORT_SECONDS, REPORT_VALUE },
	{ "load_vacuum_s", "vacuum", REPORT_SECONDS, REPORT_VALUE },
	{ "load_analyze_s", "analyze", REPORT_SECONDS, REPORT_VALUE },
	{ "load_statistics_s", "statistics", REPORT_SECONDS, REPORT_VALUE },
	{ "cpu_client_user_ns", "client user", REPORT_NANOSECONDS, REPORT_VALUE },
	{ "cpu_client_system_ns", "client system", REPORT_NANOSECONDS, REPORT_VALUE },
	{ "cpu_server_user_ns", "server user", REPORT_NANOSECONDS, REPORT_VALUE },
	{ "cpu_server_system_ns", "server system", REPORT_NANOSECONDS, REPORT_VALUE },
};

static bool any_cell_has(const struct report *report, const char *phase, const char *metric)
{
	for (size_t i = 0; i < report->findings->cell_count; i++)
		if (isfinite(results_cell_mean(report->results, i, phase, metric)))
			return true;
	return false;
}

void report_load(struct report *report)
{
	/* The load driver loads in its runs, the others before them. */
	const char *phase = any_cell_has(report, "run", "load_s") ? "run" : "load";
	struct report_column columns[ARRAY_SIZE(load_columns) + 2] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;
	size_t count = 1, parts = 0;

	for (size_t m = 0; m < ARRAY_SIZE(load_columns); m++)
		if (any_cell_has(report, phase, load_columns[m].name)) {
			columns[count++] = load_columns[m];
			parts += m > 0 && strncmp(load_columns[m].name, "load_", 5) == 0;
		}
	if (!parts)
		return;
	table_begin(
		&builder, "load", "Load by part, and its CPU time: means of the set-ups", columns);
	for (size_t i = 0; i < findings->cell_count; i++) {
		table_add_text(&builder, findings->cells[i].label);
		for (size_t m = 1; m < count; m++)
			table_add_number(&builder,
				results_cell_mean(report->results, i, phase, columns[m].name));
	}
	table_end(&builder, report);
}
