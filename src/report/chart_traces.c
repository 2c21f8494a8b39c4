/* Speed over time, a picture a cell: each trial a line of means in a band from smallest to largest,
 * checkpoints and transaction groups marked. */
#include "report/charts.h"

#include <math.h>

#define LINES_MOST 40 /* trials in one picture */

static void add_data(struct strbuf *script, const struct trace *trace, size_t line)
{
	strbuf_add_format(script, "$t%zu << EOD\n", line);
	for (size_t i = 0; i < trace->bin_count; i++)
		strbuf_add_format(script, "%.4g %.5g %.5g %.5g\n", trace->bins[i].at_s,
			trace->bins[i].smallest, trace->bins[i].mean, trace->bins[i].largest);
	strbuf_add_text(script, "EOD\n");
}

/* Marks of the first trial only: those of others fall elsewhere and would hide the lines. */
static void add_marks(struct strbuf *script, const struct trace *trace)
{
	for (size_t i = 0; i < trace->mark_count; i++)
		strbuf_add_format(script,
			"set arrow from %.5g,graph 0 to %.5g,graph %s nohead lc rgb '%s'\n",
			trace->marks[i].at_s, trace->marks[i].at_s,
			trace->marks[i].kind == TRACE_MARK_CHECKPOINT ? "1" : "0.04",
			trace->marks[i].kind == TRACE_MARK_CHECKPOINT ? "#b03060" : "#808080");
}

static size_t add_cell(struct charts *charts, const struct report *report, size_t cell)
{
	struct strbuf *script = &charts->gnuplot.script;
	const struct traces *traces = report->traces;
	size_t lines = 0;

	for (size_t t = 0; t < traces->count; t++) {
		if (traces->traces[t].cell != cell || lines == LINES_MOST)
			continue;
		if (lines == 0) {
			if (!charts_begin(charts, REPORT_CHART_TRACES, 260))
				return 0;
			add_marks(script, &traces->traces[t]);
		}
		add_data(script, &traces->traces[t], lines++);
	}
	if (lines == 0)
		return 0;
	strbuf_add_text(script, "set yrange [0:*]\nset xlabel 'seconds'\nset ylabel ");
	gnuplot_quote(script, traces->metric, false);
	strbuf_add_text(script, "\nplot ");
	for (size_t line = 0; line < lines; line++)
		strbuf_add_format(script,
			"%s$t%zu using 1:2:4 with filledcurves fillstyle transparent solid 0.12 "
			"noborder lt %zu notitle, $t%zu using 1:3 with lines lt %zu notitle",
			line ? ", " : "", line, line % 8 + 1, line, line % 8 + 1);
	strbuf_add_char(script, '\n');
	return lines;
}

/* Trials whose halves differ by more than half the margin: a longer warm-up would say more. */
static const char *drift_text(struct charts *charts, const struct report *report)
{
	const struct traces *traces = report->traces;
	double limit = log1p(report->findings->margin) / 2;
	size_t drifting = 0;

	for (size_t t = 0; t < traces->count; t++)
		drifting += fabs(traces->traces[t].drift) > limit;
	if (drifting == 0)
		return "";
	return arena_format(&charts->arena,
		" In %zu of %zu trials the second half of the window differs from the first by "
		"more than "
		"half the margin: they had not settled, or the window is short.",
		drifting, traces->count);
}

void chart_traces(struct charts *charts, const struct report *report)
{
	struct chart *chart = &charts->kinds[REPORT_CHART_TRACES];
	size_t cells[CHART_PICTURES_MOST];
	size_t count = charts_choose_cells(report, cells, CHART_PICTURES_MOST);

	if (!report->traces || report->traces->count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (add_cell(charts, report, cells[i]) > 0)
			chart->captions[chart->count - 1] = report->findings->cells[cells[i]].label;
	if (chart->count == 0)
		return;
	chart->title = "Speed over time";
	chart->note = arena_format(&charts->arena,
		"One line a trial: mean of each bin, in a band from its smallest to its largest "
		"second. "
		"Tall marks are checkpoints, short ones transaction groups, of the first "
		"trial.%s%s",
		drift_text(charts, report),
		report->findings->cell_count > count ? " Only the first cells are drawn." : "");
}
