/*
 * The analytic driver: loads plumb's star schema, runs its queries, keeps times, plans and result
 * hashes. Not comparable to TPC results.
 *
 * Facts "query.NAME.plan", ".structure" and ".result" are the hashes; the analysis takes m-time
 * (the time over the queries whose plans are equal in all arms) from them and from the samples
 * query_NAME_cold_ns (pass 1, on the start state) and query_NAME_warm_ns (median of the others).
 */
#include "workload/workload_drivers.h"

#include "base/macros.h"
#include "base/memory.h"
#include "postgres/cluster.h"
#include "workload/analytic/analytic_load.h"
#include "workload/analytic/analytic_run.h"
#include "workload/analytic/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_NS (100 * NS_PER_MS)

struct analytic {
	struct workload base;
	char *connection;
	struct analytic_run *run;
	int passes;
	bool warm_told;
};

static struct analytic *analytic_of(struct workload *workload)
{
	return CONTAINER_OF(workload, struct analytic, base);
}

/* "all" or names separated by spaces or commas. */
static int parse_queries(const char *text, bool chosen[ANALYTIC_QUERIES], struct err *err)
{
	bool all = strcmp(text, "all") == 0;

	for (size_t i = 0; i < ANALYTIC_QUERIES; i++)
		chosen[i] = all;
	for (const char *at = all ? "" : text; *at;) {
		size_t length = strcspn(at, " ,");
		const struct analytic_query *query = analytic_query_find(at, length);

		if (length && !query)
			return err_set(err, -EINVAL,
				"workload.queries: no query '%.*s' (q01 to q%02d, or all)",
				(int)length, at, ANALYTIC_QUERIES);
		if (query)
			chosen[query - analytic_queries] = true;
		at += length;
		at += strspn(at, " ,");
	}
	return 0;
}

static int check_queries(const struct setting *setting UNUSED, const char *text, struct err *err)
{
	bool chosen[ANALYTIC_QUERIES];

	return parse_queries(text, chosen, err);
}

static int check_scale(const struct setting *setting UNUSED, const char *text, struct err *err)
{
	double scale;

	if (real_parse(text, &scale) < 0 || !isfinite(scale) || scale < ANALYTIC_SCALE_MIN ||
		scale > ANALYTIC_SCALE_MAX)
		return err_set(err, -ERANGE,
			"workload.scale = %s: the analytic data set takes %g to %g (1 is about "
			"1.2 GB)",
			text, ANALYTIC_SCALE_MIN, ANALYTIC_SCALE_MAX);
	return 0;
}

static uint64_t analytic_expected_bytes(const struct settings *settings)
{
	return analytic_database_bytes(settings_real(settings, "workload.scale", 1));
}

static int analytic_open(const struct workload_context *context, struct workload **ret_workload,
	struct err *err UNUSED)
{
	struct analytic *analytic = memory_new(sizeof(*analytic));
	const struct pg_cluster *cluster = context->cluster;

	analytic->connection =
		memory_format("host='%s' port=%d user=%s dbname=postgres application_name=plumb",
			pg_cluster_host(cluster), cluster->port, PG_CLUSTER_USER);
	*ret_workload = &analytic->base;
	return 0;
}

static void sample(struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(record, &(struct sample){ .metric = metric,
					    .phase = phase,
					    .source = "analytic",
					    .value = value,
					    .at_ns = SAMPLE_WHOLE });
}

static bool tell_load(void *listener, enum analytic_part part, double fraction)
{
	const struct workload_context *context = listener;
	struct workload_progress progress = {
		.fraction = (part + fraction) / ANALYTIC_PARTS,
		.part = analytic_part_names[part],
	};

	return context->progress && context->progress(context->listener, &progress);
}

static void record_load(struct trial_record *record, const struct analytic_load_result *result)
{
	double total_s = 0;

	for (int part = 0; part < ANALYTIC_PARTS; part++) {
		char *metric = memory_format("load_%s_s", analytic_part_names[part]);
		double seconds = (double)result->part_ns[part] / NS_PER_S;

		sample(record, "load", metric, seconds);
		total_s += seconds;
		free(metric);
	}
	sample(record, "load", "load_s", total_s);
	/* The generator's own share of the COPY: near 0 when the server is the limit. */
	trial_record_note(record, NOTE_INFO, "generator",
		"of the COPY the generator took %.1f %%, libpq and the server the rest",
		100.0 * (double)result->generate_ns /
			(double)MAX(result->generate_ns + result->send_ns, 1));
	for (int table = 0; table < ANALYTIC_TABLES; table++) {
		char *name = memory_format("analytic.%s.checksum", analytic_tables[table].name);
		char value[80];

		snprintf(value, sizeof(value), "%llu rows %016llx",
			(unsigned long long)result->tables[table].rows,
			(unsigned long long)result->tables[table].sum);
		trial_record_fact(record, name, NULL, value);
		free(name);
	}
}

