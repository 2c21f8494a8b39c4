/*
 * The real pgbench of the server's own version. Warm-up and window are two calls of it, so that
 * the figures of the window are pgbench's own. `sql` is the same driver without pgbench's tables:
 * the user's scripts on what `init_script` made.
 */
#include "workload/workload_drivers.h"

#include "base/file.h"
#include "base/memory.h"
#include "postgres/cluster.h"
#include "workload/pgbench_internal.h"
#include "workload/pgbench_log.h"
#include "workload/scripts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* client, number, latency, script, epoch, microseconds: about this many bytes a line. */
#define LOG_LINE_BYTES 44

const char *pgbench_text(const struct pgbench_run *run, const char *key)
{
	char name[64];

	snprintf(name, sizeof(name), "workload.%s", key);
	return settings_text(run->base.context.settings, name, NULL);
}

int64_t pgbench_integer(const struct pgbench_run *run, const char *key, int64_t fallback)
{
	char name[64];

	snprintf(name, sizeof(name), "workload.%s", key);
	return settings_integer(run->base.context.settings, name, fallback);
}

/* Arguments being put together; the strings live in the run's arena. */
struct arguments {
	struct arena *arena;
	const char *list[128];
	size_t count;
};

static void add(struct arguments *arguments, const char *text)
{
	if (arguments->count + 1 < ARRAY_SIZE(arguments->list))
		arguments->list[arguments->count++] = text;
}

static void add_value(struct arguments *arguments, const char *option, const char *value)
{
	if (value)
		add(arguments, arena_format(arguments->arena, "%s=%s", option, value));
}

static int pgbench_open(const struct workload_context *context, struct workload **ret_workload,
	struct err *err UNUSED)
{
	struct pgbench_run *run = memory_new(sizeof(*run));

	run->base.context = *context;
	run->sampling = 1;
	*ret_workload = &run->base;
	return 0;
}

static void set_user(const struct pgbench_run *run, struct subprocess_options *options)
{
	const struct workload_context *context = &run->base.context;

	options->drop_user = context->drop_user;
	options->user_id = context->user_id;
	options->group_id = context->group_id;
	options->cgroup_procs = context->cgroup_procs;
	options->die_with_parent = true;
	options->environment = pg_cluster_client_environment(context->cluster);
}

/* Wait for a program of the load, telling progress; -EINTR when the user wants to stop. */
static int wait_load(struct pgbench_run *run, const char *part, int *ret_status, struct err *err)
{
	const struct workload_context *context = &run->base.context;
	struct workload_progress progress = { .fraction = -1, .part = part };

	for (;;) {
		int r = subprocess_wait(&run->process, 200 * NS_PER_MS, ret_status, &run->usage);

		if (r != -ETIMEDOUT)
			return r;
		if (context->progress && context->progress(context->listener, &progress)) {
			subprocess_end(&run->process, 5 * NS_PER_S);
			return err_set(err, -EINTR, "interrupted");
		}
	}
}

static int failure(const char *program, int status, const char *error_path, struct err *err)
{
	struct strbuf tail = STRBUF_INIT;
	char text[64];

	subprocess_describe_status(status, text, sizeof(text));
	file_read_tail(error_path, 1500, &tail);
	strbuf_trim(&tail);
	err_set(err, -ECHILD, "%s ended with %s: %s", program, text, tail.data);
	strbuf_release(&tail);
	return -ECHILD;
}

void pgbench_sample(
	struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, phase, "pgbench", value, SAMPLE_WHOLE });
}

struct part_context {
	struct trial_record *record;
};

/* "client-side generate" becomes load_generate_s, "primary keys" load_primary_keys_s. */
static void record_part(void *context, const char *part, double seconds)
{
	struct part_context *parts = context;
	char name[96] = "load_";
	size_t length = strlen(name);
	const char *side = strstr(part, "-side ");

	for (const char *c = side ? side + 6 : part; *c && length < sizeof(name) - 3; c++)
		name[length++] = (*c >= 'a' && *c <= 'z') ? *c : '_';
	memcpy(name + length, "_s", 3);
	pgbench_sample(parts->record, "load", name, seconds);
}

static void init_arguments(struct pgbench_run *run, struct arguments *arguments)
{
	bool keys = settings_boolean(run->base.context.settings, "workload.foreign_keys", false);

	add(arguments, pg_cluster_program(run->base.context.cluster, "pgbench"));
	add(arguments, "--initialize");
	add_value(arguments, "--scale", pgbench_text(run, "scale"));
	add_value(arguments, "--fillfactor", pgbench_text(run, "fillfactor"));
	if (pgbench_integer(run, "partitions", 0) > 0) {
		add_value(arguments, "--partitions", pgbench_text(run, "partitions"));
		add_value(arguments, "--partition-method", pgbench_text(run, "partition_method"));
	}
	add_value(arguments, "--init-steps", pgbench_text(run, "init_steps"));
	if (keys)
		add(arguments, "--foreign-keys");
	if (settings_boolean(run->base.context.settings, "workload.unlogged_tables", false))
		add(arguments, "--unlogged-tables");
}

