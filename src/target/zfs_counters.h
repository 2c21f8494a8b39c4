/* Counters of the kernel's OpenZFS, as its kstat files print them. Apart because parsing is tested
 * on text. */
#ifndef TARGET_ZFS_COUNTERS_H
#define TARGET_ZFS_COUNTERS_H

#include <jansson.h>

/* Add rows "name type value" of a kstat file as numbers "PREFIX.name". A missing file adds none. */
void zfs_counters_add(json_t *counters, const char *prefix, const char *path);
void zfs_counters_parse(json_t *counters, const char *prefix, char *text);

#endif
