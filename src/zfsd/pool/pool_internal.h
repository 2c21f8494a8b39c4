/* What the files of zfsd/pool share; ZFS types allowed. */
#ifndef ZFSD_POOL_POOL_INTERNAL_H
#define ZFSD_POOL_POOL_INTERNAL_H

#include "zfsd/compat/zfs_headers.h"
#include "zfsd/pool/pool.h"
#include "zfsd/pool/vdev.h"

/* Pool name that devices have until the pool is known. No pool can be called so. */
#define POOL_PENDING "?"

/* --- pool_config.c --- */
/* The nvlist that spa_create() wants, from opened devices. ashift 0: the device's own. */
int pool_config_build(
	const struct pool_create *create, uint64_t ashift, nvlist_t **ret_root, struct err *err);
/* Features to enable: all, or those of a compatibility.d file. Adds to properties. */
int pool_config_features(const char *compatibility, nvlist_t *properties, struct err *err);

/* --- pool_label.c --- */
/* The label's configuration, NULL if there is none. */
int pool_label_read(const struct vdev_device *device, nvlist_t **ret_label);
/* Configuration of the wanted pool, from the labels of its opened devices. */
int pool_label_find(const struct pool_import *import, nvlist_t **ret_config, struct err *err);

/* --- property_pool.c --- */
/* Checked zpool properties for spa_create() or spa_prop_set(); *ret_ashift 0: not given. */
int property_parse_pool(const json_t *values, bool creating, nvlist_t **ret_list,
	uint64_t *ret_ashift, struct err *err);
/* Checked zfs properties for dsl_props_set(). Quotas and reservations, which have calls of their
 * own, are left to property_apply(). */
int property_check(const char *dataset, const json_t *values, struct err *err);

/* Open or say that there is none. */
int pool_hold(const char *name, const void *tag, spa_t **ret_spa, struct err *err);

/* --- dataset.c --- */
/* Give a new pool's root dataset, which the library leaves empty, its file system. */
int dataset_format_root(const char *pool, struct err *err);

#endif
