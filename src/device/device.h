/*
 * Block devices of plumb: stores (file, ram) and shims that stack on any device (count, volatile,
 * model, log). Asynchronous, because queue depth, time models and the write log are only true if
 * requests may overlap.
 *
 * Rules for everybody who submits
 *   - offset and size are multiples of limits.logical_sector_bytes, size > 0 (flush: 0 and 0),
 *     offset + size <= limits.size_bytes, and for read and write size <= limits.max_request_bytes
 *     (discard and zero may be as long as the device).
 *   - The request and its data belong to the device from device_submit() until done() is called.
 *   - done() is called exactly once, from any thread (also from inside device_submit()), with
 *     nothing of the device locked: it may submit again. It must not block for long.
 *   - Requests that overlap while both are under way may take effect in either order; the caller
 *     orders them if it cares, as with a disk.
 *   - A flush makes durable every write that was done before the flush was submitted, no others.
 *   - Results: 0 or -EIO, -ENOSPC (store is full), -EINVAL (rules above broken), -ENODEV (closed).
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum device_operation {
	DEVICE_READ,
	DEVICE_WRITE,
	DEVICE_FLUSH,
	DEVICE_DISCARD, /* contents are no longer needed; reads give zeros afterwards */
	DEVICE_ZERO,	/* reads give zeros afterwards; space may stay allocated */
	DEVICE_OPERATION_COUNT
};

struct device_request {
	enum device_operation operation;
	bool force_unit_access; /* write only: durable when done, as if flushed alone */
	/* The submitter would wait anyway: a store may do the transfer in its thread and call
	 * done() inside device_submit(), which saves two changes of thread. Shims pass it down. */
	bool may_block;
	/* Read only: instead of filling data, the device may point it at memory of its own that
	 * holds the same until done() returns. Saves a copy of what is only passed on. */
	bool may_lend;
	uint64_t offset;
	uint64_t size;
	void *data; /* read: filled; write: source, not changed; aligned to limits.data_alignment
		     * for the fastest path, any alignment works */
	void (*done)(struct device_request *request, int result);
	void *context; /* the submitter's */

	/* For the device that holds the request now; the submitter leaves them alone. */
	struct device_request *next;
	int64_t due_ns;
	void *driver_data;
};

struct device_limits {
	uint64_t size_bytes;
	uint32_t logical_sector_bytes; /* 512 or 4096 */
	uint32_t physical_block_bytes; /* what a filesystem should align to */
	uint32_t max_request_bytes;    /* at least 1 MiB */
	uint32_t data_alignment;
	uint32_t queue_depth; /* requests the device works on at once; more wait */
	bool rotational;
	bool volatile_cache; /* unflushed writes can be lost */
	bool immediate;	     /* done() is always called inside device_submit() */
};

struct device;

struct device_driver {
	const char *name; /* the word in a device spec and in reports: file ram count model ... */
	/* Take a request whose fields device_submit() has checked. Never fails itself: errors
	 * go to done(). */
	void (*submit)(struct device *device, struct device_request *request);
	void (*limits)(const struct device *device, struct device_limits *ret_limits);
	/* Called once with no request under way. Frees device. A shim closes what is below it. */
	void (*close)(struct device *device);
	/* Optional. Turn a time model's clock on (measured phases: load, run) or off. A shim
	 * passes it down. */
	void (*set_clock)(struct device *device, bool running);
	/* Optional. Time that the way between host and device adds to every request (kernel, FUSE):
	 * a time model takes it off its own. A shim passes it down. */
	void (*set_path)(struct device *device, int64_t path_ns);
	/* Optional. Forget what requests so far did to a time model: it begins anew. Nothing is
	 * under way and the clock is off. */
	void (*reset)(struct device *device);
	/* Optional. A JSON object (jansson, new reference) of counters; shims add theirs to those
	 * below under their driver's name. */
	json_t *(*statistics)(struct device *device);
	/* Optional. Forget what was written and not flushed: turns a kill into a power cut. */
	void (*drop_unflushed)(struct device *device);
	/* Optional. Make the store of this device a new one at path with the same contents, sharing
	 * extents where the filesystem can. Nothing may be under way. */
	int (*clone)(struct device *device, const char *path, struct err *err);
};

/* First member of each driver's private struct (CONTAINER_OF). */
struct device {
	const struct device_driver *driver;
	struct device *below; /* what a shim stands on; NULL for a store */
};

/* The only callers of the driver's functions. */
void device_submit(struct device *device, struct device_request *request);
void device_limits(const struct device *device, struct device_limits *ret_limits);
void device_set_clock(struct device *device, bool running);
void device_set_path(struct device *device, int64_t path_ns);
void device_reset(struct device *device);
json_t *device_statistics(struct device *device); /* empty object if none */
void device_drop_unflushed(struct device *device);
int device_clone(struct device *device, const char *path, struct err *err); /* -ENOTSUP */
struct device *device_close(struct device *device); /* takes NULL, returns NULL */

/* Submit one request and wait for it; for set-up and tests. data may be NULL where unused. */
int device_transfer(struct device *device, enum device_operation operation, uint64_t offset,
	uint64_t size, void *data);

#endif
