/*
 * The OpenZFS headers in the one order that compiles. Only files of zfsd/pool and zfsd/posix
 * include this, never together with a FUSE header. ZFS_DEBUG is an ABI switch of the packaged
 * library (struct sizes), so it must be defined here exactly as in that build.
 */
#ifndef ZFSD_COMPAT_ZFS_HEADERS_H
#define ZFSD_COMPAT_ZFS_HEADERS_H

/* Before the rest: both define MIN and MAX, and only system headers may do so twice. */
#include "base/macros.h"
#include <sys/zfs_context.h>
/* clang-format off: the order matters */
#include <sys/spa.h>
#include <sys/spa_impl.h>
#include <sys/dmu.h>
#include <sys/dmu_objset.h>
#include <sys/dmu_impl.h>
#include <sys/dmu_tx.h>
#include <sys/dbuf.h>
#include <sys/dnode.h>
#include <sys/dsl_dataset.h>
#include <sys/dsl_destroy.h>
#include <sys/dsl_dir.h>
#include <sys/dsl_pool.h>
#include <sys/dsl_prop.h>
#include <sys/dsl_scan.h>
#include <sys/dsl_synctask.h>
#include <sys/sa.h>
#include <sys/sa_impl.h>
#include <sys/zap.h>
#include <sys/zap_impl.h>
#include <sys/zil.h>
#include <sys/zil_impl.h>
#include <sys/zfs_acl.h>
#include <sys/zfs_znode.h>
#include <sys/zfs_sa.h>
#include <sys/zfs_quota.h>
#include <sys/zfs_rlock.h>
#include <sys/vdev_impl.h>
#include <sys/vdev_file.h>
#include <sys/arc.h>
#include <sys/arc_impl.h>
#include <sys/metaslab_impl.h>
#include <sys/zio_impl.h>
#include <sys/txg_impl.h>
#include <sys/zfs_file.h>
#include <libnvpair.h>
#include <libzutil.h>
#include <zfs_prop.h>
#include <zfs_comutil.h>
#include <zfs_namecheck.h>
#include <zfeature_common.h>
#include <sys/stat.h>
/* clang-format on */
/* Written by the build: see layout/layout_write.c, which has to do without. */
#ifndef ZFSD_LAYOUT_UNKNOWN
#include <zfsd_layout.h>
#endif

#endif
