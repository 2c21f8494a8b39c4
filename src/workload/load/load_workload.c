/*
 * The load driver: bulk loading is what is measured. Each run drops and makes a database, then
 * pgbench -i, COPY of the user's files or pg_restore of the user's dump, index builds, VACUUM and
 * ANALYZE, every part timed with wall time and the client's CPU time (the server's is the probes').
 * The work is fixed, so warm-up and window length are not used; the closing checkpoint is charged
 * as with every workload.
 */
#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "postgres/cluster.h"
#include "workload/client.h"
#include "workload/load/load_steps.h"
#include "workload/pgbench_log.h"
#include "workload/scripts.h"
#include "workload/workload_drivers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_NS		(100 * NS_PER_MS)
#define PARTS_MAX	32
#define BYTES_PER_SCALE (17ULL << 20) /* pgbench -i and the extra index, at 8K pages */

/* Seconds by part; parts of the same name add up. */
struct part_time {
	const char *part;
	double seconds;
};

struct load {
	struct workload base;
	struct arena arena;
	struct client client;
	struct load_steps steps;
	size_t at; /* step under way */
	bool warm_told;
	struct part_time parts[PARTS_MAX];
	size_t part_count;
	double total_s, user_ns, system_ns;
};

static struct load *load_of(struct workload *workload)
{
	return CONTAINER_OF(workload, struct load, base);
}

static int check_files(const struct load_steps *steps, struct err *err)
{
	for (size_t i = 0; i < steps->count; i++) {
		const char *file = steps->steps[i].file;

		if (file && access(file, R_OK) < 0)
			return err_set_errno(err, -errno, "file to load '%s'", file);
	}
	return 0;
}

static int load_check_settings(const struct settings *settings, struct err *err)
{
	struct load_steps *steps = memory_new(sizeof(*steps));
	struct arena arena = ARENA_INIT;
	int r = load_steps_make(settings, &arena, steps, err);

	if (r == 0)
		r = check_files(steps, err);
	arena_release(&arena);
	free(steps);
	return r;
}

/* Of a user's files only their size is known: a database is at most about three times that. */
static uint64_t load_expected_bytes(const struct settings *settings)
{
	const char *dump = settings_text(settings, "workload.dump", NULL);
	uint64_t bytes = 0;

	if (dump && file_tree_allocated_bytes(dump, &bytes, NULL) == 0)
		return bytes * 10; /* dumps are compressed */
	if (settings_text(settings, "workload.copy", NULL))
		return 0;
	return (uint64_t)settings_integer(settings, "workload.scale", 10) * BYTES_PER_SCALE;
}

static int load_open(
	const struct workload_context *context, struct workload **ret_workload, struct err *err)
{
	struct load *load = memory_new(sizeof(*load));
	int r = load_steps_make(context->settings, &load->arena, &load->steps, err);

	if (r < 0) {
		arena_release(&load->arena);
		free(load);
		return r;
	}
	load->base.context = *context;
	load->client.context = &load->base.context;
	*ret_workload = &load->base;
	return 0;
}

static int start_step(struct load *load, struct err *err)
{
	const struct load_step *step = &load->steps.steps[load->at];
	const char *arguments[LOAD_ARGUMENTS_MAX + 1];
	const char *name = arena_format(
		&load->arena, "load-%02zu-%s", load->at, step->part ? step->part : "prepare");
	size_t used = 0;
	char *placed = NULL;
	int r = 0;

	if (step->script)
		r = script_place(step->file, load->base.context.raw_folder, &placed, err);
	if (r < 0)
		return r;
	arguments[used++] = pg_cluster_program(load->base.context.cluster, step->program);
	for (size_t i = 0; step->arguments[i]; i++)
		arguments[used++] =
			placed && step->arguments[i] == step->file ? placed : step->arguments[i];
	arguments[used] = NULL;
	r = client_start(&load->client, name, arguments, err);
	free(placed);
	return r;
}

static int load_start(struct workload *workload, int64_t warmup_ns UNUSED,
	int64_t measure_ns UNUSED, struct err *err)
{
	struct load *load = load_of(workload);

	load->at = load->part_count = 0;
	load->warm_told = false;
	load->total_s = load->user_ns = load->system_ns = 0;
	return start_step(load, err);
}

