/* os_files.h on Linux. */
#include "platform/os_files.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

int os_open_unnoticed(const char *path, int more_flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOATIME | more_flags);

	if (fd < 0 && errno == EPERM)
		fd = open(path, O_RDONLY | O_CLOEXEC | more_flags);
	return fd < 0 ? -errno : fd;
}

int os_file_is_nocow(int fd, bool *ret_nocow)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return -errno;
	*ret_nocow = (flags & FS_NOCOW_FL) != 0;
	return 0;
}

int os_file_extents(int fd, uint64_t *ret_extents)
{
	struct fiemap map = { .fm_start = 0, .fm_length = FIEMAP_MAX_OFFSET };

	/* With no room for extents the kernel only counts them. */
	if (ioctl(fd, FS_IOC_FIEMAP, &map) != 0)
		return -errno;
	*ret_extents = map.fm_mapped_extents;
	return 0;
}

bool os_path_is_btrfs(const char *path)
{
	struct statfs info;

	return statfs(path, &info) == 0 && info.f_type == BTRFS_SUPER_MAGIC;
}
