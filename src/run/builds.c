/*
 * Servers that a study needs and that are not built yet (page and segment sizes that no package
 * has): built once before the first set-up, after everything else about the study was checked.
 */
#include "postgres/install.h"
#include "run/runner_internal.h"

#include "postgres/binaries.h"
#include "workload/workload.h"

#include <errno.h>

struct build_watch {
	struct runner *runner;
	const char *size; /* "32K blocks" */
};

bool runner_needs_build(const struct settings *settings, struct pg_build_spec *ret_spec)
{
	const struct workload_driver *workload =
		workload_find(settings_text(settings, "workload.type", "pgbench"));
	struct strbuf bindir = STRBUF_INIT;
	bool needed = workload && workload->needs_cluster &&
		      pg_binaries_from_source(settings, ret_spec) &&
		      pg_install_find(ret_spec, &bindir, NULL) == -ENOENT;

	strbuf_release(&bindir);
	return needed;
}

static bool tell_build(void *listener, const struct pg_build_progress *progress)
{
	struct build_watch *watch = listener;
	struct runner *runner = watch->runner;

	runner->now.phase = "build of PostgreSQL";
	runner->now.part = progress->step;
	runner->now.rate = 0;
	runner->now.fraction = progress->fraction;
	runner_tell(runner, RUN_PROGRESS, NULL);
	return runner_wants_stop(runner);
}

static int build(struct runner *runner, const struct pg_build_spec *spec, struct err *err)
{
	struct build_watch watch = { .runner = runner };
	struct pg_build_request request = { .progress = tell_build, .listener = &watch };
	struct strbuf text = STRBUF_INIT, bindir = STRBUF_INIT;
	bool measured;
	double seconds = pg_install_estimate_s(&measured);
	int r;

	strbuf_add_text(&text, "building PostgreSQL with ");
	size_format(spec->block_bytes ? spec->block_bytes : 8192, &text);
	strbuf_add_format(&text, " blocks, kept for later studies: about %.0f s%s", seconds,
		measured ? "" : " (a guess)");
	runner_tell(runner, RUN_MESSAGE, text.data);
	r = pg_install_build(spec, &request, &bindir, err);
	strbuf_release(&text);
	strbuf_release(&bindir);
	return r;
}

int runner_build_servers(struct runner *runner, struct err *err)
{
	const struct matrix *matrix = runner->options->matrix;
	struct pg_build_spec spec;
	int r = 0;

	for (size_t i = 0; r == 0 && i < matrix->count; i++)
		if (runner_needs_build(&matrix->cells[i].settings, &spec))
			r = build(runner, &spec, err);
	/* A new version of the source makes older builds of other sizes stale: once more, so that
	 * all are of one version. */
	for (size_t i = 0; r == 0 && i < matrix->count; i++)
		if (runner_needs_build(&matrix->cells[i].settings, &spec))
			r = build(runner, &spec, err);
	return r;
}
