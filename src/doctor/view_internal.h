/* The steps of view_init(), one file each; every one fills members of view->root or view lists. */
#ifndef DOCTOR_VIEW_INTERNAL_H
#define DOCTOR_VIEW_INTERNAL_H

#include "doctor/view.h"

void view_add_settings(struct view *view);  /* setting.*, postgres.*, control.*, stat.* */
void view_add_pools(struct view *view);	    /* pools, devices: before locations */
void view_add_locations(struct view *view); /* locations; calls the next */
void view_add_layout(struct view *view);    /* layout.*: the locations together */
void view_add_memory(struct view *view);    /* memory.*, zfs.*: after locations */

/* The engine object of the facts ("zfs", or the member of "zfs_embedded" with that mount path);
 * NULL if there is none. Lent. */
json_t *view_engine(const struct view *view, const char *mount_type, const char *mount_path);

/* The member of a list whose "name" is that; NULL if none. Lent. */
json_t *view_named(const json_t *list, const char *key, const char *name);

/* The entry of "devices" that the i-th device of a vdev lies on: by the name that the collector
 * resolved, else by the last part of its path; NULL if it is not there. Lent. */
json_t *view_vdev_device(const struct view *view, const json_t *vdev, size_t i);

/* A part that view_keep() was given for this source, or NULL; lent. Parts that several locations
 * share are made once, or a small file could ask for much memory. */
json_t *view_made(const struct view *view, const char *kind, const void *source);
json_t *view_keep(const struct view *view, const char *kind, const void *source, json_t *part);

/* {version, version_text, parameter, arc, txg, prefetch_unbounded} of an engine; lent. */
json_t *view_zfs(const struct view *view, const json_t *engine);

/* A deep copy of a value, NULL for NULL. */
json_t *view_copy(const json_t *value);

#endif
