/* The pictures of a report: which there are, and which of gnuplot's numbers each has. */
#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include "report/gnuplot.h"
#include "report/report.h"

#define CHART_PICTURES_MOST 12 /* of one kind: traces have one a cell */
#define CHART_CELLS_MOST    60 /* rows of one picture */

struct chart {
	const char *title; /* of the kind; NULL: not drawn for this study */
	const char *note;  /* what the reader must know to read it */
	size_t numbers[CHART_PICTURES_MOST];
	const char *captions[CHART_PICTURES_MOST]; /* lent or NULL */
	size_t count;
};

struct charts {
	struct gnuplot gnuplot;
	struct chart kinds[REPORT_CHART_COUNT];
	const char *reason; /* why nothing could be drawn; NULL: all went well */
	struct arena arena;
};

/* Draw all. Charts are not worth failing a report for: what went wrong is said in reason. */
void charts_init(struct charts *charts, const struct report *report);
void charts_release(struct charts *charts);

/* Each adds its pictures' scripts and fills its kind (chart_NAME.c). */
void chart_ratios(struct charts *charts, const struct report *report);
void chart_heat(struct charts *charts, const struct report *report);
void chart_traces(struct charts *charts, const struct report *report);
void chart_latency(struct charts *charts, const struct report *report);
void chart_ledger(struct charts *charts, const struct report *report);
void chart_load(struct charts *charts, const struct report *report);

/* For those: a fresh picture of a kind; false when there are too many. */
bool charts_begin(struct charts *charts, enum report_chart kind, int height);
/* Studied cells, the baseline first, the recommended one second, at most `most`; returns how many.
 * cells has room for `most`. */
size_t charts_choose_cells(const struct report *report, size_t *cells, size_t most);
/* "#2a8a4a" and the like for what a verdict says; grey where it says no difference. */
const char *charts_colour(enum verdict verdict);

#endif
