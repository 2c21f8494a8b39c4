/* The engine of `plumb clean`: finish what killed plumbs left, from their journals. */
#ifndef RUN_CLEAN_H
#define RUN_CLEAN_H

#include "run/folders.h"
#include "run/journal_undo.h"

/*
 * Undo every journal in folders->journal whose plumb no longer runs. Files there that are not
 * journals of ours are left alone and named through report; running plumbs too (*ret_running, may
 * be NULL). Every journal is tried; the first error is returned. -EPERM: the folder is not ours.
 */
int clean_run(const struct folders *folders, struct undo_report *report, size_t *ret_running,
	struct err *err);

#endif