static int analytic_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct analytic *analytic = analytic_of(workload);
	const struct settings *settings = workload->context.settings;
	struct analytic_load load = {
		.connection = analytic->connection,
		.scale = settings_real(settings, "workload.scale", 1),
		.jobs = (int)settings_integer(
			settings, "workload.jobs", MAX(sysconf(_SC_NPROCESSORS_ONLN), 1)),
		.text = strcmp(settings_text(settings, "workload.format", "binary"), "text") == 0,
		.foreign_keys = settings_boolean(settings, "workload.foreign_keys", true),
		.statistics_target =
			(int)settings_integer(settings, "workload.statistics_target", 500),
		.clock = workload->context.clock,
		.progress = tell_load,
		.listener = &workload->context,
	};
	struct analytic_load_result result;
	int r = analytic_load_run(&load, &result, err);

	if (r == 0)
		record_load(record, &result);
	return r;
}

static int analytic_start(struct workload *workload, int64_t warmup_ns UNUSED,
	int64_t measure_ns UNUSED, struct err *err)
{
	struct analytic *analytic = analytic_of(workload);
	const struct settings *settings = workload->context.settings;
	struct analytic_run_options options = {
		.connection = analytic->connection,
		.passes = (int)settings_integer(settings, "workload.passes", 3),
		.timeout_ns = settings_duration(settings, "workload.query_timeout", 0),
		.workers = (int)settings_integer(settings, "workload.workers", 0),
		.jit = settings_boolean(settings, "workload.jit", false),
		.clock = workload->context.clock,
	};
	int r = parse_queries(
		settings_text(settings, "workload.queries", "all"), options.chosen, err);

	analytic_run_close(analytic->run);
	analytic->run = NULL;
	analytic->warm_told = false;
	analytic->passes = options.passes;
	return r == 0 ? analytic_run_start(&options, &analytic->run, err) : r;
}

static int analytic_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct analytic *analytic = analytic_of(workload);
	struct clock *clock = workload->context.clock;
	const struct analytic_query *query;
	double fraction;
	int r;

	if (!analytic->warm_told) { /* there is no warm-up: pass 1 is the cold one */
		analytic->warm_told = true;
		*ret_progress = (struct workload_progress){ .unit = "query" };
		return WORKLOAD_WARM;
	}
	clock->sleep_until(clock, clock->now_ns(clock) + STEP_NS);
	r = analytic_run_poll(analytic->run, &fraction, &query, err);
	*ret_progress = (struct workload_progress){
		.unit = "query", .fraction = fraction, .part = query ? query->name : NULL
	};
	return r < 0 ? r : r > 0 ? WORKLOAD_ENDED : WORKLOAD_RUNNING;
}

static void analytic_stop(struct workload *workload)
{
	struct analytic *analytic = analytic_of(workload);

	if (analytic->run)
		analytic_run_stop(analytic->run);
}

