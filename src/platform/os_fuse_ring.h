/*
 * The kernel's switch for FUSE over io_uring, fuse.enable_uring: off after a boot, and looked at
 * when a connection begins only (Documentation/filesystems/fuse/fuse-io-uring.rst). Root turns it
 * on for as long as one mount takes to begin, and back: other mounts of the machine keep what they
 * had. A note says so meanwhile, by which others mend what one that was killed has left on; a boot
 * takes both away.
 */
#ifndef PLATFORM_OS_FUSE_RING_H
#define PLATFORM_OS_FUSE_RING_H

#include <stdbool.h>

struct os_fuse_ring {
	const char *path, *note;
	int fd; /* -1: there is none, or it is not ours to turn */
	bool turned;
};

#define OS_FUSE_RING_INIT                                               \
	{                                                               \
		.path = "/sys/module/fuse/parameters/enable_uring",     \
		.note = "/run/plumb-turned-fuse-io-uring-on", .fd = -1, \
	}

/* The switch is on now, by us or before. Waits for others who have it. */
bool os_fuse_ring_turn_on(struct os_fuse_ring *ring);
/* As it was. */
void os_fuse_ring_turn_back(struct os_fuse_ring *ring);

/* Turn it off where one who was killed has left it on: true then. Waits for others who have it. */
bool os_fuse_ring_mend(struct os_fuse_ring *ring);

#endif
