/* Tables that only some studies have (see report_compared.h). */
#include "report/report_compared.h"

#include "report/report_internal.h"

#include <math.h>
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
			: !query->in_all    ? "not in every trial"
			: query->plans != 1 ? "plan changes between cells"
					    : NULL);
		table_tone(&builder, query->results_differ ? REPORT_BAD : REPORT_DOUBTFUL);
	}
	table_end(&builder, report);
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
