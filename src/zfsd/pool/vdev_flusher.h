/*
 * Flushes of one device. Several commits wait for a flush at the same time; one flush that starts
 * after all their writes are done serves them all.
 */
#ifndef ZFSD_POOL_VDEV_FLUSHER_H
#define ZFSD_POOL_VDEV_FLUSHER_H

#include "device/device.h"
#include "zfsd/compat/zfs_headers.h"

struct vdev_flusher;

struct vdev_flusher *vdev_flusher_start(struct device *device);
void vdev_flusher_stop(struct vdev_flusher *flusher); /* nothing under way; takes NULL */
/* Flush for zio, a flush; it is completed when it is done. */
void vdev_flusher_submit(struct vdev_flusher *flusher, zio_t *zio);

#endif
