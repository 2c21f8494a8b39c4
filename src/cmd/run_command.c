/* plumb run: runs a study, or goes on with one that was cut short. */
#include "analysis/precision.h"
#include "cmd/run_display.h"
#include "cmd/stored_study.h"
#include "cmd/study_input.h"
#include "cmd/terminal.h"

#include "report/report.h"
#include "run/folders.h"
#include "run/interrupt.h"
#include "run/runner.h"

#include <errno.h>
#include <stdio.h>

static const struct option_row options[] = {
	STUDY_INPUT_OPTIONS,
	{ "results", 'r', "DIR", "where results are kept; default plumb-results" },
	{ "run-as", 0, "USER", "as root: who runs server and workload; default postgres" },
	{ "scratch", 0, "DIR",
		"where filesystems under test lie; default /var/lib/plumb as root, "
		"else below the XDG data folder" },
	{ "events", 'e', "FILE",
		"append what happens to FILE, one JSON object a line; - for "
		"standard output" },
	{ "quiet", 'q', NULL, "no progress and no report, only errors" },
	{ 0 },
};

struct job {
	const struct command *command;
	struct command_line line;
	const char *results;
	struct study_input input;
	struct run_display display;
	struct run_summary summary;
};

/* Half of the widest interval of all cells' ratios, against the precision asked for. */
static int is_precise(void *context, double precision, bool *ret_precise, struct err *err)
{
	const struct job *job = context;
	struct stored_study stored;
	double widest;
	int r = stored_study_load(&stored, job->results, job->input.study.name, err);

	if (r < 0)
		return r;
	/* Nothing to compare: no block would change that. */
	widest = precision_widest(&stored.findings);
	*ret_precise = !(widest > precision);
	stored_study_release(&stored);
	return 0;
}

static int run_with_store(struct job *job, const struct folders *folders, struct err *err)
{
	struct run_options run_options = {
		.study = &job->input.study,
		.matrix = &job->input.matrix,
		.results_folder = job->results,
		.folders = folders,
		.run_as = command_value(job->command, &job->line, "run-as"),
		.program_version = PLUMB_VERSION,
		.clock = clock_system(),
		.listener = &job->display.listener,
		.precise = is_precise,
		.precise_context = job,
	};
	struct store *store = NULL;
	int r = store_open(&sqlite_store, job->results, STORE_WRITE, &store, err);

	if (r < 0)
		return r;
	run_options.store = store;
	r = runner_run(&run_options, &job->summary, err);
	store_close(store);
	return r;
}

static int run_in_folders(struct job *job, struct err *err)
{
	const char *scratch = command_value(job->command, &job->line, "scratch");
	struct folders folders;
	int r = folders_init(&folders, scratch, err);

	if (r < 0)
		return r;
	r = folders_make(&folders, err);
	if (r == 0)
		r = run_with_store(job, &folders, err);
	folders_release(&folders);
	return r;
}

static int print_report(const struct job *job, struct err *err)
{
	struct report_options look = {
		.width = terminal_width(stdout),
		.colour = terminal_wants_colour(stdout),
	};
	struct strbuf text = STRBUF_INIT;
	struct stored_study stored;
	struct report report = { .format = &text_report,
		.options = &look,
		.findings = &stored.findings,
		.results = &stored.results,
		.out = &text };
	int r = stored_study_load(&stored, job->results, job->input.study.name, err);

	if (r < 0)
		return r;
	r = report_write(&report, err);
	fputs(text.data, stdout);
	strbuf_release(&text);
	stored_study_release(&stored);
	return r;
}

/* What is over, and how it ended. */
static int finish(struct job *job, int r, struct err *err)
{
	const struct run_summary *summary = &job->summary;
	struct err later = ERR_INIT;
	bool began = summary->done + summary->failed + summary->voided > 0;

	if (run_display_finish(&job->display, &later) < 0)
		command_fail(job->command, &later, EXIT_ERRORS);
	if (r < 0 && r != -EINTR)
		return command_fail(job->command, err, began ? EXIT_ERRORS : EXIT_USAGE);
	if (!job->display.quiet)
		printf("results are in %s\n\n", job->results);
	if (r == -EINTR) {
		err_clear(err);
		err_set(err, r, "stopped; what was sealed is kept");
		err_hint(err, r, "the same command goes on from there");
		return command_fail(job->command, err, EXIT_ERRORS);
	}
	if (!job->display.quiet && print_report(job, err) < 0)
		return command_fail(job->command, err, EXIT_ERRORS);
	return summary->failed + summary->voided > 0 || later.code ? EXIT_ERRORS : EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct job job = { .command = command };
	int r = command_parse(command, argc, argv, &job.line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	job.results = command_value(command, &job.line, "results");
	if (!job.results)
		job.results = RESULTS_FOLDER;
	r = study_input_load(&job.input, command, &job.line, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	r = run_display_init(&job.display, command_flag(command, &job.line, "quiet"),
		command_value(command, &job.line, "events"), &err);
	if (r == 0) {
		interrupt_install();
		r = run_in_folders(&job, &err);
		r = finish(&job, r, &err);
	} else {
		r = command_fail(command, &err, EXIT_USAGE);
	}
	study_input_release(&job.input);
	return r;
}

const struct command run_command = {
	.name = "run",
	.run = run,
	.options = options,
	.arguments = "STUDY.ini",
	.summary = "run a study, or go on with one that was cut short",
	.description =
		"Checks the study and this machine, then runs its trials in the order of the plan. "
		"Each trial is kept whole when it ends; the same command later goes on with the "
		"trials that are missing. A study that changed since its first trial is "
		"refused. Cells that this machine can't run (a program, a driver, a server is "
		"missing) are left out, and named with the reason here and in every report; a "
		"later run takes them up as soon as it can.\n\n"
		"A trial in which the system under test breaks is FAILED: a result, with the tail "
		"of "
		"the right log. One that plumb or the machine broke is VOID and is repeated by the "
		"next run. SIGINT and SIGTERM stop in order, within seconds. After a kill 'plumb "
		"clean' removes what was left.",
};
