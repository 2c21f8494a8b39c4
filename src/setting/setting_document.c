/* Help, manual page and docs/study-keys, made from the rows themselves (see setting.h). */
#include "setting/setting.h"

#include <string.h>

static void describe_bounds(const struct setting *row, struct strbuf *text)
{
	struct strbuf low = STRBUF_INIT, high = STRBUF_INIT;

	if (row->type == SETTING_WORD) {
		strbuf_add_text(text, row->words);
		return;
	}
	if (row->type == SETTING_BOOLEAN)
		strbuf_add_text(text, "on off");
	if (row->min == 0 && row->max == 0)
		return;
	if (row->type == SETTING_SIZE) {
		size_format((uint64_t)row->min, &low);
		size_format((uint64_t)row->max, &high);
	} else if (row->type == SETTING_DURATION) {
		duration_format(row->min, &low);
		duration_format(row->max, &high);
	} else {
		strbuf_add_format(&low, "%lld", (long long)row->min);
		strbuf_add_format(&high, "%lld", (long long)row->max);
	}
	strbuf_add_format(text, "%s to %s%s%s", low.data, high.data,
		row->type == SETTING_PERCENT ? " %" : "", row->power_of_two ? ", power of 2" : "");
	strbuf_release(&low);
	strbuf_release(&high);
}

static const char *const type_words[] = { [SETTING_SIZE] = "size",
	[SETTING_DURATION] = "time",
	[SETTING_INTEGER] = "number",
	[SETTING_REAL] = "number",
	[SETTING_PERCENT] = "percent",
	[SETTING_BOOLEAN] = "switch",
	[SETTING_WORD] = "word",
	[SETTING_TEXT] = "text" };

static void document_row(const struct setting *row, enum setting_format format, struct strbuf *text)
{
	struct strbuf bounds = STRBUF_INIT;
	const char *levels = row->use == SETTING_FACTOR ? "yes" : "no";
	const char *fallback = row->fallback ? row->fallback : "-";

	describe_bounds(row, &bounds);
	if (format == SETTING_AS_MARKDOWN)
		strbuf_add_format(text, "| `%s` | %s | %s | %s | %s | %s | %s | %s%s%s |\n",
			row->key, row->types ? row->types : "all", type_words[row->type],
			bounds.length ? bounds.data : "-", fallback, levels,
			row->reload ? "yes" : "no", row->help,
			row->unavailable ? "; refused: " : "",
			row->unavailable ? row->unavailable : "");
	else if (format == SETTING_AS_ROFF)
		strbuf_add_format(text,
			".TP\n.B %s\n%s%s%s%s.\nKind: %s%s%s. Default: %s. Levels: %s. New set-up: "
			"%s.%s%s\n",
			row->key, row->help, row->types ? " (types: " : "",
			row->types ? row->types : "", row->types ? ")" : "", type_words[row->type],
			bounds.length ? ": " : "", bounds.data, fallback, levels,
			row->reload ? "yes" : "no", row->unavailable ? "\nRefused: " : "",
			row->unavailable ? row->unavailable : "");
	else
		strbuf_add_format(text, "  %-22s %s%s%s\n", row->key, row->help,
			bounds.length ? ": " : "", bounds.data);
	strbuf_release(&bounds);
}

static bool section_seen(
	const struct setting_catalog *catalog, size_t table, const struct setting *row)
{
	for (size_t t = 0; t <= table; t++)
		for (const struct setting *earlier = catalog->tables[t];
			earlier->key && earlier != row; earlier++)
			if (strcmp(earlier->section, row->section) == 0)
				return true;
	return false;
}

static void document_section(const struct setting_catalog *catalog, const char *section,
	enum setting_format format, struct strbuf *text)
{
	if (format == SETTING_AS_MARKDOWN)
		strbuf_add_format(text,
			"\n## [%s]\n\n| key | types | kind | values | default | levels | new "
			"set-up | "
			"meaning |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
			section);
	else if (format == SETTING_AS_ROFF)
		strbuf_add_format(text, ".SS [%s]\n", section);
	else
		strbuf_add_format(text, "\n[%s]\n", section);
	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			if (strcmp(row->section, section) == 0)
				document_row(row, format, text);
}

void setting_document(
	const struct setting_catalog *catalog, enum setting_format format, struct strbuf *text)
{
	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			if (!section_seen(catalog, t, row))
				document_section(catalog, row->section, format, text);
}
