/*
 * Requests over io_uring, where the kernel offers it (6.14 and later, see ring_switch.h). Each
 * processor has a queue, and its requests are answered by threads that are bound to it: no other
 * processor is woken for a request, which costs more than the request itself, and one system call
 * brings the answer and takes the next. Forgotten nodes and interrupts still come through the
 * device.
 */
#ifndef ZFSD_FRONT_RING_H
#define ZFSD_FRONT_RING_H

#include <stdbool.h>

struct front_ring;
struct zfsd_mount;

/* Before the first request is read: make a thread for each queue, and hook into the session so that
 * the kernel's offer is taken. Without any of what it needs nothing happens. */
void front_ring_prepare(struct zfsd_mount *mount);
/* Wait until the kernel has made its offer or has shown that it makes none; workers run. */
void front_ring_await_offer(struct zfsd_mount *mount);
/* The kernel hands its requests to us. */
bool front_ring_active(const struct zfsd_mount *mount);
/* Wake all threads so that they see the session's end; mount's lock held. */
void front_ring_wake(struct zfsd_mount *mount);
/* Answer EIO to what threads are stuck with, and to what follows on their queues. */
void front_ring_give_up(struct zfsd_mount *mount);
void front_ring_free(struct zfsd_mount *mount); /* once all threads have ended */

/* Memory that a reply can be sent from without a copy; NULL for threads that serve no queue. */
void *front_ring_thread_buffer(void);

#endif
