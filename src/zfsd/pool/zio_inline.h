/* Running the library's I/O stages in the thread that asks for them. */
#ifndef ZFSD_POOL_ZIO_INLINE_H
#define ZFSD_POOL_ZIO_INLINE_H

#include "zfsd/compat/zfs_headers.h"

#include <stdbool.h>

/* zio_interrupt(), but the rest of the zio runs in a thread of the library: for device threads,
 * which have other requests to serve. */
void zio_inline_interrupt_elsewhere(zio_t *zio);

/* Said by a reader around a read that needs one block: its transfer may block the thread. */
void zio_inline_set_one_block(bool one_block);
bool zio_inline_reads_one_block(void);

#endif
