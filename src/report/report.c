/* The walk: what a report says, in which order (see report.h). */
#include "report/report_internal.h"

#include "report/report_compared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct report_format *const report_formats[] = { &text_report, &csv_report, &json_report,
	&html_report, &md_report, NULL };

const struct report_format *report_find(const char *name)
{
	for (size_t i = 0; report_formats[i]; i++)
		if (strcmp(report_formats[i]->name, name) == 0)
			return report_formats[i];
	return NULL;
}

#define DRAIN_BYTES 65536

static void drain(struct report *report, size_t least_bytes)
{
	struct strbuf *out = report->out;

	if (!report->sink || out->length < least_bytes)
		return;
	if (report->sink_failed == 0)
		report->sink_failed = report->sink->write(
			report->sink->context, out->data, out->length, &report->sink_err);
	report->sunk_bytes += out->length;
	strbuf_clear(out);
}

void report_drain(struct report *report)
{
	drain(report, DRAIN_BYTES);
}

/* Versions stand on every report: a number without them is worth little. */
static void say_versions(struct report *report)
{
	static const struct {
		const char *before, *fact;
	} facts[] = {
		{ "PostgreSQL ", "postgres.version" },
		{ "kernel ", "machine.kernel" },
		{ "", "filesystem.version" },
		{ "", "machine.cpu_model" },
		{ "memory limit ", "machine.memory" },
	};
	struct strbuf text = STRBUF_INIT;
	const char *version = report->results->program_version;

	strbuf_add_format(&text, "plumb %s", version ? version : PLUMB_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		const char *value = results_fact(report->results, facts[i].fact);

		if (value)
			strbuf_add_format(&text, ", %s%s", facts[i].before, value);
	}
	report_say(report, "versions", text.data);
	strbuf_release(&text);
}

static void say_progress(struct report *report)
{
	const struct findings *findings = report->findings;
	struct strbuf text = STRBUF_INIT;

	strbuf_add_format(
		&text, "%zu of %zu trials done", findings->trials_done, findings->trials_planned);
	if (findings->trials_failed)
		strbuf_add_format(&text, ", %zu failed", findings->trials_failed);
	if (findings->trials_void)
		strbuf_add_format(&text, ", %zu void", findings->trials_void);
	if (findings->trials_spoiled)
		strbuf_add_format(&text, ", %zu spoiled", findings->trials_spoiled);
	if (findings->cells_absent)
		strbuf_add_format(&text, "; %zu %s can't run on this machine",
			findings->cells_absent, findings->cells_absent == 1 ? "cell" : "cells");
	report_say(report, "progress", text.data);
	strbuf_release(&text);
}

static enum report_tone tone_of(const struct cell_finding *cell)
{
	if (verdict_is_better(cell->verdict))
		return REPORT_GOOD;
	if (verdict_is_difference(cell->verdict))
		return REPORT_BAD;
	return cell->verdict == VERDICT_UNDECIDED ? REPORT_DOUBTFUL : REPORT_NEUTRAL;
}

/* "faster", "undecided (screening; 12 set-ups would decide)", or why there is no verdict. */
static const char *verdict_words(const struct findings *findings, size_t index, struct arena *arena)
{
	const struct cell_finding *cell = &findings->cells[index];
	const char *standing =
		verdict_standing(MIN(cell->setups, findings->cells[cell->baseline].setups));
	const char *needed = "";

	if (cell->baseline == index && cell->absent && cell->setups == 0)
		return "baseline, it can't run here";
	if (cell->baseline == index)
		return findings->has_baseline ? "baseline" : NULL;
	if (cell->role == CELL_CONTROL_AA || cell->role == CELL_CONTROL_PLANTED)
		return NULL;
	if (cell->verdict == VERDICT_NONE)
		return cell->reason ? cell->reason : verdict_word(cell->verdict);
	if (cell->verdict == VERDICT_UNDECIDED && findings->setups_needed > cell->setups)
		needed = arena_format(arena, "%s%s would decide", *standing ? "; " : "",
			finding_setups_words(findings->setups_needed, arena));
	return *standing || *needed ? arena_format(arena, "%s (%s%s)", verdict_word(cell->verdict),
					      standing, needed)
				    : verdict_word(cell->verdict);
}