static void add_part(struct load *load, const char *part, double seconds)
{
	for (size_t i = 0; i < load->part_count; i++)
		if (strcmp(load->parts[i].part, part) == 0) {
			load->parts[i].seconds += seconds;
			return;
		}
	if (load->part_count < PARTS_MAX)
		load->parts[load->part_count++] = (struct part_time){ part, seconds };
}

/* pgbench's "client-side generate" as our "generate". */
static void add_pgbench_part(void *context, const char *part, double seconds)
{
	static const struct {
		const char *theirs, *ours;
	} names[] = { { "drop tables", "drop" }, { "create tables", "tables" },
		{ "client-side generate", "generate" }, { "server-side generate", "generate" },
		{ "vacuum", "vacuum" }, { "primary keys", "keys" },
		{ "foreign keys", "foreign_keys" } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(part, names[i].theirs) == 0)
			add_part(context, names[i].ours, seconds);
}

static int count_step(struct load *load, struct err *err)
{
	const struct load_step *step = &load->steps.steps[load->at];
	struct strbuf text = STRBUF_INIT;
	int r = 0;

	if (!step->part)
		return 0;
	load->total_s += client_seconds(&load->client);
	load->user_ns += (double)load->client.usage.user_ns;
	load->system_ns += (double)load->client.usage.system_ns;
	if (!step->parts_in_output) {
		add_part(load, step->part, client_seconds(&load->client));
		return 0;
	}
	r = file_read_limited(load->client.error_path, 16 << 20, &text, err);
	if (r == 0 && pgbench_init_parse(text.data, add_pgbench_part, load) < 0)
		r = err_set(err, -EPROTO, "pgbench -i did not say how long it took");
	strbuf_release(&text);
	return r;
}

/* The window begins when the preparation is over. */
static bool window_begins(struct load *load)
{
	if (load->warm_told || !load->steps.steps[load->at].part)
		return false;
	load->warm_told = true;
	return true;
}

static int load_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct load *load = load_of(workload);
	int r = client_poll(&load->client, STEP_NS, err);

	*ret_progress = (struct workload_progress){
		.unit = "part",
		.fraction = (double)load->at / (double)load->steps.count,
		.part = load->steps.steps[load->at].part,
	};
	if (r <= 0)
		return r < 0 ? r : WORKLOAD_RUNNING;
	r = count_step(load, err);
	if (r < 0)
		return r;
	if (++load->at == load->steps.count)
		return WORKLOAD_ENDED;
	r = start_step(load, err);
	if (r < 0)
		return r;
	return window_begins(load) ? WORKLOAD_WARM : WORKLOAD_RUNNING;
}

static void load_stop(struct workload *workload)
{
	client_end(&load_of(workload)->client);
}

static void sample(struct trial_record *record, const char *metric, double value)
{
	trial_record_sample(record, &(struct sample){ .metric = metric,
					    .phase = "run",
					    .source = "load",
					    .value = value,
					    .at_ns = SAMPLE_WHOLE });
}

static int load_collect(
	struct workload *workload, struct trial_record *record, struct err *err UNUSED)
{
	struct load *load = load_of(workload);

	sample(record, "load_s", load->total_s);
	sample(record, "cpu_client_user_ns", load->user_ns);
	sample(record, "cpu_client_system_ns", load->system_ns);
	for (size_t i = 0; i < load->part_count; i++) {
		char *metric = memory_format("load_%s_s", load->parts[i].part);

		sample(record, metric, load->parts[i].seconds);
		free(metric);
	}
	return 0;
}

/* Rows of all tables of the user, counted one by one: an estimate would hide a cut file. */
static const char count_rows[] =
	"DO $$ DECLARE one bigint; total bigint := 0; name regclass; BEGIN "
	"FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace NOT "
	"IN "
	"('pg_catalog'::regnamespace, 'information_schema'::regnamespace) LOOP "
	"EXECUTE format('SELECT count(*) FROM ONLY %s', name) INTO one; total := total + one; "
	"END LOOP; PERFORM set_config('plumb.rows', total::text, false); END $$; "
	"SELECT current_setting('plumb.rows')";

