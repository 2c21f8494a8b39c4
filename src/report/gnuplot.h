/*
 * Charts through gnuplot: scripts for any number of pictures, one run of the program, SVG text back
 * that may stand inside an HTML page. Nothing a user wrote is executed: words go through
 * gnuplot_quote().
 */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>

#define GNUPLOT_PICTURES_MOST 64
#define GNUPLOT_WIDTH	      900

struct gnuplot {
	struct strbuf script;
	size_t count;
	char *svgs[GNUPLOT_PICTURES_MOST]; /* after gnuplot_run(); NULL: nothing was drawn */
};

void gnuplot_init(struct gnuplot *gnuplot);
void gnuplot_release(struct gnuplot *gnuplot); /* fine twice */

/* Begin a picture of that height; what follows is added to gnuplot->script. Returns its number, or
 * GNUPLOT_PICTURES_MOST when there are too many: then add nothing. */
size_t gnuplot_begin(struct gnuplot *gnuplot, int height);

/* Draw all. -ENOENT: the program is not there (err names its package). */
int gnuplot_run(struct gnuplot *gnuplot, struct err *err);

/* A string for a script. for_tic: text of a tic, where % means something. */
void gnuplot_quote(struct strbuf *script, const char *words, bool for_tic);

#endif
