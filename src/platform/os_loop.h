/* Loop devices: a file shown as a block device, always with direct I/O, so that the page cache of
 * the file does not stand between the filesystem under test and its disk. */
#ifndef PLATFORM_OS_LOOP_H
#define PLATFORM_OS_LOOP_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

#define OS_LOOP_PATH_SIZE 32

struct os_loop {
	uint64_t inode;	 /* of the backing file */
	uint64_t device; /* its filesystem */
	bool direct_io;	 /* as read back */
	bool autoclear;
	char backing[256]; /* path, as the kernel remembers it (may be cut) */
};

/* Attach the backing file (or FUSE file) to a free loop device, direct I/O on, autoclear off.
 * sector_bytes: 512 or 4096. -ENODEV without loop-control; -EINVAL when direct I/O can't be had. */
int os_loop_attach(const char *backing, uint32_t sector_bytes, char ret_path[OS_LOOP_PATH_SIZE],
	struct err *err);
/* The same for an open file; backing is the name that the kernel is to remember. */
int os_loop_attach_file(int file, const char *backing, uint32_t sector_bytes,
	char ret_path[OS_LOOP_PATH_SIZE], struct err *err);
/* What is attached at path ("/dev/loop3"); -ENXIO: nothing. */
int os_loop_read(const char *path, struct os_loop *ret_loop);
/* Detach and wait until the kernel has let go of the file, at most 10 s (-EBUSY: in use). */
int os_loop_detach(const char *path, struct err *err);
/* Have it detached at its last close (unmount), at once if nobody has it open. Does not wait. */
int os_loop_release(const char *path);
/* The loop device that has this backing file; -ENOENT: none. */
int os_loop_find(uint64_t inode, uint64_t device, char ret_path[OS_LOOP_PATH_SIZE]);

#endif
