/* Linux: processes and files (see os.h). */
#include "platform/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t os_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int os_die_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	if (getppid() != parent) {
		errno = ESRCH;
		return -ESRCH;
	}
	return 0;
}

void os_close_descriptors_above(int last_kept, int except)
{
	if (except > last_kept + 1)
		syscall(SYS_close_range, last_kept + 1, except - 1, 0);
	syscall(SYS_close_range, except + 1, ~0U, 0);
}

int os_wait_process(pid_t pid, int64_t timeout_ns)
{
	int64_t deadline = os_monotonic_ns() + timeout_ns;
	struct pollfd poll_fd = { .events = POLLIN };
	int r = 0;

	poll_fd.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (poll_fd.fd < 0)
		return -errno;
	for (;;) {
		int64_t left_ns = timeout_ns < 0 ? 60 * NS_PER_S : deadline - os_monotonic_ns();
		/* To the nanosecond: a wait rounded down to milliseconds spins through the rest. */
		struct timespec left = { MAX(left_ns, 0) / NS_PER_S, MAX(left_ns, 0) % NS_PER_S };
		int ready = ppoll(&poll_fd, 1, &left, NULL);

		if (ready > 0)
			break;
		if (ready < 0 && errno != EINTR) {
			r = -errno;
			break;
		}
		if (timeout_ns >= 0 && os_monotonic_ns() >= deadline) {
			r = -ETIMEDOUT;
			break;
		}
	}
	close(poll_fd.fd);
	return r;
}

int os_process_start_ticks(pid_t pid, uint64_t *ret_ticks)
{
	char path[64], text[1024];
	char *field;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return -ESRCH;
	text[got] = '\0';
	/* proc(5): field 2 is (comm), which may hold spaces; starttime is field 22. */
	field = strrchr(text, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (!field)
		return -EINVAL;
	*ret_ticks = strtoull(field + 1, NULL, 10);
	return 0;
}

int os_own_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length < 0)
		return -errno;
	path[length] = '\0';
	return 0;
}

int os_file_size(int fd, uint64_t *ret_bytes)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (S_ISBLK(info.st_mode))
		return ioctl(fd, BLKGETSIZE64, ret_bytes) < 0 ? -errno : 0;
	*ret_bytes = (uint64_t)info.st_size;
	return 0;
}

void os_boot_id(char ret_text[OS_BOOT_ID_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, ret_text, OS_BOOT_ID_SIZE - 1);

	if (fd >= 0)
		close(fd);
	ret_text[MAX(got, 0)] = '\0';
	ret_text[strcspn(ret_text, "\n")] = '\0';
}

bool os_process_works_in(pid_t pid, const char *folder)
{
	struct stat working, wanted;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	return stat(path, &working) == 0 && stat(folder, &wanted) == 0 &&
	       working.st_dev == wanted.st_dev && working.st_ino == wanted.st_ino;
}
