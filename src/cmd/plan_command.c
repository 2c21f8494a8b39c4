/* plumb plan: a study's cells and trials, and what they will take; touches nothing. */
#include "cmd/study_input.h"

#include "report/json_text.h"
#include "run/runner.h"
#include "store/store.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
	STUDY_INPUT_OPTIONS,
	{ "format", 'f', "FORM", "text (default) or json" },
	{ "results", 'r', "DIR",
		"results folder whose measured step times are used; default plumb-results" },
	{ 0 },
};

struct planned {
	struct study_input input;
	struct absent_cells absent;
	bool *is_absent;    /* by cell */
	struct err refused; /* nothing can run here */
	struct plan_step_times times;
	struct plan_estimate estimate;
};

/* What of it can run on this machine. A plan is shown either way: it may be run elsewhere. */
static void look_at_machine(struct planned *planned)
{
	struct folders folders = { 0 };
	struct run_options run_options = {
		.study = &planned->input.study,
		.matrix = &planned->input.matrix,
		.folders = &folders,
		.program_version = PLUMB_VERSION,
		.clock = clock_system(),
	};

	if (folders_init(&folders, NULL, &planned->refused) == 0)
		(void)runner_check(
			&run_options, &planned->absent, &planned->refused); /* said below */
	folders_release(&folders);
	planned->is_absent = runner_absent_flags(&planned->input.matrix, &planned->absent);
}

static void estimate(struct planned *planned, const char *results)
{
	struct store *store = NULL;

	/* No results yet, or none that can be read: the built-in guesses do. */
	if (store_open(&sqlite_store, results, STORE_READ, &store, NULL) < 0)
		store = NULL;
	runner_step_times(store, &planned->times);
	store_close(store);
	planned->times.expected_bytes = study_input_expected_bytes;
	planned->times.absent = planned->refused.code ? NULL : planned->is_absent;
	plan_estimate(
		&planned->input.plan, &planned->input.matrix, &planned->times, &planned->estimate);
}

static void print_estimate(const struct planned *planned)
{
	struct strbuf time = STRBUF_INIT, disk = STRBUF_INIT;
	double s = planned->estimate.total_s;

	if (s < 3600)
		strbuf_add_format(&time, "%.0f min", s / 60);
	else
		strbuf_add_format(&time, "%.0f h %02.0f min", (double)(long)(s / 3600),
			(double)((long)(s / 60) % 60));
	size_format_human((double)planned->estimate.peak_disk_bytes, &disk);
	printf("\nabout %s (%s), about %s of disk at a time\n", time.data,
		planned->times.measured ? "from step times measured here"
					: "a guess: nothing was measured here yet",
		disk.data);
	strbuf_release(&time);
	strbuf_release(&disk);
}

#define ABSENT_MARK "  (can't run here)"

static void print_absent(void *context UNUSED, const char *sentence)
{
	printf("  %s\n", sentence);
}

static void print_text(const struct planned *planned)
{
	const struct study *study = &planned->input.study;
	const struct matrix *matrix = &planned->input.matrix;
	const struct plan *plan = &planned->input.plan;

	printf("%s%s%s\n\n%zu cells:\n", study->name, study->question ? ": " : "",
		study->question ? study->question : "", matrix->count);
	for (size_t i = 0; i < matrix->count; i++)
		printf("  %3zu  %s%s%s\n", i + 1, matrix->cells[i].label,
			matrix->cells[i].baseline == i && matrix->count > 1 ? "  (baseline)" : "",
			planned->is_absent[i] ? ABSENT_MARK : "");
	printf("\n%zu blocks, %zu set-ups, %zu trials, seed %llu:\n", plan->block_count,
		plan->setup_count, plan->trial_count, (unsigned long long)plan->seed);
	for (size_t t = 0; t < plan->trial_count; t++) {
		const struct planned_trial *trial = &plan->trials[t];
		const struct planned_setup *setup = &plan->setups[trial->setup];

		printf("  %5zu  block %zu  set-up %zu  run %zu  %s%s\n", t + 1, setup->block + 1,
			trial->setup + 1, trial->run + 1, matrix->cells[trial->cell].label,
			planned->is_absent[trial->cell] ? ABSENT_MARK : "");
	}
	if (planned->refused.code) {
		printf("\nthis machine can't run it: %s\n", planned->refused.message);
	} else if (planned->absent.count) {
		printf("\ncan't run on this machine:\n");
		absent_cells_say(&planned->absent, print_absent, NULL);
	}
	print_estimate(planned);
}

