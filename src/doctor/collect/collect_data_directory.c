/* A cluster without its server: what pg_controldata and the folder itself tell. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include "base/subprocess.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct control_row {
	const char *label; /* as pg_controldata prints it in the C locale */
	const char *member;
	bool number;
};

static const struct control_row control_rows[] = {
	{ "Database system identifier", "system_identifier", false },
	{ "Database cluster state", "state", false },
	{ "Database block size", "block_size", true },
	{ "Bytes per WAL segment", "wal_segment_bytes", true },
	{ "WAL block size", "wal_block_size", true },
	{ "Data page checksum version", "checksum_version", true },
	{ "Latest checkpoint's full_page_writes", "full_page_writes", false },
	{ "wal_level setting", "wal_level", false },
	{ "max_connections setting", "max_connections", true },
};

static void parse_control(json_t *facts, char *text)
{
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon++ = '\0';
		colon += strspn(colon, " ");
		for (size_t i = 0; i < ARRAY_SIZE(control_rows); i++) {
			char path[96];
			if (strcmp(control_rows[i].label, line) != 0)
				continue;
			snprintf(path, sizeof(path), "postgres.control.%s", control_rows[i].member);
			if (control_rows[i].number)
				facts_put_number(facts, path, strtod(colon, NULL));
			else
				facts_put_text(facts, path, colon);
		}
	}
}

/* pg_controldata of the cluster's own version: asked-for folder, distribution's layout, PATH. */
static char *find_controldata(const struct collector *collector, long major)
{
	char path[PATH_MAX];
	const char *folder = collector->options->bin_directory;

	if (folder)
		snprintf(path, sizeof(path), "%s/pg_controldata", folder);
	else
		snprintf(path, sizeof(path), "/usr/lib/postgresql/%ld/bin/pg_controldata", major);
	if (access(path, X_OK) == 0)
		return strdup(path);
	return folder ? NULL : subprocess_find("pg_controldata");
}

static void collect_control(struct collector *collector, const char *folder, long major)
{
	char *program = find_controldata(collector, major);
	struct strbuf output = STRBUF_INIT;
	const char *const arguments[] = { program, "-D", folder, NULL };

	if (!program)
		facts_unseen(collector->facts, "postgres.control",
			"no pg_controldata of version %ld found: --bin-directory DIR", major);
	else if (collect_program(collector, "postgres.control", arguments, &output))
		parse_control(collector->facts, output.data);
	strbuf_release(&output);
	free(program);
}

void collect_data_directory(struct collector *collector, const char *folder)
{
	struct strbuf text = STRBUF_INIT;

	if (!collect_text_at(&text, "%s/PG_VERSION", folder)) {
		facts_unseen(collector->facts, "postgres",
			"%s/PG_VERSION can't be read: no data directory, or no permission", folder);
		facts_put_text(collector->facts, "postgres.data_directory", folder);
		strbuf_release(&text);
		return;
	}
	long major = strtol(text.data, NULL, 10);
	facts_put_text(collector->facts, "postgres.seen_through", "files");
	facts_put_text(collector->facts, "postgres.data_directory", folder);
	/* The minor version is not in the folder. */
	facts_put_number(collector->facts, "postgres.version_number", (double)(major * 10000));
	facts_put_text(collector->facts, "postgres.version_text", text.data);
	facts_unseen(collector->facts, "postgres.stats", "the server was not asked");
	facts_unseen(collector->facts, "postgres.replication", "the server was not asked");
	facts_unseen(collector->facts, "postgres.cluster_bytes", "the server was not asked");
	facts_put_bool(collector->facts, "postgres.in_recovery",
		collect_text_at(&text, "%s/standby.signal", folder));
	collect_control(collector, folder, major);
	collect_conf(collector, folder, major * 10000);
	if (collect_text_at(&text, "%s/postmaster.pid", folder))
		collector->server_pid = (pid_t)strtol(text.data, NULL, 10);
	strbuf_release(&text);
}
