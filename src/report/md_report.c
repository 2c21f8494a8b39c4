/* The report as Markdown: for issues, mails and wikis. */
#include "report/report.h"

#include <string.h>

/* Characters that would start markup, and line ends, which would break a table. */
static void escape(struct strbuf *out, const char *words)
{
	for (; *words; words++) {
		unsigned char c = (unsigned char)*words;

		if (c < ' ' || c == 127) {
			strbuf_add_char(out, ' ');
			continue;
		}
		if (strchr("\\`*_[]<>|#&!", c))
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, (char)c);
	}
}

static void heading(struct report *report, const char *words)
{
	strbuf_add_text(report->out, "# ");
	escape(report->out, words);
	strbuf_add_text(report->out, "\n\n");
}

static void text(struct report *report, const char *key, const char *words)
{
	bool is_verdict = strcmp(key, "verdict") == 0;

	if (strcmp(key, "finding") == 0)
		strbuf_add_text(report->out, "- ");
	strbuf_add_text(report->out, is_verdict ? "**" : "");
	escape(report->out, words);
	strbuf_add_text(report->out, is_verdict ? "**\n\n" : "\n\n");
}

static bool is_shown(const struct report_table *given, size_t column)
{
	return given->columns[column].part == REPORT_VALUE && given->columns[column].title;
}

static void add_cell(struct strbuf *out, const struct report_table *given, size_t row, size_t c)
{
	const struct report_cell *cell = &given->cells[row * given->column_count + c];
	enum report_unit unit = given->columns[c].unit;

	if (cell->kind == REPORT_TEXT)
		escape(out, cell->text);
	else if (cell->kind == REPORT_NUMBER)
		report_number(cell->number, unit, out);
	if (c + 2 < given->column_count && given->columns[c + 1].part == REPORT_LOW &&
		cell[1].kind == REPORT_NUMBER) {
		strbuf_add_text(out, " (");
		report_number(cell[1].number, unit, out);
		strbuf_add_text(out, " to ");
		report_number(cell[2].number, unit, out);
		strbuf_add_char(out, ')');
	}
}

static void table(struct report *report, const struct report_table *given)
{
	struct strbuf *out = report->out;

	if (!given->title || given->row_count == 0)
		return;
	strbuf_add_text(out, "## ");
	escape(out, given->title);
	strbuf_add_text(out, "\n\n|");
	for (size_t c = 0; c < given->column_count; c++) {
		if (!is_shown(given, c))
			continue;
		strbuf_add_char(out, ' ');
		escape(out, given->columns[c].title);
		strbuf_add_text(out, " |");
	}
	strbuf_add_text(out, "\n|");
	for (size_t c = 0; c < given->column_count; c++)
		if (is_shown(given, c))
			strbuf_add_text(
				out, given->columns[c].unit <= REPORT_ID ? " --- |" : " ---: |");
	strbuf_add_char(out, '\n');
	for (size_t row = 0; row < given->row_count; row++) {
		strbuf_add_char(out, '|');
		for (size_t c = 0; c < given->column_count; c++) {
			if (!is_shown(given, c))
				continue;
			strbuf_add_char(out, ' ');
			add_cell(out, given, row, c);
			strbuf_add_text(out, " |");
		}
		strbuf_add_char(out, '\n');
	}
	strbuf_add_char(out, '\n');
}

const struct report_format md_report = {
	.name = "md",
	.help = "Markdown, for issues and mails",
	.for_people = true,
	.heading = heading,
	.text = text,
	.table = table,
};