/* One element of a list; printed as it is made, so that a large plan needs no tree in memory. */
static void print_element(json_t *element, bool is_first)
{
	printf("%s\n ", is_first ? "" : ",");
	json_dumpf(element, stdout, JSON_COMPACT);
	json_decref(element);
}

static void print_json_cells(const struct planned *planned)
{
	const struct matrix *matrix = &planned->input.matrix;

	for (size_t i = 0; i < matrix->count; i++) {
		const struct cell *cell = &matrix->cells[i];
		json_t *settings = json_object();

		for (size_t v = 0; v < cell->settings.count; v++)
			json_object_set_new(settings, cell->settings.values[v].name,
				json_text(cell->settings.values[v].text));
		print_element(json_pack("{s:I, s:o, s:I, s:o, s:o}", "cell_index", (json_int_t)i,
				      "label", json_text(cell->label), "baseline_index",
				      (json_int_t)cell->baseline, "cannot_run",
				      json_text(absent_cells_reason(&planned->absent, i)),
				      "settings", settings),
			i == 0);
	}
}

static void print_json_trials(const struct plan *plan)
{
	for (size_t t = 0; t < plan->trial_count; t++) {
		const struct planned_trial *trial = &plan->trials[t];
		const struct planned_setup *setup = &plan->setups[trial->setup];

		print_element(json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "trial_id", trial->id,
				      "setup_id", setup->id, "order", (json_int_t)t, "block",
				      (json_int_t)setup->block, "cell_index",
				      (json_int_t)trial->cell, "run", (json_int_t)trial->run),
			t == 0);
	}
}

static void print_json(const struct planned *planned)
{
	const struct study *study = &planned->input.study;
	json_t *head = json_pack("{s:i, s:s, s:o, s:I, s:f, s:b, s:I, s:o}", "schema_version",
		RECORD_SCHEMA_VERSION, "study", study->name, "question", json_text(study->question),
		"seed", (json_int_t)planned->input.plan.seed, "estimated_s",
		planned->estimate.total_s, "estimate_measured", planned->times.measured,
		"estimated_disk_bytes", (json_int_t)planned->estimate.peak_disk_bytes, "refused",
		json_text(planned->refused.code ? planned->refused.message : NULL));
	char *text = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(6));

	/* The head without its closing brace: the lists follow inside. */
	printf("%.*s,\n\"cells\":[", (int)strlen(text) - 1, text);
	print_json_cells(planned);
	printf("],\n\"trials\":[");
	print_json_trials(&planned->input.plan);
	printf("]}\n");
	free(text);
	json_decref(head);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct planned planned = { 0 };
	const char *format, *results;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	format = command_value(command, &line, "format");
	results = command_value(command, &line, "results");
	if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
		err_set(&err, -EINVAL, "unknown form '%s': text or json", format);
		return command_fail(command, &err, EXIT_USAGE);
	}
	if (study_input_load(&planned.input, command, &line, &err) < 0)
		return command_fail(command, &err, EXIT_USAGE);
	look_at_machine(&planned);
	estimate(&planned, results ? results : RESULTS_FOLDER);
	if (format && strcmp(format, "json") == 0)
		print_json(&planned);
	else
		print_text(&planned);
	absent_cells_release(&planned.absent);
	free(planned.is_absent);
	study_input_release(&planned.input);
	return EXIT_DONE;
}

const struct command plan_command = {
	.name = "plan",
	.run = run,
	.options = options,
	.arguments = "STUDY.ini",
	.summary = "show what a study would run: cells, trials in order, time and disk",
	.description =
		"Reads and checks the study file, then prints its cells, its trials in the "
		"order in which they would run, and an estimate of time and disk. Nothing is "
		"touched. The same study and seed give the same plan on any machine; what this "
		"machine can't run of it is marked. The "
		"estimate uses step times of this machine once some trials have been run.",
};
