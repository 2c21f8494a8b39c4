/* Configuration of a cluster: written before a start, read back after it (see cluster.h). */
#include "postgres/cluster.h"
#include "postgres/install_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define GUC_PREFIX "postgresql.conf."

/* Values go in quotes, with quotes and backslashes doubled (config file syntax, PostgreSQL
 * manual, "Setting Parameters"). */
static void add_setting(struct strbuf *text, const char *name, const char *value)
{
	strbuf_add_format(text, "%s = '", name);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			strbuf_add_char(text, *value);
		strbuf_add_char(text, *value);
	}
	strbuf_add_text(text, "'\n");
}

static void add_base(const struct pg_cluster *cluster, struct strbuf *text)
{
	bool tcp = settings_boolean(cluster->options.settings, "postgres.tcp", false);

	add_setting(text, "listen_addresses", tcp ? "127.0.0.1" : "");
	add_setting(text, "unix_socket_directories", cluster->options.socket_directory);
	add_setting(text, "unix_socket_permissions", "0700");
	add_setting(text, "cluster_name", "plumb");
	add_setting(text, "log_checkpoints", "on");
	add_setting(text, "log_line_prefix", "%m [%p] ");
	/* A crashed backend must end the trial, not be papered over. */
	add_setting(text, "restart_after_crash", "off");
	if (cluster->options.max_connections)
		strbuf_add_format(text, "max_connections = %d\n", cluster->options.max_connections);
}

/* The data directory belongs to the server's user, not to root: never follow a link there. */
static int write_conf(struct pg_cluster *cluster, const char *name, const char *text, bool append,
	struct err *err)
{
	char *path = memory_format("%s/%s", cluster->options.data_directory, name);
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
	int fd = open(path, flags, 0600);
	size_t length = strlen(text);
	int r = 0;

	if (fd < 0 || write(fd, text, length) != (ssize_t)length || fsync(fd) < 0)
		r = err_set_errno(err, -errno, "cannot write '%s'", path);
	if (r == 0 && cluster->options.drop_user &&
		fchown(fd, cluster->options.user_id, cluster->options.group_id) < 0)
		r = err_set_errno(err, -errno, "cannot give '%s' to the server's user", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return r;
}

static int include_once(struct pg_cluster *cluster, struct err *err)
{
	static const char line[] = "\ninclude 'plumb.conf'\n";
	char *path = memory_format("%s/postgresql.conf", cluster->options.data_directory);
	struct strbuf text = STRBUF_INIT;
	int r = file_read(path, &text, err);

	if (r == 0 && !strstr(text.data, line))
		r = write_conf(cluster, "postgresql.conf", line, true, err);
	strbuf_release(&text);
	free(path);
	return r;
}

int pg_cluster_configure(
	struct pg_cluster *cluster, const struct settings *settings, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r;

	cluster->options.settings = settings;
	add_base(cluster, &text);
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting_value *value = &settings->values[i];

		if (strncmp(value->name, GUC_PREFIX, strlen(GUC_PREFIX)) == 0)
			add_setting(&text, value->name + strlen(GUC_PREFIX), value->text);
	}
	r = write_conf(cluster, "plumb.conf", text.data, false, err);
	if (r == 0)
		r = include_once(cluster, err);
	strbuf_release(&text);
	return r;
}

bool pg_values_equal(const char *asked, const char *effective)
{
	bool asked_switch, effective_switch;
	uint64_t asked_bytes, effective_bytes;
	int64_t asked_ns, effective_ns;
	double asked_number, effective_number;

	if (strcasecmp(asked, effective) == 0)
		return true;
	if (real_parse(asked, &asked_number) == 0 && real_parse(effective, &effective_number) == 0)
		return asked_number == effective_number;
	if (boolean_parse(asked, &asked_switch) == 0 &&
		boolean_parse(effective, &effective_switch) == 0)
		return asked_switch == effective_switch;
	if (duration_parse(asked, &asked_ns) == 0 && duration_parse(effective, &effective_ns) == 0)
		return asked_ns == effective_ns;
	return size_parse(asked, &asked_bytes) == 0 &&
	       size_parse(effective, &effective_bytes) == 0 && asked_bytes == effective_bytes;
}

/* "8192" asked for a setting counted in kB shows as "8MB": compare in the setting's own unit. */
static bool same_value(const char *asked, const char *shown, const char *raw)
{
	return pg_values_equal(asked, shown) || strcmp(asked, raw) == 0;
}

static void compare_setting(struct trial_record *record, const char *name, const char *asked,
	const PGresult *row, int index)
{
	const char *shown = PQgetvalue(row, index, 1);
	char *full = memory_format(GUC_PREFIX "%s", name);

	trial_record_fact(record, full, asked, shown);
	if (asked && !same_value(asked, shown, PQgetvalue(row, index, 2)))
		trial_record_note(record, NOTE_WARNING, "setting-differs",
			"%s: asked for %s, the server has %s", name, asked, shown);
	free(full);
}

static int describe_settings(
	struct pg_cluster *cluster, PGconn *conn, struct trial_record *record, struct err *err)
{
	const struct settings *settings = cluster->options.settings;
	PGresult *rows;
	int r = pg_conn_query(conn,
		"SELECT lower(name), current_setting(name), setting, "
		"source <> 'default' OR context = 'internal' FROM pg_settings ORDER BY name",
		&rows, err);

	if (r < 0)
		return r;
	for (int i = 0; i < PQntuples(rows); i++) {
		const char *name = PQgetvalue(rows, i, 0);
		char *full = memory_format(GUC_PREFIX "%s", name);
		const char *asked = settings_text(settings, full, NULL);

		if (asked || strcmp(PQgetvalue(rows, i, 3), "t") == 0)
			compare_setting(record, name, asked, rows, i);
		free(full);
	}
	PQclear(rows);
	return 0;
}

static void describe_sizes(struct pg_cluster *cluster, struct trial_record *record)
{
	const struct settings *settings = cluster->options.settings;
	const char *version = settings_text(settings, "postgres.version", NULL);
	uint64_t asked = settings_size(settings, "postgres.block_size", 0);
	double effective = 0;

	for (size_t i = 0; i < record->fact_count; i++)
		if (strcmp(record->facts[i].name, GUC_PREFIX "block_size") == 0)
			effective = strtod(record->facts[i].value, NULL);
	if (asked && effective > 0 && (double)asked != effective)
		trial_record_note(record, NOTE_SPOILED, "setting-differs",
			"postgres.block_size: asked for %llu bytes, the server has %.0f",
			(unsigned long long)asked, effective);
	/* 15 asked for and 15.18 in force is no difference. */
	if (version && pg_version_matches(version, cluster->binaries.version_text))
		version = cluster->binaries.version_text;
	trial_record_fact(record, "postgres.version", version, cluster->binaries.version_text);
	trial_record_fact(record, "postgres.bindir", NULL, cluster->binaries.bindir);
	trial_record_fact(
		record, "postgres.build", NULL, cluster->binaries.built ? "source" : "installed");
}

int pg_cluster_describe(struct pg_cluster *cluster, struct trial_record *record, struct err *err)
{
	PGconn *conn;
	int r = pg_cluster_connect(cluster, "postgres", &conn, err);

	if (r < 0)
		return r;
	r = describe_settings(cluster, conn, record, err);
	pg_conn_close(conn);
	if (r == 0)
		describe_sizes(cluster, record);
	return r;
}