static int run_load_program(
	struct pgbench_run *run, struct arguments *arguments, const char *part, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments->list,
		.output_path = run->output_path,
		.error_path = run->error_path };
	int status, r;

	arguments->list[arguments->count] = NULL;
	set_user(run, &options);
	r = subprocess_start(&options, &run->process, err);
	if (r == 0)
		r = wait_load(run, part, &status, err);
	if (r == 0 && status != 0)
		r = failure(arguments->list[0], status, run->error_path, err);
	return r;
}

/* The output files of one step, in the folder of raw files. */
static void name_outputs(struct pgbench_run *run, const char *step)
{
	const char *folder = run->base.context.raw_folder;

	run->output_path = arena_format(&run->arena, "%s/pgbench-%s.out", folder, step);
	run->error_path = arena_format(&run->arena, "%s/pgbench-%s.err", folder, step);
	unlink(run->output_path);
	unlink(run->error_path);
	run->error_read = 0;
}

static int load_by_pgbench(struct pgbench_run *run, struct trial_record *record, struct err *err)
{
	struct arguments arguments = { .arena = &run->arena };
	struct part_context parts = { record };
	struct strbuf text = STRBUF_INIT;
	int r;

	name_outputs(run, "load");
	init_arguments(run, &arguments);
	r = run_load_program(run, &arguments, "pgbench -i", err);
	if (r == 0)
		r = file_read_limited(run->error_path, 16 << 20, &text, err);
	if (r == 0 && pgbench_init_parse(text.data, record_part, &parts) < 0)
		r = err_set(err, -EPROTO, "pgbench -i did not say how long it took");
	strbuf_release(&text);
	return r;
}

/* Put a script where its programs can read it; the path is the run's arena's. */
static int place_script(
	struct pgbench_run *run, const char *name, const char **ret_path, struct err *err)
{
	char *path = NULL;
	int r = script_place(name, run->base.context.raw_folder, &path, err);

	if (r == 0)
		*ret_path = arena_copy_string(&run->arena, path);
	free(path);
	return r;
}

/* "rows=1000 storage=MAIN" as one OPTION=rows=1000 each. */
static void add_variables(struct pgbench_run *run, struct arguments *arguments, const char *option)
{
	const char *variables = pgbench_text(run, "variables");

	for (char *rest = arena_copy_string(&run->arena, variables), *one;
		rest && (one = strsep(&rest, " "));)
		if (*one)
			add_value(arguments, option, one);
}

static int load_by_script(struct pgbench_run *run, struct err *err)
{
	struct arguments arguments = { .arena = &run->arena };
	const char *path = NULL;
	int r = place_script(run, pgbench_text(run, "init_script"), &path, err);

	if (r < 0)
		return r;

	name_outputs(run, "load");
	add(&arguments, pg_cluster_program(run->base.context.cluster, "psql"));
	add(&arguments, "--no-psqlrc");
	add(&arguments, "--quiet");
	add(&arguments, "--set=ON_ERROR_STOP=1");
	add_variables(run, &arguments, "--set");
	add_value(&arguments, "--file", path);
	return run_load_program(run, &arguments, "init_script", err);
}

static int pgbench_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);
	struct clock *clock = workload->context.clock;
	int64_t began_ns = clock->now_ns(clock);
	bool sql = strcmp(workload->driver->name, "sql") == 0;
	int r = 0;

	if (!sql)
		r = load_by_pgbench(run, record, err);
	if (r == 0 && pgbench_text(run, "init_script"))
		r = load_by_script(run, err);
	if (r < 0)
		return r;
	pgbench_sample(
		record, "load", "load_s", (double)(clock->now_ns(clock) - began_ns) / NS_PER_S);
	pgbench_sample(record, "load", "cpu_client_user_ns", (double)run->usage.user_ns);
	pgbench_sample(record, "load", "cpu_client_system_ns", (double)run->usage.system_ns);
	return 0;
}

/* "a.sql@3 b.sql": each script with its weight. */
static int add_files(
	struct pgbench_run *run, struct arguments *arguments, const char *scripts, struct err *err)
{
	int r = 0;

	for (char *rest = arena_copy_string(&run->arena, scripts), *one;
		r == 0 && (one = strsep(&rest, " "));) {
		char *weight = strrchr(one, '@');
		const char *path = NULL;

		if (!*one)
			continue;
		if (weight)
			*weight++ = '\0';
		r = place_script(run, one, &path, err);
		if (r == 0)
			add(arguments, arena_format(&run->arena, "--file=%s@%s", path,
					       weight ? weight : "1"));
	}
	return r;
}

