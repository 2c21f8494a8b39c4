/* Buffers for data, taken and touched ahead of the requests that will want them. */
#ifndef ZFSD_POOL_BUFFER_STOCK_H
#define ZFSD_POOL_BUFFER_STOCK_H

/* After the library's start. Without a thread all goes on, with page faults in the requests. */
void buffer_stock_start(void);
/* Give all back; ahead of the library's end. */
void buffer_stock_stop(void);

#endif
