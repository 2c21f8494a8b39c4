/* plumb pg: make, list and remove PostgreSQL builds with other block sizes. */
#include "cmd/command.h"

#include "base/macros.h"
#include "base/memory.h"
#include "postgres/install.h"
#include "setting/setting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
	{ "version", 0, "VERSION", "15, or exactly 15.18; default: that of the installed server" },
	{ "block-size", 'b', "SIZES", "page sizes, 1K to 32K, separated by commas; default 8K" },
	{ "wal-block-size", 'w', "SIZE", "WAL page size, 1K to 64K; default 8K" },
	{ "segment-size", 's', "SIZE", "size of a relation's files; default 1G" },
	{ "source", 0, "PATH", "source folder or tarball instead of the distribution's package" },
	{ "jobs", 'j', "N", "compilers at once; default: one a processor" },
	{ "quiet", 'q', NULL, "no progress line" },
	{ 0 },
};

static volatile sig_atomic_t stop_asked;

static void on_stop(int signal UNUSED)
{
	stop_asked = 1;
}

/* What the progress listener knows. */
struct display {
	bool quiet, terminal;
	int percent_shown;
	const char *size;
};

static bool show_progress(void *listener, const struct pg_build_progress *progress)
{
	struct display *display = listener;
	int percent = (int)(progress->fraction * 100);

	if (display->quiet)
		return stop_asked;
	if (display->terminal) {
		fprintf(stderr, "\r%s: %3d %% %4.0f s  %-40.40s", display->size, percent,
			progress->elapsed_s, progress->step);
	} else if (percent / 10 != display->percent_shown / 10) {
		fprintf(stderr, "%s: %d %% after %.0f s, %s\n", display->size, percent,
			progress->elapsed_s, progress->step);
		display->percent_shown = percent;
	}
	return stop_asked;
}

static int read_size(const struct command *command, const struct command_line *line,
	const char *option, uint64_t *ret_bytes, struct err *err)
{
	const char *text = command_value(command, line, option);

	if (text && (size_parse(text, ret_bytes) < 0 || *ret_bytes == 0))
		return err_set(err, -EINVAL, "--%s: '%s' is no size such as 8K", option, text);
	return 0;
}

static int read_jobs(const struct command *command, const struct command_line *line, int *ret_jobs,
	struct err *err)
{
	const char *text = command_value(command, line, "jobs");
	int64_t jobs;

	if (!text)
		return 0;
	if (integer_parse(text, &jobs) < 0 || jobs < 1 || jobs > 1024)
		return err_set(err, -EINVAL, "--jobs: '%s' is no number from 1 to 1024", text);
	*ret_jobs = (int)jobs;
	return 0;
}

static int install_one(const struct pg_build_spec *spec, struct pg_build_request *request,
	const char *size, struct err *err)
{
	struct display *display = request->listener;
	struct strbuf bindir = STRBUF_INIT, note = STRBUF_INIT;
	int r;

	display->size = size;
	display->percent_shown = 0;
	r = pg_install_build(spec, request, &bindir, err);
	if (display->terminal && !display->quiet)
		fputc('\n', stderr);
	if (r == 0) {
		printf("%s blocks: %s\n", size, bindir.data);
		fflush(stdout);
		if (!request->source) /* who gives a source wants that one */
			pg_install_note(bindir.data, &note);
		if (note.length && !display->quiet)
			fprintf(stderr, "note: %s\n", note.data);
	}
	strbuf_release(&note);
	strbuf_release(&bindir);
	return r;
}

/* Check every size of the list before the first build: minutes must not pass before a typo shows.
 */
static int check_sizes(
	const char *sizes, struct pg_build_spec spec, int *ret_count, struct err *err)
{
	char *copy = memory_copy_string(sizes), *rest = copy, *size;
	int r = 0;

	*ret_count = 0;
	while (r == 0 && (size = strsep(&rest, ", "))) {
		if (!*size)
			continue;
		(*ret_count)++;
		if (size_parse(size, &spec.block_bytes) < 0 || spec.block_bytes == 0)
			r = err_set(err, -EINVAL, "--block-size: '%s' is no size such as 8K", size);
		else
			r = pg_build_spec_check(&spec, err);
	}
	if (r == 0 && *ret_count == 0)
		r = err_set(err, -EINVAL, "--block-size: no size given");
	free(copy);
	return r;
}

static int install_sizes(const char *sizes, struct pg_build_spec *spec,
	struct pg_build_request *request, struct err *err)
{
	char *copy = memory_copy_string(sizes), *rest = copy, *size;
	bool measured;
	int count, r = check_sizes(sizes, *spec, &count, err);

