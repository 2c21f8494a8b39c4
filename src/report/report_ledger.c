/* The write ledger: where the bytes of a transaction come from, level by level. */
#include "report/report_internal.h"

#include "analysis/ledger.h"

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

	table_begin(
		&builder, "ledger", "Write ledger (per transaction, window and closing)", columns);
	for (size_t cell = 0; cell < report->findings->cell_count; cell++) {
		size_t count = ledger_build(report->results, cell, rows);

		if (!report->format->for_machines && cell == CELLS_FOR_PEOPLE)
			break;
		for (size_t i = 0; i < count; i++)
			add_row(&builder, report->findings->cells[cell].label, &rows[i]);
	}
	table_end(&builder, report);
}
