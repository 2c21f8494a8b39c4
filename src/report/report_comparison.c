/* The walk over a comparison of two studies: the same forms, other tables. */
#include "report/report_internal.h"

#include <math.h>
#include <stdio.h>

static void add_change(
	struct table_builder *builder, const struct comparison *comparison, size_t index)
{
	const struct cell_change *change = &comparison->changes[index];
	const char *standing = verdict_standing(MIN(change->setups_before, change->setups_after));
	enum report_tone tone = verdict_is_better(change->verdict)	 ? REPORT_GOOD
				: verdict_is_difference(change->verdict) ? REPORT_BAD
									 : REPORT_NEUTRAL;

	table_add_text(builder, change->label);
	table_add_number(builder, (double)change->setups_before);
	table_add_number(builder, (double)change->setups_after);
	table_add_number(builder, change->before);
	table_add_number(builder, change->after);
	table_add_number(builder, change->effect.status == EFFECT_OK ? change->effect.ratio : NAN);
	table_add_number(builder, change->effect.low);
	table_add_number(builder, change->effect.high);
	table_add_text(builder, change->verdict == VERDICT_NONE ? change->reason
				: *standing ? arena_format(&builder->arena, "%s (%s)",
						      verdict_word(change->verdict), standing)
					    : verdict_word(change->verdict));
	table_tone(builder, tone);
}

static void write_changes(struct report *report, const struct comparison *comparison)
{
	char before[80], after[80], title[128];
	enum report_unit unit = report_unit_of(comparison->metric->unit);
	const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "setups_before", "set-ups before", REPORT_COUNT, REPORT_VALUE },
		{ "setups_after", "after", REPORT_COUNT, REPORT_VALUE },
		{ before, "before", unit, REPORT_VALUE },
		{ after, "after", unit, REPORT_VALUE },
		{ "ratio", "ratio", REPORT_RATIO, REPORT_VALUE },
		{ "ratio_low", NULL, REPORT_RATIO, REPORT_LOW },
		{ "ratio_high", NULL, REPORT_RATIO, REPORT_HIGH },
		{ "verdict", "verdict", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	struct table_builder builder;

	snprintf(before, sizeof(before), "%s_before", comparison->metric->name);
	snprintf(after, sizeof(after), "%s_after", comparison->metric->name);
	snprintf(title, sizeof(title), "Changes of %s.%s: geometric means, 95 %% intervals",
		comparison->phase, comparison->metric->name);
	table_begin(&builder, "changes", title, columns);
	for (size_t i = 0; i < comparison->change_count; i++)
		add_change(&builder, comparison, i);
	table_end(&builder, report);
}

static void write_differences(struct report *report, const struct comparison *comparison)
{
	static const struct report_column columns[] = {
		{ "name", "what", REPORT_WORDS, REPORT_VALUE },
		{ "before", "before", REPORT_WORDS, REPORT_VALUE },
		{ "after", "after", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	struct table_builder builder;

	table_begin(&builder, "environment_differences", "What else differs", columns);
	for (size_t i = 0; i < comparison->difference_count; i++) {
		table_add_text(&builder, comparison->differences[i].name);
		table_add_text(&builder, comparison->differences[i].before);
		table_add_text(&builder, comparison->differences[i].after);
	}
	table_end(&builder, report);
}

static void write_alone(struct report *report, const struct comparison *comparison)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "study", "only in", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	struct table_builder builder;

	table_begin(&builder, "unpaired", "Cells without a partner", columns);
	for (size_t i = 0; i < comparison->only_before_count; i++) {
		table_add_text(&builder, comparison->only_before[i]);
		table_add_text(&builder, "the earlier study");
	}
	for (size_t i = 0; i < comparison->only_after_count; i++) {
		table_add_text(&builder, comparison->only_after[i]);
		table_add_text(&builder, "the later study");
	}
	table_end(&builder, report);
}

int report_write_comparison(
	struct report *report, const struct comparison *comparison, struct err *err)
{
	const struct report_format *format = report->format;
	int r = format->begin ? format->begin(report, err) : 0;

	if (r < 0)
		return r;
	if (format->heading)
		format->heading(report, report->findings->study);
	write_changes(report, comparison);
	write_alone(report, comparison);
	write_differences(report, comparison);
	report_say(report, "verdict", comparison->sentence);
	return format->end ? format->end(report, err) : 0;
}
