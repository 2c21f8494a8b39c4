/* plumb list: the studies of a results folder, or the trials of one of them. */
#include "cmd/command.h"

#include "cmd/stored_study.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ 0 },
};

static void format_time(int64_t utc_ns, char *text, size_t size)
{
	time_t seconds = (time_t)(utc_ns / NS_PER_S);
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, size, "%Y-%m-%d %H:%M", &utc);
}

struct counts {
	size_t states[TRIAL_STATE_COUNT];
};

static int count_state(void *context, const struct store_result *result)
{
	struct counts *counts = context;

	counts->states[result->record->state]++;
	return 0;
}

struct listing {
	struct store *store;
	struct err *err;
	size_t studies;
};

static int print_study(void *context, const struct store_study *study)
{
	struct listing *listing = context;
	struct store_query query = { .study = study->name };
	struct counts counts = { { 0 } };
	char when[32];
	int r = store_scan(listing->store, &query, count_state, &counts, listing->err);

	if (r < 0)
		return r;
	format_time(study->created_utc_ns, when, sizeof(when));
	if (listing->studies++ == 0)
		printf("%-16s  %6s  %6s  %6s  %s\n", "begun (UTC)", "done", "failed", "void",
			"study");
	printf("%-16s  %6zu  %6zu  %6zu  %s%s\n", when, counts.states[TRIAL_DONE],
		counts.states[TRIAL_FAILED], counts.states[TRIAL_VOID], study->name,
		study->small ? " (small)" : "");
	return 0;
}

static int print_trial(void *context, const struct store_result *result)
{
	const struct trial_record *record = result->record;
	bool spoiled = false;
	char when[32];

	if ((*(size_t *)context)++ == 0)
		printf("%-32s  %-16s  %5s  %3s  %-7s  %s\n", "trial", "begun (UTC)", "block", "run",
			"state", "cell");
	for (size_t i = 0; i < record->note_count; i++)
		spoiled = spoiled || record->notes[i].level == NOTE_SPOILED;
	format_time(record->started_utc_ns, when, sizeof(when));
	printf("%-32s  %-16s  %5zu  %3zu  %-7s  %s\n", result->trial.trial_id, when,
		result->setup.block + 1, result->trial.run + 1,
		record->state == TRIAL_DONE && spoiled ? "spoiled"
						       : trial_state_word(record->state),
		result->trial.cell_label);
	return 0;
}

static int list_studies(const char *folder, struct err *err)
{
	struct listing listing = { .err = err };
	int r = store_open(&sqlite_store, folder, STORE_READ, &listing.store, err);

	if (r == 0)
		r = store_studies(listing.store, print_study, &listing, err);
	if (r == 0 && listing.studies == 0)
		printf("no study in '%s' yet\n", folder);
	store_close(listing.store);
	return r;
}

static int list_trials(const char *folder, const char *which, struct err *err)
{
	struct stored_study stored;
	size_t count = 0;
	int r = stored_study_load(&stored, folder, which, err);

	if (r < 0)
		return r;
	r = store_scan(stored.store, &(struct store_query){ .study = stored.name }, print_trial,
		&count, err);
	if (r == 0 && count == 0)
		printf("no trial of '%s' yet\n", stored.name);
	stored_study_release(&stored);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	const char *folder;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	folder = command_value(command, &line, "results");
	if (!folder)
		folder = RESULTS_FOLDER;
	r = line.argument_count ? list_trials(folder, line.arguments[0], &err)
				: list_studies(folder, &err);
	return r < 0 ? command_fail(command, &err, EXIT_USAGE) : EXIT_DONE;
}

const struct command list_command = {
	.name = "list",
	.run = run,
	.options = options,
	.arguments = "[STUDY]",
	.summary = "list the studies of a results folder, or the trials of a study",
	.description = "STUDY is a study's name or its file.",
};
