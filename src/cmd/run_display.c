/* Showing a run (see run_display.h). */
#include "cmd/run_display.h"

#include "base/clock.h"
#include "cmd/run_line.h"
#include "cmd/terminal.h"
#include "run/interrupt.h"

#include <errno.h>
#include <string.h>

/* Progress comes ten times a second: that often is of no use to a reader or a log. */
#define SHOW_NS	 (NS_PER_S / 5)
#define WRITE_NS NS_PER_S

static void clear_line(struct run_display *display)
{
	if (display->line_shown)
		printf("\r\033[K");
	display->line_shown = false;
}

static void show_status(struct run_display *display, const struct run_event *event)
{
	size_t width = terminal_width(stdout);
	struct strbuf line = STRBUF_INIT;

	/* One column less: a full line would wrap on some terminals. */
	run_line_status(event, width > 1 ? width - 1 : 0, &line);
	printf("\r%s\033[K", line.data);
	fflush(stdout);
	display->line_shown = true;
	strbuf_release(&line);
}

static void show(struct run_display *display, const struct run_event *event)
{
	struct strbuf line = STRBUF_INIT;

	if (run_line_plain(event, &line)) {
		clear_line(display);
		printf("%s\n", line.data);
		fflush(stdout);
	}
	strbuf_release(&line);
	if (display->terminal && (event->kind == RUN_PHASE || event->kind == RUN_PROGRESS))
		show_status(display, event);
}

static void write_event(struct run_display *display, const struct run_event *event)
{
	struct strbuf line = STRBUF_INIT;

	run_line_json(event, &line);
	fprintf(display->events, "%s\n", line.data);
	fflush(display->events);
	strbuf_release(&line);
}

static bool is_due(int64_t *last_ns, int64_t now_ns, int64_t every_ns)
{
	if (now_ns - *last_ns < every_ns)
		return false;
	*last_ns = now_ns;
	return true;
}

static void on_event(struct run_listener *listener, const struct run_event *event)
{
	struct run_display *display = CONTAINER_OF(listener, struct run_display, listener);
	int64_t now_ns = clock_system()->now_ns(clock_system());
	bool often = event->kind == RUN_PROGRESS;

	if (!display->quiet && (!often || is_due(&display->shown_ns, now_ns, SHOW_NS)))
		show(display, event);
	if (display->events && (!often || is_due(&display->event_ns, now_ns, WRITE_NS)))
		write_event(display, event);
}

static bool on_stop(struct run_listener *listener UNUSED)
{
	return interrupt_signal() != 0;
}

int run_display_init(
	struct run_display *display, bool quiet, const char *events_path, struct err *err)
{
	*display = (struct run_display){
		.listener = { .event = on_event, .stop = on_stop },
		.quiet = quiet || (events_path && strcmp(events_path, "-") == 0),
		.terminal = terminal_is(stdout),
	};
	if (!events_path)
		return 0;
	display->events = strcmp(events_path, "-") == 0 ? stdout : fopen(events_path, "ae");
	if (!display->events)
		return err_set_errno(err, -errno, "cannot write events to '%s'", events_path);
	return 0;
}

int run_display_finish(struct run_display *display, struct err *err)
{
	bool failed = false;

	clear_line(display);
	if (display->events)
		failed = ferror(display->events) != 0;
	if (display->events && display->events != stdout)
		failed = fclose(display->events) != 0 || failed;
	display->events = NULL;
	return failed ? err_set(err, -EIO, "not all events could be written") : 0;
}
