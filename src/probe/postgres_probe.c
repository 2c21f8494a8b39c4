/*
 * The server's own statistics, by version: pg_stat_wal from 14 on, pg_stat_checkpointer from 17 on,
 * WAL writes in pg_stat_io from 18 on (PostgreSQL manual, "The Cumulative Statistics System").
 * What a version does not count is left out, except bytes of full-page images, which pg_waldump
 * reads from the WAL of the window.
 */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "postgres/cluster.h"
#include "probe/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More WAL than this is not read again after a window: it would take longer than it is worth. */
#define WALDUMP_LIMIT_BYTES (1024.0 * 1024 * 1024)

struct postgres_counts {
	struct probe base;
	PGconn *conn;
	json_t *before;
	char *before_lsn;
	double last_wal_bytes;
	double last_checkpoints[2]; /* timed, requested */
	int64_t last_ns;
	double block_bytes;
	bool told_wraparound;
};

static struct postgres_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct postgres_counts, base);
}

/* Queries whose columns are counters under their metric's name. Versions: from, below. */
static const struct {
	int from, below;
	const char *sql;
} queries[] = {
	{ 0, 140000, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal_bytes" },
	{ 140000, 180000,
		"SELECT wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write AS "
		"wal_write_requests, wal_sync AS wal_sync_requests FROM pg_stat_wal" },
	{ 180000, 0, "SELECT wal_records, wal_fpi, wal_bytes, wal_buffers_full FROM pg_stat_wal" },
	{ 180000, 0,
		"SELECT sum(writes) AS wal_write_requests, sum(fsyncs) AS wal_sync_requests, "
		"sum(write_bytes) AS file_write_wal_bytes FROM pg_stat_io WHERE object = 'wal'" },
	{ 0, 170000,
		"SELECT checkpoints_timed, checkpoints_req AS checkpoints_requested, "
		"buffers_checkpoint AS buffers_written_checkpointer, "
		"buffers_clean AS buffers_written_bgwriter, "
		"buffers_backend AS buffers_written_backend, "
		"buffers_backend_fsync AS backend_fsyncs, buffers_alloc AS buffers_allocated "
		"FROM pg_stat_bgwriter" },
	{ 170000, 0,
		"SELECT num_timed AS checkpoints_timed, num_requested AS checkpoints_requested, "
		"buffers_written AS buffers_written_checkpointer FROM pg_stat_checkpointer" },
	{ 170000, 0,
		"SELECT buffers_clean AS buffers_written_bgwriter, "
		"buffers_alloc AS buffers_allocated FROM pg_stat_bgwriter" },
	{ 170000, 0,
		"SELECT sum(writes) AS buffers_written_backend, sum(fsyncs) AS backend_fsyncs "
		"FROM pg_stat_io WHERE object = 'relation' AND backend_type NOT IN "
		"('checkpointer', 'background writer')" },
	{ 0, 0,
		"SELECT sum(blks_read) AS blocks_read, sum(blks_hit) AS blocks_hit, "
		"sum(temp_bytes) AS temporary_bytes FROM pg_stat_database" },
};

static void add_row(const PGresult *rows, json_t *counters)
{
	for (int column = 0; PQntuples(rows) == 1 && column < PQnfields(rows); column++)
		if (!PQgetisnull(rows, 0, column))
			counter_add(counters, PQfname(rows, column),
				strtod(PQgetvalue(rows, 0, column), NULL));
}

static int read_all(struct postgres_counts *counts, json_t **ret_counters, struct err *err)
{
	int version = counts->base.context.cluster->binaries.version;
	json_t *counters = json_object();
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(queries); i++) {
		PGresult *rows;

		if (version < queries[i].from || (queries[i].below && version >= queries[i].below))
			continue;
		r = pg_conn_query(counts->conn, queries[i].sql, &rows, err);
		if (r == 0) {
			add_row(rows, counters);
			PQclear(rows);
		}
	}
	if (r < 0)
		json_decref(counters);
	else
		*ret_counters = counters;
	return r;
}

static int postgres_check(const struct probe_context *context, struct err *why)
{
	return context->cluster ? 0 : err_set(why, -ENOTSUP, "no server runs");
}

