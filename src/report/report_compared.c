/* Published ratios beside measured ones; queries whose plans changed (see report_compared.h). */
#include "report/report_compared.h"

#include "report/report_internal.h"

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
