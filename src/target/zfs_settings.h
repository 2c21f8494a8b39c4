/* The properties of ZFS that a study may set: one table for both engines, so that a study moves
 * between them unchanged. */
#ifndef TARGET_ZFS_SETTINGS_H
#define TARGET_ZFS_SETTINGS_H

#include "setting/setting.h"
#include "target/target.h"

extern const struct setting zfs_settings[];

/* Keys of [filesystem] that are properties of the dataset (zfs(8)) or the pool (zpool(8)), by
 * their names there; NULL-ended. */
extern const char *const zfs_dataset_properties[];
extern const char *const zfs_pool_properties[];

/* Devices that layout, log and cache ask for. */
int zfs_needs(const struct settings *settings, struct target_needs *ret_needs, struct err *err);
/* Combinations that no engine takes. */
int zfs_check_settings(const struct settings *settings, struct err *err);
/* A study's text as zfs(8) takes it: "16K" as it is, compression "zstd-3", "none" for no quota. */
const char *zfs_property_text(const struct settings *settings, const char *property);
/* A property as read back with -p ("8192") in the study's spelling ("8K"); text is changed. */
void zfs_property_canonical(const char *property, char *text, size_t size);
/* Name of the fact for a property of the pool or its dataset: "filesystem.ashift" as the study's
 * key is called, "filesystem.pool.guid" for what is no key. */
void zfs_property_fact_name(const char *property, bool pool, char *text, size_t size);

#endif
