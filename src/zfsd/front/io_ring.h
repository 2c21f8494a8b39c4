/*
 * As much of io_uring as one thread needs that has one command of FUSE under way at a time, without
 * its library: a queue of one wide entry, a queue of results, one system call.
 */
#ifndef ZFSD_FRONT_IO_RING_H
#define ZFSD_FRONT_IO_RING_H

#include <stddef.h>
#include <stdint.h>

struct io_ring {
	int fd;
	void *queues; /* both, shared with the kernel */
	size_t queues_bytes;
	void *entries;
	size_t entries_bytes;
	uint32_t *submit_tail;
	uint32_t submit_mask;
	uint32_t *done_head, *done_tail;
	uint32_t done_mask;
	void *done;
};

/* A command for the driver behind fd; data goes into the entry's command area. */
struct io_ring_command {
	int fd;
	uint32_t operation;
	const void *address; /* with length: as the operation says */
	uint32_t length;
	const void *data;
	size_t data_bytes;
	uint64_t tag; /* comes back with the result */
};

/* Room for so many commands at once. Only the thread that opens a ring may use it. -ENOSYS and
 * -EPERM where there is no io_uring, or not for us. */
int io_ring_open(struct io_ring *ring, unsigned entries);
void io_ring_close(struct io_ring *ring); /* fine when opening failed */
/* Put one command into the queue; the next io_ring_wait() hands it over. */
void io_ring_add(struct io_ring *ring, const struct io_ring_command *command);
/* Hand over so many added commands and wait for a result. 0 with one, or -EINTR, which may have
 * handed them over. */
int io_ring_wait(struct io_ring *ring, unsigned added, uint64_t *ret_tag, int *ret_result);

#endif
