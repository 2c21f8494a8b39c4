/* See os_fuse_ring.h. */
#include "platform/os_fuse_ring.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static bool is_on(int fd)
{
	char state;

	return pread(fd, &state, 1, 0) == 1 && state == 'Y';
}

static bool set(int fd, char state)
{
	return pwrite(fd, &state, 1, 0) == 1;
}

/* Two of us at once: the second waits, or the first would turn it off under it. The lock goes with
 * the descriptor, so a note that is there while we have it is that of a dead one. */
static int open_locked(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

static bool write_note(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_on_for_others(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool on = fd >= 0 && is_on(fd);

	if (fd >= 0)
		close(fd);
	return on;
}

bool os_fuse_ring_turn_on(struct os_fuse_ring *ring)
{
	ring->turned = false;
	ring->fd = open_locked(ring->path);
	if (ring->fd < 0)
		return is_on_for_others(ring->path);
	/* First the note: killed between the two, we have left a note too many. */
	if (access(ring->note, F_OK) == 0 || !is_on(ring->fd))
		ring->turned = write_note(ring->note);
	if (ring->turned && !is_on(ring->fd))
		(void)set(ring->fd, 'Y');
	return is_on(ring->fd);
}

static void turn_off(const struct os_fuse_ring *ring)
{
	if (set(ring->fd, 'N'))
		(void)unlink(ring->note);
}

void os_fuse_ring_turn_back(struct os_fuse_ring *ring)
{
	if (ring->fd < 0)
		return;
	if (ring->turned)
		turn_off(ring);
	close(ring->fd);
	ring->fd = -1;
}

bool os_fuse_ring_mend(struct os_fuse_ring *ring)
{
	bool left_on = false;

	if (access(ring->note, F_OK) < 0)
		return false;
	ring->fd = open_locked(ring->path);
	if (ring->fd < 0)
		return false;
	if (access(ring->note, F_OK) == 0) {
		left_on = is_on(ring->fd);
		turn_off(ring);
	}
	close(ring->fd);
	ring->fd = -1;
	return left_on;
}
