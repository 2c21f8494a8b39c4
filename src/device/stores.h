/* The devices that hold data themselves: a file, memory. Shims (shims.h) stack on them. */
#ifndef DEVICE_STORES_H
#define DEVICE_STORES_H

#include "device/device.h"
#include <stdbool.h>

#define STORE_MAX_REQUEST_BYTES (1U << 20)

struct store_options {
	uint64_t size_bytes;	       /* file: 0 takes the file's own size */
	uint32_t logical_sector_bytes; /* 512 or 4096; 0: 512 */
	uint32_t physical_block_bytes; /* 0: the logical sector */
	uint32_t queue_depth;	       /* file: most transfers under way at once; 0: 32 */
	bool raw;		       /* file: a block device is taken, its contents given up */
};

/*
 * A sparse regular file, opened past the page cache. Made if missing (then size_bytes must be
 * given), grown to size_bytes if shorter, never cut (-EINVAL). Taken for this device alone: a
 * second one on the same file is refused with -EBUSY. Space may run out in use: -ENOSPC. A block
 * device is opened by raw_device_open().
 */
int file_store_open(const char *path, const struct store_options *options,
	struct device **ret_device, struct err *err);

/*
 * The one door to real disks: open a block device for writing, for this open file alone (-EBUSY
 * while it is mounted or otherwise in use). Fills in size and sectors of options, or holds what is
 * given there against the device's own. -EPERM unless options->raw.
 */
int raw_device_open(const char *path, struct store_options *options, int *ret_fd, struct err *err);

/* Memory, allocated as it is written. Contents end with it. */
int ram_store_open(
	const struct store_options *options, struct device **ret_device, struct err *err);

/* Fill in the defaults of options and check them: used by both. */
int store_options_check(struct store_options *options, struct err *err);

#endif
