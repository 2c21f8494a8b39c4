/*
 * Folders that plumb made carry a marker file with the rig's id; only such a folder is ever removed
 * with what is in it. Beside undo.h, because targets and rig make folders and the journal removes
 * them.
 */
#ifndef RECORD_MARKER_H
#define RECORD_MARKER_H

#include "base/err.h"
#include "record/undo.h"

#define MARKER_FILE ".plumb-marker"

/* Note in undo, make path (0711; those above must exist), put the marker in. *ret_undo_id may be
 * kept for marker_remove_folder(). -EEXIST: it is there already. */
int marker_make_folder(const char *path, const char *id, struct undo_sink *undo,
	uint64_t *ret_undo_id, struct err *err);

/* 0: path carries the marker of id. -ENOENT: no such folder. -EPERM, and err names it: a folder
 * without our marker, or not a folder at all. */
int marker_check(const char *path, const char *id, struct err *err);

/* marker_check, remove all below, forget. A missing folder is fine. undo may be NULL. */
int marker_remove_folder(const char *path, const char *id, struct undo_sink *undo, uint64_t undo_id,
	struct err *err);

#endif
