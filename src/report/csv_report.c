/* One table as CSV (RFC 4180), with the schema version and the study in each row, so that files of
 * several studies can be put together. */
#include "report/report.h"

#include <string.h>

static void add_field(struct strbuf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		strbuf_add_text(out, text);
		return;
	}
	strbuf_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_add_char(out, '"');
		strbuf_add_char(out, *text);
	}
	strbuf_add_char(out, '"');
}

static void add_cell(struct strbuf *out, const struct report_cell *cell, enum report_unit unit)
{
	strbuf_add_char(out, ',');
	if (cell->kind == REPORT_NUMBER)
		report_machine_number(cell->number, unit, out);
	else if (cell->kind == REPORT_TEXT)
		add_field(out, cell->text);
}

static void table(struct report *report, const struct report_table *given)
{
	const char *wanted = report->options->table ? report->options->table : "cells";

	if (strcmp(given->name, wanted) != 0)
		return;
	strbuf_add_text(report->out, "schema_version,study");
	for (size_t c = 0; c < given->column_count; c++) {
		strbuf_add_char(report->out, ',');
		add_field(report->out, given->columns[c].name);
	}
	strbuf_add_text(report->out, "\r\n");
	for (size_t row = 0; row < given->row_count; row++) {
		strbuf_add_format(report->out, "%d,", RECORD_SCHEMA_VERSION);
		add_field(report->out, report->findings->study);
		for (size_t c = 0; c < given->column_count; c++)
			add_cell(report->out, &given->cells[row * given->column_count + c],
				given->columns[c].unit);
		strbuf_add_text(report->out, "\r\n");
		report_drain(report);
	}
}

const struct report_format csv_report = {
	.name = "csv",
	.help = "one table (see --table) as comma-separated values",
	.for_machines = true,
	.table = table,
};
