/* Linux: loop devices through LO_CONFIGURE of loop(4) (5.8 and later; see os_loop.h). */
#include "platform/os_loop.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ATTACH_TRIES   64 /* another program may take the free device before we do */
#define DETACH_WAIT_NS (10 * NS_PER_S)

static int configure(int loop, int file, const char *backing, uint32_t sector_bytes)
{
	struct loop_config config = {
		.fd = (uint32_t)file,
		.block_size = sector_bytes,
		.info = { .lo_flags = LO_FLAGS_DIRECT_IO },
	};
	size_t length = MIN(strlen(backing), sizeof(config.info.lo_file_name) - 1);

	memcpy(config.info.lo_file_name, backing, length);
	return ioctl(loop, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
}

/* One try: a free device, attached. -EBUSY: somebody else was faster. */
static int try_attach(int control, int file, const char *backing, uint32_t sector_bytes,
	char ret_path[OS_LOOP_PATH_SIZE])
{
	char path[OS_LOOP_PATH_SIZE];
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	int loop, r;

	if (number < 0)
		return -errno;
	snprintf(path, sizeof(path), "/dev/loop%d", number);
	loop = open(path, O_RDWR | O_CLOEXEC);
	if (loop < 0 && errno == ENOENT) {
		/* No udev: the kernel knows the device, its node is ours to make. */
		if (mknod(path, S_IFBLK | 0660, makedev(7, number)) < 0 && errno != EEXIST)
			return -errno;
		loop = open(path, O_RDWR | O_CLOEXEC);
	}
	if (loop < 0)
		return -errno;
	r = configure(loop, file, backing, sector_bytes);
	close(loop);
	if (r == 0)
		memcpy(ret_path, path, sizeof(path));
	return r;
}

/* The kernel takes direct I/O back silently where the file can't do it: that is an error here. */
static int check_direct(const char *path, const char *backing, struct err *err)
{
	struct os_loop loop;
	int r = os_loop_read(path, &loop);

	if (r == 0 && loop.direct_io)
		return 0;
	if (r == 0)
		r = -EINVAL;
	os_loop_detach(path, err);
	return err_set(err, r, "'%s' cannot be a loop device with direct I/O", backing);
}

int os_loop_attach_file(int file, const char *backing, uint32_t sector_bytes,
	char ret_path[OS_LOOP_PATH_SIZE], struct err *err)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int r = -EBUSY;

	if (control < 0)
		return err_set_errno(err, -errno, "cannot open /dev/loop-control");
	for (int i = 0; i < ATTACH_TRIES && r == -EBUSY; i++)
		r = try_attach(control, file, backing, sector_bytes, ret_path);
	close(control);
	if (r < 0)
		return err_set_errno(err, r, "cannot attach '%s' to a loop device", backing);
	return check_direct(ret_path, backing, err);
}

int os_loop_attach(const char *backing, uint32_t sector_bytes, char ret_path[OS_LOOP_PATH_SIZE],
	struct err *err)
{
	int file = open(backing, O_RDWR | O_DIRECT | O_CLOEXEC);
	int r;

	if (file < 0)
		return err_set_errno(err, -errno, "cannot open '%s' for direct I/O", backing);
	r = os_loop_attach_file(file, backing, sector_bytes, ret_path, err);
	close(file);
	return r;
}

int os_loop_read(const char *path, struct os_loop *ret_loop)
{
	struct loop_info64 info;
	int loop = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (loop < 0)
		return -errno;
	if (ioctl(loop, LOOP_GET_STATUS64, &info) < 0)
		r = -errno;
	close(loop);
	if (r < 0)
		return r;
	ret_loop->inode = info.lo_inode;
	ret_loop->device = info.lo_device;
	ret_loop->direct_io = info.lo_flags & LO_FLAGS_DIRECT_IO;
	ret_loop->autoclear = info.lo_flags & LO_FLAGS_AUTOCLEAR;
	snprintf(ret_loop->backing, sizeof(ret_loop->backing), "%.*s", LO_NAME_SIZE,
		(const char *)info.lo_file_name);
	return 0;
}

int os_loop_detach(const char *path, struct err *err)
{
	int64_t deadline = clock_system()->now_ns(clock_system()) + DETACH_WAIT_NS;
	struct os_loop state;
	int loop = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (loop < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", path);
	if (ioctl(loop, LOOP_CLR_FD) < 0 && errno != ENXIO)
		r = -errno;
	close(loop);
	/* In use by somebody (udev looks at devices that change): the kernel lets go at the last
	 * close. */
	while (r == 0 && os_loop_read(path, &state) == 0) {
		int64_t now = clock_system()->now_ns(clock_system());

		if (now >= deadline)
			r = -EBUSY;
		else
			clock_system()->sleep_until(clock_system(), now + 10 * NS_PER_MS);
	}
	return r < 0 ? err_set_errno(err, r, "cannot detach '%s'", path) : 0;
}

int os_loop_release(const char *path)
{
	int loop = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (loop < 0)
		return -errno;
	if (ioctl(loop, LOOP_CLR_FD) < 0 && errno != ENXIO)
		r = -errno;
	close(loop);
	return r;
}

int os_loop_find(uint64_t inode, uint64_t device, char ret_path[OS_LOOP_PATH_SIZE])
{
	DIR *folder = opendir("/sys/block");
	struct dirent *entry;
	int r = -ENOENT;

	if (!folder)
		return -errno;
	while (r == -ENOENT && (entry = readdir(folder))) {
		char path[OS_LOOP_PATH_SIZE];
		struct os_loop loop;

		if (strncmp(entry->d_name, "loop", 4) != 0)
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (os_loop_read(path, &loop) == 0 && loop.inode == inode &&
			loop.device == device) {
			memcpy(ret_path, path, sizeof(path));
			r = 0;
		}
	}
	closedir(folder);
	return r;
}