static int postgres_open(
	const struct probe_context *context, struct probe **ret_probe, struct err *err)
{
	struct postgres_counts *counts = memory_new(sizeof(*counts));
	int r = pg_cluster_connect(context->cluster, "postgres", &counts->conn, err);

	if (r == 0)
		r = pg_conn_number(counts->conn, "SELECT current_setting('block_size')",
			&counts->block_bytes, err);
	if (r < 0) {
		pg_conn_close(counts->conn);
		free(counts);
		return r;
	}
	*ret_probe = &counts->base;
	return 0;
}

static int read_lsn(struct postgres_counts *counts, char **ret_lsn, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = pg_conn_text(counts->conn, "SELECT pg_current_wal_insert_lsn()", &text, err);

	free(*ret_lsn);
	*ret_lsn = NULL;
	if (r == 0)
		*ret_lsn = strbuf_detach(&text);
	strbuf_release(&text);
	return r;
}

static int postgres_begin(struct probe *probe, struct err *err)
{
	struct postgres_counts *counts = counts_of(probe);
	int r;

	json_decref(counts->before);
	counts->before = NULL;
	r = read_all(counts, &counts->before, err);
	if (r == 0)
		r = read_lsn(counts, &counts->before_lsn, err);
	counts->last_ns = 0;
	return r;
}

/* Checkpoints that began since the last tick, as marks in the series of the run. */
static int tick_checkpoints(struct postgres_counts *counts, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err)
{
	static const char *const metrics[] = { "checkpoints_timed", "checkpoints_requested" };
	PGresult *rows;
	int r = pg_conn_query(counts->conn,
		counts->base.context.cluster->binaries.version >= 170000
			? "SELECT num_timed, num_requested FROM pg_stat_checkpointer"
			: "SELECT checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter",
		&rows, err);

	if (r < 0)
		return r;
	for (int i = 0; i < 2 && PQntuples(rows) == 1; i++) {
		double now = strtod(PQgetvalue(rows, 0, i), NULL);

		if (counts->last_ns && now > counts->last_checkpoints[i])
			trial_record_sample(
				record, &(struct sample){ metrics[i], phase, "pg_stat_checkpointer",
						now - counts->last_checkpoints[i], at_ns });
		counts->last_checkpoints[i] = now;
	}
	PQclear(rows);
	return 0;
}

/* A vacuum that must not wait comes once in many runs: a trial that meets one is not like the
 * others. */
static int tick_wraparound(struct postgres_counts *counts, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err)
{
	double workers;
	int r = pg_conn_number(counts->conn,
		"SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' "
		"AND query LIKE '%(to prevent wraparound)'",
		&workers, err);

	if (r < 0 || workers == 0)
		return r;
	trial_record_sample(record, &(struct sample){ "wraparound_vacuums", phase,
					    "pg_stat_activity", workers, at_ns });
	if (counts->told_wraparound)
		return 0;
	counts->told_wraparound = true;
	trial_record_note(record, NOTE_SPOILED, "wraparound",
		"autovacuum worked against transaction id wraparound in the window");
	return 0;
}

/* Three cheap statements a second: checkpoints, vacuums that must not wait, how fast WAL grows. */
static int postgres_tick(struct probe *probe, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err)
{
	struct postgres_counts *counts = counts_of(probe);
	double wal_bytes;
	int r = tick_checkpoints(counts, phase, at_ns, record, err);

	if (r == 0)
		r = tick_wraparound(counts, phase, at_ns, record, err);
	if (r == 0)
		r = pg_conn_number(counts->conn,
			"SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn", &wal_bytes, err);

	if (r < 0)
		return r;
	if (counts->last_ns && at_ns > counts->last_ns)
		trial_record_sample(
			record, &(struct sample){ "wal_bytes", phase, "pg_current_wal_insert_lsn",
					(wal_bytes - counts->last_wal_bytes) * NS_PER_S /
						(double)(at_ns - counts->last_ns),
					at_ns });
	counts->last_ns = at_ns;
	counts->last_wal_bytes = wal_bytes;
	return 0;
}

/*
 * "pg_waldump --stats" ends with a line "Total  count  bytes [..%]  fpi bytes [..%]  combined".
 * Returns the bytes of full-page images, negative if the line is not there.
 */
static double total_fpi_bytes(const char *text)
{
	const char *line = strstr(text, "\nTotal");
	double records, record_bytes, fpi_bytes;

	if (line && sscanf(line, "\nTotal %lf %lf [%*[^]]] %lf", &records, &record_bytes,
			    &fpi_bytes) == 3)
		return fpi_bytes;
	return -1;
}