static int add_scripts(struct pgbench_run *run, struct arguments *arguments, struct err *err)
{
	const char *scripts = pgbench_text(run, "script");
	const char *builtin = pgbench_text(run, "builtin");

	add_variables(run, arguments, "--define");
	if (scripts)
		return add_files(run, arguments, scripts, err);
	for (char *rest = arena_copy_string(&run->arena, builtin), *one;
		rest && (one = strsep(&rest, " "));)
		add_value(arguments, "--builtin", one);
	return 0;
}

static int run_arguments(struct pgbench_run *run, struct arguments *arguments, struct err *err)
{
	int64_t clients = pgbench_integer(run, "clients", 1);
	int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t jobs = pgbench_integer(run, "jobs", MIN(clients, MAX(cpus, 1)));

	add(arguments, pg_cluster_program(run->base.context.cluster, "pgbench"));
	add_value(arguments, "--client", pgbench_text(run, "clients"));
	add(arguments, arena_format(&run->arena, "--jobs=%lld", (long long)jobs));
	add_value(arguments, "--protocol", pgbench_text(run, "protocol"));
	add_value(arguments, "--rate", pgbench_text(run, "rate"));
	if (pgbench_text(run, "latency_limit"))
		add(arguments, arena_format(&run->arena, "--latency-limit=%.6f",
				       (double)settings_duration(run->base.context.settings,
					       "workload.latency_limit", 0) /
					       NS_PER_MS));
	if (settings_boolean(run->base.context.settings, "workload.connect", false))
		add(arguments, "--connect");
	add(arguments, "--progress=1");
	add(arguments, arena_format(&run->arena, "--random-seed=%llu",
			       (unsigned long long)(run->base.context.seed & 0x7fffffff)));
	return add_scripts(run, arguments, err);
}

static int start_pgbench(
	struct pgbench_run *run, const char *step, struct arguments *arguments, struct err *err)
{
	struct clock *clock = run->base.context.clock;
	struct subprocess_options options = { .arguments = arguments->list };

	name_outputs(run, step);
	options.output_path = run->output_path;
	options.error_path = run->error_path;
	options.directory = run->base.context.raw_folder;
	arguments->list[arguments->count] = NULL;
	set_user(run, &options);
	run->phase_began_ns = clock->now_ns(clock);
	return subprocess_start(&options, &run->process, err);
}

static int start_warmup(struct pgbench_run *run, struct err *err)
{
	struct arguments arguments = { .arena = &run->arena };
	int r = run_arguments(run, &arguments, err);

	if (r < 0)
		return r;
	add(&arguments, arena_format(&run->arena, "--time=%lld",
				(long long)MAX(run->warmup_ns / NS_PER_S, 1)));
	/* A user's scripts may run where pgbench's tables are not: no vacuum of them. */
	if (strcmp(run->base.driver->name, "sql") == 0)
		add(&arguments, "--no-vacuum");
	run->phase = PHASE_WARMUP;
	return start_pgbench(run, "warmup", &arguments, err);
}

/* Keep the log below log_limit bytes at the rate that the warm-up reached. */
static void choose_sampling(struct pgbench_run *run)
{
	double limit =
		(double)settings_size(run->base.context.settings, "workload.log_limit", 64 << 20);
	double expected = run->rate * (double)run->measure_ns / NS_PER_S * LOG_LINE_BYTES;

	run->sampling = expected > limit ? limit / expected : 1;
}

static int start_measure(struct pgbench_run *run, struct err *err)
{
	struct arguments arguments = { .arena = &run->arena };
	struct clock *clock = run->base.context.clock;
	int r;

	choose_sampling(run);
	r = run_arguments(run, &arguments, err);
	if (r < 0)
		return r;
	add(&arguments, "--no-vacuum");
	if (pgbench_text(run, "transactions"))
		add_value(&arguments, "--transactions", pgbench_text(run, "transactions"));
	else
		add(&arguments, arena_format(&run->arena, "--time=%lld",
					(long long)(run->measure_ns / NS_PER_S)));
	if (settings_boolean(run->base.context.settings, "workload.log", true)) {
		add(&arguments, "--log");
		run->log_prefix = "pgbench_log";
		add_value(&arguments, "--log-prefix", run->log_prefix);
		if (run->sampling < 1)
			add(&arguments,
				arena_format(&run->arena, "--sampling-rate=%.6f", run->sampling));
	}
	run->phase = PHASE_MEASURE;
	run->measure_began_utc_ns = clock->utc_ns(clock);
	return start_pgbench(run, "run", &arguments, err);
}

