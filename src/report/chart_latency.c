/* Share of transactions slower than a time, both axes logarithmic: what averages hide. */
#include "report/charts.h"

#include "setting/setting.h"

#include <math.h>

#define LINES_MOST 8

static const struct {
	const char *metric;
	double above; /* share of transactions that took longer */
} points[] = {
	{ "latency_p50_ns", 0.5 },
	{ "latency_p90_ns", 0.1 },
	{ "latency_p95_ns", 0.05 },
	{ "latency_p99_ns", 0.01 },
	{ "latency_p999_ns", 0.001 },
};

static bool has_latencies(const struct report *report, size_t cell)
{
	return results_cell_mean(report->results, cell, "run", points[0].metric) > 0 &&
	       results_cell_mean(report->results, cell, "run", points[3].metric) > 0;
}

static void add_line(struct strbuf *script, const struct report *report, size_t cell, size_t line)
{
	double transactions = results_cell_mean(report->results, cell, "run", "transactions");
	double longest = results_cell_mean(report->results, cell, "run", "latency_max_ns");

	strbuf_add_format(script, "$l%zu << EOD\n", line);
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		double value = results_cell_mean(report->results, cell, "run", points[i].metric);

		if (value > 0)
			strbuf_add_format(script, "%.5g %g\n", value / NS_PER_MS, points[i].above);
	}
	/* The longest stands for one transaction of all. */
	if (longest > 0 && transactions > 1 / points[ARRAY_SIZE(points) - 1].above)
		strbuf_add_format(script, "%.5g %.3g\n", longest / NS_PER_MS, 1 / transactions);
	strbuf_add_text(script, "EOD\n");
}

void chart_latency(struct charts *charts, const struct report *report)
{
	struct strbuf *script = &charts->gnuplot.script;
	struct chart *chart = &charts->kinds[REPORT_CHART_LATENCY];
	size_t cells[LINES_MOST];
	size_t count = charts_choose_cells(report, cells, LINES_MOST);
	size_t lines = 0;

	for (size_t i = 0; i < count; i++)
		if (has_latencies(report, cells[i]))
			cells[lines++] = cells[i];
	if (lines == 0 || !charts_begin(charts, REPORT_CHART_LATENCY, 380))
		return;
	chart->title = "Latency";
	chart->note =
		"Share of transactions that took longer, from the recorded percentiles; means "
		"over set-ups.";
	for (size_t line = 0; line < lines; line++)
		add_line(script, report, cells[line], line);
	strbuf_add_text(script, "set logscale xy\nset format x '%g'\nset format y '%g'\nset xlabel "
				"'milliseconds (log axis)'\nset ylabel 'share above (log "
				"axis)'\nset key left bottom "
				"reverse Left\nplot ");
	for (size_t line = 0; line < lines; line++) {
		strbuf_add_format(script,
			"%s$l%zu using 1:2 with linespoints lt %zu pt 7 ps 0.5 title ",
			line ? ", " : "", line, line % 8 + 1);
		gnuplot_quote(script, report->findings->cells[cells[line]].label, false);
	}
	strbuf_add_char(script, '\n');
}
