/* Datasets: list, get, set, snapshot, rollback, mount, unmount, in the words of zfs(8). */
#include "cmd/zfs/zfs_internal.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_COLUMNS	  "name,used,available,referenced,mountpoint"
#define LIST_POOL_COLUMNS "name,size,allocated,free,fragmentation,capacity,health"

static json_t *split_commas(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t span = strcspn(text, ",");

		json_array_append_new(list, json_stringn(text, span));
		text += span + (text[span] == ',');
	}
	return list;
}

static const char *property_text(const struct zfs_options *options, const json_t *properties,
	const char *name, const char *member)
{
	const json_t *property = json_object_get(properties, name);
	const char *text = json_string_value(json_object_get(property, member));

	return text ? arena_copy_string(options->arena, text) : "-";
}

static const char *upper(struct arena *arena, const char *text)
{
	char *copy = arena_copy_string(arena, text);

	for (char *c = copy; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return copy;
}

/* Shortened where zfs and zpool do. */
static const char *heading(struct arena *arena, const char *name)
{
	static const char *const shorter[][2] = { { "available", "AVAIL" },
		{ "referenced", "REFER" }, { "allocated", "ALLOC" }, { "fragmentation", "FRAG" },
		{ "capacity", "CAP" }, { "compressratio", "RATIO" } };

	for (size_t i = 0; i < ARRAY_SIZE(shorter); i++)
		if (strcmp(name, shorter[i][0]) == 0)
			return shorter[i][1];
	return upper(arena, name);
}

static void print_list(const struct zfs_options *options, const json_t *columns, const json_t *rows)
{
	struct zfs_table table = { .columns = json_array_size(columns) };
	json_t *row, *column;
	size_t i, j;

	json_array_foreach((json_t *)columns, j, column)
		zfs_table_add(&table, heading(options->arena, json_string_value(column)));
	json_array_foreach((json_t *)rows, i, row) json_array_foreach((json_t *)columns, j, column)
	{
		const char *name = json_string_value(column);

		if (strcmp(name, "name") == 0)
			zfs_table_add(&table, json_string_value(json_object_get(row, "name")));
		else
			zfs_table_add(
				&table, property_text(options, json_object_get(row, "properties"),
						name, options->parsable ? "raw" : "value"));
	}
	zfs_table_print(&table, options);
}

int zfs_list(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *type = options->type ? options->type : "filesystem";
	bool pools = strcmp(type, "pool") == 0;
	json_t *columns = split_commas(options->columns ? options->columns
				       : pools		? LIST_POOL_COLUMNS
							: LIST_COLUMNS);
	json_t *wanted = json_array(), *arguments, *result, *column;
	size_t i;
	int r;

	json_array_foreach(columns, i, column) if (strcmp(json_string_value(column), "name") != 0)
		json_array_append(wanted, column);
	arguments = json_pack("{s:s, s:o}", "type", type, "properties", wanted);
	if (options->argument_count > 0) {
		json_object_set_new(arguments, "name", json_string(options->arguments[0]));
		json_object_set_new(arguments, "recursive", json_boolean(options->recursive));
	}
	r = zfsd_request(session->zfsd, "list", arguments, &result, err);
	if (r == 0) {
		if (options->json)
			zfs_print_json(result);
		else
			print_list(options, columns, json_object_get(result, "rows"));
		json_decref(result);
	}
	json_decref(columns);
	return r;
}

/* Is it a property of the pool itself? zpool's names that no dataset has. */
static bool is_pool_property(const char *name)
{
	static const char *const names[] = { "ashift", "autotrim", "compatibility", "autoexpand",
		"autoreplace", "cachefile", "failmode", "size", "free", "allocated", "capacity",
		"fragmentation", "health", "guid", "altroot", "comment", "delegation" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strncmp(name, "feature@", 8) == 0;
}

/* Ask for the properties in arguments (taken over) and add them to all. */
static int get_rows(struct zfs_session *session, json_t *arguments, json_t *all, struct err *err)
{
	json_t *result;
	int r;

	if (json_array_size(json_object_get(arguments, "properties")) == 0) {
		json_decref(arguments);
		return 0;
	}
	r = zfsd_request(session->zfsd, "get", arguments, &result, err);
	if (r < 0)
		return r;
	json_object_update_missing(all, json_object_get(result, "properties"));
	json_decref(result);
	return 0;
}

/* Of a dataset's and, for a pool's name, of the pool: one command for both, since the words do not
 * collide. */
static int get_properties(struct zfs_session *session, const char *name, const json_t *wanted,
	json_t *all, struct err *err)
{
	json_t *of_pool = json_array(), *of_dataset = json_array(), *property;
	bool pool = !strpbrk(name, "/@");
	size_t i;
	int r;

	json_array_foreach((json_t *)wanted, i, property)
	{
		const char *word = json_string_value(property);

		if (strcmp(word, "all") == 0 || !is_pool_property(word))
			json_array_append(of_dataset, property);
		if (pool && (strcmp(word, "all") == 0 || is_pool_property(word)))
			json_array_append(of_pool, property);
		else if (!pool && is_pool_property(word))
			json_array_append(of_dataset, property); /* the daemon says what is wrong */
	}
	r = get_rows(session,
		json_pack("{s:s, s:o, s:b}", "name", name, "properties", of_dataset, "pool", 0),
		all, err);
	if (r < 0) {
		json_decref(of_pool);
		return r;
	}
	return get_rows(session,
		json_pack("{s:s, s:o, s:b}", "name", name, "properties", of_pool, "pool", 1), all,
		err);
}

#define GET_FIELDS 4

/* One line of `get`: the chosen of its fields, in the order they were chosen in. */
static void add_fields(
	struct zfs_table *table, const size_t *chosen, const char *const fields[GET_FIELDS])
{
	for (size_t i = 0; i < table->columns; i++)
		zfs_table_add(table, fields[chosen[i]]);
}

/* "-o name,property,value,source", the default, or "all". */
static int choose_fields(
	const char *text, size_t chosen[GET_FIELDS], size_t *ret_count, struct err *err)
{
	static const char *const names[GET_FIELDS] = { "name", "property", "value", "source" };
	json_t *list = split_commas(
		text && strcmp(text, "all") != 0 ? text : "name,property,value,source");
	json_t *item;
	size_t i, count = 0;
	int r = 0;

	json_array_foreach(list, i, item)
	{
		size_t field = 0;

		while (field < GET_FIELDS && strcmp(names[field], json_string_value(item)) != 0)
			field++;
		if (r == 0 && (field == GET_FIELDS || count == GET_FIELDS))
			r = err_set(err, -EINVAL,
				"field '%s': name, property, value, source or all",
				json_string_value(item));
		else if (r == 0)
			chosen[count++] = field;
	}
	json_decref(list);
	*ret_count = count;
	return r;
}

int zfs_get(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	json_t *wanted = split_commas(options->arguments[0]), *by_name = json_object();
	struct zfs_table table = { 0 };
	static const char *const head[] = { "NAME", "PROPERTY", "VALUE", "SOURCE" };
	size_t chosen[GET_FIELDS];
	int r = choose_fields(options->columns, chosen, &table.columns, err);

	if (r == 0)
		add_fields(&table, chosen, head);
	for (int i = 1; r == 0 && i < options->argument_count; i++) {
		json_t *all = json_object(), *property;
		const char *name;

		r = get_properties(session, options->arguments[i], wanted, all, err);
		json_object_foreach(all, name, property)
		{
			const char *const fields[] = { options->arguments[i],
				arena_copy_string(options->arena, name),
				property_text(
					options, all, name, options->parsable ? "raw" : "value"),
				property_text(options, all, name, "source") };

			add_fields(&table, chosen, fields);
		}
		json_object_set_new(by_name, options->arguments[i], all);
	}
	if (r == 0 && options->json)
		zfs_print_json(by_name);
	else if (r == 0)
		zfs_table_print(&table, options);
	free(options->json || r < 0 ? table.cells : NULL);
	json_decref(wanted);
	json_decref(by_name);
	return r;
}

int zfs_set(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *name = options->arguments[options->argument_count - 1];
	json_t *pool = json_object(), *dataset = json_object();
	int r = 0;

	for (int i = 0; r == 0 && i + 1 < options->argument_count; i++) {
		const char *equals = strchr(options->arguments[i], '=');
		const char *property;

		if (!equals) {
			r = err_set(
				err, -EINVAL, "'%s' is not PROPERTY=VALUE", options->arguments[i]);
			break;
		}
		property = arena_copy_bytes(options->arena, options->arguments[i],
			(size_t)(equals - options->arguments[i]));
		json_object_set_new(is_pool_property(property) ? pool : dataset, property,
			json_string(equals + 1));
	}
	for (int turn = 0; r == 0 && turn < 2; turn++) {
		json_t *properties = turn ? pool : dataset;

		if (json_object_size(properties) > 0)
			r = zfsd_request(session->zfsd, "set",
				json_pack("{s:s, s:O, s:b}", "name", name, "properties", properties,
					"pool", turn),
				NULL, err);
	}
	json_decref(pool);
	json_decref(dataset);
	return r;
}

int zfs_snapshot(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	return zfsd_request(session->zfsd, "snapshot",
		json_pack("{s:s, s:b}", "name", options->arguments[0], "recursive",
			options->recursive),
		NULL, err);
}

int zfs_rollback(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	return zfsd_request(session->zfsd, "rollback",
		json_pack("{s:s, s:b}", "name", options->arguments[0], "destroy_newer",
			options->recursive),
		NULL, err);
}

static int list_mounts(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	json_t *result, *mount;
	size_t i;
	int r = zfsd_request(session->zfsd, "mounts", NULL, &result, err);

	if (r < 0)
		return r;
	json_array_foreach(json_object_get(result, "mounts"), i, mount)
	{
		/* As zfs mount does: no head. */
		if (!options->json)
			printf(options->scripted ? "%s\t%s\n" : "%-30s  %s\n",
				json_string_value(json_object_get(mount, "name")),
				json_string_value(json_object_get(mount, "mountpoint")));
	}
	if (options->json)
		zfs_print_json(result);
	json_decref(result);
	return 0;
}

/* Where the dataset's own property says, as zfs mount does. */
static int property_mountpoint(struct zfs_session *session, const char *name,
	struct zfs_options *options, const char **ret_path, struct err *err)
{
	json_t *result;
	int r = zfsd_request(session->zfsd, "get",
		json_pack("{s:s, s:[s]}", "name", name, "properties", "mountpoint"), &result, err);

	if (r < 0)
		return r;
	*ret_path = property_text(
		options, json_object_get(result, "properties"), "mountpoint", "value");
	json_decref(result);
	if ((*ret_path)[0] == '/')
		return 0;
	err_set(err, -EINVAL, "the mountpoint of '%s' is '%s'", name, *ret_path);
	return err_hint(err, -EINVAL, "say where: plumb zfs mount %s MOUNTPOINT", name);
}

int zfs_mount(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *where = NULL;
	char path[PATH_MAX];
	int r = 0;

	if (options->argument_count == 0)
		return list_mounts(session, options, err);
	if (options->argument_count > 1)
		where = options->arguments[1];
	else
		r = property_mountpoint(session, options->arguments[0], options, &where, err);
	if (r < 0)
		return r;
	if (!realpath(where, path))
		return err_set_errno(err, -errno, "mount point '%s'", where);
	return zfsd_request(session->zfsd, "mount",
		json_pack("{s:s, s:s, s:{s:b}}", "name", options->arguments[0], "mountpoint", path,
			"options", "cached", options->cached),
		NULL, err);
}

/* A dataset's name, or the folder it is mounted on. */
static const char *mounted_name(struct zfs_session *session, struct zfs_options *options)
{
	json_t *result, *mount;
	const char *found = options->arguments[0];
	char path[PATH_MAX];
	size_t i;

	if (!realpath(options->arguments[0], path) ||
		zfsd_request(session->zfsd, "mounts", NULL, &result, NULL) < 0)
		return found;
	json_array_foreach(json_object_get(result, "mounts"), i, mount)
	{
		const char *mountpoint = json_string_value(json_object_get(mount, "mountpoint"));

		if (mountpoint && strcmp(mountpoint, path) == 0)
			found = arena_copy_string(
				options->arena, json_string_value(json_object_get(mount, "name")));
	}
	json_decref(result);
	return found;
}

int zfs_unmount(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	return zfsd_request(session->zfsd, "unmount",
		json_pack("{s:s, s:b}", "name", mounted_name(session, options), "force",
			options->force),
		NULL, err);
}
