/* One property between its text and the library. */
#ifndef ZFSD_POOL_PROPERTY_INTERNAL_H
#define ZFSD_POOL_PROPERTY_INTERNAL_H

#include "zfsd/compat/zfs_headers.h"

#define PROPERTY_SOURCE_SIZE (ZFS_MAX_DATASET_NAME_LEN + 32)

struct property_value {
	zfs_prop_t property; /* ZPROP_INVAL: a user property */
	uint64_t number;
	const char *text; /* not NULL: a text, lent */
};

#endif
