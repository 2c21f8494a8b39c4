/* See ring_switch.h. */
#include "zfsd/front/ring_switch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define SWITCH "/sys/module/fuse/parameters/enable_uring"

static bool is_on(int fd)
{
	char state;

	return pread(fd, &state, 1, 0) == 1 && state == 'Y';
}

static bool set(int fd, char state)
{
	return pwrite(fd, &state, 1, 0) == 1;
}

bool ring_switch_turn_on(struct ring_switch *ret_switch)
{
	int fd = open(SWITCH, O_RDWR | O_CLOEXEC);

	*ret_switch = (struct ring_switch){ .fd = fd };
	if (fd < 0) {
		bool on;

		fd = open(SWITCH, O_RDONLY | O_CLOEXEC);
		on = fd >= 0 && is_on(fd);
		if (fd >= 0)
			close(fd);
		return on;
	}
	/* Two of us at once: the second waits, or the first would turn it off under it. */
	flock(fd, LOCK_EX);
	if (!is_on(fd))
		ret_switch->turned = set(fd, 'Y');
	return is_on(fd);
}

void ring_switch_turn_back(struct ring_switch *ring_switch)
{
	if (ring_switch->fd < 0)
		return;
	if (ring_switch->turned)
		(void)set(ring_switch->fd, 'N');
	close(ring_switch->fd);
	ring_switch->fd = -1;
}
