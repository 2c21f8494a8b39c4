/* Making a ZPL dataset, for the code that makes pools. ZFS types allowed. */
#ifndef ZFSD_POSIX_FORMAT_H
#define ZFSD_POSIX_FORMAT_H

#include "zfsd/compat/zfs_headers.h"

/* Register how space is accounted to owners in ZPL datasets. Once. */
void format_register(void);

/* Callback of dmu_objset_create(), and maker of a pool's root dataset: master node, tables, root
 * folder. cred and unused are not looked at. */
void format_create(objset_t *objset, void *unused, cred_t *cred, dmu_tx_t *tx);

/* dmu_objset_disown(), after the library's own upgrade of the objset, which holds it, has ended: in
 * a process the library cannot call it off and would evict the dataset under it. */
void format_disown(objset_t *objset, const void *tag);

#endif
