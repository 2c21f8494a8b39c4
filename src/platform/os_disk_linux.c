/* Linux: uncached files, locks, holes (see os_disk.h). */
#include "platform/os_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define USUAL_ALIGNMENT_BYTES 512

/* linux/fs.h has it, but cannot be included beside sys/mount.h. */
#ifndef FICLONE
#define FICLONE _IOW(0x94, 9, int)
#endif
#ifndef BLKPBSZGET
#define BLKPBSZGET _IO(0x12, 123)
#endif

int os_file_open_direct(const char *path, bool create, int *ret_fd, bool *ret_direct)
{
	int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0);
	int fd = open(path, flags | O_DIRECT, 0600);
	bool direct = fd >= 0;

	if (fd < 0 && errno == EINVAL)
		fd = open(path, flags, 0600);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	*ret_direct = direct;
	return 0;
}

void os_file_direct_alignment(int fd, uint32_t *ret_offset_bytes, uint32_t *ret_memory_bytes)
{
	*ret_offset_bytes = USUAL_ALIGNMENT_BYTES;
	*ret_memory_bytes = USUAL_ALIGNMENT_BYTES;
#ifdef STATX_DIOALIGN
	struct statx info;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 &&
		(info.stx_mask & STATX_DIOALIGN) && info.stx_dio_offset_align > 0) {
		*ret_offset_bytes = info.stx_dio_offset_align;
		*ret_memory_bytes = info.stx_dio_mem_align;
	}
#else
	(void)fd;
#endif
}

int os_file_lock_whole(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

static int change_range(int fd, int mode, uint64_t offset, uint64_t size)
{
	while (fallocate(fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int os_file_punch(int fd, uint64_t offset, uint64_t size)
{
	return change_range(fd, FALLOC_FL_PUNCH_HOLE, offset, size);
}

int os_file_zero(int fd, uint64_t offset, uint64_t size)
{
	return change_range(fd, FALLOC_FL_ZERO_RANGE, offset, size);
}

ssize_t os_file_write_durable(int fd, const void *data, size_t size, uint64_t offset)
{
	struct iovec vector = { (void *)data, size };
	ssize_t written = pwritev2(fd, &vector, 1, (off_t)offset, RWF_DSYNC);

	return written < 0 ? -errno : written;
}

/* Copy [offset, end). */
static int copy_range(int from, int to, off_t offset, off_t end)
{
	while (offset < end) {
		off_t to_offset = offset;
		ssize_t copied =
			copy_file_range(from, &offset, to, &to_offset, (size_t)(end - offset), 0);

		if (copied < 0 && errno == EINTR)
			continue;
		if (copied <= 0)
			return copied < 0 ? -errno : -EIO;
	}
	return 0;
}

int os_file_clone(int from, int to)
{
	struct stat info;
	off_t data = 0, hole;
	int r = 0;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (fstat(from, &info) < 0 || ftruncate(to, info.st_size) < 0)
		return -errno;
	while (r == 0 && (data = lseek(from, data, SEEK_DATA)) >= 0) {
		hole = lseek(from, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		r = copy_range(from, to, data, hole);
		data = hole;
	}
	return r < 0 || errno == ENXIO ? r : -errno;
}

void os_precise_sleep(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL); /* 50 us else */
}

int os_keep_processors_awake(void)
{
	int32_t most_us = 0;
	int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	if (write(fd, &most_us, sizeof(most_us)) == (ssize_t)sizeof(most_us))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int os_lock_memory(void)
{
	/* What is there now, whole; the rest as it comes: a device in memory is sparse. */
	if (mlockall(MCL_CURRENT) < 0 || mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) < 0)
		return -errno;
	return 0;
}

int os_become_io_flusher(void)
{
#ifdef PR_SET_IO_FLUSHER
	return prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) < 0 ? -errno : 0;
#else
	return -ENOTSUP;
#endif
}

int os_become_urgent(void)
{
	struct sched_param lowest = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_RR, &lowest) < 0 ? -errno : 0;
}

static int mount_detached(int fuse_fd, int *ret_mount_fd)
{
	int context = fsopen("fuse", FSOPEN_CLOEXEC);
	char fd_text[16];
	int mount_fd = -1;

	snprintf(fd_text, sizeof(fd_text), "%d", fuse_fd);
	if (context >= 0 &&
		fsconfig(context, FSCONFIG_SET_STRING, "source", "plumb-diskd", 0) == 0 &&
		fsconfig(context, FSCONFIG_SET_STRING, "fd", fd_text, 0) == 0 &&
		fsconfig(context, FSCONFIG_SET_STRING, "rootmode", "40000", 0) == 0 &&
		fsconfig(context, FSCONFIG_SET_STRING, "user_id", "0", 0) == 0 &&
		fsconfig(context, FSCONFIG_SET_STRING, "group_id", "0", 0) == 0 &&
		fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount_fd = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (mount_fd < 0) {
		int code = -errno;

		if (context >= 0)
			close(context);
		return code;
	}
	close(context);
	*ret_mount_fd = mount_fd;
	return 0;
}

int os_fuse_mount(int *ret_fuse_fd, int *ret_mount_fd, struct err *err)
{
	int fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	int r;

	if (fuse_fd < 0)
		return err_set_errno(err, -errno, "cannot open /dev/fuse");
	r = mount_detached(fuse_fd, ret_mount_fd);
	if (r < 0) {
		close(fuse_fd);
		return err_set_errno(err, r, "cannot mount FUSE");
	}
	*ret_fuse_fd = fuse_fd;
	return 0;
}

int os_block_set_rotational(const char *path, bool rotational)
{
	const char *name = strrchr(path, '/');
	char sysfs[80];
	int fd, r;

	snprintf(sysfs, sizeof(sysfs), "/sys/block/%s/queue/rotational", name ? name + 1 : path);
	fd = open(sysfs, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, rotational ? "1" : "0", 1) < 0 ? -errno : 0;
	close(fd);
	return r;
}

size_t os_block_statistics(const char *name, uint64_t fields[OS_BLOCK_FIELDS])
{
	char sysfs[80];
	size_t count = 0;
	FILE *file;

	memset(fields, 0, OS_BLOCK_FIELDS * sizeof(*fields));
	snprintf(sysfs, sizeof(sysfs), "/sys/block/%s/stat", name);
	file = fopen(sysfs, "re");
	if (!file)
		return 0;
	while (count < OS_BLOCK_FIELDS && fscanf(file, "%" SCNu64, &fields[count]) == 1)
		count++;
	fclose(file);
	return count;
}

int os_block_open(const char *path, int *ret_fd, struct os_block_limits *ret_limits)
{
	int fd = open(path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	unsigned physical_bytes = 0;
	int logical_bytes = 0;
	uint64_t size_bytes;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, BLKGETSIZE64, &size_bytes) < 0 || ioctl(fd, BLKSSZGET, &logical_bytes) < 0 ||
		ioctl(fd, BLKPBSZGET, &physical_bytes) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	*ret_limits = (struct os_block_limits){ .size_bytes = size_bytes,
		.logical_sector_bytes = (uint32_t)logical_bytes,
		.physical_block_bytes = physical_bytes };
	*ret_fd = fd;
	return 0;
}

bool os_block_is_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return errno == EBUSY;
	close(fd);
	return false;
}
