/*
 * Facts that the server itself tells. Statements are rows of a table, each for a range of
 * versions; none takes a lock above AccessShare, none names a user's table. A statement that the
 * role may not run leaves its part unseen and the others go on.
 */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "doctor/guc_list.h"
#include "postgres/conn.h"
#include "base/macros.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_TIMEOUT_S "5"
#define SESSION_OPTIONS                                                                       \
	"-c statement_timeout=5000 -c lock_timeout=1000 -c default_transaction_read_only=on " \
	"-c search_path=pg_catalog -c client_min_messages=warning -c jit=off "                \
	"-c idle_in_transaction_session_timeout=60000"

struct query {
	const char *path; /* one row: its columns go below this path; a list: the rows go here */
	long from, before;
	bool list;
	const char *sql;
};

static const struct query identity_query = { "postgres", 0, 0, false,
	"SELECT current_setting('server_version_num')::int8 AS version_number,"
	" current_setting('server_version') AS version_text,"
	" pg_is_in_recovery() AS in_recovery, pg_backend_pid()::int8 AS backend_pid,"
	" pg_has_role('pg_monitor', 'member') AS is_monitor,"
	" (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser" };

static const struct query server_queries[] = {
	{ "postgres.control", 0, 0, false,
		"SELECT system_identifier::text, database_block_size::int8 AS block_size,"
		" bytes_per_wal_segment::int8 AS wal_segment_bytes,"
		" data_page_checksum_version::int8 AS checksum_version, full_page_writes,"
		" checkpoint_time::text"
		" FROM pg_control_system(), pg_control_init(), pg_control_checkpoint()" },
	{ "postgres.tablespaces", 0, 0, true,
		"SELECT oid::int8, spcname AS name, pg_tablespace_location(oid) AS path"
		" FROM pg_tablespace ORDER BY oid" },
	{ "postgres.replication", 0, 0, false,
		"SELECT count(*) FILTER (WHERE state = 'streaming') AS standbys,"
		" count(*) FILTER (WHERE state = 'backup') AS base_backups,"
		" count(*) AS walsenders, count(state) AS walsenders_seen,"
		" (SELECT count(*) FROM pg_replication_slots) AS slots"
		" FROM pg_stat_replication" },
	{ "postgres", 0, 0, false,
		"SELECT sum(pg_database_size(oid))::int8 AS cluster_bytes FROM pg_database" },
};

/* Counters; also taken twice for the write ledger. */
static const struct query statistics_queries[] = {
	{ "", 0, 0, false,
		"SELECT sum(tup_inserted)::int8 AS rows_inserted,"
		" sum(tup_updated)::int8 AS rows_updated, sum(tup_deleted)::int8 AS rows_deleted,"
		" sum(xact_commit)::int8 AS commits, sum(temp_bytes)::int8 AS temp_bytes,"
		" sum(blks_read)::int8 AS blocks_read, sum(blks_hit)::int8 AS blocks_hit,"
		" pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()"
		" ELSE pg_current_wal_lsn() END, '0/0')::int8 AS wal_position"
		" FROM pg_stat_database" },
	{ "", 0, 170000, false,
		"SELECT checkpoints_timed, checkpoints_req AS checkpoints_requested,"
		" buffers_checkpoint + buffers_clean + buffers_backend AS buffers_written"
		" FROM pg_stat_bgwriter" },
	{ "", 170000, 0, false,
		"SELECT num_timed AS checkpoints_timed, num_requested AS checkpoints_requested"
		" FROM pg_stat_checkpointer" },
	{ "", 140000, 180000, false,
		"SELECT wal_records, wal_fpi AS wal_full_pages, wal_bytes::int8, wal_buffers_full,"
		" wal_write AS wal_writes, wal_sync AS wal_syncs, wal_sync_time AS wal_sync_ms"
		" FROM pg_stat_wal" },
	{ "", 180000, 0, false,
		"SELECT wal_records, wal_fpi AS wal_full_pages, wal_bytes::int8, wal_buffers_full,"
		" io.* FROM pg_stat_wal, (SELECT sum(writes)::int8 AS wal_writes,"
		" sum(fsyncs)::int8 AS wal_syncs, sum(fsync_time) AS wal_sync_ms"
		" FROM pg_stat_io WHERE object = 'wal') AS io" },
	{ "", 160000, 180000, false,
		"SELECT sum((coalesce(writes, 0) + coalesce(extends, 0)) * op_bytes)::int8 AS "
		"file_write_bytes,"
		" sum(reads * op_bytes)::int8 AS file_read_bytes FROM pg_stat_io" },
	{ "", 180000, 0, false,
		"SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))"
		" FILTER (WHERE object <> 'wal')::int8 AS file_write_bytes,"
		" sum(write_bytes) FILTER (WHERE object = 'wal')::int8 AS wal_file_write_bytes,"
		" sum(read_bytes) FILTER (WHERE object <> 'wal')::int8 AS file_read_bytes"
		" FROM pg_stat_io" },
};