/* What a reader must know about a cell's trials before trusting its row. */
static const char *marks_text(const struct cell_finding *cell, struct arena *arena)
{
	const char *text = "";

	if (cell->role == CELL_CONTROL_AA)
		text = ", A/A control";
	if (cell->role == CELL_CONTROL_PLANTED)
		text = ", planted effect";
	if (cell->failed)
		text = arena_format(arena, "%s, %zu failed", text, cell->failed);
	if (cell->voided)
		text = arena_format(arena, "%s, %zu void", text, cell->voided);
	if (cell->spoiled)
		text = arena_format(arena, "%s, %zu spoiled", text, cell->spoiled);
	return *text ? text + 2 : NULL;
}

static void add_cell_row(struct table_builder *builder, const struct findings *findings, size_t i)
{
	const struct cell_finding *cell = &findings->cells[i];
	bool is_baseline = cell->baseline == i;

	table_add_text(builder, cell->label);
	table_add_number(builder, (double)i);
	table_add_text(builder, findings->cells[cell->baseline].label);
	table_add_number(builder, (double)cell->setups);
	table_add_number(builder, (double)cell->setups_planned);
	table_add_number(builder, cell->mean);
	table_add_number(builder, cell->low);
	table_add_number(builder, cell->high);
	/* A ratio without its interval would be read as a difference. */
	table_add_number(builder,
		is_baseline || cell->effect.status != EFFECT_OK ? NAN : cell->effect.ratio);
	table_add_number(builder, is_baseline ? NAN : cell->effect.low);
	table_add_number(builder, is_baseline ? NAN : cell->effect.high);
	table_add_text(builder, verdict_words(findings, i, &builder->arena));
	table_tone(builder, tone_of(cell));
	table_add_number(builder, cell->costs.load_s);
	table_add_number(builder, cell->costs.wal_bytes_per_transaction);
	table_add_number(builder, cell->costs.device_write_bytes_per_transaction);
	table_add_number(builder, cell->costs.size_bytes);
	table_add_number(builder, cell->costs.closing_s);
	table_add_number(builder, cell->costs.latency_p95_ns);
	table_add_number(builder, (double)cell->trials);
	table_add_number(builder, (double)cell->failed);
	table_add_number(builder, (double)cell->voided);
	table_add_number(builder, (double)cell->spoiled);
	table_add_text(builder, marks_text(cell, &builder->arena));
	table_tone(builder, REPORT_DOUBTFUL);
}

static void write_cells(struct report *report)
{
	const struct findings *findings = report->findings;
	const char *primary = findings->primary ? findings->primary->name : "value";
	enum report_unit unit =
		findings->primary ? report_unit_of(findings->primary->unit) : REPORT_PLAIN;
	char names[3][96];
	const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "cell_index", NULL, REPORT_ORDINAL, REPORT_VALUE },
		{ "baseline", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "setups", "set-ups", REPORT_COUNT, REPORT_VALUE },
		{ "setups_planned", NULL, REPORT_COUNT, REPORT_VALUE },
		{ names[0], primary, unit, REPORT_VALUE },
		{ names[1], NULL, unit, REPORT_LOW },
		{ names[2], NULL, unit, REPORT_HIGH },
		{ "ratio", "ratio", REPORT_RATIO, REPORT_VALUE },
		{ "ratio_low", NULL, REPORT_RATIO, REPORT_LOW },
		{ "ratio_high", NULL, REPORT_RATIO, REPORT_HIGH },
		{ "verdict", "verdict", REPORT_WORDS, REPORT_VALUE },
		{ "load_s", "load", REPORT_SECONDS, REPORT_VALUE },
		{ "wal_bytes_per_transaction", "WAL/tx", REPORT_BYTES, REPORT_VALUE },
		{ "device_write_bytes_per_transaction", "device/tx", REPORT_BYTES, REPORT_VALUE },
		{ "size_bytes", "on disk", REPORT_BYTES, REPORT_VALUE },
		{ "closing_s", "closing", REPORT_SECONDS, REPORT_VALUE },
		{ "latency_p95_ns", "p95", REPORT_NANOSECONDS, REPORT_VALUE },
		{ "trials", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "trials_failed", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "trials_void", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "trials_spoiled", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "marks", "marks", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	struct table_builder builder;

	snprintf(names[0], sizeof(names[0]), "%s_geometric_mean", primary);
	snprintf(names[1], sizeof(names[1]), "%s_low", primary);
	snprintf(names[2], sizeof(names[2]), "%s_high", primary);
	table_begin(&builder, "cells", "Cells: geometric mean and ratio, 95 % intervals", columns);
	for (size_t i = 0; i < findings->cell_count; i++)
		add_cell_row(&builder, findings, i);
	table_end(&builder, report);
}