static int verify_rows(PGconn *conn, struct trial_record *record, struct err *err)
{
	char text[32];
	double rows;
	int r = pg_conn_number(conn, count_rows, &rows, err);

	if (r < 0)
		return r;
	if (rows < 1)
		return err_set(err, -EILSEQ, "the load left no row in any table");
	snprintf(text, sizeof(text), "%.0f", rows);
	trial_record_fact(record, "load.rows", NULL, text);
	trial_record_note(record, NOTE_INFO, "verified", "%s rows in the loaded tables", text);
	return 0;
}

static int verify_accounts(
	PGconn *conn, long long scale, struct trial_record *record, struct err *err)
{
	double rows;
	int r = pg_conn_number(conn, "SELECT count(*) FROM pgbench_accounts", &rows, err);

	if (r == 0 && rows != (double)scale * 100000)
		return err_set(err, -EILSEQ, "pgbench_accounts has %.0f rows, not %lld", rows,
			scale * 100000);
	if (r == 0)
		trial_record_note(record, NOTE_INFO, "verified", "all accounts are there");
	return r;
}

/* pgbench's tables have known sizes; of a user's data the rows are counted and kept. */
static int load_verify(struct workload *workload, struct trial_record *record, struct err *err)
{
	const struct settings *settings = workload->context.settings;
	bool users = settings_text(settings, "workload.copy", NULL) ||
		     settings_text(settings, "workload.dump", NULL);
	PGconn *conn;
	int r = pg_cluster_connect(workload->context.cluster, LOAD_DATABASE, &conn, err);

	if (r < 0)
		return r;
	if (users)
		r = verify_rows(conn, record, err);
	else
		r = verify_accounts(
			conn, settings_integer(settings, "workload.scale", 10), record, err);
	pg_conn_close(conn);
	return r;
}

static void load_close(struct workload *workload)
{
	struct load *load = load_of(workload);

	client_release(&load->client);
	arena_release(&load->arena);
	free(load);
}

static const struct setting load_settings[] = {
#define ROW .section = "workload", .types = "load"
	{ ROW, .key = "scale", .type = SETTING_INTEGER, .min = 1, .max = 21474, .fallback = "10",
		.help = "pgbench -i -s, where no copy and no dump is given" },
	{ ROW, .key = "fillfactor", .type = SETTING_INTEGER, .min = 10, .max = 100,
		.fallback = "100", .help = "pgbench -i -F" },
	{ ROW, .key = "foreign_keys", .type = SETTING_BOOLEAN, .fallback = "off",
		.help = "pgbench -i with foreign keys" },
	{ ROW, .key = "schema", .type = SETTING_TEXT,
		.help = "SQL file that makes the tables, before copy or dump" },
	{ ROW, .key = "copy", .type = SETTING_TEXT,
		.help = "files to COPY: 'TABLE=FILE TABLE=FILE'; .csv files have a header" },
	{ ROW, .key = "dump", .type = SETTING_TEXT, .help = "dump for pg_restore" },
	{ ROW, .key = "restore_jobs", .type = SETTING_INTEGER, .min = 1, .max = 256,
		.fallback = "1", .help = "pg_restore -j" },
	{ ROW, .key = "index", .type = SETTING_BOOLEAN, .fallback = "on",
		.help = "after pgbench -i: build an index of two columns" },
	{ ROW, .key = "index_script", .type = SETTING_TEXT,
		.help = "SQL file that builds indexes, timed as such" },
	{ ROW, .key = "vacuum", .type = SETTING_BOOLEAN, .fallback = "on",
		.help = "VACUUM as a timed part" },
	{ ROW, .key = "analyze", .type = SETTING_BOOLEAN, .fallback = "on",
		.help = "ANALYZE as a timed part" },
#undef ROW
	{ 0 },
};

const struct workload_driver load_workload = {
	.name = "load",
	.settings = load_settings,
	.needs_cluster = true,
	.check_settings = load_check_settings,
	.expected_bytes = load_expected_bytes,
	.open = load_open,
	.start = load_start,
	.step = load_step,
	.stop = load_stop,
	.collect = load_collect,
	.verify = load_verify,
	.close = load_close,
};
