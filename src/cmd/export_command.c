/* plumb export: a study as one file, to be read elsewhere or kept. */
#include "cmd/command.h"

#include "base/memory.h"
#include "cmd/stored_study.h"
#include "store/bundle.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder; default plumb-results" },
	{ "output", 'o', "FILE", "the file to write; default STUDY.plumb" },
	{ 0 },
};

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct stored_study stored;
	struct bundle_info info;
	const char *folder, *output;
	char *path;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	folder = command_value(command, &line, "results");
	folder = folder ? folder : RESULTS_FOLDER;
	output = command_value(command, &line, "output");
	/* Loaded whole, so that what can't be reported is not exported as if it could. */
	r = stored_study_load(
		&stored, folder, line.argument_count ? line.arguments[0] : NULL, &err);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	path = output ? memory_copy_string(output) : memory_format("%s.plumb", stored.name);
	r = bundle_export(folder, stored.name, path, &info, &err);
	if (r == 0) {
		printf("study %s with %zu trials and %zu raw files is in %s\n", info.study,
			stored.results.trial_count, info.files, path);
		if (info.missing)
			printf("%zu raw files that trials name are gone and not in it\n",
				info.missing);
	}
	free(path);
	stored_study_release(&stored);
	return r < 0 ? command_fail(command, &err, EXIT_ERRORS) : EXIT_DONE;
}

const struct command export_command = {
	.name = "export",
	.run = run,
	.options = options,
	.arguments = "[STUDY]",
	.summary = "write a study as one file: results, raw files, hashes",
	.description =
		"The file is a tar archive with a results database that holds the study alone, the "
		"raw files its trials name, and a manifest with their hashes. 'plumb import' takes "
		"it "
		"into another results folder, where it gives the same reports. A file that exists "
		"is "
		"not overwritten.",
};
