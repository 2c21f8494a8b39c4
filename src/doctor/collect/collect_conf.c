/*
 * Settings from a cluster's configuration files: postgresql.conf with what it includes, then
 * postgresql.auto.conf; what no file names gets its documented value. Command lines and
 * environment of a server can't be seen this way, so the source of each value is noted.
 * Format: PostgreSQL manual, "Setting Parameters".
 */
#include "doctor/collect/collect_internal.h"
#include "doctor/collect/conf_file.h"
#include "doctor/facts.h"
#include "doctor/guc_list.h"
#include "base/file.h"
#include <stdio.h>
#include <string.h>

static void add_setting(void *context, const char *file, const char *name, const char *value)
{
	json_t *settings = context;
	const struct guc *guc = guc_find(name);

	if (!guc)
		return;
	json_t *entry = json_object();
	facts_put_text(entry, "value", value);
	facts_put_text(entry, "source", "configuration file");
	facts_put_text(entry, "file", file);
	json_object_set_new(settings, guc->name, entry);
}

/* Debian keeps the main file outside the data directory. */
static bool find_main_file(const char *folder, long version, char *path, size_t size)
{
	const char *name = strrchr(folder, '/');

	snprintf(path, size, "%s/postgresql.conf", folder);
	if (file_exists(path))
		return true;
	snprintf(path, size, "/etc/postgresql/%ld/%s/postgresql.conf", version / 10000,
		name ? name + 1 : "main");
	return file_exists(path);
}

static void add_fallbacks(json_t *settings, long version)
{
	for (const struct guc *guc = guc_list; guc->name; guc++) {
		const char *value = guc_fallback(guc, version);
		if (!value || json_object_get(settings, guc->name))
			continue;
		json_t *entry = json_object();
		facts_put_text(entry, "value", value);
		facts_put_text(entry, "source", "documented default");
		json_object_set_new(settings, guc->name, entry);
	}
}

void collect_conf(struct collector *collector, const char *folder, long version)
{
	char path[4096];
	json_t *settings = json_object();
	struct err err = ERR_INIT;

	if (!find_main_file(folder, version, path, sizeof(path))) {
		facts_unseen(collector->facts, "postgres.settings",
			"no postgresql.conf in %s or /etc/postgresql", folder);
		json_decref(settings);
		return;
	}
	int r = conf_file_read(path, add_setting, settings, &err);
	snprintf(path, sizeof(path), "%s/postgresql.auto.conf", folder);
	if (r == 0 && file_exists(path))
		r = conf_file_read(path, add_setting, settings, &err);
	if (r < 0) {
		facts_unseen(collector->facts, "postgres.settings", "%.300s", err.message);
		json_decref(settings);
		return;
	}
	add_fallbacks(settings, version);
	facts_put(collector->facts, "postgres.settings", settings);
	/* What only the server knows */
	facts_put(settings, "block_size",
		json_deep_copy(facts_at(collector->facts, "postgres.control.block_size")));
}
