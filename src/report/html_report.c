/*
 * One self-contained HTML page: no script, no request, light and dark, readable on paper. Charts
 * are inline SVG from gnuplot. Every word that comes from a study, a log or a machine is escaped.
 */
#include "report/charts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 20 /* of a table before it is folded */

struct html {
	struct charts charts;
	bool in_findings;     /* a list of sentences is open */
	const char *versions; /* for the foot of each page; in charts.arena */
};

static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--ink:#1c2024;--soft:#5c6670;--line:#d5dade;"
	"--good:#1d7a3e;--bad:#b02a30;--doubt:#8a5a00;--fill:#f4f6f8}"
	"@media(prefers-color-scheme:dark){:root{--back:#14181c;--ink:#e4e8ec;--soft:#98a2ac;"
	"--line:#363e46;--good:#5fc98a;--bad:#ff8a8f;--doubt:#e0b050;--fill:#1d2329}"
	"figure svg{filter:invert(1) hue-rotate(180deg)}}"
	"body{background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif;margin:0 "
	"auto;max-width:1180px;padding:24px}"
	"h1{font-size:1.7em;margin:0 0 .2em}h2{font-size:1.2em;margin:1.8em 0 "
	".4em;border-bottom:1px "
	"solid var(--line)}"
	".question{font-size:1.1em}.versions,.progress,figcaption,footer{color:var(--soft);"
	"font-size:.9em}"
	".verdict,.recommendation{background:var(--fill);border-left:4px solid "
	"var(--soft);padding:.6em "
	"1em}.verdict{font-weight:600}"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
	"margin:.4em 0;font-size:.87em}"
	"th,td{border-bottom:1px solid var(--line);padding:.25em "
	".7em;text-align:right;vertical-align:"
	"top;white-space:nowrap}td.w{white-space:normal}th{color:var(--soft);font-weight:600}th.w,"
	"td.w{text-align:left}"
	"td.good{color:var(--good)}td.bad{color:var(--bad)}td.doubt{color:var(--doubt)}"
	"small{color:var(--soft);white-space:nowrap}"
	"figure{margin:.6em 0}figure svg{max-width:100%;height:auto;display:block}"
	"pre{background:var(--fill);overflow-x:auto;padding:.8em}summary{cursor:pointer;margin:1em "
	"0 "
	".4em}"
	"@media "
	"print{:root{--back:#fff;--ink:#000;--soft:#444;--line:#bbb;--good:#0a5c2a;--bad:#900;"
	"--doubt:#640;--fill:#f4f4f4}figure svg{filter:none}body{max-width:none;padding:0 0 3em;"
	"font-size:11px}figure,tr{break-inside:avoid}.wide{overflow:visible}details{display:block}"
	"footer{position:fixed;bottom:0;left:0;right:0;background:#fff}}";

static void escape(struct strbuf *out, const char *words)
{
	for (; *words; words++) {
		unsigned char c = (unsigned char)*words;

		if (c == '&')
			strbuf_add_text(out, "&amp;");
		else if (c == '<')
			strbuf_add_text(out, "&lt;");
		else if (c == '>')
			strbuf_add_text(out, "&gt;");
		else if (c == '"')
			strbuf_add_text(out, "&quot;");
		else if (c == '\'')
			strbuf_add_text(out, "&#39;");
		else if ((c < ' ' && c != '\n' && c != '\t') || c == 127)
			strbuf_add_char(out, ' ');
		else
			strbuf_add_char(out, (char)c);
	}
}

