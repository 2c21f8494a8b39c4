/* Parser of "zpool status" text. Depth is told by indentation: a tab, then two blanks a level; the
 * pool itself has none, top-level vdevs two, their devices four; "logs", "special", "cache" ...
 * stand where the pool stands. */
#include "doctor/collect/zpool_status.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	json_t *pools;
	json_t *pool; /* lent by pools; NULL before the first */
	json_t *vdev; /* the last top-level vdev, lent by the pool */
	const char *class;
	bool in_config;
	double errors;
};

/* If line begins with "  label: " the rest of it, else NULL. */
static const char *field(const char *line, const char *label)
{
	size_t length = strlen(label);

	line += strspn(line, " ");
	if (strncmp(line, label, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	return line + strspn(line, " ");
}

static void begin_pool(struct reading *reading, const char *name)
{
	reading->pool = json_object();
	reading->vdev = NULL;
	reading->errors = 0;
	reading->in_config = false;
	facts_put_text(reading->pool, "name", name);
	facts_put_number(reading->pool, "errors", 0);
	facts_put_bool(reading->pool, "scan_running", false);
	facts_put(reading->pool, "vdevs", json_array());
	json_array_append_new(reading->pools, reading->pool);
}

static const char *class_of_heading(const char *word)
{
	static const struct {
		const char *heading, *class;
	} classes[] = { { "logs", "log" }, { "special", "special" }, { "dedup", "dedup" },
		{ "cache", "cache" }, { "spares", "spare" } };

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (strcmp(classes[i].heading, word) == 0)
			return classes[i].class;
	return NULL;
}

static void begin_vdev(struct reading *reading, const char *word)
{
	char type[32];

	snprintf(type, sizeof(type), "%.*s", (int)strcspn(word, "-"), word);
	bool group = strncmp(word, "mirror-", 7) == 0 || strncmp(word, "raidz", 5) == 0 ||
		     strncmp(word, "draid", 5) == 0;
	if (!group)
		snprintf(type, sizeof(type), "%s",
			strncmp(word, "/dev/", 5) == 0 || *word != '/' ? "disk" : "file");
	else if (strcmp(type, "raidz") == 0)
		snprintf(type, sizeof(type), "raidz1");
	reading->vdev = json_object();
	facts_put_text(reading->vdev, "class", reading->class);
	facts_put_text(reading->vdev, "name", word);
	facts_put_text(reading->vdev, "type", type);
	facts_put(reading->vdev, "devices", json_array());
	if (!group)
		json_array_append_new(json_object_get(reading->vdev, "devices"), json_string(word));
	json_array_append_new(json_object_get(reading->pool, "vdevs"), reading->vdev);
}

/* How many devices a finished vdev may lose. */
static void put_redundancy(json_t *vdev)
{
	const char *type = facts_text(vdev, "type", "");
	double devices = (double)json_array_size(json_object_get(vdev, "devices"));
	double redundancy = 0;

	if (strcmp(type, "mirror") == 0)
		redundancy = fmax(devices - 1, 0);
	else if (strncmp(type, "raidz", 5) == 0 || strncmp(type, "draid", 5) == 0)
		redundancy = strtod(type + 5, NULL);
	facts_put_number(vdev, "redundancy", redundancy);
}

static void config_line(struct reading *reading, char *line)
{
	size_t indent = strspn(line + 1, " ");
	char *rest;
	char *word = strtok_r(line + 1, " \t", &rest);
	const char *heading = word ? class_of_heading(word) : NULL;

	if (!word || strcmp(word, "NAME") == 0)
		return;
	if (indent == 0) {
		reading->class = heading ? heading : "data";
		if (!heading) /* the pool's own line */
			facts_put_text(reading->pool, "config_name", word);
	} else if (indent == 2) {
		begin_vdev(reading, word);
	} else if (reading->vdev && *word == '/') {
		/* Deeper ones stand under "replacing-0" or "spare-0": devices all the same. */
		json_array_append_new(json_object_get(reading->vdev, "devices"), json_string(word));
	}
	strtok_r(NULL, " \t", &rest); /* state */
	for (int i = 0; i < 3; i++) {
		const char *count = strtok_r(NULL, " \t", &rest);
		reading->errors += count ? strtod(count, NULL) : 0;
	}
}

static void end_pool(struct reading *reading)
{
	size_t i;
	json_t *vdev;

	if (!reading->pool)
		return;
	facts_put_number(reading->pool, "errors", reading->errors);
	json_object_del(reading->pool, "config_name");
	json_array_foreach(json_object_get(reading->pool, "vdevs"), i, vdev) put_redundancy(vdev);
}

static void text_line(struct reading *reading, char *line)
{
	const char *value;

	if ((value = field(line, "pool"))) {
		end_pool(reading);
		begin_pool(reading, value);
	} else if (!reading->pool) {
		return;
	} else if ((value = field(line, "state"))) {
		facts_put_text(reading->pool, "state", value);
	} else if ((value = field(line, "scan"))) {
		facts_put_text(reading->pool, "scan", value);
		facts_put_bool(reading->pool, "scan_running", strstr(value, "in progress") != NULL);
	} else if (field(line, "config")) {
		reading->in_config = true;
		reading->class = "data";
	} else if ((value = field(line, "errors"))) {
		reading->in_config = false;
		reading->errors += strtod(value, NULL); /* "No known data errors" is 0 */
	} else if (reading->in_config && *line == '\t') {
		config_line(reading, line);
	}
}

json_t *zpool_status_parse(const char *text)
{
	struct reading reading = { .pools = json_array(), .class = "data" };
	char *copy = memory_copy_string(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		text_line(&reading, line);
	end_pool(&reading);
	free(copy);
	return reading.pools;
}
