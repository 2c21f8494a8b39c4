/* The facts document: reading it safely, writing it, and getting at its members. */
#include "doctor/facts.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX      4096
#define DEPTH_MAX     32
#define TEXT_MAX      16384
#define LOCATIONS_MAX 512

/* Top-level members and their kinds; others are refused, so that a misspelt hand-made file does
 * not silently count as "not seen". */
static const struct {
	const char *name;
	json_type type;
} members[] = {
	{ "plumb_facts", JSON_INTEGER },
	{ "program", JSON_STRING },
	{ "origin", JSON_STRING },
	{ "collected_utc", JSON_STRING },
	{ "comment", JSON_STRING },
	{ "unseen", JSON_ARRAY },
	{ "host", JSON_OBJECT },
	{ "memory", JSON_OBJECT },
	{ "postgres", JSON_OBJECT },
	{ "locations", JSON_ARRAY },
	{ "mounts", JSON_ARRAY },
	{ "zfs", JSON_OBJECT },
	{ "zfs_embedded", JSON_ARRAY },
	{ "devices", JSON_ARRAY },
	{ "ledger", JSON_OBJECT },
	{ "torture", JSON_ARRAY },
};

json_t *facts_new(const char *origin)
{
	json_t *facts = json_object();

	json_object_set_new(facts, "plumb_facts", json_integer(FACTS_SCHEMA));
	json_object_set_new(facts, "origin", json_string(origin));
	json_object_set_new(facts, "unseen", json_array());
	return facts;
}

static const char *kind_word(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a text";
	case JSON_INTEGER:
		return "a whole number";
	default:
		return "another kind";
	}
}

static int check_member(const char *name, const json_t *value, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (strcmp(members[i].name, name) != 0)
			continue;
		if (json_typeof(value) != members[i].type)
			return err_set(
				err, -EINVAL, "'%s' must be %s", name, kind_word(members[i].type));
		return 0;
	}
	return err_set(err, -EINVAL, "unknown member '%.60s'", name);
}

/* Lists are joined with each other, so their length is held down; real ones are far below. */
static int check_sizes(const json_t *value, int depth, struct err *err)
{
	const char *name;
	size_t i;
	json_t *inner;
	int r = 0;

	if (depth > DEPTH_MAX)
		return err_set(err, -EINVAL, "nested deeper than %d", DEPTH_MAX);
	if (json_array_size(value) > LIST_MAX)
		return err_set(err, -EINVAL, "a list has more than %d members", LIST_MAX);
	if (json_string_length(value) > TEXT_MAX)
		return err_set(err, -EINVAL, "a text is longer than %d bytes", TEXT_MAX);
	json_array_foreach(value, i, inner)
	{
		r = check_sizes(inner, depth + 1, err);
		if (r < 0)
			return r;
	}
	json_object_foreach((json_t *)value, name, inner)
	{
		r = check_sizes(inner, depth + 1, err);
		if (r < 0)
			return r;
	}
	return r;
}

static int check_document(json_t *facts, struct err *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(facts))
		return err_set(err, -EINVAL, "not a JSON object");
	json_t *schema = json_object_get(facts, "plumb_facts");
	if (!json_is_integer(schema))
		return err_set(err, -EINVAL, "no member 'plumb_facts': not a facts file");
	if (json_integer_value(schema) != FACTS_SCHEMA)
		return err_set(err, -EINVAL, "schema %lld, this program knows schema %d",
			(long long)json_integer_value(schema), FACTS_SCHEMA);
	json_object_foreach(facts, name, value)
	{
		int r = check_member(name, value, err);
		if (r < 0)
			return r;
	}
	if (json_array_size(json_object_get(facts, "locations")) > LOCATIONS_MAX)
		return err_set(err, -EINVAL, "more than %d locations", LOCATIONS_MAX);
	return check_sizes(facts, 0, err);
}

int facts_parse(const char *text, size_t length, json_t **ret_facts, struct err *err)
{
	json_error_t where;

	if (length > FACTS_FILE_MAX_BYTES)
		return err_set(err, -EFBIG, "larger than %d bytes", FACTS_FILE_MAX_BYTES);
	json_t *facts = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
	if (!facts)
		return err_set(err, -EINVAL, "line %d column %d: %s", where.line, where.column,
			where.text);
	int r = check_document(facts, err);
	if (r < 0) {
		json_decref(facts);
		return r;
	}
	*ret_facts = facts;
	return 0;
}

