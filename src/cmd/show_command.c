/* plumb show: everything that is recorded about one trial. */
#include "cmd/command.h"

#include "record/metric.h"
#include "report/json_text.h"
#include "report/report.h"
#include "store/store.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ "format", 'f', "FORM", "text (default) or json" },
	{ "series", 0, NULL, "also the samples taken every second" },
	{ 0 },
};

static void print_time(const char *title, int64_t utc_ns)
{
	time_t seconds = (time_t)(utc_ns / NS_PER_S);
	char text[32];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc);
	printf("%-10s  %s UTC\n", title, text);
}

static void print_head(const struct store_result *result)
{
	const struct trial_record *record = result->record;

	printf("trial       %s, attempt %zu\n", result->trial.trial_id, result->trial.attempt);
	printf("study       %s\n", result->setup.study);
	printf("cell        %s\n", result->trial.cell_label);
	printf("set-up      %s, block %zu\n", result->setup.setup_id, result->setup.block + 1);
	printf("position    %zu in the plan, run %zu of its set-up\n", result->trial.order + 1,
		result->trial.run + 1);
	printf("state       %s\n", trial_state_word(record->state));
	print_time("begun", record->started_utc_ns);
	print_time("ended", record->finished_utc_ns);
	printf("plumb       %s\n", result->trial.program_version);
	if (record->reason)
		printf("reason      %s\n", record->reason);
}

static void print_settings(const struct settings *settings)
{
	printf("\nasked for\n");
	for (size_t i = 0; i < settings->count; i++)
		printf("  %-40s  %s%s\n", settings->values[i].name, settings->values[i].text,
			settings->values[i].line ? "" : "  (default)");
}

static void print_facts(const struct trial_record *record)
{
	if (record->fact_count)
		printf("\nread back\n");
	for (size_t i = 0; i < record->fact_count; i++) {
		const struct fact *fact = &record->facts[i];
		bool differs = fact->asked && strcmp(fact->asked, fact->value) != 0;

		printf("  %-40s  %s", fact->name, fact->value);
		if (differs)
			printf("  (asked for: %s)", fact->asked);
		printf("\n");
	}
}

static void print_notes(const struct trial_record *record)
{
	static const char *const words[] = {
		[NOTE_INFO] = "note",
		[NOTE_WARNING] = "warning",
		[NOTE_SPOILED] = "spoiled",
	};

	if (record->note_count)
		printf("\nnotes\n");
	for (size_t i = 0; i < record->note_count; i++)
		printf("  %-8s  %s: %s\n", words[record->notes[i].level], record->notes[i].code,
			record->notes[i].text);
}

/* By phase, in the order in which they were recorded. */
static void print_samples(const struct trial_record *record)
{
	const char *phase = "";

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];
		const struct metric *metric = metric_find(sample->metric);
		struct strbuf value = STRBUF_INIT;

		if (strcmp(phase, sample->phase) != 0)
			printf("\nmeasured, %s\n", sample->phase);
		phase = sample->phase;
		report_number(sample->value, metric ? report_unit_of(metric->unit) : REPORT_PLAIN,
			&value);
		printf("  %-40s  %12s  %s", sample->metric, value.data, sample->source);
		if (sample->at_ns != SAMPLE_WHOLE)
			printf("  at %.1f s", (double)sample->at_ns / NS_PER_S);
		printf("\n");
		strbuf_release(&value);
	}
}

static void print_files(const struct trial_record *record, const char *folder)
{
	if (record->file_count)
		printf("\nraw files\n");
	for (size_t i = 0; i < record->file_count; i++)
		printf("  %-20s  %s/%s\n", record->files[i].kind, folder, record->files[i].path);
}

static json_t *settings_as_json(const struct settings *settings)
{
	json_t *object = json_object();

	for (size_t i = 0; i < settings->count; i++)
		json_object_set_new(
			object, settings->values[i].name, json_text(settings->values[i].text));
	return object;
}

static json_t *facts_as_json(const struct trial_record *record)
{
	json_t *list = json_array();

	for (size_t i = 0; i < record->fact_count; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s?, s:s}", "name", record->facts[i].name, "asked",
				      record->facts[i].asked, "effective", record->facts[i].value));
	return list;
}

static json_t *samples_as_json(const struct trial_record *record)
{
	json_t *list = json_array();

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];
		const struct metric *metric = metric_find(sample->metric);
		json_t *object = json_pack("{s:s, s:s, s:f, s:s, s:s}", "phase", sample->phase,
			"metric", sample->metric, "value", sample->value, "unit",
			metric ? metric->unit : "", "source", sample->source);

		if (sample->at_ns != SAMPLE_WHOLE)
			json_object_set_new(object, "at_ns", json_integer(sample->at_ns));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *notes_as_json(const struct trial_record *record)
{
	static const char *const words[] = { "info", "warning", "spoiled" };
	json_t *list = json_array();

	for (size_t i = 0; i < record->note_count; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o}", "level", words[record->notes[i].level],
				      "code", json_text(record->notes[i].code), "text",
				      json_text(record->notes[i].text)));
	return list;
}

