/*
 * How many threads are inside a commit of an intent log. One alone does its flush itself, without a
 * change of thread; as soon as there are more, a thread of the device flushes for all of them.
 */
#ifndef ZFSD_POOL_COMMIT_COUNT_H
#define ZFSD_POOL_COMMIT_COUNT_H

#include <stdint.h>

void commit_count_enter(void);
void commit_count_leave(void);
uint32_t commit_count_now(void);

#endif
