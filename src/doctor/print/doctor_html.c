/* The doctor's answer as one self-contained page: no script, no network, light and dark. Every
 * text goes through add_text(), which escapes it. */
#include "doctor/print/doctor_print_internal.h"
#include "doctor/facts.h"
#include "doctor/template.h"
#include <stdlib.h>
#include <string.h>

static const char page_style[] =
	":root{color-scheme:light dark}"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
	"article{border-left:.4rem solid #888;padding:.1rem 1rem;margin:1rem 0}"
	".danger{border-color:#c22}.cost{border-color:#c80}.hint{border-color:#48a}"
	"pre{overflow-x:auto;padding:.5rem;border:1px solid #8886}"
	"dt{font-weight:600}dd{margin:0 0 .4rem 0}table{border-collapse:collapse}"
	"td,th{border:1px solid #8886;padding:.2rem .6rem;text-align:left;vertical-align:top}"
	"@media print{article{break-inside:avoid}}";

static void add_text(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		strbuf_clear(&clean);
		char *part = strndup(line, length);
		template_add_clean(&clean, part ? part : "");
		free(part);
		for (const char *c = clean.data; *c; c++) {
			switch (*c) {
			case '<':
				strbuf_add_text(out, "&lt;");
				break;
			case '>':
				strbuf_add_text(out, "&gt;");
				break;
			case '&':
				strbuf_add_text(out, "&amp;");
				break;
			case '"':
				strbuf_add_text(out, "&quot;");
				break;
			case '\'':
				strbuf_add_text(out, "&#39;");
				break;
			default:
				strbuf_add_char(out, *c);
			}
		}
		line += length;
		if (*line == '\n') {
			strbuf_add_char(out, '\n');
			line++;
		}
	}
	strbuf_release(&clean);
}

static void add_element(struct strbuf *out, const char *element, const char *text)
{
	strbuf_add_format(out, "<%s>", element);
	add_text(out, text);
	strbuf_add_format(out, "</%s>\n", element);
}

static void add_term(struct strbuf *out, const char *term, const char *text)
{
	add_element(out, "dt", term);
	add_element(out, "dd", text);
}

static void add_command(void *context, const char *kind, const char *text)
{
	struct strbuf *out = context;

	if (strcmp(kind, "note") == 0) {
		add_element(out, "p", text);
		return;
	}
	strbuf_add_text(out, "<pre>");
	add_text(out, kind);
	strbuf_add_text(out, ": ");
	add_text(out, text);
	strbuf_add_text(out, "</pre>\n");
}

static void add_commands(struct strbuf *out, const char *title, const char *lines)
{
	add_element(out, "dt", title);
	strbuf_add_text(out, "<dd>");
	print_commands(lines, add_command, out);
	strbuf_add_text(out, "</dd>\n");
}

static void add_finding(struct strbuf *out, const struct finding *finding)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add_format(out, "<article class=\"%s\">\n", severity_word(finding->severity));
	strbuf_add_format(&line, "%s: %s", finding->check->id, finding->check->title);
	if (*finding->subjects)
		strbuf_add_format(&line, " (%s)", finding->subjects);
	add_element(out, "h3", line.data);
	strbuf_add_text(out, "<dl>\n");
	add_term(out, "what is set", finding->set);
	add_term(out, "why it matters", finding->why);
	add_term(out, "what it costs or risks", finding->risk);
	if (finding->check->study) {
		add_term(out, "one camp", finding->check->camp_for);
		add_term(out, "the other", finding->check->camp_against);
		strbuf_clear(&line);
		doctor_measure_command(finding->check, &line);
		add_term(out, "measure it here", line.data);
	}
	add_commands(out, "fix", finding->fix);
	add_commands(out, "undo", finding->undo);
	strbuf_clear(&line);
	strbuf_add_format(&line, "%c, %s. %s", finding->check->grade,
		grade_words(finding->check->grade), finding->check->source);
	add_term(out, "evidence", line.data);
	strbuf_add_text(out, "</dl>\n</article>\n");
	strbuf_release(&line);
}

static void add_findings(struct strbuf *out, const struct doctor *doctor)
{
	static const char *const titles[] = { "Hints", "Costs", "Dangers" };
	int last = -1;

	for (size_t i = 0; i < doctor->diagnosis.finding_count; i++) {
		const struct finding *finding = &doctor->diagnosis.findings[i];
		if ((int)finding->severity != last)
			add_element(out, "h2", titles[finding->severity]);
		last = (int)finding->severity;
		add_finding(out, finding);
	}
	if (doctor->diagnosis.finding_count == 0)
		add_element(out, "p", "No rule that could be judged has anything to say.");
}

