/*
 * Cells of a study that can't run on this machine, each with its reason: a program, a kernel's
 * driver, a server that is missing. The study runs without them, and every report says so.
 */
#ifndef RECORD_ABSENT_H
#define RECORD_ABSENT_H

#include "base/arena.h"
#include <stddef.h>

struct absent_cell {
	size_t cell; /* index in the study's matrix */
	const char *label;
	const char *reason; /* one line: hints are set off by semicolons */
};

struct absent_cells {
	struct arena arena;
	struct absent_cell *cells; /* in the order in which they were added */
	size_t count;
};

/* Label and reason are copied; line ends of the reason become semicolons. */
void absent_cells_add(
	struct absent_cells *absent, size_t cell, const char *label, const char *reason);
/* Reason of a cell; NULL: it is not absent. */
const char *absent_cells_reason(const struct absent_cells *absent, size_t cell);
/* Say each reason once, in order: "2 cells (A, B): REASON". Of many labels the first are named. */
void absent_cells_say(const struct absent_cells *absent,
	void (*say)(void *context, const char *sentence), void *context);
void absent_cells_release(struct absent_cells *absent); /* fine twice */

#endif