static int compare_times(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Median of the passes after the first; 0: none. */
static double warm_ns(const struct analytic_query_result *result)
{
	int64_t times[ANALYTIC_PASSES_MAX];
	int count = 0;

	for (int pass = 1; pass < ANALYTIC_PASSES_MAX; pass++)
		if (result->time_ns[pass])
			times[count++] = result->time_ns[pass];
	if (count == 0)
		return 0;
	qsort(times, (size_t)count, sizeof(*times), compare_times);
	return ((double)times[(count - 1) / 2] + (double)times[count / 2]) / 2;
}

static void record_fact(
	struct trial_record *record, const char *query, const char *what, const char *value)
{
	char *name = memory_format("query.%s.%s", query, what);

	trial_record_fact(record, name, NULL, value);
	free(name);
}

static void record_notes(
	struct trial_record *record, const char *name, const struct analytic_query_result *result)
{
	if (result->timed_out)
		trial_record_note(record, NOTE_WARNING, "query-timeout",
			"query %s reached the time limit; this run has no total", name);
	if (result->plan_changed)
		trial_record_note(record, NOTE_WARNING, "plan-changed",
			"query %s changed its plan between passes", name);
	if (result->result_changed)
		trial_record_note(record, NOTE_SPOILED, "result-changed",
			"query %s gave different results in different passes", name);
}

/* One query's samples and facts; its times are added to the totals. */
static void record_query(struct trial_record *record, const struct analytic_query *query,
	const struct analytic_query_result *result, double *total_cold_ns, double *total_warm_ns)
{
	char *cold = memory_format("query_%s_cold_ns", query->name);
	char *warm = memory_format("query_%s_warm_ns", query->name);

	if (!result->timed_out && result->time_ns[0]) {
		sample(record, "run", cold, (double)result->time_ns[0]);
		*total_cold_ns += (double)result->time_ns[0];
		if (warm_ns(result) > 0)
			sample(record, "run", warm, warm_ns(result));
		*total_warm_ns += warm_ns(result);
	}
	if (result->plan[0]) {
		record_fact(record, query->name, "plan", result->plan);
		record_fact(record, query->name, "structure", result->structure);
	}
	if (result->result[0])
		record_fact(record, query->name, "result", result->result);
	record_notes(record, query->name, result);
	free(cold);
	free(warm);
}

static int analytic_collect(
	struct workload *workload, struct trial_record *record, struct err *err UNUSED)
{
	struct analytic *analytic = analytic_of(workload);
	double cold_ns = 0, total_warm_ns = 0;
	bool complete = true;

	for (size_t i = 0; i < ANALYTIC_QUERIES; i++) {
		const struct analytic_query_result *result = analytic_run_result(analytic->run, i);

		complete &= !result->timed_out;
		record_query(record, &analytic_queries[i], result, &cold_ns, &total_warm_ns);
	}
	/* A total that lacks a query would make the run that was cut off the faster one. */
	if (!complete)
		return 0;
	sample(record, "run", "queries_cold_ns", cold_ns);
	if (analytic->passes > 1)
		sample(record, "run", "queries_total_ns", total_warm_ns);
	else
		sample(record, "run", "queries_total_ns", cold_ns);
	return 0;
}

/* Rows of the facts against what the generator made: a lost or doubled chunk must not pass. */
static int analytic_verify(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct analytic *analytic = analytic_of(workload);
	double scale = settings_real(workload->context.settings, "workload.scale", 1);
	struct strbuf counted = STRBUF_INIT;
	PGconn *session = NULL;
	int r = session_open(analytic->connection, &session, err);

	if (r == 0)
		r = session_query(session,
			"SELECT count(*), sum(parcels) = (SELECT count(*) FROM parcel) "
			"FROM shipment",
			&counted, NULL, err);
	if (r == 0) {
		char *expected = memory_format(
			"%llu|t\n", (unsigned long long)analytic_units(ANALYTIC_SHIPMENT, scale));

		if (strcmp(counted.data, expected) != 0)
			r = err_set(err, -EILSEQ,
				"after the run the shipments and parcels are not those loaded");
		free(expected);
	}
	if (r == 0)
		trial_record_note(record, NOTE_INFO, "verified", "shipments and parcels agree");
	session_close(session);
	strbuf_release(&counted);
	return r;
}

static void analytic_close(struct workload *workload)
{
	struct analytic *analytic = analytic_of(workload);

	analytic_run_close(analytic->run);
	free(analytic->connection);
	free(analytic);
}

static const struct setting analytic_settings[] = {
#define ROW .section = "workload", .types = "analytic"
	{ ROW, .key = "scale", .type = SETTING_REAL, .fallback = "1", .reload = true,
		.check = check_scale,
		.help = "size of the star schema: 1 is about 1.2 GB with indexes" },
	{ ROW, .key = "format", .type = SETTING_WORD, .words = "binary text", .fallback = "binary",
		.reload = true, .help = "form of COPY" },
	{ ROW, .key = "jobs", .type = SETTING_INTEGER, .min = 1, .max = 64, .reload = true,
		.help = "connections that load at once; default: one a processor" },
	{ ROW, .key = "foreign_keys", .type = SETTING_BOOLEAN, .fallback = "on", .reload = true,
		.help = "add foreign keys after the primary keys" },
	{ ROW, .key = "statistics_target", .type = SETTING_INTEGER, .min = 1, .max = 10000,
		.fallback = "500", .reload = true,
		.help = "of ANALYZE; large, so that plans do not hang on its sample" },
	{ ROW, .key = "queries", .type = SETTING_TEXT, .fallback = "all", .check = check_queries,
		.help = "all, or names such as 'q01 q05'" },
	{ ROW, .key = "passes", .type = SETTING_INTEGER, .min = 1, .max = ANALYTIC_PASSES_MAX,
		.fallback = "3",
		.help = "times that all queries are run; the first is the cold one" },
	{ ROW, .key = "query_timeout", .type = SETTING_DURATION, .min = NS_PER_MS,
		.max = 86400LL * NS_PER_S, .fallback = "30min",
		.help = "a query that takes longer is cancelled and recorded as such" },
	{ ROW, .key = "workers", .type = SETTING_INTEGER, .min = 0, .max = 1024, .fallback = "0",
		.help = "max_parallel_workers_per_gather of the queries" },
	{ ROW, .key = "jit", .type = SETTING_BOOLEAN, .fallback = "off",
		.help = "jit of the queries" },
#undef ROW
	{ 0 },
};

const struct workload_driver analytic_workload = {
	.name = "analytic",
	.settings = analytic_settings,
	.needs_cluster = true,
	.expected_bytes = analytic_expected_bytes,
	.open = analytic_open,
	.load = analytic_load,
	.start = analytic_start,
	.step = analytic_step,
	.stop = analytic_stop,
	.collect = analytic_collect,
	.verify = analytic_verify,
	.close = analytic_close,
};