static json_t *files_as_json(const struct trial_record *record)
{
	json_t *list = json_array();

	for (size_t i = 0; i < record->file_count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "kind", record->files[i].kind,
						    "path", record->files[i].path));
	return list;
}

static json_t *result_as_json(const struct store_result *result)
{
	const struct trial_record *record = result->record;

	return json_pack("{s:i, s:s, s:I, s:s, s:s, s:o, s:I, s:I, s:I, s:s, s:o, s:I, s:I, s:s,"
			 " s:o, s:o, s:o, s:o, s:o}",
		"schema_version", RECORD_SCHEMA_VERSION, "trial_id", result->trial.trial_id,
		"attempt", (json_int_t)result->trial.attempt, "study", result->setup.study,
		"setup_id", result->setup.setup_id, "cell", json_text(result->trial.cell_label),
		"block", (json_int_t)result->setup.block, "run", (json_int_t)result->trial.run,
		"order", (json_int_t)result->trial.order, "state", trial_state_word(record->state),
		"reason", json_text(record->reason), "started_utc_ns",
		(json_int_t)record->started_utc_ns, "finished_utc_ns",
		(json_int_t)record->finished_utc_ns, "program_version",
		result->trial.program_version, "settings", settings_as_json(result->trial.settings),
		"facts", facts_as_json(record), "notes", notes_as_json(record), "samples",
		samples_as_json(record), "files", files_as_json(record));
}

struct showing {
	const char *folder;
	bool json;
	char first_id[64];
	size_t count;
	bool ambiguous;
};

static int note_id(void *context, const struct store_result *result)
{
	struct showing *showing = context;

	if (showing->count++ == 0)
		snprintf(
			showing->first_id, sizeof(showing->first_id), "%s", result->trial.trial_id);
	showing->ambiguous =
		showing->ambiguous || strcmp(showing->first_id, result->trial.trial_id) != 0;
	return 0;
}

static int show_one(void *context, const struct store_result *result)
{
	struct showing *showing = context;

	if (showing->json) {
		json_t *object = result_as_json(result);

		if (!object)
			return -EILSEQ;
		json_dumpf(object, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
		printf("\n");
		json_decref(object);
		return 0;
	}
	print_head(result);
	print_settings(result->trial.settings);
	print_facts(result->record);
	print_notes(result->record);
	print_samples(result->record);
	print_files(result->record, showing->folder);
	printf("\n");
	return 0;
}

static int show_trial(struct showing *showing, struct store *store, const struct store_query *query,
	struct err *err)
{
	struct store_query names = { .trial_id = query->trial_id };
	int r = store_scan(store, &names, note_id, showing, err);

	if (r < 0)
		return r;
	if (showing->count == 0) {
		err_set(err, -ENOENT, "there is no trial '%s' in '%s'", query->trial_id,
			showing->folder);
		return err_hint(err, -ENOENT, "'plumb list STUDY' names the trials");
	}
	if (showing->ambiguous)
		return err_set(err, -EINVAL, "'%s' is the beginning of several trials' names",
			query->trial_id);
	r = store_scan(store, query, show_one, showing, err);
	if (r == -EILSEQ)
		return err_set(err, r, "a text of the trial is no UTF-8");
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct showing showing = { 0 };
	struct store_query query = { 0 };
	struct store *store = NULL;
	const char *format;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	format = command_value(command, &line, "format");
	if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
		err_set(&err, -EINVAL, "unknown form '%s': text or json", format);
		return command_fail(command, &err, EXIT_USAGE);
	}
	showing.json = format && strcmp(format, "json") == 0;
	showing.folder = command_value(command, &line, "results");
	if (!showing.folder)
		showing.folder = RESULTS_FOLDER;
	query.trial_id = line.arguments[0];
	query.with_series = command_flag(command, &line, "series");
	r = store_open(&sqlite_store, showing.folder, STORE_READ, &store, &err);
	if (r == 0)
		r = show_trial(&showing, store, &query, &err);
	store_close(store);
	return r < 0 ? command_fail(command, &err, EXIT_USAGE) : EXIT_DONE;
}

const struct command show_command = {
	.name = "show",
	.run = run,
	.options = options,
	.arguments = "TRIAL",
	.summary = "show everything recorded about a trial, and where its raw files lie",
	.description = "TRIAL is a trial's id or the beginning of it; 'plumb list STUDY' and the "
		       "report name them. Every attempt is shown, also those that were void.",
};