static void add_cell(struct strbuf *out, const json_t *value)
{
	struct strbuf text = STRBUF_INIT;
	size_t i;
	json_t *item;

	if (json_is_string(value))
		strbuf_add_text(&text, json_string_value(value));
	else if (json_is_number(value))
		strbuf_add_format(&text, "%.10g", json_number_value(value));
	else if (json_is_boolean(value))
		strbuf_add_text(&text, json_is_true(value) ? "yes" : "no");
	json_array_foreach(value, i, item) strbuf_add_format(
		&text, "%s%s", i ? "; " : "", json_is_string(item) ? json_string_value(item) : "");
	add_element(out, "td", text.data);
	strbuf_release(&text);
}

/* A table of a list of objects; columns are pairs of member and heading, ending with NULL. */
static void add_table(
	struct strbuf *out, const char *title, const json_t *rows, const char *const *columns)
{
	size_t i;
	json_t *row;

	if (json_array_size(rows) == 0)
		return;
	add_element(out, "h2", title);
	strbuf_add_text(out, "<table>\n<tr>");
	for (const char *const *column = columns; *column; column += 2)
		add_element(out, "th", column[1]);
	strbuf_add_text(out, "</tr>\n");
	json_array_foreach(rows, i, row)
	{
		strbuf_add_text(out, "<tr>");
		for (const char *const *column = columns; *column; column += 2)
			add_cell(out, json_object_get(row, *column));
		strbuf_add_text(out, "</tr>\n");
	}
	strbuf_add_text(out, "</table>\n");
}

static void add_cross_checks(struct strbuf *out, const struct doctor *doctor)
{
	static const char *const safety[] = { "location", "location", "class", "filesystem",
		"verdict", "verdict", "commits", "commits", "because", "because", "missing",
		"not seen", NULL };
	static const char *const memory[] = { "name", "line", "bytes", "bytes", "sum_bytes", "sum",
		"overflows", "overflows", NULL };
	static const char *const writes[] = { "name", "step", "bytes", "bytes", "factor", "factor",
		"note", "note", NULL };
	static const char *const asked[] = { "what", "what", "asked", "asked for", "real", "real",
		"differs", "differs", NULL };
	static const char *const space[] = { "record_bytes", "record", "raw_per_byte",
		"raw bytes for a byte (predicted)", "current", "now", "suggested", "suggested",
		NULL };
	size_t i;
	json_t *table;

	add_table(out, "Safety of each location", doctor->safety, safety);
	add_table(out, "Memory ledger", json_object_get(doctor->memory, "lines"), memory);
	add_table(out, "Write ledger", json_object_get(doctor->writes, "steps"), writes);
	add_table(out, "Asked for against real", doctor->asked_real, asked);
	json_array_foreach(doctor->space, i, table)
		add_table(out, "Space by record size", json_object_get(table, "rows"), space);
}

static void add_reason(void *context, const char *reason, const char *ids, const char *missing)
{
	struct strbuf *out = context, line = STRBUF_INIT;

	strbuf_add_format(&line, "%s (%s): rules %s skipped", reason, missing, ids);
	add_element(out, "li", line.data);
	strbuf_release(&line);
}

void doctor_html(const struct doctor *doctor, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add_format(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<title>plumb doctor</title>\n<style>%s</style>\n</head>\n<body>\n",
		page_style);
	add_element(out, "h1", "plumb doctor");
	print_subject(doctor, &line);
	strbuf_add_text(&line, ". Made by plumb " PLUMB_VERSION ".");
	add_element(out, "p", line.data);
	strbuf_clear(&line);
	print_counts(doctor, &line);
	strbuf_add_format(&line, "; %zu rules found nothing, %zu could not be judged.",
		doctor->diagnosis.quiet_count, doctor->diagnosis.skipped_count);
	add_element(out, "p", line.data);
	add_findings(out, doctor);
	add_cross_checks(out, doctor);
	add_element(out, "h2", "What could not be seen");
	strbuf_add_text(out, "<ul>\n");
	print_skipped(doctor, add_reason, out);
	strbuf_add_text(out, "</ul>\n</body>\n</html>\n");
	strbuf_release(&line);
}
