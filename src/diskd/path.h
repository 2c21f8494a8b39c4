/*
 * The way between the host's system call and the device: loop device, FUSE, threads that wake up.
 * Without it the times of a model would be that much too long for the host, so it is measured and
 * taken off (device_set_path).
 *
 * It is no constant: a processor that sleeps takes longer to wake up, and more requests at once
 * wait for each other on the way. So it is followed while the disk works. What the host sees is in
 * the kernel's statistics of the loop device (Documentation/block/stat.rst: time that reads and
 * writes waited, summed to the nanosecond and shown in milliseconds), what was spent inside is
 * counted here.
 */
#ifndef DISKD_PATH_H
#define DISKD_PATH_H

#include "device/device.h"
#include "diskd/disk_fuse.h"
#include "platform/os_loop.h"

struct path_follower {
	struct device *device;
	struct disk_fuse *fuse;
	char name[OS_LOOP_PATH_SIZE]; /* of the loop device */
	int64_t least_ns;	      /* as fast as it goes, one request at a time */
	int64_t path_ns;	      /* what is taken off now */
	int64_t beside_ns;   /* what a lone caller spends outside of the statistics: the system call
			      */
	uint64_t seen_count; /* requests until the last look */
	uint64_t last_count, last_host_count;
	int64_t last_inside_ns, last_host_ns, last_now_ns;
	bool begun;
};

#define PATH_FOLLOW_MS 100 /* how often path_follow() is to be called while the clock is on */

/* Measure with small reads of the loop device, give the device what they say, leave its clock off
 * and its model as new. A device too small for one read, or that can't be read, has a path of 0. */
void path_measure(struct path_follower *path, struct device *device, struct disk_fuse *fuse,
	const char *loop_path);
/* Look how long the way was since the last call and give the device what it learns. False: nothing
 * was asked of the disk since then. */
bool path_follow(struct path_follower *path);

#endif