/* Cells without trials because the machine lacks something, each with its reason. */
static void write_absent(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "cell_index", NULL, REPORT_ORDINAL, REPORT_VALUE },
		{ "reason", "reason", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;

	table_begin(&builder, "cannot_run", "Cells that could not run on this machine", columns);
	for (size_t i = 0; i < findings->cell_count; i++) {
		const struct cell_finding *cell = &findings->cells[i];

		if (!cell->absent || cell->role != CELL_STUDIED)
			continue;
		table_add_text(&builder, cell->label);
		table_add_number(&builder, (double)i);
		table_add_text(&builder, cell->absent);
		table_tone(&builder, REPORT_DOUBTFUL);
	}
	table_end(&builder, report);
}

/* Trials that do not count, each with its reason. */
static void write_rejected(struct report *report)
{
	static const struct report_column columns[] = {
		{ "trial_id", "trial", REPORT_ID, REPORT_VALUE },
		{ "attempt", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "block", "block", REPORT_ORDINAL, REPORT_VALUE },
		{ "state", "state", REPORT_WORDS, REPORT_VALUE },
		{ "reason", "reason", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct results *results = report->results;
	struct table_builder builder;

	table_begin(&builder, "rejected", "Trials that do not count", columns);
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		const char *reason = trial->reason;

		if (trial->state == TRIAL_DONE && !trial->spoiled)
			continue;
		for (size_t n = 0; trial->state == TRIAL_DONE && n < trial->note_count; n++)
			if (trial->notes[n].level == NOTE_SPOILED)
				reason = trial->notes[n].text;
		table_add_text(&builder, trial->trial_id);
		table_add_number(&builder, (double)trial->attempt);
		table_add_text(&builder, results->cells[trial->cell].label);
		table_add_number(&builder, (double)trial->block);
		table_add_text(&builder,
			trial->state == TRIAL_DONE ? "spoiled" : trial_state_word(trial->state));
		table_tone(&builder, trial->state == TRIAL_FAILED ? REPORT_BAD : REPORT_DOUBTFUL);
		table_add_text(&builder, reason);
	}
	table_end(&builder, report);
}

static void write_differences(struct report *report)
{
	static const struct report_column columns[] = {
		{ "name", "setting", REPORT_WORDS, REPORT_VALUE },
		{ "asked", "asked for", REPORT_WORDS, REPORT_VALUE },
		{ "effective", "in force", REPORT_WORDS, REPORT_VALUE },
		{ "trials", "trials", REPORT_COUNT, REPORT_VALUE },
		{ "first_trial_id", NULL, REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct results *results = report->results;
	struct table_builder builder;

	table_begin(&builder, "differences", "Warning: settings in force that were not asked for",
		columns);
	for (size_t i = 0; i < results->difference_count; i++) {
		const struct results_difference *difference = &results->differences[i];

		table_add_text(&builder, difference->name);
		table_add_text(&builder, difference->asked);
		table_add_text(&builder, difference->value);
		table_tone(&builder, REPORT_DOUBTFUL);
		table_add_number(&builder, (double)difference->trials);
		table_add_text(&builder, difference->first_trial_id);
	}
	table_end(&builder, report);
}

/* The same warning of many trials is one row with its count and the first one's figures. */
static void write_warnings(struct report *report)
{
	static const struct report_column columns[] = {
		{ "code", "warning", REPORT_WORDS, REPORT_VALUE },
		{ "trials", "trials", REPORT_COUNT, REPORT_VALUE },
		{ "text", "first", REPORT_WORDS, REPORT_VALUE },
		{ "first_trial_id", NULL, REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct note *first[64];
	const char *trial_ids[64];
	size_t counts[64] = { 0 }, count = 0;
	struct table_builder builder;

	for (size_t t = 0; t < report->results->trial_count; t++) {
		const struct results_trial *trial = &report->results->trials[t];

		for (size_t n = 0; n < trial->note_count; n++) {
			size_t i = 0;

			if (trial->notes[n].level != NOTE_WARNING)
				continue;
			while (i < count && strcmp(first[i]->code, trial->notes[n].code) != 0)
				i++;
			if (i == ARRAY_SIZE(first))
				continue; /* more kinds of warnings than plumb has codes */
			if (i == count) {
				trial_ids[count] = trial->trial_id;
				first[count++] = &trial->notes[n];
			}
			counts[i]++;
		}
	}
	table_begin(&builder, "warnings", "Warnings", columns);
	for (size_t i = 0; i < count; i++) {
		table_add_text(&builder, first[i]->code);
		table_add_number(&builder, (double)counts[i]);
		table_add_text(&builder, first[i]->text);
		table_add_text(&builder, trial_ids[i]);
	}
	table_end(&builder, report);
}

/* Every trial with every whole-window value: for machines only. */
static void write_trials(struct report *report)
{
	static const struct report_column head[] = {
		{ "trial_id", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "attempt", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "setup_id", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "cell", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "block", NULL, REPORT_ORDINAL, REPORT_VALUE },
		{ "run", NULL, REPORT_ORDINAL, REPORT_VALUE },
		{ "order", NULL, REPORT_ORDINAL, REPORT_VALUE },
		{ "state", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "spoiled", NULL, REPORT_COUNT, REPORT_VALUE },
	};
	const struct results *results = report->results;
	struct arena arena = ARENA_INIT;
	struct report_column *columns = arena_new_array(
		&arena, ARRAY_SIZE(head) + results->metric_count + 1, sizeof(*columns));
	struct table_builder builder;

	memcpy(columns, head, sizeof(head));
	for (size_t m = 0; m < results->metric_count; m++)
		columns[ARRAY_SIZE(head) + m] = (struct report_column){
			.name = arena_format(&arena, "%s.%s", results->metrics[m].phase,
				results->metrics[m].name),
			.unit = REPORT_PLAIN,
		};
	table_begin(&builder, "trials", NULL, columns);
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];

		table_add_text(&builder, trial->trial_id);
		table_add_number(&builder, (double)trial->attempt);
		table_add_text(&builder, trial->setup_id);
		table_add_text(&builder, results->cells[trial->cell].label);
		table_add_number(&builder, (double)trial->block);
		table_add_number(&builder, (double)trial->run);
		table_add_number(&builder, (double)trial->order);
		table_add_text(&builder, trial_state_word(trial->state));
		table_add_number(&builder, trial->spoiled);
		for (size_t m = 0; m < results->metric_count; m++)
			table_add_number(&builder, results_value(trial, m));
	}
	table_end(&builder, report);
	arena_release(&arena);
}

static void write_environment(struct report *report)
{
	static const struct report_column columns[] = {
		{ "name", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "asked", NULL, REPORT_WORDS, REPORT_VALUE },
		{ "effective", NULL, REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct results *results = report->results;
	struct table_builder builder;

	table_begin(&builder, "environment", NULL, columns);
	for (size_t i = 0; i < results->environment_count; i++) {
		table_add_text(&builder, results->environment[i].name);
		table_add_text(&builder, results->environment[i].asked);
		table_add_text(&builder, results->environment[i].value);
	}
	table_end(&builder, report);
}

static int draw(struct report *report, struct err *err)
{
	int r = 0;

	if (!report->format->chart || !report->findings->primary)
		return 0;
	for (enum report_chart chart = 0; r == 0 && chart < REPORT_CHART_COUNT; chart++)
		r = report->format->chart(report, chart, err);
	return r;
}

int report_write(struct report *report, struct err *err)
{
	const struct report_format *format = report->format;
	int r = format->begin ? format->begin(report, err) : 0;

	if (r < 0)
		return r;
	if (format->heading)
		format->heading(report, report->findings->study);
	report_say(report, "question", report->findings->question);
	say_versions(report);
	say_progress(report);
	report_controls(report);
	write_cells(report);
	report_noise(report);
	report_checks(report);
	report_factors(report);
	report_choices(report);
	report_ledger(report);
	r = draw(report, err);
	report_load(report);
	report_published(report);
	report_queries(report);
	report_space(report);
	write_absent(report);
	write_rejected(report);
	write_differences(report);
	write_warnings(report);
	if (format->for_machines) {
		write_trials(report);
		write_environment(report);
	}
	if (report->findings->recommendation.found || format->for_machines)
		report_say(report, "recommendation", report->findings->recommendation.sentence);
	report_say(report, "verdict", report->findings->verdict);
	report_say(report, "cannot_run", report->findings->absent);
	if (format->end) {
		int ended = format->end(report, err);

		r = r < 0 ? r : ended;
	}
	drain(report, 1);
	if (r == 0 && report->sink_failed < 0) {
		*err = report->sink_err;
		r = report->sink_failed;
	}
	return r;
}