static void record_fpi_bytes(struct postgres_counts *counts, const char *phase, double wal_bytes,
	struct trial_record *record)
{
	struct pg_cluster *cluster = counts->base.context.cluster;
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *wal_folder = memory_format("%s/pg_wal", cluster->options.data_directory);
	char *end_lsn = NULL;
	double bytes;

	if (wal_bytes > WALDUMP_LIMIT_BYTES) {
		trial_record_note(record, NOTE_INFO, "fpi-bytes",
			"bytes of full-page images are not known: %.1f GB of WAL were not read "
			"again",
			wal_bytes / WALDUMP_LIMIT_BYTES);
	} else if (read_lsn(counts, &end_lsn, &err) == 0) {
		const char *const arguments[] = { pg_cluster_program(cluster, "pg_waldump"),
			"--stats", "--quiet", "--path", wal_folder, "--start", counts->before_lsn,
			"--end", end_lsn, NULL };
		int r = pg_cluster_run_client(cluster, arguments, &output, NULL, &err);

		bytes = total_fpi_bytes(output.data);
		if (r == 0 && bytes >= 0)
			trial_record_sample(record, &(struct sample){ "wal_fpi_bytes", phase,
							    "pg_waldump", bytes, SAMPLE_WHOLE });
		else
			trial_record_note(record, NOTE_INFO, "fpi-bytes",
				"bytes of full-page images are not known: %.300s",
				r < 0 ? err.message : "pg_waldump printed no total");
	}
	free(end_lsn);
	free(wal_folder);
	strbuf_release(&output);
}

/* File writes by kind: data from buffers written, temporary from the server's counter; WAL is
 * counted by the server from 18 on, before that it is what remains of all writes. */
static void record_file_writes(struct postgres_counts *counts, const json_t *now, const char *phase,
	struct trial_record *record)
{
	static const char *const writers[] = { "buffers_written_checkpointer",
		"buffers_written_bgwriter", "buffers_written_backend" };
	double data = 0, all, rest;
	double temporary = counter_difference(counts->before, now, "temporary_bytes");

	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		data += counter_difference(counts->before, now, writers[i]) * counts->block_bytes;
	trial_record_sample(record, &(struct sample){ "file_write_data_bytes", phase,
					    "buffers written", data, SAMPLE_WHOLE });
	trial_record_sample(record, &(struct sample){ "file_write_temporary_bytes", phase,
					    "pg_stat_database", temporary, SAMPLE_WHOLE });
	if (counter_has(now, "file_write_wal_bytes") ||
		!trial_record_find(record, phase, "server_write_bytes", &all))
		return;
	rest = all - data - temporary;
	if (rest >= 0)
		trial_record_sample(
			record, &(struct sample){ "file_write_wal_bytes", phase,
					"remainder of server writes", rest, SAMPLE_WHOLE });
}

static int postgres_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err)
{
	struct postgres_counts *counts = counts_of(probe);
	double database_bytes;
	json_t *now;
	int r = read_all(counts, &now, err);

	if (r < 0)
		return r;
	counter_record(counts->before, now, phase, "pg_stat", record);
	record_file_writes(counts, now, phase, record);
	if (strcmp(phase, "run") == 0)
		record_fpi_bytes(counts, phase,
			counter_difference(counts->before, now, "wal_bytes"), record);
	r = pg_conn_number(counts->conn, "SELECT sum(pg_database_size(oid)) FROM pg_database",
		&database_bytes, err);
	if (r == 0)
		trial_record_sample(
			record, &(struct sample){ "database_bytes", phase, "pg_database_size",
					database_bytes, SAMPLE_WHOLE });
	json_decref(now);
	return r;
}

static void postgres_done(struct probe *probe)
{
	struct postgres_counts *counts = counts_of(probe);

	pg_conn_close(counts->conn);
	json_decref(counts->before);
	free(counts->before_lsn);
	free(counts);
}

const struct probe_driver postgres_probe = {
	.name = "postgres",
	.asks_system = true,
	.check = postgres_check,
	.open = postgres_open,
	.begin = postgres_begin,
	.tick = postgres_tick,
	.end = postgres_end,
	.close = postgres_done,
};
