/* How long transaction groups take to write. */
#ifndef ZFSD_POOL_TXG_TIME_H
#define ZFSD_POOL_TXG_TIME_H

#include "zfsd/compat/zfs_headers.h"

/* Time that the pool's groups took since the process started. Any thread. */
uint64_t txg_time_sync_ns(spa_t *spa);

#endif
