/* plumb report: what a study's trials support, for people and for machines. */
#include "cmd/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/subprocess.h"
#include "cmd/stored_study.h"
#include "cmd/terminal.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ "format", 'f', "FORM", "text (default), html, md, csv or json" },
	{ "table", 't', "NAME",
		"csv: cells (default), trials, checks, factors, effects, choices, load, "
		"published, queries, query_times, space, rejected, differences, warnings or "
		"environment" },
	{ "full", 0, NULL,
		"text, md: the write ledger with every level, part and factor; the times of each "
		"query" },
	{ "output", 'o', "FILE", "write it to FILE instead of standard output" },
	{ "open", 0, NULL, "html: show it in a browser (xdg-open); FILE or STUDY.html is written" },
	{ 0 },
};

static const struct report_format *find_format(const char *name, struct err *err)
{
	const struct report_format *format = report_find(name);
	const char *near = NULL;

	if (format)
		return format;
	err_set(err, -EINVAL, "unknown form '%s'", name);
	for (size_t i = 0; report_formats[i]; i++)
		near = near_better(name, near, report_formats[i]->name);
	if (near)
		err_hint(err, -EINVAL, "did you mean '%s'?", near);
	for (size_t i = 0; report_formats[i]; i++)
		err_hint(err, -EINVAL, "%s: %s", report_formats[i]->name, report_formats[i]->help);
	return NULL;
}

static int sink_to_file(void *context, const char *bytes, size_t length, struct err *err)
{
	return file_writer_add(context, bytes, length, err);
}

static int sink_to_stdout(void *context UNUSED, const char *bytes, size_t length, struct err *err)
{
	if (fwrite(bytes, 1, length, stdout) == length)
		return 0;
	return err_set_errno(err, -errno, "cannot write to standard output");
}

/* Into path, or to standard output; a file is replaced only by a whole report. */
static int write_out(struct report *report, const char *path, struct err *err)
{
	struct file_writer file;
	struct report_sink sink = { path ? sink_to_file : sink_to_stdout, path ? &file : NULL };
	int r = path ? file_writer_begin(&file, path, 0644, err) : 0;

	if (r < 0)
		return r;
	report->sink = &sink;
	r = report_write(report, err);
	if (r == 0 && report->sunk_bytes == 0 && report->options->table)
		r = err_set(err, -EINVAL, "the report has no table '%s'", report->options->table);
	if (path) {
		struct err later = ERR_INIT;
		int ended = file_writer_end(&file, r == 0, r == 0 ? err : &later);

		r = r < 0 ? r : ended;
	}
	return r;
}

/* Fewer bins where there are many trials, so that the page stays a few megabytes. */
#define TRACE_POINTS_MOST 40000

/* Values over time are the bulk of a store: read only for a form that draws them. */
static int read_traces(const struct stored_study *stored, struct traces *traces, struct err *err)
{
	const char *primary = stored->findings.primary ? stored->findings.primary->name : "tps";
	struct store_query query = { .study = stored->name, .with_series = true };
	size_t trials = MAX(stored->results.trial_count, (size_t)1);

	/* The charge for the closing checkpoint has no series of its own. */
	traces_init(traces, strcmp(primary, "tps_charged") == 0 ? "tps" : primary,
		MAX(TRACE_POINTS_MOST / trials, (size_t)20));
	return store_scan(stored->store, &query, traces_add, traces, err);
}

static int print_report(const struct stored_study *stored, const struct report_format *format,
	const struct report_options *look, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct traces traces = { 0 };
	struct report report = {
		.format = format,
		.options = look,
		.findings = &stored->findings,
		.results = &stored->results,
		.study_text = stored->text,
		.out = &text,
	};
	int r = format->wants_traces ? read_traces(stored, &traces, err) : 0;

	report.traces = &traces;
	if (r == 0)
		r = write_out(&report, path, err);
	traces_release(&traces);
	strbuf_release(&text);
	return r;
}

static int open_page(const char *path, struct err *err)
{
	const char *const arguments[] = { "xdg-open", path, NULL };
	char *program = subprocess_find("xdg-open");

	if (!program)
		return err_set(err, -ENOENT,
			"'%s' is written, but there is no xdg-open to show it (Debian: package "
			"xdg-utils)",
			path);
	free(program);
	return subprocess_capture(arguments, NULL, err);
}

/* --open is for pages, and needs a file that outlives the command. */
static int check_open(const struct report_format *format, struct err *err)
{
	if (strcmp(format->name, "html") == 0)
		return 0;
	return err_set(err, -EINVAL, "--open shows html only, not %s", format->name);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct report_options look = { 0 };
	struct stored_study stored;
	const struct report_format *format;
	const char *folder, *path, *name;
	char *page = NULL;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	name = command_value(command, &line, "format");
	format = find_format(name ? name : "text", &err);
	if (!format || (command_flag(command, &line, "open") && check_open(format, &err) < 0))
		return command_fail(command, &err, EXIT_USAGE);
	folder = command_value(command, &line, "results");
	path = command_value(command, &line, "output");
	look.full = command_flag(command, &line, "full");
	look.table = command_value(command, &line, "table");
	look.width = path ? 0 : terminal_width(stdout);
	look.colour = !path && terminal_wants_colour(stdout);
	r = stored_study_load(&stored, folder ? folder : RESULTS_FOLDER,
		line.argument_count ? line.arguments[0] : NULL, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	if (command_flag(command, &line, "open") && !path)
		path = page = memory_format("%s.html", stored.name);
	r = print_report(&stored, format, &look, path, &err);
	if (r == 0 && command_flag(command, &line, "open"))
		r = open_page(path, &err);
	stored_study_release(&stored);
	free(page);
	return r < 0 ? command_fail(command, &err, EXIT_ERRORS) : EXIT_DONE;
}

const struct command report_command = {
	.name = "report",
	.run = run,
	.options = options,
	.arguments = "[STUDY]",
	.summary = "say what a study's trials support: table of cells, verdict",
	.description =
		"STUDY is a study's name or its file; it may be left out when the results folder "
		"holds one study.\n\n"
		"A cell's value is the geometric mean over its set-ups with its 95 % interval. "
		"Ratios "
		"to the baseline have 95 % intervals that hold together for all cells of the table "
		"(logarithms, cells by blocks, pooled residual, Dunnett's multiplier). With fewer "
		"than 3 set-ups there is no interval and no claim; with fewer than 5 the verdict "
		"is a "
		"screening. Trials that failed, are void or were spoiled by a known cause are "
		"listed "
		"with their reasons and not used.\n\n"
		"Bytes per transaction are those of the window and of the closing checkpoint.\n\n"
		"Where a study has them, its A/A control, planted effect and canary are judged "
		"first: "
		"if one fails, this machine can't tell, and nothing is said about the cells. "
		"Studies "
		"made of factors say which setting mattered, with interactions. The page of "
		"--format "
		"html holds the charts (gnuplot) and needs no network.",
};
