/* What a run's events look like: status line, plain lines, JSON lines. Pure: tested without a run.
 */
#ifndef CMD_RUN_LINE_H
#define CMD_RUN_LINE_H

#include "base/strbuf.h"
#include "run/listener.h"

/* "[####----] trial 3 of 24  run  812.3 tps  12:34 left  ext4", cut to width columns (0: not cut).
 */
void run_line_status(const struct run_event *event, size_t width, struct strbuf *line);
/* A line for logs; false when the event is not worth one. */
bool run_line_plain(const struct run_event *event, struct strbuf *line);
/* One JSON object without newline: the event's word, its time and what it fills (docs/format). */
void run_line_json(const struct run_event *event, struct strbuf *line);

#endif
