/* Stacked bars: the write ledger (bytes per transaction at each level) and the phases of the load.
 * Both are rows of segments, drawn by one function. */
#include "report/charts.h"

#include <math.h>
#include <string.h>

#define ROWS_MOST     48
#define SEGMENTS_MOST 10

struct bars {
	struct {
		const char *label;
		double values[SEGMENTS_MOST]; /* not known: 0 */
	} rows[ROWS_MOST];
	size_t row_count;
	const char *segments[SEGMENTS_MOST];
	size_t segment_count;
	const char *axis;
};

static double row_total(const struct bars *bars, size_t row)
{
	double total = 0;

	for (size_t s = 0; s < bars->segment_count; s++)
		total += bars->rows[row].values[s];
	return total;
}

static void add_rectangles(struct strbuf *script, const struct bars *bars)
{
	for (size_t s = 0; s < bars->segment_count; s++) {
		strbuf_add_format(script, "$b%zu << EOD\n", s);
		for (size_t row = 0; row < bars->row_count; row++) {
			double left = 0;

			for (size_t before = 0; before < s; before++)
				left += bars->rows[row].values[before];
			strbuf_add_format(script, "%.6g %zu %.6g %.6g %g %g\n", left, row, left,
				left + bars->rows[row].values[s], (double)row - 0.35,
				(double)row + 0.35);
		}
		strbuf_add_text(script, "EOD\n");
	}
}

static void draw_bars(struct charts *charts, enum report_chart kind, const struct bars *bars)
{
	struct strbuf *script = &charts->gnuplot.script;
	double largest = 0;

	for (size_t row = 0; row < bars->row_count; row++)
		largest = fmax(largest, row_total(bars, row));
	/* The axis and its title, then the legend in columns of three, then a bar a row. */
	if (!(largest > 0) ||
		!charts_begin(charts, kind,
			70 + 24 * (int)((bars->segment_count + 2) / 3) + 24 * (int)bars->row_count))
		return;
	add_rectangles(script, bars);
	strbuf_add_format(script,
		"set xrange [0:%.6g]\nset yrange [%zu.6:-0.6]\nset key outside bottom center "
		"horizontal\nset xlabel '%s'\nset ytics (",
		largest * 1.05, bars->row_count - 1, bars->axis);
	for (size_t row = 0; row < bars->row_count; row++) {
		strbuf_add_text(script, row ? ", " : "");
		gnuplot_quote(script, bars->rows[row].label, true);
		strbuf_add_format(script, " %zu", row);
	}
	strbuf_add_text(script, ")\nplot ");
	for (size_t s = 0; s < bars->segment_count; s++) {
		strbuf_add_format(script,
			"%s$b%zu using 1:2:3:4:5:6 with boxxyerror fillstyle solid 0.8 noborder lt "
			"%zu "
			"title ",
			s ? ", " : "", s, s % 8 + 1);
		gnuplot_quote(script, bars->segments[s], false);
	}
	strbuf_add_char(script, '\n');
}

/* Levels of the ledger: rows of a cell, each with its parts. What one level holds the next one
 * holds again, so levels are rows, not segments of one bar. */
static const struct {
	const char *level, *segment, *metric;
	bool minus_fpi; /* WAL without its full-page images */
} ledger[] = {
	{ "rows", "changed rows", "row_change_bytes", false },
	{ "WAL", "WAL records", "wal_bytes", true },
	{ "WAL", "full-page images", "wal_fpi_bytes", false },
	{ "files", "WAL files", "file_write_wal_bytes", false },
	{ "files", "data files", "file_write_data_bytes", false },
	{ "files", "temporary files", "file_write_temporary_bytes", false },
	{ "device", "device writes", "device_write_bytes", false },
};

/* Bytes of window and closing checkpoint by transaction; 0: not known. */
static double bytes_per_transaction(const struct report *report, size_t cell, const char *metric)
{
	double transactions = results_cell_mean(report->results, cell, "run", "transactions");
	double run = results_cell_mean(report->results, cell, "run", metric);
	double closing = results_cell_mean(report->results, cell, "closing", metric);

	if (!(transactions > 0) || !(run >= 0))
		return 0;
	return (run + (closing > 0 ? closing : 0)) / transactions;
}

