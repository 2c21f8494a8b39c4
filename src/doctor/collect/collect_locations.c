/* The folders of the cluster: data, WAL, tablespaces. */
#include "doctor/collect/collect_internal.h"
#include "doctor/collect/relation_files.h"
#include "doctor/facts.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the new location, lent by the list. */
static json_t *add_location(json_t *list, const char *role, const char *name, const char *path)
{
	char real[PATH_MAX];
	json_t *location = json_object();

	facts_put_text(location, "role", role);
	facts_put_text(location, "name", name);
	facts_put_text(location, "path", path);
	if (realpath(path, real))
		facts_put_text(location, "real_path", real);
	json_array_append_new(list, location);
	return location;
}

static void add_files(struct collector *collector, json_t *location, const char *folder)
{
	struct err err = ERR_INIT;
	json_t *files = NULL;

	if (relation_files_scan(folder, &files, &err) < 0) {
		facts_unseen(collector->facts, "locations.files", "%.300s", err.message);
		return;
	}
	facts_put(location, "files", files);
}

static void add_wal(struct collector *collector, json_t *list, const char *data)
{
	char path[PATH_MAX], real[PATH_MAX];

	snprintf(path, sizeof(path), "%s/pg_wal", data);
	if (!realpath(path, real)) {
		facts_unseen(collector->facts, "locations.wal", "%s: %s", path, strerror(errno));
		return;
	}
	add_files(collector, add_location(list, "wal", "WAL", path), real);
}

static void add_tablespace(
	struct collector *collector, json_t *list, const char *called, const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "tablespace %s", called);
	add_files(collector, add_location(list, "tablespace", name, path), path);
}

/* Without a server the links in pg_tblspc name the tablespaces, by number. */
static void add_tablespace_links(struct collector *collector, json_t *list, const char *data)
{
	char folder[PATH_MAX], path[PATH_MAX + 256], real[PATH_MAX];
	struct dirent *entry;

	snprintf(folder, sizeof(folder), "%s/pg_tblspc", data);
	DIR *links = opendir(folder);
	if (!links) {
		facts_unseen(collector->facts, "locations.tablespaces", "%s: %s", folder,
			strerror(errno));
		return;
	}
	while ((entry = readdir(links))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && realpath(path, real))
			add_tablespace(collector, list, entry->d_name, real);
	}
	closedir(links);
}

static void add_tablespaces(struct collector *collector, json_t *list, const char *data)
{
	json_t *known = facts_at(collector->facts, "postgres.tablespaces");
	size_t i;
	json_t *tablespace;
	char path[PATH_MAX];

	if (!json_is_array(known))
		add_tablespace_links(collector, list, data);
	json_array_foreach(known, i, tablespace)
	{
		const char *folder = facts_text(tablespace, "path", "");
		if (!*folder)
			continue;
		/* one that lies in the data directory is told relative to it */
		if (*folder == '/')
			snprintf(path, sizeof(path), "%s", folder);
		else
			snprintf(path, sizeof(path), "%s/%s", data, folder);
		add_tablespace(collector, list, facts_text(tablespace, "name", "?"), path);
	}
}

/* Patroni keeps its cluster-wide configuration in the data directory. */
static void add_patroni(struct collector *collector, const char *data)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/patroni.dynamic.json", data);
	if (collect_text(path, &text)) {
		json_t *configuration = json_loads(text.data, 0, NULL);
		facts_put_bool(collector->facts, "postgres.replication.use_pg_rewind",
			facts_bool(configuration, "postgresql.use_pg_rewind", false));
		json_decref(configuration);
	} else if (access(data, X_OK) == 0 && access(path, F_OK) != 0) {
		facts_put_bool(collector->facts, "postgres.replication.use_pg_rewind", false);
	} else {
		facts_unseen(collector->facts, "postgres.replication.use_pg_rewind",
			"%s can't be read", path);
	}
	strbuf_release(&text);
}

void collect_locations(struct collector *collector)
{
	const char *data = facts_text(collector->facts, "postgres.data_directory", NULL);
	json_t *list = json_array();
	char path[PATH_MAX];

	if (!data) {
		json_decref(list);
		facts_unseen(collector->facts, "locations",
			"the server does not tell this role its data directory "
			"(pg_read_all_settings "
			"may see it); --data-directory DIR names it");
		return;
	}
	facts_put(collector->facts, "locations", list);
	snprintf(path, sizeof(path), "%s/base", data);
	add_files(collector, add_location(list, "data", "data", data), path);
	add_wal(collector, list, data);
	add_patroni(collector, data);
	add_tablespaces(collector, list, data);
}