static void element(struct strbuf *out, const char *tag, const char *class, const char *words)
{
	strbuf_add_format(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	escape(out, words);
	strbuf_add_format(out, "</%s>\n", tag);
}

static struct html *html_of(struct report *report)
{
	return report->state;
}

static int begin(struct report *report, struct err *err UNUSED)
{
	struct html *html = memory_new(sizeof(*html));

	report->state = html;
	charts_init(&html->charts, report);
	strbuf_add_text(report->out,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
		"name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
		"http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		"'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n");
	element(report->out, "title", NULL, report->findings->study);
	strbuf_add_format(report->out, "<style>%s</style>\n</head>\n<body>\n", style);
	return 0;
}

static void close_findings(struct report *report)
{
	if (html_of(report)->in_findings)
		strbuf_add_text(report->out, "</ul>\n");
	html_of(report)->in_findings = false;
}

static void heading(struct report *report, const char *words)
{
	element(report->out, "h1", NULL, words);
	/* What a reader came for stands first; the walk brings it again at its end. */
	element(report->out, "p", "verdict", report->findings->verdict);
	if (report->findings->absent)
		element(report->out, "p", "cannot_run", report->findings->absent);
	if (report->findings->recommendation.sentence)
		element(report->out, "p", "recommendation",
			report->findings->recommendation.sentence);
}

static void text(struct report *report, const char *key, const char *words)
{
	struct html *html = html_of(report);

	if (strcmp(key, "verdict") == 0 || strcmp(key, "recommendation") == 0 ||
		strcmp(key, "cannot_run") == 0)
		return;
	if (strcmp(key, "finding") == 0) {
		if (!html->in_findings)
			strbuf_add_text(report->out, "<ul>\n");
		html->in_findings = true;
		element(report->out, "li", NULL, words);
		return;
	}
	close_findings(report);
	if (strcmp(key, "versions") == 0)
		html->versions = arena_copy_string(&html->charts.arena, words);
	element(report->out, "p", key, words);
}

static bool is_shown(const struct report_table *given, size_t column)
{
	return given->columns[column].part == REPORT_VALUE &&
	       (!given->title || given->columns[column].title);
}

static void add_head(struct strbuf *out, const struct report_table *given)
{
	strbuf_add_text(out, "<thead><tr>");
	for (size_t c = 0; c < given->column_count; c++) {
		const struct report_column *column = &given->columns[c];

		if (!is_shown(given, c))
			continue;
		strbuf_add_text(out, column->unit <= REPORT_ID ? "<th class=\"w\">" : "<th>");
		escape(out, column->title ? column->title : column->name);
		strbuf_add_text(out, "</th>");
	}
	strbuf_add_text(out, "</tr></thead>\n");
}

static void add_interval(
	struct strbuf *out, const struct report_table *given, size_t row, size_t column)
{
	const struct report_cell *cells = &given->cells[row * given->column_count];
	enum report_unit unit = given->columns[column].unit;

	if (column + 2 >= given->column_count || given->columns[column + 1].part != REPORT_LOW ||
		cells[column + 1].kind != REPORT_NUMBER)
		return;
	strbuf_add_text(out, " <small>[");
	report_number(cells[column + 1].number, unit, out);
	strbuf_add_text(out, ", ");
	report_number(cells[column + 2].number, unit, out);
	strbuf_add_text(out, "]</small>");
}

static void add_cell(
	struct strbuf *out, const struct report_table *given, size_t row, size_t column)
{
	static const char *const tones[] = {
		[REPORT_NEUTRAL] = "",
		[REPORT_GOOD] = "good",
		[REPORT_BAD] = "bad",
		[REPORT_DOUBTFUL] = "doubt",
	};
	const struct report_cell *cell = &given->cells[row * given->column_count + column];
	enum report_unit unit = given->columns[column].unit;

	strbuf_add_format(
		out, "<td class=\"%s%s\">", unit <= REPORT_ID ? "w " : "", tones[cell->tone]);
	if (cell->kind == REPORT_TEXT)
		escape(out, cell->text);
	else if (cell->kind == REPORT_NUMBER)
		report_number(cell->number, unit, out);
	add_interval(out, given, row, column);
	strbuf_add_text(out, "</td>");
}

/* Long tables and those for reference (without a title) are folded. That of all trials is left to
 * the forms for machines, its dots are in the charts. */
static void table(struct report *report, const struct report_table *given)
{
	struct strbuf *out = report->out;
	bool folded = !given->title ||
		      (given->row_count > ROWS_SHOWN && strcmp(given->name, "cells") != 0);

	close_findings(report);
	if (given->row_count == 0 || strcmp(given->name, "trials") == 0)
		return;
	if (given->title)
		element(out, "h2", NULL, given->title);
	if (folded)
		strbuf_add_format(out, "<details><summary>Table of %s, %zu rows</summary>\n",
			given->name, given->row_count);
	strbuf_add_text(out, "<div class=\"wide\"><table>\n");
	add_head(out, given);
	strbuf_add_text(out, "<tbody>\n");
	for (size_t row = 0; row < given->row_count; row++) {
		strbuf_add_text(out, "<tr>");
		for (size_t c = 0; c < given->column_count; c++)
			if (is_shown(given, c))
				add_cell(out, given, row, c);
		strbuf_add_text(out, "</tr>\n");
	}
	strbuf_add_text(out, "</tbody></table></div>\n");
	if (folded)
		strbuf_add_text(out, "</details>\n");
}

static int chart(struct report *report, enum report_chart kind, struct err *err UNUSED)
{
	const struct charts *charts = &html_of(report)->charts;
	const struct chart *drawn = &charts->kinds[kind];
	struct strbuf *out = report->out;

	close_findings(report);
	if (kind == REPORT_CHART_RATIOS && charts->reason)
		element(out, "p", NULL, charts->reason);
	if (!drawn->title || charts->reason)
		return 0;
	element(out, "h2", NULL, drawn->title);
	for (size_t i = 0; i < drawn->count; i++) {
		const char *svg = charts->gnuplot.svgs[drawn->numbers[i]];

		if (!svg)
			continue;
		strbuf_add_text(out, "<figure>\n");
		strbuf_add_text(out, svg);
		if (drawn->captions[i])
			element(out, "figcaption", NULL, drawn->captions[i]);
		strbuf_add_text(out, "</figure>\n");
	}
	element(out, "p", "versions", drawn->note);
	return 0;
}

static void add_reproduction(struct report *report)
{
	struct strbuf *out = report->out;
	const char *name = report->findings->study;

	if (!report->study_text)
		return;
	strbuf_add_text(out, "<details open><summary>To run it again</summary>\n<pre>");
	strbuf_add_format(out, "plumb run %s.ini\nplumb report %s --format html --output %s.html",
		name, name, name);
	strbuf_add_format(out, "</pre>\n<p>with this study file, %s.ini:</p>\n<pre>", name);
	escape(out, report->study_text);
	strbuf_add_text(out, "</pre>\n</details>\n");
}

static int end(struct report *report, struct err *err UNUSED)
{
	struct html *html = html_of(report);

	close_findings(report);
	add_reproduction(report);
	if (html->versions)
		element(report->out, "footer", NULL, html->versions);
	strbuf_add_text(report->out, "</body>\n</html>\n");
	charts_release(&html->charts);
	free(html);
	report->state = NULL;
	return 0;
}

const struct report_format html_report = {
	.name = "html",
	.help = "one self-contained page with charts",
	.for_machines = true,
	.for_people = true,
	.wants_traces = true,
	.has_room = true,
	.begin = begin,
	.heading = heading,
	.text = text,
	.table = table,
	.chart = chart,
	.end = end,
};