int facts_load(const char *path, json_t **ret_facts, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = file_read_limited(path, FACTS_FILE_MAX_BYTES, &text, err);

	if (r == 0) {
		r = facts_parse(text.data, text.length, ret_facts, err);
		if (r < 0)
			err_prefix(err, r, "facts file '%s'", path);
	}
	strbuf_release(&text);
	return r;
}

int facts_format(const json_t *facts, struct strbuf *text, struct err *err)
{
	char *dump = json_dumps(facts, JSON_INDENT(1) | JSON_SORT_KEYS);

	if (!dump)
		return err_set(err, -EINVAL, "the facts can't be written as JSON");
	strbuf_add_text(text, dump);
	strbuf_add_char(text, '\n');
	free(dump);
	return 0;
}

int facts_save(const json_t *facts, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = facts_format(facts, &text, err);

	if (r == 0)
		r = file_write_atomic(path, text.data, text.length, 0600, err);
	strbuf_release(&text);
	return r;
}

json_t *facts_at(const json_t *facts, const char *path)
{
	char step[256];
	const json_t *at = facts;

	while (at && *path) {
		size_t length = strcspn(path, ".");
		if (length >= sizeof(step))
			return NULL;
		memcpy(step, path, length);
		step[length] = '\0';
		at = json_object_get(at, step);
		path += length;
		if (*path == '.')
			path++;
	}
	return (json_t *)at;
}

void facts_put(json_t *facts, const char *path, json_t *value)
{
	const char *dot;
	json_t *at = facts;

	if (!value)
		return;
	if (!json_is_object(facts)) {
		json_decref(value);
		return;
	}
	while ((dot = strchr(path, '.'))) {
		char *step = memory_copy_bytes(path, (size_t)(dot - path));
		json_t *next = json_object_get(at, step);
		if (!json_is_object(next)) {
			next = json_object();
			json_object_set_new(at, step, next);
		}
		free(step);
		at = next;
		path = dot + 1;
	}
	json_object_set_new(at, path, value);
}

/* Paths and model names may hold bytes that are not UTF-8, which JSON can't carry. */
static json_t *text_value(const char *text)
{
	json_t *value = json_string(text);

	if (value)
		return value;
	char *plain = memory_copy_string(text);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = json_string(plain);
	free(plain);
	return value;
}

void facts_put_text(json_t *facts, const char *path, const char *text)
{
	if (text)
		facts_put(facts, path, text_value(text));
}

void facts_put_number(json_t *facts, const char *path, double number)
{
	if (!isfinite(number))
		return;
	if (floor(number) == number && fabs(number) < 9e15)
		facts_put(facts, path, json_integer((json_int_t)number));
	else
		facts_put(facts, path, json_real(number));
}

void facts_put_bool(json_t *facts, const char *path, bool value)
{
	facts_put(facts, path, json_boolean(value));
}

const char *facts_text(const json_t *object, const char *path, const char *fallback)
{
	const json_t *value = facts_at(object, path);

	return json_is_string(value) ? json_string_value(value) : fallback;
}

double facts_number(const json_t *object, const char *path, double fallback)
{
	const json_t *value = facts_at(object, path);

	return json_is_number(value) ? json_number_value(value) : fallback;
}

bool facts_bool(const json_t *object, const char *path, bool fallback)
{
	const json_t *value = facts_at(object, path);

	return json_is_boolean(value) ? json_is_true(value) : fallback;
}

void facts_unseen(json_t *facts, const char *path, const char *format, ...)
{
	struct strbuf why = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(&why, format, args);
	va_end(args);
	json_t *entry = json_object();
	facts_put_text(entry, "what", path);
	facts_put_text(entry, "why", why.data);
	strbuf_release(&why);
	json_array_append_new(json_object_get(facts, "unseen"), entry);
}

const char *facts_why_unseen(const json_t *facts, const char *path)
{
	const char *best = NULL;
	size_t best_length = 0, i;
	json_t *entry;

	json_array_foreach(json_object_get(facts, "unseen"), i, entry)
	{
		const char *what = facts_text(entry, "what", NULL);
		size_t length = what ? strlen(what) : 0;

		if (!what || strncmp(path, what, length) != 0 || length < best_length)
			continue;
		if (path[length] != '\0' && path[length] != '.' && length > 0)
			continue;
		best = facts_text(entry, "why", "reason not given");
		best_length = length;
	}
	return best;
}
