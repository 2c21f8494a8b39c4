/* The pictures of a report (see charts.h). */
#include "report/charts.h"

bool charts_begin(struct charts *charts, enum report_chart kind, int height)
{
	struct chart *chart = &charts->kinds[kind];

	if (chart->count == CHART_PICTURES_MOST)
		return false;
	size_t number = gnuplot_begin(&charts->gnuplot, height);

	if (number == GNUPLOT_PICTURES_MOST)
		return false;
	chart->numbers[chart->count++] = number;
	return true;
}

static bool is_chosen(const size_t *cells, size_t count, size_t cell)
{
	for (size_t i = 0; i < count; i++)
		if (cells[i] == cell)
			return true;
	return false;
}

size_t charts_choose_cells(const struct report *report, size_t *cells, size_t most)
{
	const struct findings *findings = report->findings;
	size_t count = 0;

	if (findings->cell_count == 0 || most == 0)
		return 0;
	cells[count++] = findings->cells[0].baseline;
	if (findings->recommendation.found && count < most &&
		!is_chosen(cells, count, findings->recommendation.cell))
		cells[count++] = findings->recommendation.cell;
	for (size_t i = 0; i < findings->cell_count && count < most; i++)
		if (findings->cells[i].role == CELL_STUDIED && !is_chosen(cells, count, i))
			cells[count++] = i;
	return count;
}

const char *charts_colour(enum verdict verdict)
{
	if (verdict_is_better(verdict))
		return "#2a8a4a";
	return verdict_is_difference(verdict) ? "#b02a30" : "#707070";
}

void charts_init(struct charts *charts, const struct report *report)
{
	struct err err = ERR_INIT;

	*charts = (struct charts){ 0 };
	gnuplot_init(&charts->gnuplot);
	if (!report->findings->primary)
		return;
	chart_ratios(charts, report);
	chart_heat(charts, report);
	chart_traces(charts, report);
	chart_latency(charts, report);
	chart_ledger(charts, report);
	chart_load(charts, report);
	if (charts->gnuplot.count > 0 && gnuplot_run(&charts->gnuplot, &err) < 0)
		charts->reason = arena_copy_string(&charts->arena, err.message);
}

void charts_release(struct charts *charts)
{
	gnuplot_release(&charts->gnuplot);
	arena_release(&charts->arena);
	*charts = (struct charts){ 0 };
}
