/* Running the library's I/O stages in the thread that asks for them. */
#ifndef ZFSD_POOL_ZIO_INLINE_H
#define ZFSD_POOL_ZIO_INLINE_H

#include "zfsd/compat/zfs_headers.h"

#include <stdbool.h>

/* zio_interrupt(), but the rest of the zio runs in a thread of the library: for device threads,
 * which have other requests to serve. */
void zio_inline_interrupt_elsewhere(zio_t *zio);

/* Said by a reader around a read that needs one block: its transfer may block the thread. The end
 * tells whether there was one. */
void zio_inline_begin_one_block(void);
bool zio_inline_end_one_block(void);
/* For the device: may this thread's demand read block it? It is going to be transferred. */
bool zio_inline_takes_read(void);

#endif
