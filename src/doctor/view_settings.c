/* The server's part of the view: settings as numbers, and what its statistics say. */
#include "doctor/view_internal.h"
#include "doctor/facts.h"
#include "doctor/guc_list.h"
#include "doctor/cross/write_ledger.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An entry is an object {value, unit, ...} as pg_settings has it, or a bare text or number as a
 * file has it. */
static json_t *setting_value(const struct guc *guc, const json_t *entry)
{
	if (json_is_object(entry)) {
		const char *text = facts_text(entry, "value", NULL);
		const char *unit = facts_text(entry, "unit", NULL);
		return text ? guc_value(guc, text, unit && *unit ? unit : NULL) : NULL;
	}
	if (json_is_string(entry))
		return guc_value(guc, json_string_value(entry), NULL);
	return json_is_number(entry) ? view_copy(entry) : NULL;
}

static void add_setting_values(struct view *view)
{
	const json_t *settings = facts_at(view->facts, "postgres.settings");
	json_t *values = json_object();

	for (const struct guc *guc = guc_list; json_is_object(settings) && guc->name; guc++) {
		json_t *value = setting_value(guc, json_object_get(settings, guc->name));
		if (value)
			json_object_set_new(values, guc->name, value);
	}
	json_object_set_new(view->root, "setting", values);
	/* with file and source, for commands that undo */
	facts_put(view->root, "settings_as_set", view_copy(settings));
}

/* What the control file knows stands in where pg_settings is silent (server down). */
static void add_control(struct view *view)
{
	const json_t *control = facts_at(view->facts, "postgres.control");

	if (!json_is_object(control))
		return;
	facts_put(view->root, "control", view_copy(control));
	if (!facts_at(view->root, "setting.block_size"))
		facts_put(view->root, "setting.block_size",
			view_copy(facts_at(control, "block_size")));
	double checksums = facts_number(control, "checksum_version", -1);
	if (checksums >= 0 && !facts_at(view->root, "setting.data_checksums"))
		facts_put_text(view->root, "setting.data_checksums", checksums > 0 ? "on" : "off");
}

/* From 16 on files are extended with posix_fallocate, unless a setting that came with the minor
 * releases of 18.2's day says otherwise. */
static void add_fallocate(struct view *view, double version)
{
	if (version < 0 || json_object_size(facts_at(view->root, "setting")) == 0)
		return;
	const char *method = facts_text(view->root, "setting.file_extend_method", NULL);
	facts_put_bool(view->root, "postgres.extends_by_fallocate",
		version >= 160000 && (!method || strcmp(method, "posix_fallocate") == 0));
}

static void add_postgres(struct view *view)
{
	static const char *const members[] = { "in_recovery", "cluster_bytes", "data_directory" };
	double version = facts_number(view->facts, "postgres.version_number", -1);
	char path[64];

	facts_put(view->root, "postgres", json_object());
	if (version >= 0)
		facts_put_number(view->root, "postgres.version", version);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		snprintf(path, sizeof(path), "postgres.%s", members[i]);
		facts_put(view->root, path, view_copy(facts_at(view->facts, path)));
	}
	facts_put(view->root, "postgres.block_size",
		view_copy(facts_at(view->root, "setting.block_size")));
	facts_put(view->root, "replication",
		view_copy(facts_at(view->facts, "postgres.replication")));
	add_fallocate(view, version);
}

static void add_checkpoints(struct view *view)
{
	double timed = facts_number(view->facts, "postgres.stats.checkpoints_timed", -1);
	double requested = facts_number(view->facts, "postgres.stats.checkpoints_requested", -1);

	if (timed < 0 || requested < 0)
		return;
	double all = timed + requested;
	facts_put_number(view->root, "stat.checkpoints", all);
	facts_put_number(
		view->root, "stat.checkpoint_requested_share", all > 0 ? requested / all : 0);
	facts_put_number(view->root, "stat.checkpoint_requested_percent",
		all > 0 ? floor(100 * requested / all) : 0);
}

static void add_rows(struct view *view)
{
	double inserted = facts_number(view->facts, "postgres.stats.rows_inserted", -1);
	double updated = facts_number(view->facts, "postgres.stats.rows_updated", -1);
	double deleted = facts_number(view->facts, "postgres.stats.rows_deleted", -1);
	double all = inserted + updated + deleted;

	if (inserted < 0 || updated < 0 || deleted < 0)
		return;
	facts_put_number(view->root, "stat.update_share", all > 0 ? (updated + deleted) / all : 0);
}

static void add_wal(struct view *view)
{
	double syncs = facts_number(view->facts, "postgres.stats.wal_syncs", -1);
	double sync_ms = facts_number(view->facts, "postgres.stats.wal_sync_ms", -1);

	facts_put(view->root, "stat.wal_full_pages",
		view_copy(facts_at(view->facts, "postgres.stats.wal_full_pages")));
	facts_put(view->root, "stat.temp_bytes",
		view_copy(facts_at(view->facts, "postgres.stats.temp_bytes")));
	/* Without track_wal_io_timing the time stays 0, which means nothing. */
	if (syncs >= 100 && sync_ms > 0)
		facts_put_number(
			view->root, "stat.wal_sync_mean_us", floor(1000 * sync_ms / syncs));
}

void view_add_settings(struct view *view)
{
	add_setting_values(view);
	add_control(view);
	add_postgres(view);
	facts_put(view->root, "stat", json_object());
	add_checkpoints(view);
	add_rows(view);
	add_wal(view);
	json_t *ledger = write_ledger(view->facts);
	facts_put(view->root, "ledger", ledger ? ledger : json_object());
}
