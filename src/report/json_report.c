/* The whole report as one JSON object: texts by key, tables as lists of objects. Rows are written
 * as they come, so that a study of ten thousand trials needs no tree of them in memory. */
#include "report/report.h"

#include "base/memory.h"
#include "report/json_text.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

struct json_state {
	json_t *texts;	 /* written at the end: they come between the tables */
	bool has_tables; /* the next one needs a comma before it */
	bool failed;
};

static void add_dump(struct json_state *state, struct strbuf *out, json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	if (text)
		strbuf_add_text(out, text);
	state->failed = state->failed || !text;
	free(text);
	json_decref(value);
}

static int begin(struct report *report, struct err *err UNUSED)
{
	struct json_state *state = memory_new(sizeof(*state));

	state->texts = json_object();
	report->state = state;
	strbuf_add_format(
		report->out, "{\"schema_version\":%d,\n\"study\":", RECORD_SCHEMA_VERSION);
	add_dump(state, report->out, json_text(report->findings->study));
	strbuf_add_format(
		report->out, ",\n\"margin\":%.12g,\n\"tables\":{", report->findings->margin);
	return 0;
}

static void text(struct report *report, const char *key, const char *words)
{
	struct json_state *state = report->state;

	json_object_set_new(state->texts, key, json_text(words));
}

static void add_value(struct json_state *state, struct strbuf *out, const struct report_cell *cell,
	enum report_unit unit)
{
	if (cell->kind == REPORT_TEXT)
		add_dump(state, out, json_text(cell->text));
	else if (cell->kind == REPORT_NUMBER)
		report_machine_number(cell->number, unit, out);
	else
		strbuf_add_text(out, "null");
}

static void table(struct report *report, const struct report_table *given)
{
	struct json_state *state = report->state;
	struct strbuf *out = report->out;

	strbuf_add_format(out, "%s\n\"%s\":[", state->has_tables ? "," : "", given->name);
	state->has_tables = true;
	for (size_t row = 0; row < given->row_count; row++) {
		strbuf_add_text(out, row ? ",\n {" : "\n {");
		for (size_t c = 0; c < given->column_count; c++) {
			/* Names are plumb's own words: letters, digits, '_' and '.'. */
			strbuf_add_format(out, "%s\"%s\":", c ? "," : "", given->columns[c].name);
			add_value(state, out, &given->cells[row * given->column_count + c],
				given->columns[c].unit);
		}
		strbuf_add_char(out, '}');
		report_drain(report);
	}
	strbuf_add_char(out, ']');
}

static int end(struct report *report, struct err *err)
{
	struct json_state *state = report->state;
	bool failed;

	strbuf_add_text(report->out, "},\n\"texts\":");
	add_dump(state, report->out, state->texts);
	strbuf_add_text(report->out, "}\n");
	failed = state->failed;
	free(state);
	report->state = NULL;
	return failed ? err_set(err, -EILSEQ, "a value can't be written as JSON") : 0;
}

const struct report_format json_report = {
	.name = "json",
	.help = "everything, as one JSON object",
	.for_machines = true,
	.begin = begin,
	.text = text,
	.table = table,
	.end = end,
};
