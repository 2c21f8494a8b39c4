/* plumb clean: undoes what an interrupted run left, from its journal; with --packages also what the
 * set-up script added to the system's package sources. */
#include "cmd/command.h"

#include "base/file.h"
#include "run/clean.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SETUP_STATE "/var/lib/plumb/setup.state"

static const struct option_row options[] = {
	{ "scratch", 0, "DIR", "the scratch folder that the run was given" },
	{ "packages", 0, NULL,
		"also remove the package sources that tools/setup added, and name the "
		"packages that it installed" },
	{ "quiet", 'q', NULL, "say nothing but errors" },
	{ 0 },
};

static void say(void *context UNUSED, const char *sentence)
{
	printf("%s\n", sentence);
}

static int clean_rigs(const char *scratch, bool quiet, struct err *err)
{
	struct undo_report report = { .say = quiet ? NULL : say };
	struct folders folders;
	size_t running = 0;
	int r = folders_init(&folders, scratch, err);

	if (r < 0)
		return r;
	r = clean_run(&folders, &report, &running, err);
	folders_release(&folders);
	if (quiet)
		return r;
	if (running)
		printf("%zu plumb still running: left alone\n", running);
	if (report.left_alone)
		printf("%zu things left alone: they are not ours\n", report.left_alone);
	if (report.undone == 0 && report.failed == 0)
		printf("nothing was left to undo\n");
	else
		printf("%zu undone, %zu failed\n", report.undone, report.failed);
	return r;
}

/* Files that the set-up script makes. Nothing else is ever removed, whatever the state file says.
 */
static bool is_setup_file(const char *path)
{
	return strcmp(path, "/etc/apt/sources.list.d/plumb.sources") == 0 ||
	       strcmp(path, "/etc/postgresql-common/createcluster.d/plumb-setup.conf") == 0;
}

static int remove_setup_file(const char *path, bool quiet, struct err *err)
{
	if (!is_setup_file(path)) {
		printf("'%s' in %s is no file of the set-up: left alone\n", path, SETUP_STATE);
		return 0;
	}
	if (unlink(path) < 0 && errno != ENOENT) {
		int r = err_set_errno(err, -errno, "cannot remove '%s'", path);

		return r == -EACCES ? err_hint(err, r, "run it as root") : r;
	}
	if (!quiet)
		printf("removed %s\n", path);
	return 0;
}

static int clean_packages(bool quiet, struct err *err)
{
	struct strbuf state = STRBUF_INIT, packages = STRBUF_INIT;
	char *rest = NULL;
	int r = 0;

	if (!file_exists(SETUP_STATE)) {
		if (!quiet)
			printf("tools/setup changed nothing here\n");
		return 0;
	}
	r = file_read(SETUP_STATE, &state, err);
	for (char *line = strtok_r(state.data, "\n", &rest); r == 0 && line;
		line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "file ", 5) == 0)
			r = remove_setup_file(line + 5, quiet, err);
		else if (strncmp(line, "package ", 8) == 0)
			strbuf_add_format(&packages, " %s", line + 8);
	}
	if (r == 0 && packages.length && !quiet)
		printf("packages that tools/setup installed; to remove them as well:\n"
		       "  apt-get remove%s\n",
			packages.data);
	strbuf_release(&state);
	strbuf_release(&packages);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	bool quiet;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	quiet = command_flag(command, &line, "quiet");
	r = clean_rigs(command_value(command, &line, "scratch"), quiet, &err);
	if (command_flag(command, &line, "packages")) {
		int packages = clean_packages(quiet, &err);

		r = r < 0 ? r : packages;
	}
	return r < 0 ? command_fail(command, &err, EXIT_ERRORS) : EXIT_DONE;
}

const struct command clean_command = {
	.name = "clean",
	.run = run,
	.options = options,
	.arguments = "",
	.summary = "undo what an interrupted run left: mounts, loop devices, processes, folders",
	.description =
		"Works from the undo journals of runs that were killed. Each thing is first proven "
		"to "
		"be plumb's own (a process by its start time, a loop device by its backing file, a "
		"folder by its marker); what is not is left alone and named. Runs that still go on "
		"are not touched. Results are never removed.",
};