/* Types whose text is a number or a truth; the rest stays text. */
enum type_oid {
	BOOL_OID = 16,
	INT8_OID = 20,
	INT2_OID = 21,
	INT4_OID = 23,
	FLOAT4_OID = 700,
	FLOAT8_OID = 701,
	NUMERIC_OID = 1700
};

static void put_cell(json_t *into, const PGresult *result, int row, int column)
{
	const char *name = PQfname(result, column);
	const char *text = PQgetvalue(result, row, column);

	if (PQgetisnull(result, row, column))
		return;
	switch ((enum type_oid)PQftype(result, column)) {
	case BOOL_OID:
		facts_put_bool(into, name, text[0] == 't');
		return;
	case INT2_OID:
	case INT4_OID:
	case INT8_OID:
	case FLOAT4_OID:
	case FLOAT8_OID:
	case NUMERIC_OID:
		facts_put_number(into, name, strtod(text, NULL));
		return;
	}
	facts_put_text(into, name, text);
}

/* Send one statement; the rows, or NULL with the reason noted at path. */
static PGresult *send(struct collector *collector, const char *path, const char *sql)
{
	if (!collector->connection)
		return NULL;
	if (collector->statements >= COLLECT_STATEMENTS_MAX) {
		facts_unseen(collector->facts, path, "the limit of %d statements is reached",
			COLLECT_STATEMENTS_MAX);
		return NULL;
	}
	collector->statements++;
	facts_put_number(collector->facts, "postgres.statements", collector->statements);
	PGresult *result = PQexec(collector->connection, sql);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	const char *why = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	facts_unseen(
		collector->facts, path, "%s", why ? why : PQerrorMessage(collector->connection));
	PQclear(result);
	return NULL;
}

static void put_row(json_t *facts, const char *path, const PGresult *result)
{
	json_t *into = *path ? facts_at(facts, path) : facts;

	if (!json_is_object(into)) {
		into = json_object();
		facts_put(facts, path, into);
	}
	for (int column = 0; column < PQnfields(result); column++)
		put_cell(into, result, 0, column);
}

static void put_list(json_t *facts, const char *path, const PGresult *result)
{
	json_t *list = json_array();

	for (int row = 0; row < PQntuples(result); row++) {
		json_t *entry = json_object();
		for (int column = 0; column < PQnfields(result); column++)
			put_cell(entry, result, row, column);
		json_array_append_new(list, entry);
	}
	facts_put(facts, path, list);
}

static void run_query(struct collector *collector, const struct query *query, const char *path)
{
	long version = (long)facts_number(collector->facts, "postgres.version_number", 0);

	if ((query->from && version < query->from) || (query->before && version >= query->before))
		return;
	PGresult *result = send(collector, path, query->sql);
	if (!result)
		return;
	if (query->list)
		put_list(collector->facts, path, result);
	else if (PQntuples(result) == 1)
		put_row(collector->facts, path, result);
	PQclear(result);
}

