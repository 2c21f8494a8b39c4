/*
 * Servers that a study needs and that are not built yet (page and segment sizes that no package
 * has): built once before the first set-up, after everything else about the study was checked.
 */
#include "postgres/install.h"
#include "run/runner_internal.h"

#include "postgres/binaries.h"
#include "workload/workload.h"

#include <errno.h>
#include <string.h>

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
	strbuf_clear(&text);
	if (r == 0)
		pg_install_note(bindir.data, &text);
	if (text.length)
		runner_tell(runner, RUN_MESSAGE, text.data);
	strbuf_release(&text);
	strbuf_release(&bindir);
	return r;
}

static bool same_build(const struct pg_build_spec *one, const struct pg_build_spec *other)
{
	return one->block_bytes == other->block_bytes &&
	       one->wal_block_bytes == other->wal_block_bytes &&
	       one->segment_bytes == other->segment_bytes &&
	       strcmp(one->version ? one->version : "", other->version ? other->version : "") == 0;
}

/* Every cell that needs this build can't run; a build that failed is not tried again for each. */
static void lose_cells(
	struct runner *runner, const struct pg_build_spec *failed, const struct err *why)
{
	const struct matrix *matrix = runner->options->matrix;

	for (size_t i = 0; i < matrix->count; i++) {
		const struct cell *cell = &matrix->cells[i];
		struct pg_build_spec spec;

		if (cell->role == CELL_STUDIED && !absent_cells_reason(&runner->absent, i) &&
			runner_needs_build(&cell->settings, &spec) && same_build(&spec, failed))
			absent_cells_add(&runner->absent, i, cell->label, why->message);
	}
}

static int build_all(struct runner *runner, struct err *err)
{
	const struct matrix *matrix = runner->options->matrix;
	struct pg_build_spec spec;
	int r = 0;

	for (size_t i = 0; r == 0 && i < matrix->count; i++) {
		const struct cell *cell = &matrix->cells[i];
		struct err why = ERR_INIT;
		int failed;

		if (cell->role != CELL_STUDIED || absent_cells_reason(&runner->absent, i) ||
			!runner_needs_build(&cell->settings, &spec))
			continue;
		failed = build(runner, &spec, &why);
		if (failed == -EINTR)
			return err_set(err, failed, "%s", why.message);
		if (failed == 0)
			continue;
		lose_cells(runner, &spec, &why);
		r = runner_some_can_run(matrix, &runner->absent, failed, err);
	}
	return r;
}

int runner_build_servers(struct runner *runner, struct err *err)
{
	int r = build_all(runner, err);

	/* A new version of the source makes older builds of other sizes stale: once more, so that
	 * all are of one version. */
	return r == 0 ? build_all(runner, err) : r;
}
