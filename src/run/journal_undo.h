/*
 * Undoing what a journal holds, last noted first. Each undo proves that the thing is still ours
 * before it touches it; what is not is left alone and named. Half-done work is accepted: a thing
 * may be there, or not yet, or no longer.
 */
#ifndef RUN_JOURNAL_UNDO_H
#define RUN_JOURNAL_UNDO_H

#include "base/err.h"
#include "run/journal.h"

struct undo_report {
	/* Called with one sentence for each thing undone or left alone; may be NULL. */
	void (*say)(void *context, const char *sentence);
	void *context;
	size_t undone;	   /* things that were there and are gone now */
	size_t left_alone; /* not ours */
	size_t failed;	   /* ours, and still there */
};

/* All that is not forgotten; every record is tried even after a failure. The first error is
 * returned, the others are added to err. */
int journal_undo(struct journal *journal, struct undo_report *report, struct err *err);

#endif
