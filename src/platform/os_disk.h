/*
 * What a disk of ours needs from the system and POSIX does not have: uncached files, a lock that
 * belongs to one open file, holes. Apart from os.h because only device/ and diskd/ use it.
 * Functions return 0 or a negative errno.
 */
#ifndef PLATFORM_OS_DISK_H
#define PLATFORM_OS_DISK_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open a file that bypasses the page cache; makes it if create. Where the file system can't do
 * that the file is opened as usual and *ret_direct is false. *ret_fd is the caller's. */
int os_file_open_direct(const char *path, bool create, int *ret_fd, bool *ret_direct);

/* What offsets, sizes and addresses of uncached transfers must be multiples of. */
void os_file_direct_alignment(int fd, uint32_t *ret_offset_bytes, uint32_t *ret_memory_bytes);

/* Take the whole file for this open file alone, until it is closed. -EBUSY when another open
 * file, of this process too, has it. */
int os_file_lock_whole(int fd);

/* Make a range read as zeros: by giving its space back, or by keeping it. -EOPNOTSUPP. */
int os_file_punch(int fd, uint64_t offset, uint64_t size);
int os_file_zero(int fd, uint64_t offset, uint64_t size);

/* pwrite whose data is on the medium when it returns. Bytes written or a negative errno. */
ssize_t os_file_write_durable(int fd, const void *data, size_t size, uint64_t offset);

/* Make the empty file to hold what from holds: by sharing extents where the file system can, else
 * by copying what is not a hole. */
int os_file_clone(int from, int to);

/* Lock the memory of this process, so that serving a disk never waits for that disk. What later
 * mappings hold is locked as it is touched. */
int os_lock_memory(void);

/* Tell the kernel that this process and its later threads write for others: no allocation of
 * theirs waits for I/O. -EPERM without CAP_SYS_RESOURCE. */
int os_become_io_flusher(void);

/* Run this process and its later threads before all ordinary ones, as the interrupts of a real
 * disk do. -EPERM without the right to. */
int os_become_urgent(void);

/* A FUSE mount that is attached to no folder: requests come on *ret_fuse_fd, the root folder is
 * *ret_mount_fd, the mount ends when both are closed. Both are the caller's. */
int os_fuse_mount(int *ret_fuse_fd, int *ret_mount_fd, struct err *err);

/* Tell the block device whether it has moving parts, for those who ask. */
int os_block_set_rotational(const char *path, bool rotational);

/*
 * The kernel's statistics of a block device ("loop3"), as they stand in /sys/block/NAME/stat
 * (Documentation/block/stat.rst: reads, merged, sectors of 512 bytes, ms; the same for writes; in
 * flight, busy ms, queue ms; the same as reads for discards; flushes, ms). Returns how many the
 * kernel gave, the rest is 0; 0: there are none. Nothing is opened but the file, so it may be
 * called often.
 */
enum os_block_field {
	OS_BLOCK_READS,
	OS_BLOCK_READ_SECTORS = 2,
	OS_BLOCK_READ_MS,
	OS_BLOCK_WRITES,
	OS_BLOCK_WRITE_SECTORS = 6,
	OS_BLOCK_WRITE_MS,
	OS_BLOCK_BUSY_MS = 9,
	OS_BLOCK_DISCARD_SECTORS = 13,
	OS_BLOCK_FLUSHES = 15,
	OS_BLOCK_FIELDS = 17,
};
size_t os_block_statistics(const char *name, uint64_t fields[OS_BLOCK_FIELDS]);

/*
 * Open a block device past the page cache for this open file alone: -EBUSY while it is mounted,
 * part of another device, or held by somebody. *ret_fd is the caller's.
 */
struct os_block_limits {
	uint64_t size_bytes;
	uint32_t logical_sector_bytes;
	uint32_t physical_block_bytes;
};
int os_block_open(const char *path, int *ret_fd, struct os_block_limits *ret_limits);

/* Is the block device mounted, or held by somebody else alone? */
bool os_block_is_held(const char *path);

/* Have this thread's sleeps end as exactly as the system can. */
void os_precise_sleep(void);

/* Keep idle processors awake until the descriptor is closed: one that sleeps takes up to 50 us to
 * wake up in a virtual machine (Documentation/power/pm_qos_interface.rst, cpu_dma_latency 0). A
 * negative errno: not to be had, mostly for want of root. */
int os_keep_processors_awake(void);

#endif
