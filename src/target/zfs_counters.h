/*
 * Counters of the kernel's OpenZFS, as its kstat files print them: what only grows, under the names
 * that the embedded engine gives the same things. Apart because parsing is tested on text.
 */
#ifndef TARGET_ZFS_COUNTERS_H
#define TARGET_ZFS_COUNTERS_H

#include <jansson.h>
#include <stdint.h>

enum zfs_kstat {
	ZFS_KSTAT_ARC, /* arcstats: "arc.hits"; one ARC for all pools of the machine */
	ZFS_KSTAT_ZIL, /* POOL/objset-*: "zil.commits" */
	ZFS_KSTAT_DMU, /* dmu_tx: "dmu.delays"; all pools of the machine */
};

/* Add the rows "name type value" of a kstat file to counters; datasets of a pool add up. */
void zfs_counters_parse(json_t *counters, enum zfs_kstat kstat, char *text);
/* Newest committed transaction group of the table POOL/txgs as "txg.count". */
void zfs_counters_parse_txgs(json_t *counters, char *text);
/* All of the above for a pool; what the module does not have is left out. */
void zfs_counters_read(json_t *counters, const char *pool);

/* One row of arcstats, a size at this moment ("size", "c_max"); -1: it is not to be had. */
int64_t zfs_arc_gauge(const char *row);

#endif
