/* The view as a whole, and the parts that are plain copies. */
#include "doctor/view.h"
#include "doctor/view_internal.h"
#include "doctor/expression.h"
#include "doctor/facts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *view_copy(const json_t *value)
{
	return value ? json_deep_copy(value) : NULL;
}

json_t *view_named(const json_t *list, const char *key, const char *name)
{
	size_t i;
	json_t *entry;

	if (!json_is_array(list) || !name)
		return NULL;
	json_array_foreach(list, i, entry)
	{
		const char *has = facts_text(entry, key, NULL);
		if (has && strcmp(has, name) == 0)
			return entry;
	}
	return NULL;
}

json_t *view_engine(const struct view *view, const char *mount_type, const char *mount_path)
{
	if (!mount_type)
		return NULL;
	if (strcmp(mount_type, "zfs") == 0)
		return facts_at(view->facts, "zfs");
	if (strcmp(mount_type, "fuse.plumb-zfsd") == 0)
		return view_named(facts_at(view->facts, "zfs_embedded"), "mount_path", mount_path);
	return NULL;
}

static void add_share(json_t *zfs, double used, double all)
{
	if (all < 1000) /* too few to say anything */
		return;
	facts_put_number(zfs, "arc.prefetch_used_share", used / all);
	facts_put_number(zfs, "arc.prefetch_used_percent", floor(100 * used / all));
}

static json_t *make_zfs(const json_t *engine)
{
	json_t *zfs = json_object();
	const char *text = facts_text(engine, "version", NULL);
	long version = text ? expression_version(text) : -1;

	facts_put_text(zfs, "version_text", text);
	if (version >= 0)
		facts_put_number(zfs, "version", (double)version);
	facts_put(zfs, "parameter", view_copy(facts_at(engine, "parameters")));
	facts_put(zfs, "arc", view_copy(facts_at(engine, "arcstats")));
	facts_put(zfs, "txg", view_copy(facts_at(engine, "txg")));
	if (json_is_object(facts_at(engine, "parameters")))
		facts_put_bool(zfs, "prefetch_unbounded",
			!facts_at(engine, "parameters.dmu_prefetch_max_active"));
	add_share(zfs, facts_number(engine, "arcstats.demand_hit_predictive_prefetch", 0),
		facts_number(engine, "arcstats.prefetch_data_misses", 0));
	return zfs;
}

json_t *view_made(const struct view *view, const char *kind, const void *source)
{
	char key[64];

	snprintf(key, sizeof(key), "%s %p", kind, source);
	return json_object_get(view->made, key);
}

json_t *view_keep(const struct view *view, const char *kind, const void *source, json_t *part)
{
	char key[64];

	snprintf(key, sizeof(key), "%s %p", kind, source);
	json_object_set_new(view->made, key, part);
	return part;
}

json_t *view_zfs(const struct view *view, const json_t *engine)
{
	json_t *zfs = view_made(view, "zfs", engine);

	return zfs ? zfs : view_keep(view, "zfs", engine, make_zfs(engine));
}

void view_init(struct view *view, const json_t *facts)
{
	memset(view, 0, sizeof(*view));
	view->facts = facts;
	view->root = json_object();
	view->locations = json_array();
	view->pools = json_array();
	view->devices = json_array();
	view->made = json_object();
	view->reasons = json_object();
	facts_put(view->root, "host", view_copy(facts_at(facts, "host")));
	const char *release = facts_text(facts, "host.release", NULL);
	if (release && expression_version(release) >= 0)
		facts_put_number(
			view->root, "host.kernel_version", (double)expression_version(release));
	view_add_settings(view);
	view_add_pools(view);
	view_add_locations(view);
	view_add_memory(view);
}

void view_release(struct view *view)
{
	json_decref(view->root);
	json_decref(view->locations);
	json_decref(view->pools);
	json_decref(view->devices);
	json_decref(view->made);
	json_decref(view->reasons);
	memset(view, 0, sizeof(*view));
}
