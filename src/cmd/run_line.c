/* Events of a run as lines (see run_line.h). */
#include "cmd/run_line.h"

#include "base/macros.h"
#include "report/json_text.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR_COLUMNS 20

/* "34 s", "12:34", "3:12:34" */
static void add_duration(struct strbuf *line, double seconds)
{
	long s = lround(seconds);

	if (s >= 3600)
		strbuf_add_format(line, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else if (s >= 60)
		strbuf_add_format(line, "%ld:%02ld", s / 60, s % 60);
	else
		strbuf_add_format(line, "%ld s", MAX(s, 0L));
}

/* Trials that are over, and the part of the one that runs. */
static double done_fraction(const struct run_event *event)
{
	double done = event->trial > 0 ? (double)event->trial - 1 : 0;

	if (event->phase && strcmp(event->phase, "run") == 0 && event->fraction > 0)
		done += MIN(event->fraction, 1);
	return event->trial_count > 0 ? MIN(done / (double)event->trial_count, 1) : 0;
}

static void add_bar(struct strbuf *line, double fraction)
{
	int full = (int)(fraction * BAR_COLUMNS);

	strbuf_add_char(line, '[');
	for (int i = 0; i < BAR_COLUMNS; i++)
		strbuf_add_char(line, i < full ? '#' : '-');
	strbuf_add_char(line, ']');
}

static void add_rate(struct strbuf *line, const struct run_event *event)
{
	if (!(event->rate > 0))
		return;
	strbuf_add_text(line, "  ");
	report_number(event->rate, REPORT_PLAIN, line);
	strbuf_add_format(line, " %s", event->unit ? event->unit : "tps");
}

/* Cut to so many characters, never inside one of UTF-8. */
static void cut(struct strbuf *line, size_t width)
{
	size_t columns = 0;

	for (size_t i = 0; width && i < line->length; i++) {
		if (((unsigned char)line->data[i] & 0xc0) == 0x80)
			continue;
		if (columns++ == width) {
			line->length = i;
			line->data[i] = '\0';
		}
	}
}

void run_line_status(const struct run_event *event, size_t width, struct strbuf *line)
{
	add_bar(line, done_fraction(event));
	if (event->trial > 0)
		strbuf_add_format(line, " trial %zu of %zu", event->trial, event->trial_count);
	else if (event->setup > 0)
		strbuf_add_format(line, " set-up %zu of %zu", event->setup, event->setup_count);
	if (event->phase)
		strbuf_add_format(line, "  %s", event->phase);
	if (event->part)
		strbuf_add_format(line, " (%s)", event->part);
	if (event->fraction > 0)
		strbuf_add_format(line, " %.0f %%", MIN(event->fraction, 1) * 100);
	add_rate(line, event);
	if (event->remaining_s > 0) {
		strbuf_add_text(line, "  ");
		add_duration(line, event->remaining_s);
		strbuf_add_text(line, " left");
	}
	if (event->label)
		strbuf_add_format(line, "  %s", event->label);
	cut(line, width);
}

static void add_trial_end(struct strbuf *line, const struct run_event *event)
{
	strbuf_add_format(line, "trial %zu of %zu: %s", event->trial, event->trial_count,
		trial_state_word(event->state));
	add_rate(line, event);
	if (event->label)
		strbuf_add_format(line, "  %s", event->label);
	if (event->remaining_s > 0) {
		strbuf_add_text(line, "  ");
		add_duration(line, event->remaining_s);
		strbuf_add_text(line, " left");
	}
	if (event->text)
		strbuf_add_format(line, "\n  %s", event->text);
}

bool run_line_plain(const struct run_event *event, struct strbuf *line)
{
	switch (event->kind) {
	case RUN_STUDY_BEGIN:
		strbuf_add_format(line, "study %s: %zu trials", event->study ? event->study : "",
			event->trial_count);
		if (event->remaining_s > 0) {
			strbuf_add_text(line, ", about ");
			add_duration(line, event->remaining_s);
		}
		return true;
	case RUN_MESSAGE:
	case RUN_STUDY_END:
		strbuf_add_text(line, event->text ? event->text : "");
		return event->text != NULL;
	case RUN_SETUP_BEGIN:
		strbuf_add_format(line, "set-up %zu of %zu: %s", event->setup, event->setup_count,
			event->label ? event->label : "");
		return true;
	case RUN_TRIAL_END:
		add_trial_end(line, event);
		return true;
	default:
		return false;
	}
}

static void put_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, json_text(text));
}

static void put_count(json_t *object, const char *key, size_t count)
{
	if (count)
		json_object_set_new(object, key, json_integer((json_int_t)count));
}

void run_line_json(const struct run_event *event, struct strbuf *line)
{
	json_t *object = json_pack("{s:s, s:I}", "event", run_event_word(event->kind), "utc_ns",
		(json_int_t)event->utc_ns);
	char *text;

	if (event->kind == RUN_STUDY_BEGIN)
		json_object_set_new(object, "schema_version", json_integer(RECORD_SCHEMA_VERSION));
	put_text(object, "study", event->study);
	put_count(object, "trial", event->trial);
	put_count(object, "trial_count", event->trial_count);
	put_count(object, "setup", event->setup);
	put_count(object, "setup_count", event->setup_count);
	put_count(object, "block", event->block);
	put_text(object, "trial_id", event->trial_id);
	put_text(object, "setup_id", event->setup_id);
	put_text(object, "label", event->label);
	put_text(object, "phase", event->phase);
	put_text(object, "part", event->part);
	put_text(object, "text", event->text);
	if (event->kind == RUN_TRIAL_END)
		put_text(object, "state", trial_state_word(event->state));
	if (event->rate > 0 && isfinite(event->rate)) {
		json_object_set_new(object, "rate", json_real(event->rate));
		put_text(object, "unit", event->unit);
	}
	if (event->kind == RUN_PROGRESS && event->fraction >= 0)
		json_object_set_new(object, "fraction", json_real(event->fraction));
	if (event->remaining_s > 0 && isfinite(event->remaining_s))
		json_object_set_new(object, "remaining_s", json_real(event->remaining_s));
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
	strbuf_add_text(line, text ? text : "{}");
	free(text);
	json_decref(object);
}