	if (r == 0) {
		double seconds = pg_install_estimate_s(&measured);

		fprintf(stderr, "a build takes about %.0f s%s; %d asked for\n", seconds,
			measured ? " on this machine" : " (a guess)", count);
	}
	while (r == 0 && (size = strsep(&rest, ", "))) {
		if (!*size)
			continue;
		size_parse(size, &spec->block_bytes); /* checked above */
		r = install_one(spec, request, size, err);
	}
	free(copy);
	return r;
}

static int install(const struct command *command, const struct command_line *line)
{
	const char *sizes = command_value(command, line, "block-size");
	struct pg_build_spec spec = { .version = command_value(command, line, "version") };
	struct display display = { .quiet = command_flag(command, line, "quiet"),
		.terminal = isatty(2) };
	struct pg_build_request request = { .source = command_value(command, line, "source"),
		.progress = show_progress,
		.listener = &display };
	struct sigaction action = { .sa_handler = on_stop };
	struct err err = ERR_INIT;
	int r = read_size(command, line, "wal-block-size", &spec.wal_block_bytes, &err);

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (r == 0)
		r = read_size(command, line, "segment-size", &spec.segment_bytes, &err);
	if (r == 0)
		r = read_jobs(command, line, &request.jobs, &err);
	if (r == 0)
		r = install_sizes(sizes ? sizes : "8K", &spec, &request, &err);
	return r < 0 ? command_fail(command, &err, EXIT_USAGE) : EXIT_DONE;
}

static int list(const struct command *command)
{
	struct pg_build_list builds = { NULL, 0 };
	struct err err = ERR_INIT;

	if (pg_install_list(&builds, &err) < 0)
		return command_fail(command, &err, EXIT_USAGE);
	if (builds.count)
		printf("%-32s %-8s %8s %8s %8s %8s\n", "NAME", "VERSION", "BLOCK", "WAL BLOCK",
			"SEGMENT", "BUILT IN");
	for (size_t i = 0; i < builds.count; i++) {
		const struct pg_build *build = &builds.builds[i];
		struct strbuf sizes[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };

		size_format(build->block_bytes, &sizes[0]);
		size_format(build->wal_block_bytes, &sizes[1]);
		size_format(build->segment_bytes, &sizes[2]);
		printf("%-32s %-8s %8s %8s %8s %6.0f s\n", build->name, build->version,
			sizes[0].data, sizes[1].data, sizes[2].data, build->seconds);
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			strbuf_release(&sizes[k]);
	}
	pg_build_list_release(&builds);
	return EXIT_DONE;
}

static int remove_builds(const struct command *command, const struct command_line *line)
{
	for (int i = 1; i < line->argument_count; i++) {
		struct err err = ERR_INIT;

		if (pg_install_remove(line->arguments[i], &err) < 0)
			return command_fail(command, &err, EXIT_USAGE);
		printf("removed %s\n", line->arguments[i]);
	}
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct command_line line;
	struct err err = ERR_INIT;
	int parsed = command_parse(command, argc, argv, &line);
	const char *verb;

	if (parsed != 0)
		return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
	verb = line.arguments[0];
	if (strcmp(verb, "install") == 0 && line.argument_count == 1)
		return install(command, &line);
	if (strcmp(verb, "list") == 0 && line.argument_count == 1)
		return list(command);
	if (strcmp(verb, "remove") == 0 && line.argument_count > 1)
		return remove_builds(command, &line);
	err_set(&err, -EINVAL,
		strcmp(verb, "remove") == 0 ? "remove: name a build" : "'%s': wrong use", verb);
	err_hint(&err, -EINVAL, "plumb pg install [OPTIONS] | list | remove NAME...");
	return command_fail(command, &err, EXIT_USAGE);
}

const struct command pg_command = {
	.name = "pg",
	.run = run,
	.options = options,
	.arguments = "install|list|remove [NAME ...]",
	.summary = "make, list or remove PostgreSQL builds of other block sizes",
	.description =
		"The distribution's server has pages of 8K only. 'plumb pg install' builds others "
		"from the distribution's source package, or from --source, with the distribution's "
		"optimisation flags and only the programs that plumb calls. The package is the "
		"newest that can be had of the installed server's major version; where it is not "
		"of "
		"the server's own version, that is said.\n\n"
		"Builds are kept below /var/cache/plumb (root), the XDG cache folder (user) or "
		"$PLUMB_CACHE, known by version, options and compiler. A study that asks for other "
		"block sizes installs what it needs by itself; all its arms then use such builds, "
		"8K included, of one version.\n\n"
		"Example: plumb pg install --block-size 4K,8K,32K",
};
