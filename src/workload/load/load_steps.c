/* The steps of a load (see load_steps.h). */
#include "workload/load/load_steps.h"

#include "base/macros.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The programs run in the trial's own folder. */
static const char *absolute(struct arena *arena, const char *path)
{
	char folder[PATH_MAX];

	if (*path == '/' || !getcwd(folder, sizeof(folder)))
		return path;
	return arena_format(arena, "%s/%s", folder, path);
}

static struct load_step *add_step(struct load_steps *steps, const char *part, const char *program)
{
	struct load_step *step = &steps->steps[steps->count++];

	*step = (struct load_step){ .part = part, .program = program };
	return step;
}

static void add_argument(struct load_step *step, const char *argument)
{
	size_t used = 0;

	while (step->arguments[used])
		used++;
	step->arguments[used] = argument; /* LOAD_ARGUMENTS_MAX is above what any step has */
}

static struct load_step *add_psql(struct load_steps *steps, const char *part, const char *database)
{
	struct load_step *step = add_step(steps, part, "psql");

	add_argument(step, "--no-psqlrc");
	add_argument(step, "--quiet");
	add_argument(step, "--set=ON_ERROR_STOP=1");
	add_argument(step, "--dbname");
	add_argument(step, database);
	return step;
}

static void add_sql(struct load_steps *steps, const char *part, const char *sql)
{
	struct load_step *step = add_psql(steps, part, LOAD_DATABASE);

	add_argument(step, "--command");
	add_argument(step, sql);
}

static void add_script(struct load_steps *steps, const char *part, const char *path)
{
	struct load_step *step;

	if (!path)
		return;
	step = add_psql(steps, part, LOAD_DATABASE);
	add_argument(step, "--file");
	add_argument(step, path);
	step->file = path;
	step->script = true;
}

static void add_fresh_database(struct load_steps *steps)
{
	struct load_step *step = add_psql(steps, NULL, "postgres");

	add_argument(step, "--command");
	add_argument(step, "DROP DATABASE IF EXISTS " LOAD_DATABASE);
	add_argument(step, "--command");
	add_argument(step, "CREATE DATABASE " LOAD_DATABASE);
}

static void add_pgbench(
	const struct settings *settings, struct arena *arena, struct load_steps *steps)
{
	struct load_step *step = add_step(steps, "pgbench", "pgbench");

	add_argument(step, "--initialize");
	/* Vacuum is a step of its own, after the indexes. */
	add_argument(step, settings_boolean(settings, "workload.foreign_keys", false)
				   ? "--init-steps=dtgpf"
				   : "--init-steps=dtgp");
	add_argument(step,
		arena_format(arena, "--scale=%s", settings_text(settings, "workload.scale", "10")));
	add_argument(step, arena_format(arena, "--fillfactor=%s",
				   settings_text(settings, "workload.fillfactor", "100")));
	add_argument(step, LOAD_DATABASE);
	step->parts_in_output = true;
}

/* "table=path": psql's \copy, CSV with a header where the name says so. */
static int add_copy(
	const char *word, struct arena *arena, struct load_steps *steps, struct err *err)
{
	const char *equals = strchr(word, '=');
	const char *path = equals ? equals + 1 : "";
	size_t length = strlen(path);
	bool csv = length > 4 && strcmp(path + length - 4, ".csv") == 0;
	struct load_step *step;

	if (!equals || equals == word || !*path || strchr(word, '\''))
		return err_set(err, -EINVAL, "workload.copy: '%s' is not TABLE=FILE", word);
	if (steps->count + 8 > LOAD_STEPS_MAX)
		return err_set(
			err, -EINVAL, "workload.copy: more than %d files", LOAD_STEPS_MAX - 8);
	path = absolute(arena, path);
	step = add_psql(steps, "copy", LOAD_DATABASE);
	step->file = path;
	add_argument(step, "--command");
	add_argument(step, arena_format(arena, "\\copy %.*s from '%s'%s", (int)(equals - word),
				   word, path, csv ? " with (format csv, header)" : ""));
	return 0;
}

static int add_copies(
	const char *list, struct arena *arena, struct load_steps *steps, struct err *err)
{
	char *rest = arena_copy_string(arena, list), *word;
	int r = 0;

	while (r == 0 && (word = strsep(&rest, " ")))
		if (*word)
			r = add_copy(word, arena, steps, err);
	return r;
}

static void add_restore(const struct settings *settings, const char *dump, struct arena *arena,
	struct load_steps *steps)
{
	struct load_step *step = add_step(steps, "restore", "pg_restore");

	add_argument(step, "--exit-on-error");
	add_argument(step, "--no-owner");
	add_argument(step, "--no-privileges");
	add_argument(step, arena_format(arena, "--jobs=%s",
				   settings_text(settings, "workload.restore_jobs", "1")));
	add_argument(step, "--dbname");
	add_argument(step, LOAD_DATABASE);
	step->file = absolute(arena, dump);
	add_argument(step, step->file);
}

int load_steps_make(const struct settings *settings, struct arena *arena,
	struct load_steps *ret_steps, struct err *err)
{
	const char *copy = settings_text(settings, "workload.copy", NULL);
	const char *dump = settings_text(settings, "workload.dump", NULL);
	struct load_steps steps = { .count = 0 };
	int r = 0;

	if (copy && dump)
		return err_set(err, -EINVAL, "workload.copy and workload.dump exclude each other");
	add_fresh_database(&steps);
	add_script(&steps, "schema", settings_text(settings, "workload.schema", NULL));
	if (copy)
		r = add_copies(copy, arena, &steps, err);
	else if (dump)
		add_restore(settings, dump, arena, &steps);
	else
		add_pgbench(settings, arena, &steps);
	if (r < 0)
		return r;
	if (settings_boolean(settings, "workload.index", true) && !copy && !dump)
		add_sql(&steps, "index",
			"CREATE INDEX load_accounts_branch ON pgbench_accounts (bid, abalance)");
	add_script(&steps, "index", settings_text(settings, "workload.index_script", NULL));
	if (settings_boolean(settings, "workload.vacuum", true))
		add_sql(&steps, "vacuum", "VACUUM");
	if (settings_boolean(settings, "workload.analyze", true))
		add_sql(&steps, "analyze", "ANALYZE");
	*ret_steps = steps;
	return 0;
}
