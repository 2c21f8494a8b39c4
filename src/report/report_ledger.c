/* The write ledger: where the bytes of a transaction come from, level by level. */
#include "report/report_internal.h"

#include "analysis/ledger.h"

#include <math.h>
#include <string.h>

static void add_row(struct table_builder *builder, const char *cell, const struct ledger_row *row)
{
	table_add_text(builder, cell);
	table_add_text(builder, row->direction);
	table_add_text(builder, row->level);
	table_add_text(builder, row->part);
	table_add_number(builder, row->bytes);
	table_add_number(builder, row->requests);
	table_add_number(builder, row->factor);
	table_add_number(builder, row->level_percent);
	table_add_number(builder, row->closing_percent);
	table_add_number(builder, row->bytes_per_day);
}

/* The row of a level as a whole, or of a part of it; one of NANs where there is none. */
static const struct ledger_row *find(const struct ledger_row *rows, size_t count,
	const char *direction, const char *level, const char *part)
{
	static const struct ledger_row none = { .bytes = NAN,
		.requests = NAN,
		.closing_percent = NAN,
		.factor = NAN,
		.level_percent = NAN,
		.bytes_per_day = NAN };

	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].direction, direction) == 0 &&
			strcmp(rows[i].level, level) == 0 && (!rows[i].part) == (!part) &&
			(!part || strcmp(rows[i].part, part) == 0))
			return &rows[i];
	return &none;
}

static void add_short_row(struct table_builder *builder, const char *cell,
	const struct ledger_row *rows, size_t count)
{
	const struct ledger_row *changed = find(rows, count, "write", "rows changed", NULL);
	const struct ledger_row *device = find(rows, count, "write", "device", NULL);
	const struct ledger_row *read = find(rows, count, "read", "device", NULL);

	table_add_text(builder, cell);
	table_add_number(builder, changed->bytes);
	table_add_number(builder, find(rows, count, "write", "WAL", NULL)->bytes);
	table_add_number(
		builder, find(rows, count, "write", "WAL", "full-page images")->level_percent);
	table_add_number(builder, find(rows, count, "write", "files", NULL)->bytes);
	table_add_number(builder, device->bytes);
	table_add_number(builder, device->bytes / changed->bytes);
	table_add_number(builder, device->requests);
	table_add_number(builder, find(rows, count, "write", "flushes", NULL)->requests);
	table_add_number(builder, device->closing_percent);
	table_add_number(builder, device->bytes_per_day);
	table_add_number(builder, read->bytes);
}

/* A line a cell, for the terminal. */
static void write_short(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "rows_bytes", "rows", REPORT_BYTES, REPORT_VALUE },
		{ "wal_bytes", "WAL", REPORT_BYTES, REPORT_VALUE },
		{ "image_percent", "page images", REPORT_PERCENT, REPORT_VALUE },
		{ "files_bytes", "files", REPORT_BYTES, REPORT_VALUE },
		{ "device_bytes", "device", REPORT_BYTES, REPORT_VALUE },
		{ "amplification", "device/rows", REPORT_RATIO, REPORT_VALUE },
		{ "device_requests", "requests", REPORT_PLAIN, REPORT_VALUE },
		{ "flushes", "flushes", REPORT_PLAIN, REPORT_VALUE },
		{ "closing_percent", "closing", REPORT_PERCENT, REPORT_VALUE },
		{ "bytes_per_day", "device a day", REPORT_BYTES, REPORT_VALUE },
		{ "read_bytes", "read", REPORT_BYTES, REPORT_VALUE },
		{ 0 },
	};
	struct ledger_row rows[LEDGER_ROWS_MOST];
	struct table_builder builder;
	bool any = false;

	table_begin(&builder, "ledger_short",
		"Write ledger: bytes written per transaction, level by level", columns);
	for (size_t cell = 0; cell < report->findings->cell_count; cell++) {
		size_t count = ledger_build(report->results, cell, rows);

		any |= count > 0;
		if (count > 0)
			add_short_row(&builder, report->findings->cells[cell].label, rows, count);
	}
	table_end(&builder, report);
	if (any)
		report_say(report, "ledger_more",
			"Every level with its parts, requests and factors: plumb report --full.");
}

#define CELLS_FOR_PEOPLE 8 /* more are a table nobody reads; forms for machines have all */

void report_ledger(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "direction", "", REPORT_WORDS, REPORT_VALUE },
		{ "level", "level", REPORT_WORDS, REPORT_VALUE },
		{ "part", "of which", REPORT_WORDS, REPORT_VALUE },
		{ "bytes_per_transaction", "bytes/tx", REPORT_BYTES, REPORT_VALUE },
		{ "requests_per_transaction", "requests/tx", REPORT_PLAIN, REPORT_VALUE },
		{ "factor", "x level above", REPORT_RATIO, REPORT_VALUE },
		{ "level_percent", "of its level", REPORT_PERCENT, REPORT_VALUE },
		{ "closing_percent", "closing share", REPORT_PERCENT, REPORT_VALUE },
		{ "bytes_per_day", "a day", REPORT_BYTES, REPORT_VALUE },
		{ 0 },
	};
	struct ledger_row rows[LEDGER_ROWS_MOST];
	struct table_builder builder;

	if (!report->format->for_machines && !report->format->has_room && !report->options->full) {
		write_short(report);
		return;
	}
	table_begin(
		&builder, "ledger", "Write ledger (per transaction, window and closing)", columns);
	for (size_t cell = 0; cell < report->findings->cell_count; cell++) {
		size_t count = ledger_build(report->results, cell, rows);

		if (!report->format->for_machines && !report->options->full &&
			cell == CELLS_FOR_PEOPLE)
			break;
		for (size_t i = 0; i < count; i++)
			add_row(&builder, report->findings->cells[cell].label, &rows[i]);
	}
	table_end(&builder, report);
}
