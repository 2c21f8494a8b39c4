/* The listener of `plumb run`: a status line on a terminal, plain lines elsewhere, JSON lines into
 * a file. */
#ifndef CMD_RUN_DISPLAY_H
#define CMD_RUN_DISPLAY_H

#include "base/err.h"
#include "run/listener.h"
#include <stdio.h>

struct run_display {
	struct run_listener listener;
	bool quiet;
	bool terminal;
	bool line_shown;	    /* a status line stands on the terminal */
	FILE *events;		    /* NULL: none wanted */
	int64_t shown_ns, event_ns; /* when progress was shown and written last */
};

/* events_path: NULL: none; "-": standard output, and nothing else there. */
int run_display_init(
	struct run_display *display, bool quiet, const char *events_path, struct err *err);
/* Take the status line away and close the events; -EIO when not all of them could be written. */
int run_display_finish(struct run_display *display, struct err *err);

#endif