static int pgbench_start(
	struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);

	run->warmup_ns = warmup_ns;
	run->measure_ns = measure_ns;
	return warmup_ns >= NS_PER_S ? start_warmup(run, err) : start_measure(run, err);
}

/* Last complete progress line that came since the last look. */
static void read_progress(struct pgbench_run *run)
{
	struct strbuf tail = STRBUF_INIT;
	double tps;

	file_read_tail(run->error_path, 512, &tail);
	for (const char *line = tail.data; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strchr(line, '\n') && pgbench_progress_parse(line, &tps))
			run->rate = tps;
	}
	strbuf_release(&tail);
}

static void tell(struct pgbench_run *run, struct workload_progress *progress)
{
	struct clock *clock = run->base.context.clock;
	int64_t length_ns = run->phase == PHASE_WARMUP ? run->warmup_ns : run->measure_ns;
	double fraction = length_ns > 0 ? (double)(clock->now_ns(clock) - run->phase_began_ns) /
						  (double)length_ns
					: -1;

	*progress = (struct workload_progress){ .rate = run->rate,
		.unit = "tps",
		.fraction = MIN(fraction, 1.0),
		.part = run->phase == PHASE_WARMUP ? "warm-up" : NULL };
}

static int pgbench_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);
	int status, r;

	if (run->phase == PHASE_ENDED)
		return WORKLOAD_ENDED;
	/* Sleeps until pgbench ends, at most a tenth of a second. */
	r = subprocess_wait(&run->process, 100 * NS_PER_MS, &status, &run->usage);
	if (r == -ETIMEDOUT) {
		read_progress(run);
		tell(run, ret_progress);
		return WORKLOAD_RUNNING;
	}
	if (r < 0)
		return err_set_errno(err, r, "cannot wait for pgbench");
	if (status != 0)
		return failure("pgbench", status, run->error_path, err);
	read_progress(run);
	tell(run, ret_progress);
	if (run->phase == PHASE_MEASURE) {
		run->phase = PHASE_ENDED;
		return WORKLOAD_ENDED;
	}
	r = start_measure(run, err);
	return r < 0 ? r : WORKLOAD_WARM;
}

static void pgbench_pause(struct workload *workload, bool paused)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);

	subprocess_signal(&run->process, paused ? SIGSTOP : SIGCONT);
}

static void pgbench_stop(struct workload *workload)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);

	subprocess_end(&run->process, 2 * NS_PER_S);
	run->phase = PHASE_ENDED;
}

/* tpcb-like adds the same delta to a teller and its branch: their sums must agree. The accounts
 * are not summed: reading them all would warm what a later run wants cold. */
static int pgbench_verify(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);
	struct strbuf sums = STRBUF_INIT;
	PGconn *conn;
	int r;

	if (pgbench_text(run, "script") || strcmp(workload->driver->name, "pgbench") != 0)
		return 0;
	r = pg_cluster_connect(workload->context.cluster, "postgres", &conn, err);
	if (r < 0)
		return r;
	r = pg_conn_text(conn,
		"SELECT (SELECT sum(tbalance) FROM pgbench_tellers) - "
		"(SELECT sum(bbalance) FROM pgbench_branches)",
		&sums, err);
	pg_conn_close(conn);
	if (r == 0 && strcmp(sums.data, "0") != 0)
		r = err_set(err, -EILSEQ,
			"after the run tellers and branches differ by %s: the data is wrong",
			sums.data);
	else if (r == 0)
		trial_record_note(
			record, NOTE_INFO, "verified", "sums of tellers and branches agree");
	strbuf_release(&sums);
	return r;
}

static void pgbench_close(struct workload *workload)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);

	subprocess_end(&run->process, NS_PER_S);
	arena_release(&run->arena);
	free(run);
}

#define PGBENCH_OPERATIONS                                                                     \
	.needs_cluster = true, .check_settings = pgbench_check_settings, .open = pgbench_open, \
	.load = pgbench_load, .start = pgbench_start, .step = pgbench_step,                    \
	.pause = pgbench_pause, .stop = pgbench_stop, .collect = pgbench_collect,              \
	.verify = pgbench_verify, .close = pgbench_close

const struct workload_driver pgbench_workload = {
	.name = "pgbench",
	.settings = pgbench_settings,
	.expected_bytes = pgbench_expected_bytes,
	PGBENCH_OPERATIONS,
};

/* The user's own scripts and data: how large the data will be is the user's to say. */
static uint64_t told_bytes(const struct settings *settings)
{
	return settings_size(settings, "workload.expected_size", 0);
}

static const struct setting no_settings[] = { { 0 } };

const struct workload_driver sql_workload = {
	.name = "sql",
	.settings = no_settings, /* pgbench_settings has its rows */
	.expected_bytes = told_bytes,
	PGBENCH_OPERATIONS,
};
