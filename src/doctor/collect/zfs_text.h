/* Readers for what zfs, zpool and the module's kstat files print. Apart because they are tested on
 * text that a kernel printed. All of them change the text that they are given. */
#ifndef DOCTOR_COLLECT_ZFS_TEXT_H
#define DOCTOR_COLLECT_ZFS_TEXT_H

#include <jansson.h>

/* "zfs get -Hp -o name,property,value,source": into "properties" and "sources" of the datasets that
 * have that name; numbers as numbers, also "1.52x". User properties are left out. */
void zfs_properties_parse(json_t *datasets, char *text);
/* "zfs list -Hp -t snapshot -o name,createtxg", oldest first: "snapshots", "snapshot_list" (the
 * newest). */
void zfs_snapshots_parse(json_t *datasets, char *text);
/* "zpool get -Hp -o property,value". */
void zpool_properties_parse(json_t *pool, char *text);
/* "zpool get -Hp -o value ashift" of a pool and vdevs: the smallest; 0 if none tells one. */
double zpool_ashift_parse(char *text);
/* "zpool iostat -vlHpP": mean write wait since import of the vdevs of that name, "write_wait_ns".
 */
void zpool_waits_parse(json_t *vdevs, char *text);
/* A kstat file, rows "name type value" below two lines of heading, as an object of the caller's. */
json_t *zfs_kstat_parse(char *text);
/* The kstat table txgs: longest time to sync a transaction group; -1 if none is there. */
double zfs_longest_sync_parse(char *text);

#endif