/* "{fsync,full_page_writes,...}" */
static void collect_settings(struct collector *collector)
{
	struct strbuf sql = STRBUF_INIT;
	json_t *settings = json_object();

	strbuf_add_text(&sql,
		"SELECT name, setting AS value, unit, source, sourcefile AS file, pending_restart"
		" FROM pg_settings WHERE name = ANY ('{");
	for (const struct guc *guc = guc_list; guc->name; guc++)
		strbuf_add_format(&sql, "%s%s", guc == guc_list ? "" : ",", guc->name);
	strbuf_add_text(&sql, "}')");
	PGresult *result = send(collector, "postgres.settings", sql.data);
	for (int row = 0; result && row < PQntuples(result); row++) {
		json_t *entry = json_object();
		for (int column = 1; column < PQnfields(result); column++)
			put_cell(entry, result, row, column);
		json_object_set_new(settings, PQgetvalue(result, row, 0), entry);
	}
	if (result)
		facts_put(collector->facts, "postgres.settings", settings);
	else
		json_decref(settings);
	PQclear(result);
	facts_put_text(collector->facts, "postgres.data_directory",
		facts_text(collector->facts, "postgres.settings.data_directory.value", NULL));
	strbuf_release(&sql);
}

static void collect_biggest(struct collector *collector)
{
	struct strbuf sql = STRBUF_INIT;

	strbuf_add_format(&sql,
		"SELECT pg_relation_filepath(oid) AS path, relpages::int8 AS pages,"
		" relkind::text AS kind%s FROM (SELECT oid, relname, relpages, relkind FROM "
		"pg_class"
		" WHERE relpages > 0 ORDER BY relpages DESC LIMIT 20) AS c",
		collector->options->names ? ", relname::text AS name" : "");
	PGresult *result = send(collector, "postgres.biggest", sql.data);
	if (result)
		put_list(collector->facts, "postgres.biggest", result);
	PQclear(result);
	strbuf_release(&sql);
}

/* A standby's backups, and walsenders whose state this role may not see. */
static void judge_replication(struct collector *collector)
{
	json_t *facts = collector->facts;
	double walsenders = facts_number(facts, "postgres.replication.walsenders", 0);

	if (facts_number(facts, "postgres.replication.walsenders_seen", 0) < walsenders) {
		json_object_del(facts_at(facts, "postgres"), "replication");
		facts_unseen(facts, "postgres.replication",
			"this role may not see what the WAL senders do (pg_read_all_stats may)");
		return;
	}
	facts_put_bool(facts, "postgres.replication.backup_on_standby",
		facts_bool(facts, "postgres.in_recovery", false) &&
			facts_number(facts, "postgres.replication.base_backups", 0) > 0);
}

void collect_statistics(struct collector *collector, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(statistics_queries); i++)
		run_query(collector, &statistics_queries[i], path);
	if (facts_number(collector->facts, "postgres.version_number", 0) < 140000 &&
		collector->connection && strcmp(path, "postgres.stats") == 0)
		facts_unseen(collector->facts, "postgres.stats.wal_full_pages",
			"the server counts them from version 14 on");
	if (strcmp(path, "postgres.stats") == 0 &&
		facts_number(collector->facts, "postgres.stats.wal_sync_ms", 0) <= 0)
		facts_unseen(collector->facts, "postgres.stats.wal_sync_ms",
			"needs version 14 or later, track_wal_io_timing = on and some commits");
}

void collect_server(struct collector *collector)
{
	collect_settings(collector);
	for (size_t i = 0; i < ARRAY_SIZE(server_queries); i++)
		run_query(collector, &server_queries[i], server_queries[i].path);
	collect_statistics(collector, "postgres.stats");
	collect_biggest(collector);
	if (facts_at(collector->facts, "postgres.replication"))
		judge_replication(collector);
	const json_t *full_pages = facts_at(collector->facts, "postgres.control.full_page_writes");
	if (json_is_boolean(full_pages))
		facts_put_text(collector->facts, "postgres.control.full_page_writes",
			json_is_true(full_pages) ? "on" : "off");
}

