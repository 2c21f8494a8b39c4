/* plumb import: an exported study into a results folder. */
#include "cmd/command.h"

#include "cmd/stored_study.h"
#include "store/bundle.h"

#include <stdio.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ 0 },
};

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct bundle_info info;
	const char *folder;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	folder = command_value(command, &line, "results");
	folder = folder ? folder : RESULTS_FOLDER;
	r = bundle_import(line.arguments[0], folder, &info, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	printf("study %s with %zu raw files is in %s\n", info.study, info.files, folder);
	return EXIT_DONE;
}

const struct command import_command = {
	.name = "import",
	.run = run,
	.options = options,
	.arguments = "FILE",
	.summary = "take an exported study into a results folder",
	.description =
		"FILE comes from 'plumb export'. Only plain files with plain names are taken, "
		"sizes "
		"and hashes must be those of its manifest, and the schema version must be this "
		"plumb's; anything else is refused and the folder stays as it was.",
};
