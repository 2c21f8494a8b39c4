/* plumb compare: what changed between two stored studies. */
#include "cmd/command.h"

#include "analysis/comparison.h"
#include "cmd/study_place.h"
#include "cmd/terminal.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder of studies given by name; default plumb-results" },
	{ "metric", 'm', "NAME",
		"what is compared: tps, closing.wal_bytes; default: as in the report" },
	{ "margin", 0, "SHARE", "differences below it do not matter; default: the later study's" },
	{ "format", 'f', "FORM", "text (default), md, csv or json" },
	{ "table", 't', "NAME", "csv: changes (default), unpaired or environment_differences" },
	{ 0 },
};

struct request {
	struct comparison_options options;
	struct report_options look;
	const struct report_format *format;
};

static int read_request(const struct command *command, const struct command_line *line,
	struct request *request, struct err *err)
{
	const char *margin = command_value(command, line, "margin");
	const char *name = command_value(command, line, "format");

	request->options.metric = command_value(command, line, "metric");
	request->look.table = command_value(command, line, "table");
	if (!request->look.table)
		request->look.table = "changes";
	request->look.width = terminal_width(stdout);
	request->look.colour = terminal_wants_colour(stdout);
	request->format = report_find(name ? name : "text");
	if (!request->format || request->format->chart)
		return err_set(err, -EINVAL,
			"a comparison comes as text, md, csv or json, not as '%s'", name);
	if (margin && (percent_parse(margin, &request->options.margin) < 0 ||
			      !(request->options.margin > 0)))
		return err_set(err, -EINVAL, "--margin '%s': a share above 0, as in 2%%", margin);
	return 0;
}

static struct comparison_side side_of(const struct study_place *place)
{
	return (struct comparison_side){ &place->stored.results, &place->stored.findings,
		&place->stored.matrix };
}

static int print_comparison(
	const struct study_place places[2], const struct request *request, struct err *err)
{
	const struct comparison_side sides[2] = { side_of(&places[0]), side_of(&places[1]) };
	struct strbuf text = STRBUF_INIT;
	struct comparison comparison;
	struct report report = {
		.format = request->format,
		.options = &request->look,
		.findings = sides[1].findings,
		.results = sides[1].results,
		.out = &text,
	};
	int r = comparison_build(&comparison, sides, &request->options, err);

	if (r < 0)
		return r;
	r = report_write_comparison(&report, &comparison, err);
	if (r == 0)
		fwrite(text.data, 1, text.length, stdout);
	comparison_release(&comparison);
	strbuf_release(&text);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct request request = { .format = NULL };
	struct study_place places[2];
	const char *folder;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	r = read_request(command, &line, &request, &err);
	folder = command_value(command, &line, "results");
	folder = folder ? folder : RESULTS_FOLDER;
	if (r == 0)
		r = study_place_open(&places[0], line.arguments[0], folder, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	r = study_place_open(&places[1], line.arguments[1], folder, &err);
	if (r == 0) {
		r = print_comparison(places, &request, &err);
		study_place_release(&places[1]);
	}
	study_place_release(&places[0]);
	return r < 0 ? command_fail(command, &err, EXIT_USAGE) : EXIT_DONE;
}

const struct command compare_command = {
	.name = "compare",
	.run = run,
	.options = options,
	.arguments = "EARLIER LATER",
	.summary = "say what changed between two stored studies",
	.description =
		"EARLIER and LATER are each a study's name in --results, a results folder with one "
		"study, FOLDER:STUDY, or a file from 'plumb export'. Cells are paired by their arm "
		"or "
		"by equal settings; each change has its interval (set-ups of both studies, Welch, "
		"all "
		"pairs together at 95 %) and its verdict. What differs between the environments is "
		"listed. The two studies share no blocks, so what the machine did between them is "
		"in "
		"the changes.",
};
