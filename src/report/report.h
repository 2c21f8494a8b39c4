/*
 * Reports: one walk over the findings, one driver a form. To add a form: src/report/NAME_report.c
 * that defines `const struct report_format NAME_report`, and one entry in report_formats[]. The
 * walk (report.c) decides what is said and in which order; a form decides how it looks.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "analysis/comparison.h"
#include "analysis/finding.h"
#include "analysis/results.h"
#include "analysis/trace.h"
#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a number is: forms for people choose unit and digits by it. */
enum report_unit {
	REPORT_WORDS, /* text, not a number */
	REPORT_ID,    /* text: an id whose beginning is enough for people */
	REPORT_COUNT,
	REPORT_ORDINAL, /* from 0 for machines, from 1 for people */
	REPORT_PER_SECOND,
	REPORT_BYTES_PER_SECOND,
	REPORT_SECONDS,
	REPORT_NANOSECONDS,
	REPORT_BYTES,
	REPORT_RATIO,
	REPORT_PERCENT,
	REPORT_PLAIN, /* any other number */
};

/* LOW and HIGH are the ends of an interval of the VALUE column before them. */
enum report_part { REPORT_VALUE, REPORT_LOW, REPORT_HIGH };

struct report_column {
	const char *name;  /* for machines, unit in it where it has one: "load_s" */
	const char *title; /* for people; NULL: only in forms for machines */
	enum report_unit unit;
	enum report_part part;
};

/* How a value strikes the reader; a colour at most. */
enum report_tone { REPORT_NEUTRAL, REPORT_GOOD, REPORT_BAD, REPORT_DOUBTFUL };

/* Small, because a study of ten thousand trials has a million of them. */
enum report_kind { REPORT_EMPTY, REPORT_NUMBER, REPORT_TEXT };
struct report_cell {
	unsigned char kind; /* enum report_kind */
	unsigned char tone; /* enum report_tone */
	union {
		double number;
		const char *text;
	};
};

struct report_table {
	const char *name;  /* "cells": for machines */
	const char *title; /* for people; NULL: only in forms for machines */
	const struct report_column *columns;
	size_t column_count;
	const struct report_cell *cells; /* row by row */
	size_t row_count;
};

/* Charts of what findings, results and traces hold; a form that draws takes the data from there. */
enum report_chart {
	REPORT_CHART_RATIOS,  /* every set-up a dot, interval bars, margin band */
	REPORT_CHART_HEAT,    /* two factors; only where there are two */
	REPORT_CHART_TRACES,  /* speed over time */
	REPORT_CHART_LATENCY, /* complementary distribution */
	REPORT_CHART_LEDGER,  /* bytes per transaction at each level */
	REPORT_CHART_LOAD,    /* phases of the load */
	REPORT_CHART_COUNT
};

struct report_options {
	size_t width;	   /* columns of the terminal; 0: unlimited */
	bool colour;	   /* escape sequences are wanted */
	const char *table; /* of forms that hold one table (csv); NULL: "cells" */
	bool full;	   /* the whole write ledger also in forms without room for it */
};

/* Where a long report goes while it is written, so that it never lies in memory whole. */
struct report_sink {
	int (*write)(void *context, const char *bytes, size_t length, struct err *err);
	void *context;
};

struct report {
	const struct report_format *format;
	const struct report_options *options;
	const struct findings *findings;
	const struct results *results;
	const struct traces *traces; /* of a form with wants_traces; NULL: not read */
	const char *study_text;	     /* the study file, to run it again; NULL: not known */
	struct strbuf *out;
	const struct report_sink *sink; /* gets out's text and empties it; NULL: all stays in out */
	uint64_t sunk_bytes;		/* given to the sink so far */
	int sink_failed;		/* its first error: nothing is given to it after that */
	struct err sink_err;
	void *state; /* the form's own */
};

/* Called in this order: begin, any of the others, end (also after an error of the others: it frees
 * state). */
struct report_format {
	const char *name; /* the word of --format */
	const char *help;
	/* Wants every table (trials, environment), also those without titles. */
	bool for_machines;
	/* Wants one sentence a finding. */
	bool for_people;
	/* Long tables are folded away: they may be long. */
	bool has_room;
	/* Draws values over time: report.traces is to be filled (analysis/trace.h). */
	bool wants_traces;
	/* Optional. */
	int (*begin)(struct report *report, struct err *err);
	/* Optional. Title of what follows. */
	void (*heading)(struct report *report, const char *text);
	/* Optional. A paragraph; key names it for machines ("verdict"). */
	void (*text)(struct report *report, const char *key, const char *text);
	void (*table)(struct report *report, const struct report_table *table);
	/* Optional: forms without pictures leave it out. */
	int (*chart)(struct report *report, enum report_chart chart, struct err *err);
	/* Optional. */
	int (*end)(struct report *report, struct err *err);
};

extern const struct report_format text_report, html_report, md_report, csv_report, json_report;
extern const struct report_format *const report_formats[]; /* NULL-ended */
const struct report_format *report_find(const char *name);

/* The whole report into report->out, or through it into report->sink; the caller has filled what
 * comes before sunk_bytes. */
int report_write(struct report *report, struct err *err);

/* For forms, after each row: what has come together goes to the sink once it is worth a write. */
void report_drain(struct report *report);

/* The same for two studies; report->findings and results are those of the later one. Forms with
 * pictures are not meant: text, md, csv (--table changes, ...) and json. */
int report_write_comparison(
	struct report *report, const struct comparison *comparison, struct err *err);

/* A number for people, in the unit's way: "812.3", "1.23 GB", "45.1 ms"; "-" when it is NAN. */
void report_number(double number, enum report_unit unit, struct strbuf *out);
/* A number for machines. Recorded values (REPORT_PLAIN) come back bit by bit; computed ones have 12
 * digits, because the last ones differ between machines' mathematical libraries. */
void report_machine_number(double number, enum report_unit unit, struct strbuf *out);
enum report_unit report_unit_of(const char *metric_unit); /* of struct metric */

#endif
