/* A device as one file of a FUSE mount that is attached nowhere. */
#ifndef DISKD_DISK_FUSE_H
#define DISKD_DISK_FUSE_H

#include "base/err.h"
#include "device/device.h"

struct disk_fuse;

/* Mount and start threads that take requests. device is lent and must outlive it. */
int disk_fuse_start(struct device *device, const char *file_name, int threads,
	struct disk_fuse **ret_fuse, struct err *err);

/* Open the file for the loop device. The descriptor is the caller's. */
int disk_fuse_open_file(struct disk_fuse *fuse, int *ret_fd, struct err *err);

/* Reads and writes done so far and the time they spent inside the device, for the measure of the
 * path. */
void disk_fuse_times(struct disk_fuse *fuse, uint64_t *ret_count, int64_t *ret_inside_ns);

/* Unmount and end the threads. Nobody may have the file open. Takes NULL. */
void disk_fuse_stop(struct disk_fuse *fuse);

#endif
