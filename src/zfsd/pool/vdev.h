/*
 * Devices under vdevs. A vdev knows only a path, so each open device is registered here under the
 * path that its vdev will carry, before the library opens it. Keeping the device here, not in the
 * vdev, lets the library close and reopen at will without losing the lock or a volatile cache.
 */
#ifndef ZFSD_POOL_VDEV_H
#define ZFSD_POOL_VDEV_H

#include "base/err.h"
#include "device/device.h"

#define VDEV_PATH_SIZE 4096

struct vdev_device;

/* Block devices that may be written to: those named, or any. */
struct vdev_raw {
	const char *const *paths;
	size_t count;
	bool any;
};

/* Open spec and register it for pool. Takes an exclusive lock on the file or block device: -EBUSY.
 * -EPERM for a block device that raw does not allow. */
int vdev_device_open(const char *spec, const char *pool, const struct vdev_raw *raw,
	struct vdev_device **ret_device, struct err *err);
const char *vdev_device_path(const struct vdev_device *device); /* lent */
const char *vdev_device_spec(const struct vdev_device *device); /* lent */
struct device *vdev_device_device(const struct vdev_device *device);
/* Close and forget all devices of a pool that is no longer open. */
void vdev_device_close_pool(const char *pool);
/* Devices registered under one pool's name now belong to another name (import finds it late). */
void vdev_device_rename_pool(const char *from, const char *to);
void vdev_device_each(
	const char *pool, void (*visit)(void *context, struct vdev_device *device), void *context);

/* Bytes and requests written to vdevs, by what they are. */
struct vdev_writes {
	uint64_t log_ops, log_bytes;
	uint64_t data_ops, data_bytes;
	uint64_t metadata_ops, metadata_bytes;
	uint64_t label_ops, label_bytes;
	uint64_t read_ops, read_bytes;
	uint64_t flush_ops;
};
void vdev_device_writes(const struct vdev_device *device, struct vdev_writes *add_to);

#endif
