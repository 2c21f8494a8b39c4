/*
 * The form of requests over io_uring: apart, because the kernel's header of Debian 12 does not know
 * it and libfuse takes requests as the device hands them out.
 */
#include "zfsd/front/ring_internal.h"

#include <linux/fuse.h>
#include <string.h>

#define RING_OFFER_FLAGS2 (1U << 9) /* FUSE_OVER_IO_URING, bit 41 of both words */

enum ring_operation { RING_REGISTER = 1, RING_COMMIT_AND_FETCH = 2 };

struct ring_command {
	uint64_t flags;
	uint64_t commit_id;
	uint16_t queue;
	uint8_t unused[6];
};

struct fuse_buf ring_wire_request(struct ring_memory *memory)
{
	struct ring_headers *headers = &memory->headers;
	struct fuse_in_header header;
	size_t operation_bytes;
	char *start;

	memcpy(&header, headers->header, sizeof(header));
	operation_bytes = header.len - sizeof(header) - headers->payload_bytes;
	start = memory->payload - operation_bytes - sizeof(header);
	memcpy(start, &header, sizeof(header));
	memcpy(start + sizeof(header), headers->operation, operation_bytes);
	return (struct fuse_buf){ .mem = start, .size = header.len };
}

void ring_wire_reply(struct ring_memory *memory, const struct iovec *parts, int count)
{
	size_t used = 0;

	memcpy(memory->headers.header, parts[0].iov_base, sizeof(struct fuse_out_header));
	for (int i = 1; i < count; i++) {
		char *place = memory->payload + used;

		if (parts[i].iov_base != place) /* else read right into it */
			memmove(place, parts[i].iov_base, parts[i].iov_len);
		used += parts[i].iov_len;
	}
	memory->headers.payload_bytes = (uint32_t)used;
}

void ring_wire_error(struct ring_memory *memory, uint64_t unique, int error)
{
	struct fuse_out_header header = { .len = sizeof(header), .error = error, .unique = unique };
	struct iovec part = { .iov_base = &header, .iov_len = sizeof(header) };

	ring_wire_reply(memory, &part, 1);
}

void ring_wire_register(struct io_ring *io, int fd, unsigned queue, struct ring_memory *memory)
{
	struct ring_command data = { .queue = (uint16_t)queue };

	memory->parts[0] = (struct iovec){ &memory->headers, sizeof(memory->headers) };
	memory->parts[1] = (struct iovec){ memory->payload, sizeof(memory->payload) };
	io_ring_add(io, &(struct io_ring_command){ .fd = fd,
				.operation = RING_REGISTER,
				.address = memory->parts,
				.length = 2,
				.data = &data,
				.data_bytes = sizeof(data) });
}

void ring_wire_commit(struct io_ring *io, int fd, unsigned queue, uint64_t commit_id, uint64_t tag)
{
	struct ring_command data = { .queue = (uint16_t)queue, .commit_id = commit_id };

	io_ring_add(io, &(struct io_ring_command){ .fd = fd,
				.operation = RING_COMMIT_AND_FETCH,
				.data = &data,
				.data_bytes = sizeof(data),
				.tag = tag });
}

bool ring_wire_is_offer(const void *request, size_t bytes)
{
	const struct fuse_in_header *header = request;
	const struct fuse_init_in *init = (const struct fuse_init_in *)(header + 1);

	return bytes >= sizeof(*header) + sizeof(*init) && header->opcode == FUSE_INIT &&
	       (init->flags & FUSE_INIT_EXT) && (init->flags2 & RING_OFFER_FLAGS2);
}

ssize_t ring_wire_accept(int fd, const struct iovec *parts, int count, bool *ret_accepted)
{
	struct fuse_init_out init;
	struct iovec changed[2];
	ssize_t r;

	/* An error, or a reply of an old form: nothing to take. */
	if (count != 2 || parts[1].iov_len != sizeof(init))
		return writev(fd, parts, count);
	memcpy(&init, parts[1].iov_base, sizeof(init));
	init.flags |= FUSE_INIT_EXT;
	init.flags2 |= RING_OFFER_FLAGS2;
	changed[0] = parts[0];
	changed[1] = (struct iovec){ .iov_base = &init, .iov_len = sizeof(init) };
	r = writev(fd, changed, 2);
	*ret_accepted = r > 0;
	return r;
}
