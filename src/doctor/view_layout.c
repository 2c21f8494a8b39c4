/* layout.*: what the locations are together. A name is there only if every location it depends on
 * was seen. */
#include "doctor/view_internal.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <string.h>

#define DATASET_MAX 64 /* of one cluster; more are not compared */

struct layout {
	const json_t *entries[DATASET_MAX]; /* first location of each dataset */
	size_t datasets;
	const char *pools[DATASET_MAX];
	size_t pool_lengths[DATASET_MAX];
	size_t pool_count;
	bool classes_known, sync_known, snapshots_known, any_zfs, kernel_zfs;
	double snapshots, sync_disabled, sync_enabled;
	const char *disabled_dataset;
	const char *disabled_command;
};

static void add_pool(struct layout *layout, const char *dataset)
{
	size_t length = strcspn(dataset, "/");

	for (size_t i = 0; i < layout->pool_count; i++)
		if (layout->pool_lengths[i] == length &&
			strncmp(layout->pools[i], dataset, length) == 0)
			return;
	layout->pools[layout->pool_count] = dataset;
	layout->pool_lengths[layout->pool_count++] = length;
}

static void add_dataset(struct layout *layout, const json_t *entry, const char *dataset)
{
	for (size_t i = 0; i < layout->datasets; i++)
		if (strcmp(facts_text(layout->entries[i], "dataset.name", ""), dataset) == 0)
			return;
	if (layout->datasets == DATASET_MAX)
		return;
	layout->entries[layout->datasets++] = entry;
	add_pool(layout, dataset);
	const char *sync = facts_text(entry, "dataset.sync", NULL);
	double snapshots = facts_number(entry, "dataset.snapshots", -1);
	if (!sync) {
		layout->sync_known = false;
	} else if (strcmp(sync, "disabled") == 0) {
		layout->sync_disabled++;
		layout->disabled_dataset = dataset;
		layout->disabled_command = facts_text(entry, "location.zfs_command", "zfs");
	} else {
		layout->sync_enabled++;
	}
	if (snapshots < 0)
		layout->snapshots_known = false;
	else
		layout->snapshots += snapshots;
}

static void add_location(struct layout *layout, const json_t *entry)
{
	const json_t *zfs = facts_at(entry, "location.zfs");
	const char *dataset = facts_text(entry, "dataset.name", NULL);

	if (!json_is_boolean(zfs)) {
		layout->classes_known = layout->sync_known = layout->snapshots_known = false;
		return;
	}
	if (!json_is_true(zfs)) {
		layout->sync_enabled++;
		return;
	}
	layout->any_zfs = true;
	if (strcmp(facts_text(entry, "location.engine", ""), "kernel") == 0)
		layout->kernel_zfs = true;
	if (dataset)
		add_dataset(layout, entry, dataset);
	else
		layout->sync_known = layout->snapshots_known = false;
}

/* The newest snapshot of a dataset; NULL if it has none that is listed. */
static const json_t *newest_snapshot(const json_t *seen)
{
	const json_t *newest = NULL;
	size_t i;
	json_t *snapshot;

	json_array_foreach(facts_at(seen, "snapshot_list"), i,
		snapshot) if (!newest || facts_number(snapshot, "txg", 0) >
						 facts_number(newest, "txg", 0)) newest = snapshot;
	return newest;
}

/* Whether the newest snapshots of two datasets are one: same name, same transaction group. */
static bool same_snapshot(const json_t *left, const json_t *right)
{
	const json_t *a = newest_snapshot(left), *b = newest_snapshot(right);

	if (!a || !b)
		return a == b;
	return strcmp(facts_text(a, "name", "a"), facts_text(b, "name", "b")) == 0 &&
	       facts_number(a, "txg", -1) == facts_number(b, "txg", -2);
}

static const json_t *seen_dataset(const struct view *view, const json_t *entry)
{
	const json_t *engine = view_engine(
		view, facts_text(entry, "mount.type", NULL), facts_text(entry, "mount.path", NULL));

	return view_named(
		facts_at(engine, "datasets"), "name", facts_text(entry, "dataset.name", NULL));
}

static void put_snapshots(struct view *view, const struct layout *layout)
{
	bool atomic = true;

	if (!layout->snapshots_known)
		return;
	facts_put_number(view->root, "layout.snapshots", layout->snapshots);
	for (size_t i = 1; i < layout->datasets; i++)
		atomic = atomic && same_snapshot(seen_dataset(view, layout->entries[0]),
					   seen_dataset(view, layout->entries[i]));
	facts_put_bool(view->root, "layout.snapshots_not_atomic", !atomic);
}

static void put_wal_share(struct view *view)
{
	const char *data = NULL, *wal = NULL;
	size_t i;
	json_t *entry;

	json_array_foreach(view->locations, i, entry)
	{
		const char *role = facts_text(entry, "location.role", "");
		const char *source = facts_text(entry, "mount.source", NULL);
		if (strcmp(role, "data") == 0)
			data = source;
		else if (strcmp(role, "wal") == 0)
			wal = source;
	}
	if (!data || !wal)
		return;
	facts_put_bool(view->root, "layout.wal_shares_dataset", strcmp(data, wal) == 0);
	facts_put_text(view->root, "layout.data_dataset", data);
}

void view_add_layout(struct view *view)
{
	struct layout layout = { .classes_known = true,
		.sync_known = true,
		.snapshots_known = true,
		.disabled_command = "zfs" };
	size_t i;
	json_t *entry;

	facts_put(view->root, "layout", json_object());
	if (json_array_size(view->locations) == 0)
		return;
	json_array_foreach(view->locations, i, entry) add_location(&layout, entry);
	if (layout.classes_known || layout.any_zfs)
		facts_put_bool(view->root, "layout.any_zfs", layout.any_zfs);
	if (layout.classes_known || layout.kernel_zfs)
		facts_put_bool(view->root, "layout.kernel_zfs", layout.kernel_zfs);
	if (layout.classes_known && (layout.datasets > 0 || !layout.any_zfs)) {
		facts_put_number(view->root, "layout.dataset_count", (double)layout.datasets);
		facts_put_number(view->root, "layout.pool_count", (double)layout.pool_count);
	}
	if (layout.sync_known || layout.sync_disabled > 0)
		facts_put_number(view->root, "layout.sync_disabled_count", layout.sync_disabled);
	if (layout.sync_known || layout.sync_enabled > 0)
		facts_put_number(view->root, "layout.sync_enabled_count", layout.sync_enabled);
	facts_put_text(view->root, "layout.sync_disabled_dataset", layout.disabled_dataset);
	facts_put_text(view->root, "layout.zfs_command", layout.disabled_command);
	put_snapshots(view, &layout);
	put_wal_share(view);
}
