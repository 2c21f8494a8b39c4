/* See io_ring.h. The layout of the shared memory is that of linux/io_uring.h. */
#include "zfsd/front/io_ring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WIDE_ENTRY_BYTES 128

/* No interrupt of the thread for a result: it fetches them itself when it waits. */
#define RING_FLAGS (IORING_SETUP_SQE128 | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

static void *map(int fd, size_t bytes, off_t offset)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	return memory == MAP_FAILED ? NULL : memory;
}

static uint32_t *word_at(const struct io_ring *ring, uint32_t offset)
{
	return (uint32_t *)((char *)ring->queues + offset);
}

static void point_into(struct io_ring *ring, const struct io_uring_params *params)
{
	uint32_t *order = word_at(ring, params->sq_off.array);

	ring->submit_tail = word_at(ring, params->sq_off.tail);
	ring->submit_mask = *word_at(ring, params->sq_off.ring_mask);
	ring->done_head = word_at(ring, params->cq_off.head);
	ring->done_tail = word_at(ring, params->cq_off.tail);
	ring->done_mask = *word_at(ring, params->cq_off.ring_mask);
	ring->done = word_at(ring, params->cq_off.cqes);
	for (uint32_t i = 0; i < params->sq_entries; i++)
		order[i] = i;
}

int io_ring_open(struct io_ring *ring, unsigned entries)
{
	struct io_uring_params params = { .flags = RING_FLAGS };
	size_t submit_bytes, done_bytes;

	memset(ring, 0, sizeof(*ring));
	ring->fd = (int)syscall(SYS_io_uring_setup, entries, &params);
	if (ring->fd < 0)
		return -errno;
	submit_bytes = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	done_bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	ring->queues_bytes = submit_bytes > done_bytes ? submit_bytes : done_bytes;
	ring->entries_bytes = (size_t)params.sq_entries * WIDE_ENTRY_BYTES;
	if (params.features & IORING_FEAT_SINGLE_MMAP)
		ring->queues = map(ring->fd, ring->queues_bytes, IORING_OFF_SQ_RING);
	if (ring->queues)
		ring->entries = map(ring->fd, ring->entries_bytes, IORING_OFF_SQES);
	if (!ring->entries) {
		io_ring_close(ring);
		return -ENOSYS;
	}
	point_into(ring, &params);
	return 0;
}

void io_ring_close(struct io_ring *ring)
{
	if (ring->entries)
		munmap(ring->entries, ring->entries_bytes);
	if (ring->queues)
		munmap(ring->queues, ring->queues_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
}

void io_ring_add(struct io_ring *ring, const struct io_ring_command *command)
{
	uint32_t tail = *ring->submit_tail;
	char *place = (char *)ring->entries + (tail & ring->submit_mask) * WIDE_ENTRY_BYTES;
	struct io_uring_sqe *entry = (struct io_uring_sqe *)place;

	memset(place, 0, WIDE_ENTRY_BYTES);
	entry->opcode = IORING_OP_URING_CMD;
	entry->fd = command->fd;
	entry->cmd_op = command->operation;
	entry->addr = (uintptr_t)command->address;
	entry->len = command->length;
	entry->user_data = command->tag;
	memcpy(place + offsetof(struct io_uring_sqe, cmd), command->data, command->data_bytes);
	__atomic_store_n(ring->submit_tail, tail + 1, __ATOMIC_RELEASE);
}

static int take_result(struct io_ring *ring, uint64_t *ret_tag, int *ret_result)
{
	uint32_t head = *ring->done_head;
	const struct io_uring_cqe *results = ring->done;

	if (head == __atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE))
		return -EINTR;
	*ret_tag = results[head & ring->done_mask].user_data;
	*ret_result = results[head & ring->done_mask].res;
	__atomic_store_n(ring->done_head, head + 1, __ATOMIC_RELEASE);
	return 0;
}

int io_ring_wait(struct io_ring *ring, unsigned added, uint64_t *ret_tag, int *ret_result)
{
	if (added == 0 && take_result(ring, ret_tag, ret_result) == 0)
		return 0;
	if (syscall(SYS_io_uring_enter, ring->fd, added, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 &&
		errno != EINTR)
		return -errno;
	return take_result(ring, ret_tag, ret_result);
}