/* The server is here if the process that serves us is: same pid, and a program called postgres.
 * Through a TCP address that is not loopback only the address decides. */
static void find_server(struct collector *collector)
{
	struct strbuf name = STRBUF_INIT;
	int pid = (int)facts_number(collector->facts, "postgres.backend_pid", 0);
	const char *host = PQhost(collector->connection);
	bool local = !host || host[0] == '/' || host[0] == '@' || host[0] == '\0' ||
		     strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
		     strcmp(host, "::1") == 0;

	bool seen = collect_text_at(&name, "/proc/%d/comm", pid) &&
		    strstr(name.data, "postgres") != NULL;
	if (seen)
		collector->server_pid = pid;
	/* A forwarded port looks local too; without the process nothing here is the server's. */
	collector->elsewhere = !local || !seen;
	strbuf_release(&name);
}

/* The user's conninfo string with ours added: keywords of his come first, and libpq takes the last
 * of a kind, so that the limits hold. */
static int open_session(
	const char *conninfo, bool with_options, PGconn **ret_connection, struct err *err)
{
	enum { KEYWORDS_MAX = 80 };
	const char *keys[KEYWORDS_MAX + 5], *values[KEYWORDS_MAX + 5];
	char *why = NULL;
	size_t count = 0;
	PQconninfoOption *parsed = PQconninfoParse(conninfo, &why);

	if (!parsed) {
		int r = err_set(err, -EINVAL, "connection string: %s", why ? why : "out of memory");
		PQfreemem(why);
		return r;
	}
	for (PQconninfoOption *option = parsed; option->keyword; option++) {
		if (!option->val || count == KEYWORDS_MAX)
			continue;
		keys[count] = option->keyword;
		values[count++] = option->val;
	}
	keys[count] = "fallback_application_name";
	values[count++] = "plumb doctor";
	keys[count] = "connect_timeout";
	values[count++] = CONNECT_TIMEOUT_S;
	keys[count] = "client_encoding";
	values[count++] = "UTF8";
	keys[count] = with_options ? "options" : NULL;
	values[count++] = SESSION_OPTIONS;
	keys[count] = NULL;
	int r = pg_conn_open(keys, values, ret_connection, err);
	PQconninfoFree(parsed);
	return r;
}

/* A pooler refuses start-up options: there the limits are set by a statement. */
static int open_limited_session(struct collector *collector, struct err *err)
{
	struct err first = ERR_INIT;
	int r = open_session(collector->options->connection, true, &collector->connection, &first);

	if (r < 0 && !strstr(first.message, "unsupported startup parameter"))
		return err_set(err, r, "%s", first.message);
	if (r == 0)
		return 0;
	r = open_session(collector->options->connection, false, &collector->connection, err);
	if (r < 0)
		return r;
	collector->statements++;
	return pg_conn_execute(collector->connection,
		"SET statement_timeout = 5000; SET lock_timeout = 1000; "
		"SET default_transaction_read_only = on",
		err);
}

int collect_connect(struct collector *collector, struct err *err)
{
	int r = open_limited_session(collector, err);

	if (r < 0)
		return r;
	run_query(collector, &identity_query, identity_query.path);
	if (facts_number(collector->facts, "postgres.version_number", 0) < 130000)
		return err_set(err, -ENOTSUP, "server version %s: the doctor knows 13 and later",
			PQparameterStatus(collector->connection, "server_version"));
	facts_put_text(collector->facts, "postgres.seen_through", "server");
	find_server(collector);
	return 0;
}

void collect_disconnect(struct collector *collector)
{
	collector->connection = pg_conn_close(collector->connection);
}
