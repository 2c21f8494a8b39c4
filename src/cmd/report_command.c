/* plumb report: what a study's trials support, for people and for machines. */
#include "cmd/command.h"

#include "base/file.h"
#include "base/near.h"
#include "cmd/stored_study.h"
#include "cmd/terminal.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ "format", 'f', "FORM", "text (default), csv or json" },
	{ "table", 't', "NAME",
		"csv: cells (default), trials, rejected, differences, warnings or environment" },
	{ "output", 'o', "FILE", "write it to FILE instead of standard output" },
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

static int write_out(const struct strbuf *text, const char *path, struct err *err)
{
	if (path)
		return file_write_atomic(path, text->data, text->length, 0644, err);
	fwrite(text->data, 1, text->length, stdout);
	return 0;
}

static int print_report(const struct stored_study *stored, const struct report_format *format,
	const struct report_options *look, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct report report = {
		.format = format,
		.options = look,
		.findings = &stored->findings,
		.results = &stored->results,
		.out = &text,
	};
	int r = report_write(&report, err);

	if (r == 0 && text.length == 0 && look->table)
		r = err_set(err, -EINVAL, "the report has no table '%s'", look->table);
	if (r == 0)
		r = write_out(&text, path, err);
	strbuf_release(&text);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct report_options look = { 0 };
	struct stored_study stored;
	const struct report_format *format;
	const char *folder, *path, *name;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	name = command_value(command, &line, "format");
	format = find_format(name ? name : "text", &err);
	if (!format)
		return command_fail(command, &err, EXIT_USAGE);
	folder = command_value(command, &line, "results");
	path = command_value(command, &line, "output");
	look.table = command_value(command, &line, "table");
	look.width = path ? 0 : terminal_width(stdout);
	look.colour = !path && terminal_wants_colour(stdout);
	r = stored_study_load(&stored, folder ? folder : RESULTS_FOLDER,
		line.argument_count ? line.arguments[0] : NULL, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	r = print_report(&stored, format, &look, path, &err);
	stored_study_release(&stored);
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
		"Bytes per transaction are those of the window and of the closing checkpoint.",
};
