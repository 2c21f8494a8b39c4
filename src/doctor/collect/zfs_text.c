/* What zfs, zpool and the module's kstat files print (see zfs_text.h). */
#include "doctor/collect/zfs_text.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOTS_MAX 200 /* newest ones that are listed by name */

/* Numbers as numbers, "1.52x" too; the rest as text. */
static json_t *property_value(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "x") != 0))
		return json_string(text);
	return json_real(number);
}

void zfs_properties_parse(json_t *datasets, char *text)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "\t"), *property = strsep(&line, "\t");
		char *value = strsep(&line, "\t"), *source = strsep(&line, "\t");
		size_t i;
		json_t *dataset, *found = NULL;

		/* user properties ("com.sun:auto-snapshot") are the user's own */
		if (!source || strchr(property, ':'))
			continue;
		json_array_foreach(datasets, i, dataset) if (strcmp(facts_text(dataset, "name", ""),
								     name) == 0) found = dataset;
		if (!found)
			continue;
		json_object_set_new(
			json_object_get(found, "properties"), property, property_value(value));
		json_object_set_new(json_object_get(found, "sources"), property,
			json_string(strncmp(source, "inherited", 9) == 0 ? "inherited" : source));
	}
}

void zfs_snapshots_parse(json_t *datasets, char *text)
{
	char *line, *rest = text;
	size_t i;
	json_t *dataset;

	json_array_foreach(datasets, i, dataset)
	{
		facts_put_number(dataset, "snapshots", 0);
		facts_put(dataset, "snapshot_list", json_array());
	}
	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "@"), *snapshot = strsep(&line, "\t");

		if (!snapshot || !line)
			continue;
		json_array_foreach(datasets, i, dataset)
		{
			json_t *list = json_object_get(dataset, "snapshot_list");
			if (strcmp(facts_text(dataset, "name", ""), name) != 0)
				continue;
			facts_put_number(
				dataset, "snapshots", facts_number(dataset, "snapshots", 0) + 1);
			json_t *entry = json_object();
			facts_put_text(entry, "name", snapshot);
			facts_put_number(entry, "txg", strtod(line, NULL));
			json_array_append_new(list, entry);
			if (json_array_size(list) > SNAPSHOTS_MAX)
				json_array_remove(list, 0);
		}
	}
}

void zpool_properties_parse(json_t *pool, char *text)
{
	static const struct {
		const char *property, *member;
	} members[] = { { "size", "size_bytes" }, { "allocated", "allocated_bytes" },
		{ "free", "free_bytes" }, { "capacity", "capacity_percent" },
		{ "fragmentation", "fragmentation_percent" },
		{ "feature@block_cloning", "block_cloning" }, { "ashift", "ashift_asked" } };
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		const char *property = strsep(&line, "\t");
		for (size_t i = 0; line && i < ARRAY_SIZE(members); i++)
			if (strcmp(members[i].property, property) == 0)
				facts_put(pool, members[i].member, property_value(line));
	}
}

double zpool_ashift_parse(char *text)
{
	char *line, *rest = text;
	double ashift = 0;

	while ((line = strsep(&rest, "\n"))) {
		double value = strtod(line, NULL);
		if (value > 0 && (ashift <= 0 || value < ashift))
			ashift = value;
	}
	return ashift;
}

void zpool_waits_parse(json_t *vdevs, char *text)
{
	enum { NAME, WRITE_WAIT = 8 };
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		const char *name = NULL, *cell, *wait_text = NULL;
		size_t i;
		json_t *vdev;

		line += strspn(line, "\t ");
		for (int column = NAME; (cell = strsep(&line, "\t")); column++) {
			if (column == NAME)
				name = cell;
			if (column == WRITE_WAIT)
				wait_text = cell;
		}
		double wait = wait_text ? strtod(wait_text, NULL) : 0;
		json_array_foreach(vdevs, i,
			vdev) if (wait > 0 && strcmp(facts_text(vdev, "name", ""), name) == 0)
			facts_put_number(vdev, "write_wait_ns", wait);
	}
}

json_t *zfs_kstat_parse(char *text)
{
	json_t *rows = json_object();
	char *line, *rest = text;

	strsep(&rest, "\n"); /* numbers of the file itself, which would read as a row */
	while ((line = strsep(&rest, "\n"))) {
		char name[64], value[PATH_MAX];
		int type;
		char *end;

		if (sscanf(line, "%63s %d %4095s", name, &type, value) != 3)
			continue;
		double number = strtod(value, &end);
		if (*end == '\0')
			facts_put_number(rows, name, number);
		else
			facts_put_text(rows, name, value);
	}
	return rows;
}

double zfs_longest_sync_parse(char *text)
{
	char *line, *rest = text, *cell, *cells;
	double longest_ns = -1;
	int wanted = -1;

	while ((line = strsep(&rest, "\n"))) {
		int column = 0;
		for (cell = strtok_r(line, " \t", &cells); cell;
			cell = strtok_r(NULL, " \t", &cells), column++) {
			if (strcmp(cell, "stime") == 0)
				wanted = column;
			else if (column == wanted)
				longest_ns = fmax(longest_ns, strtod(cell, NULL));
		}
	}
	return longest_ns;
}
