/* Ratios to the baseline: every set-up a dot, the interval a bar, the margin a band, on a log axis.
 */
#include "report/charts.h"

#include <math.h>

static double value_of(const struct findings *findings, size_t cell, size_t block)
{
	return findings->values[cell * findings->block_count + block];
}

/* A set-up's ratio to the baseline's of its block, so that the block's luck is out of it; of the
 * baseline itself: to its own level. */
static double dot_of(const struct findings *findings, size_t cell, size_t block)
{
	size_t baseline = findings->cells[cell].baseline;

	if (cell == baseline)
		return value_of(findings, cell, block) / findings->cells[cell].mean;
	return value_of(findings, cell, block) / value_of(findings, baseline, block);
}

static void add_dots(
	struct strbuf *script, const struct findings *findings, const size_t *cells, size_t count)
{
	strbuf_add_text(script, "$dots << EOD\n");
	for (size_t row = 0; row < count; row++) {
		for (size_t block = 0; block < findings->block_count; block++) {
			double dot = dot_of(findings, cells[row], block);
			double spread = 0.3 * ((double)block + 0.5) / (double)findings->block_count;

			if (isfinite(dot) && dot > 0)
				strbuf_add_format(
					script, "%.5g %.3f\n", dot, (double)row - 0.15 + spread);
		}
	}
	/* A block without a value still needs a line that gnuplot accepts. */
	strbuf_add_text(script, "NaN NaN\nEOD\n");
}

static void add_bars(
	struct strbuf *script, const struct findings *findings, const size_t *cells, size_t count)
{
	strbuf_add_text(script, "$bars << EOD\n");
	for (size_t row = 0; row < count; row++) {
		const struct cell_finding *cell = &findings->cells[cells[row]];
		const char *colour = charts_colour(cell->verdict);

		if (cell->baseline != cells[row] && isfinite(cell->effect.low))
			strbuf_add_format(script, "%.5g %zu %.5g %.5g 0x%s\n", cell->effect.ratio,
				row, cell->effect.low, cell->effect.high, colour + 1);
	}
	strbuf_add_text(script, "NaN NaN NaN NaN 0\nEOD\n");
}

/* Both ends of what is drawn, a little wider; at least the margin band. */
static void find_range(
	const struct findings *findings, const size_t *cells, size_t count, double range[2])
{
	range[0] = 1 / (1 + findings->margin);
	range[1] = 1 + findings->margin;
	for (size_t row = 0; row < count; row++) {
		const struct effect *effect = &findings->cells[cells[row]].effect;

		for (size_t block = 0; block < findings->block_count; block++) {
			double dot = dot_of(findings, cells[row], block);

			if (isfinite(dot) && dot > 0) {
				range[0] = fmin(range[0], dot);
				range[1] = fmax(range[1], dot);
			}
		}
		if (isfinite(effect->low) && effect->low > 0) {
			range[0] = fmin(range[0], effect->low);
			range[1] = fmax(range[1], effect->high);
		}
	}
	range[0] /= 1.02;
	range[1] *= 1.02;
}

/* Tics of a log axis that spans less than a decade are chosen here: gnuplot would show decades. */
static void add_ratio_tics(struct strbuf *script, const double range[2])
{
	static const double steps[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5 };
	size_t step = 0;

	if (range[1] / range[0] > 8)
		return;
	while (step + 1 < ARRAY_SIZE(steps) && (range[1] - range[0]) / steps[step] > 12)
		step++;
	strbuf_add_text(script, "set xtics (");
	for (double at = ceil(range[0] / steps[step]) * steps[step]; at <= range[1];
		at += steps[step])
		strbuf_add_format(script, "'%.2f' %.4f, ", at, at);
	strbuf_add_text(script, "'1' 1)\n");
}

static void add_axes(
	struct strbuf *script, const struct findings *findings, const size_t *cells, size_t count)
{
	double margin = 1 + findings->margin;
	double range[2];

	find_range(findings, cells, count, range);
	strbuf_add_format(script, "set xrange [%.6g:%.6g]\n", range[0], range[1]);
	add_ratio_tics(script, range);
	strbuf_add_format(script,
		"set logscale x\nset format x '%%g'\nset yrange [%zu.6:-0.6]\n"
		"set object rectangle from %.6g,graph 0 to %.6g,graph 1 behind fillcolor rgb "
		"'#808080' fillstyle solid 0.18 noborder\n"
		"set arrow from 1,graph 0 to 1,graph 1 nohead lc rgb '#404040'\nset xlabel ",
		count - 1, 1 / margin, margin);
	gnuplot_quote(script, findings->primary->name, false);
	strbuf_add_text(script, " . ' over the baseline (log axis)'\nset ytics (");
	for (size_t row = 0; row < count; row++) {
		strbuf_add_text(script, row ? ", " : "");
		gnuplot_quote(script, findings->cells[cells[row]].label, true);
		strbuf_add_format(script, " %zu", row);
	}
	strbuf_add_text(script, ")\n");
}

void chart_ratios(struct charts *charts, const struct report *report)
{
	const struct findings *findings = report->findings;
	struct strbuf *script = &charts->gnuplot.script;
	size_t cells[CHART_CELLS_MOST];
	size_t count = charts_choose_cells(report, cells, CHART_CELLS_MOST);

	if (!findings->has_baseline || count < 2 ||
		!charts_begin(charts, REPORT_CHART_RATIOS, 90 + 26 * (int)count))
		return;
	charts->kinds[REPORT_CHART_RATIOS].title = "Ratio to the baseline";
	charts->kinds[REPORT_CHART_RATIOS].note = arena_format(&charts->arena,
		"Every dot is a set-up, measured against the baseline of its block; bars are the "
		"95 %% "
		"intervals that hold together; the band is the margin of %.3g %%. Grey: no "
		"difference "
		"shown.%s",
		100 * findings->margin,
		findings->cell_count > CHART_CELLS_MOST ? " Only the first cells are drawn." : "");
	add_axes(script, findings, cells, count);
	add_dots(script, findings, cells, count);
	add_bars(script, findings, cells, count);
	strbuf_add_text(script,
		"plot $dots using 1:2 with points pt 7 ps 0.4 lc rgb '#9098a0' notitle, "
		"$bars using 1:2:3:4:5 with xerrorbars pt 5 ps 0.7 lw 2 lc rgb variable notitle\n");
}
