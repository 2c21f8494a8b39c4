/* What ring.c (threads) and ring_wire.c (the form of requests) share. */
#ifndef ZFSD_FRONT_RING_INTERNAL_H
#define ZFSD_FRONT_RING_INTERNAL_H

#include "zfsd/front/front_internal.h"
#include "zfsd/front/io_ring.h"
#include "zfsd/front/ring.h"

#include <sys/uio.h>

/* The kernel writes the fixed parts of a request here, we those of a reply: struct
 * fuse_uring_req_header, which linux/fuse.h has from 6.14 on. */
struct ring_headers {
	char header[128];    /* struct fuse_in_header, then struct fuse_out_header */
	char operation[128]; /* the operation's own struct */
	uint64_t flags;
	uint64_t commit_id;
	uint32_t payload_bytes;
	uint32_t unused;
	uint64_t reserved;
};

/* Memory of one request. The page ahead of the payload has room for both structs, so that all three
 * can be put into the form in which the device hands a request out. */
#define RING_PAGE_BYTES 4096

struct ring_memory {
	struct ring_headers headers;
	struct iovec parts[2]; /* for the kernel: the headers, the payload */
	char unused[2 * RING_PAGE_BYTES - sizeof(struct ring_headers) - 2 * sizeof(struct iovec)];
	char payload[FRONT_REQUEST_BYTES];
};

/* --- ring_wire.c --- */
/* The request as the device would have handed it out; lies in memory. */
struct fuse_buf ring_wire_request(struct ring_memory *memory);
void ring_wire_reply(struct ring_memory *memory, const struct iovec *parts, int count);
void ring_wire_error(struct ring_memory *memory, uint64_t unique, int error);
/* Commands for io_ring_add(). */
void ring_wire_register(struct io_ring *io, int fd, unsigned queue, struct ring_memory *memory);
void ring_wire_commit(struct io_ring *io, int fd, unsigned queue, uint64_t commit_id, uint64_t tag);
/* Is it the first request of a mount, and does the kernel offer rings in it? */
bool ring_wire_is_offer(const void *request, size_t bytes);
/* Send the reply to it with the offer taken, if it is one that can. Result as of writev(). */
ssize_t ring_wire_accept(int fd, const struct iovec *parts, int count, bool *ret_accepted);

#endif
