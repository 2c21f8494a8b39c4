/*
 * The kernel's switch for FUSE over io_uring, fuse.enable_uring: off after a boot, and looked at
 * when a connection begins only (Documentation/filesystems/fuse/fuse-io-uring.rst). Root turns it
 * on for as long as one mount takes to begin, and back: other mounts of the machine keep what they
 * had.
 */
#ifndef ZFSD_FRONT_RING_SWITCH_H
#define ZFSD_FRONT_RING_SWITCH_H

#include <stdbool.h>

struct ring_switch {
	int fd; /* -1: there is none, or it is not ours to turn */
	bool turned;
};

/* The switch is on now, by us or before. */
bool ring_switch_turn_on(struct ring_switch *ret_switch);
/* As it was. */
void ring_switch_turn_back(struct ring_switch *ring_switch);

#endif