static void add_ledger_cell(
	struct bars *bars, struct charts *charts, const struct report *report, size_t cell)
{
	const char *level = "";

	for (size_t i = 0; i < ARRAY_SIZE(ledger); i++) {
		double value = bytes_per_transaction(report, cell, ledger[i].metric);

		if (ledger[i].minus_fpi)
			value = fmax(
				0, value - bytes_per_transaction(report, cell, "wal_fpi_bytes"));
		if (!(value > 0))
			continue;
		if (strcmp(level, ledger[i].level) != 0) {
			if (bars->row_count == ROWS_MOST)
				return;
			level = ledger[i].level;
			bars->rows[bars->row_count++].label = arena_format(&charts->arena, "%s: %s",
				report->findings->cells[cell].label, level);
		}
		bars->rows[bars->row_count - 1].values[i] = value;
	}
}

void chart_ledger(struct charts *charts, const struct report *report)
{
	struct bars bars = { .segment_count = ARRAY_SIZE(ledger), .axis = "bytes per transaction" };
	size_t cells[CHART_PICTURES_MOST];
	size_t count = charts_choose_cells(report, cells, CHART_PICTURES_MOST);

	for (size_t i = 0; i < ARRAY_SIZE(ledger); i++)
		bars.segments[i] = ledger[i].segment;
	for (size_t i = 0; i < count; i++)
		add_ledger_cell(&bars, charts, report, cells[i]);
	draw_bars(charts, REPORT_CHART_LEDGER, &bars);
	if (charts->kinds[REPORT_CHART_LEDGER].count == 0)
		return;
	charts->kinds[REPORT_CHART_LEDGER].title = "Write ledger";
	charts->kinds[REPORT_CHART_LEDGER].note = "Bytes written per transaction at each level, "
						  "window and closing checkpoint together.";
}

static const struct {
	const char *metric, *segment;
} load_parts[] = {
	{ "load_drop_tables_s", "drop tables" },
	{ "load_create_tables_s", "create tables" },
	{ "load_generate_s", "generate" },
	{ "load_vacuum_s", "vacuum" },
	{ "load_primary_keys_s", "primary keys" },
	{ "load_foreign_keys_s", "foreign keys" },
	{ "load_analyze_s", "analyze" },
	{ "load_checkpoint_s", "checkpoint" },
	{ "load_s", "other" },
};

void chart_load(struct charts *charts, const struct report *report)
{
	struct bars bars = { .segment_count = ARRAY_SIZE(load_parts), .axis = "seconds" };
	const size_t last = ARRAY_SIZE(load_parts) - 1;
	size_t cells[CHART_CELLS_MOST];
	size_t count = charts_choose_cells(report, cells, ROWS_MOST);

	for (size_t i = 0; i < ARRAY_SIZE(load_parts); i++)
		bars.segments[i] = load_parts[i].segment;
	for (size_t i = 0; i < count; i++) {
		double known = 0;
		size_t row = bars.row_count++;

		bars.rows[row].label = report->findings->cells[cells[i]].label;
		for (size_t part = 0; part < ARRAY_SIZE(load_parts); part++) {
			double value = results_cell_mean(
				report->results, cells[i], "load", load_parts[part].metric);

			/* The last one is the whole: what no part accounts for. */
			bars.rows[row].values[part] = !(value > 0)   ? 0
						      : part == last ? fmax(0, value - known)
								     : value;
			known += bars.rows[row].values[part];
		}
	}
	draw_bars(charts, REPORT_CHART_LOAD, &bars);
	if (charts->kinds[REPORT_CHART_LOAD].count == 0)
		return;
	charts->kinds[REPORT_CHART_LOAD].title = "Load";
	charts->kinds[REPORT_CHART_LOAD].note =
		"Time of each phase of the load; means over set-ups.";
}
