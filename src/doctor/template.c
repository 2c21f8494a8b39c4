/* Expansion of {...} in the rules' texts. */
#include "doctor/template.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VALUE_MAX 400 /* characters of a value that are shown */
#define FIELD_MAX 80  /* of "{kind:name}" */

void template_add_clean(struct strbuf *out, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length && i < VALUE_MAX; i++) {
		unsigned char c = (unsigned char)text[i];
		/* 0xc2 0x80..0x9f are control characters too */
		bool control =
			c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0);
		strbuf_add_char(out, control ? '?' : text[i]);
	}
	/* Do not leave half a character of UTF-8 behind. */
	while (length > VALUE_MAX && out->length > 0 &&
		((unsigned char)out->data[out->length - 1] & 0x80) != 0)
		out->data[--out->length] = '\0';
	if (length > VALUE_MAX)
		strbuf_add_text(out, "...");
}

void template_add_shell_word(struct strbuf *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:@%+=,";

	if (*text && *text != '-' && text[strspn(text, plain)] == '\0') {
		strbuf_add_text(out, text);
		return;
	}
	/* A word that begins with '-' would be an option: no name or path here may. */
	strbuf_add_text(out, *text == '-' ? "./'" : "'");
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_add_text(out, "'\\''");
		else
			strbuf_add_char(out, *text);
	}
	strbuf_add_char(out, '\'');
}

void template_add_bytes(struct strbuf *out, double bytes)
{
	static const char units[] = "KMGTPE";
	const char *unit = NULL;
	double value = bytes;

	for (const char *next = units; fabs(value) >= 1024 && *next; next++) {
		value /= 1024;
		unit = next;
	}
	if (!unit)
		strbuf_add_format(out, "%.0f", value);
	else
		strbuf_add_format(out, floor(value) == value ? "%.0f%c" : "%.1f%c", value, *unit);
}

static void add_number(struct strbuf *out, double number)
{
	if ((floor(number) == number || fabs(number) >= 1000) && fabs(number) < 9e15)
		strbuf_add_format(out, "%.0f", number);
	else
		strbuf_add_format(out, "%.3g", number);
}

static void add_text(struct strbuf *out, const char *text, enum template_quoting quoting)
{
	struct strbuf clean = STRBUF_INIT;

	template_add_clean(&clean, text);
	if (quoting == QUOTE_SHELL) {
		template_add_shell_word(out, clean.data);
	} else {
		for (const char *c = clean.data; *c; c++) {
			if (*c == '\'' && quoting == QUOTE_SQL)
				strbuf_add_char(out, '\'');
			strbuf_add_char(out, *c);
		}
	}
	strbuf_release(&clean);
}

static void add_value(
	struct strbuf *out, const char *kind, const json_t *value, enum template_quoting quoting)
{
	if (json_is_number(value) && strcmp(kind, "bytes") == 0)
		template_add_bytes(out, json_number_value(value));
	else if (json_is_number(value))
		add_number(out, json_number_value(value));
	else if (json_is_boolean(value))
		strbuf_add_text(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_string(value))
		add_text(out, json_string_value(value),
			strcmp(kind, "raw") == 0 ? QUOTE_NONE : quoting);
	else
		strbuf_add_text(out, quoting == QUOTE_SHELL ? "VALUE" : "(not seen)");
}

/* A setting that postgresql.auto.conf holds gets its old value back, any other is reset to what
 * the other files say. */
static void add_reset(struct strbuf *out, const char *name, const struct scope *scope)
{
	const json_t *entry = facts_at(facts_at(scope->root, "settings_as_set"), name);
	const char *file = facts_text(entry, "file", "");
	const char *value = facts_text(entry, "value", NULL);
	size_t length = strlen(file);
	static const char automatic[] = "postgresql.auto.conf";

	if (value && length >= strlen(automatic) &&
		strcmp(file + length - strlen(automatic), automatic) == 0) {
		/* A bare number is in the setting's own unit, as ALTER SYSTEM takes it. */
		strbuf_add_format(out, "ALTER SYSTEM SET %s = '", name);
		add_text(out, value, QUOTE_SQL);
		strbuf_add_text(out, "'; SELECT pg_reload_conf();");
		return;
	}
	strbuf_add_format(out, "ALTER SYSTEM RESET %s; SELECT pg_reload_conf();", name);
}

static void add_undo_property(struct strbuf *out, const char *name, const struct scope *scope)
{
	char path[FIELD_MAX + 16];
	const char *command = facts_text(scope->subject, "location.zfs_command", "zfs");
	const char *dataset = facts_text(scope->subject, "dataset.name", "DATASET");
	const char *source = NULL;

	snprintf(path, sizeof(path), "dataset.from.%s", name);
	source = facts_text(scope->subject, path, "local");
	snprintf(path, sizeof(path), "dataset.%s", name);
	const json_t *value = scope_find(scope, path);
	if (strcmp(source, "local") == 0 && value) {
		strbuf_add_format(out, "%s set %s=", command, name);
		add_value(out, "", value, QUOTE_SHELL);
	} else {
		strbuf_add_format(out, "%s inherit %s", command, name);
	}
	strbuf_add_char(out, ' ');
	add_text(out, dataset, QUOTE_SHELL);
}

/* Cut "{kind:name}" or "{name:bytes}" or "{name}" into kind and name; the length of it, or 0. */
static size_t field_split(const char *text, char *kind, char *name)
{
	static const char *const kinds[] = { "raw", "reset", "undo_property" };
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:";
	const char *end = text + 1 + strspn(text + 1, allowed);
	char field[FIELD_MAX];

	if (*end != '}' || (size_t)(end - text) > sizeof(field))
		return 0;
	snprintf(field, sizeof(field), "%.*s", (int)(end - text - 1), text + 1);
	kind[0] = '\0';
	snprintf(name, FIELD_MAX, "%s", field);
	char *colon = strchr(field, ':');
	if (!colon)
		return (size_t)(end - text) + 1;
	*colon = '\0';
	if (strcmp(colon + 1, "bytes") == 0) {
		snprintf(kind, FIELD_MAX, "bytes");
		snprintf(name, FIELD_MAX, "%s", field);
		return (size_t)(end - text) + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i], field) != 0)
			continue;
		snprintf(kind, FIELD_MAX, "%s", field);
		snprintf(name, FIELD_MAX, "%s", colon + 1);
		return (size_t)(end - text) + 1;
	}
	return 0;
}

void template_expand(struct strbuf *out, const char *text, const struct scope *scope,
	enum template_quoting quoting)
{
	char kind[FIELD_MAX], name[FIELD_MAX];

	while (*text) {
		size_t length = *text == '{' ? field_split(text, kind, name) : 0;
		if (length == 0) {
			strbuf_add_char(out, *text++);
			continue;
		}
		text += length;
		if (strcmp(kind, "reset") == 0)
			add_reset(out, name, scope);
		else if (strcmp(kind, "undo_property") == 0)
			add_undo_property(out, name, scope);
		else
			add_value(out, kind, scope_find(scope, name), quoting);
	}
}

void template_names(const char *text,
	void (*visit)(void *context, const char *kind, const char *name), void *context)
{
	char kind[FIELD_MAX], name[FIELD_MAX];

	for (; text && *text; text++) {
		if (*text != '{')
			continue;
		if (field_split(text, kind, name) > 0)
			visit(context, kind, name);
	}
}
