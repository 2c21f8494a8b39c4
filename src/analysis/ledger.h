/*
 * The write ledger of a cell: bytes and requests per transaction at each level, from the rows that
 * the workload changed down to the medium, and the reads beside it. Window and closing checkpoint
 * together, because what is written late was caused by the window too; the closing part's share is
 * told apart. A level that nobody counted is left out, never zero.
 */
#ifndef ANALYSIS_LEDGER_H
#define ANALYSIS_LEDGER_H

#include "analysis/results.h"

/* All per transaction; NAN: not known. */
struct ledger_row {
	const char *direction; /* "write", "read" */
	const char *level;     /* "WAL", "device", ... */
	const char *part;      /* a part of the level's bytes: "full-page images"; NULL: all */
	double bytes;
	double requests;
	double closing_percent; /* of the bytes, that the closing checkpoint and sync wrote */
	double factor;		/* bytes by those of the level above it that is known */
	double level_percent;	/* a part: of its level */
	double bytes_per_day;	/* at the measured rate; device and medium only */
};

#define LEDGER_ROWS_MOST 24

/* How many rows were filled; 0: the cell has no transactions. */
size_t ledger_build(
	const struct results *results, size_t cell, struct ledger_row rows[LEDGER_ROWS_MOST]);

#endif
