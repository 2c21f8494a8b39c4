/* Measuring and following the way to the device (see path.h). */
#include "diskd/path.h"

#include "base/clock.h"
#include "base/macros.h"
#include "platform/os.h"
#include "platform/os_disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READS	       400 /* the kernel shows their sum to a millisecond */
#define READS_LEAST    15
#define READS_MOST_NS  (300 * NS_PER_MS)
#define ROUNDS	       9 /* a thread kept from running once costs one of them, not their median */
#define ROUNDS_MOST_NS (900 * NS_PER_MS)
#define READ_BYTES     4096
#define FOLLOW_LEAST   200  /* requests: the kernel shows whole milliseconds of their sum */
#define FOLLOW_STEP    4    /* what was measured moves the path by this part */
#define COUNT_SLACK    0.02 /* requests that the kernel split or merged on the way */
#define BESIDE_MORE_NS                                                                 \
	4400 /* with each request more under way: callers wait for each other on their \
	       way out of the kernel, by 4.2 to 4.5 us with fio on a 2-core machine */
#define PATH_MOST_NS (500 * NS_PER_US)

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Reads and writes that ended, and the time that the kernel saw them wait. False: not to be had. */
static bool read_host(const struct path_follower *path, uint64_t *ret_count, int64_t *ret_ns)
{
	uint64_t fields[OS_BLOCK_FIELDS];

	if (os_block_statistics(path->name, fields) <= OS_BLOCK_WRITE_MS)
		return false;
	*ret_count = fields[OS_BLOCK_READS] + fields[OS_BLOCK_WRITES];
	*ret_ns = (int64_t)(fields[OS_BLOCK_READ_MS] + fields[OS_BLOCK_WRITE_MS]) * NS_PER_MS;
	return true;
}

/* Read once; time that was not spent inside the device. */
static int64_t read_once(const struct path_follower *path, int fd, void *data, uint64_t place)
{
	uint64_t before, after;
	int64_t inside_before, inside_after, start_ns = os_monotonic_ns();

	disk_fuse_times(path->fuse, &before, &inside_before);
	if (pread(fd, data, READ_BYTES, (off_t)(place * READ_BYTES)) < 0)
		return 0;
	disk_fuse_times(path->fuse, &after, &inside_after);
	return os_monotonic_ns() - start_ns - (inside_after - inside_before);
}

static int64_t median(int64_t *times, size_t count)
{
	qsort(times, count, sizeof(times[0]), compare_times);
	return times[count / 2];
}

/* Median of up to READS reads, as many as there is time for; *ret_beside_ns: what the kernel's
 * statistics do not hold of their mean, less than nothing where there are no statistics. */
static int64_t read_some(struct path_follower *path, int fd, void *data, int64_t *ret_beside_ns)
{
	struct device_limits limits;
	int64_t times_ns[READS], began_ns = os_monotonic_ns(), host_ns, host_after_ns;
	uint64_t count = 0, unused;
	bool host = read_host(path, &unused, &host_ns);

	device_limits(path->device, &limits);
	while (count < READS &&
		(count < READS_LEAST || os_monotonic_ns() < began_ns + READS_MOST_NS)) {
		times_ns[count] =
			read_once(path, fd, data, count * 7919 % (limits.size_bytes / READ_BYTES));
		count++;
	}
	*ret_beside_ns = -1;
	if (host && read_host(path, &unused, &host_after_ns))
		*ret_beside_ns = MAX(
			(os_monotonic_ns() - began_ns - (host_after_ns - host_ns)) / (int64_t)count,
			0);
	return MAX(median(times_ns, count), 0);
}

static size_t read_rounds(struct path_follower *path, int fd, void *data, int64_t paths_ns[ROUNDS],
	int64_t besides_ns[ROUNDS])
{
	int64_t deadline_ns = os_monotonic_ns() + ROUNDS_MOST_NS;
	size_t count = 0;

	do {
		paths_ns[count] = read_some(path, fd, data, &besides_ns[count]);
		count++;
	} while (count < ROUNDS && os_monotonic_ns() < deadline_ns);
	return count;
}

/* First as fast as it goes, then with the model's times, because a processor that has slept while
 * the device worked takes longer to wake up. */
void path_measure(struct path_follower *path, struct device *device, struct disk_fuse *fuse,
	const char *loop_path)
{
	const char *name = strrchr(loop_path, '/');
	struct device_limits limits;
	void *data;
	int fd = open(loop_path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	*path = (struct path_follower){ .device = device, .fuse = fuse };
	snprintf(path->name, sizeof(path->name), "%s", name ? name + 1 : loop_path);
	device_limits(device, &limits);
	if (fd >= 0 && limits.size_bytes >= READ_BYTES &&
		posix_memalign(&data, READ_BYTES, READ_BYTES) == 0) {
		int64_t paths_ns[ROUNDS], besides_ns[ROUNDS];
		size_t count = read_rounds(path, fd, data, paths_ns, besides_ns);

		(void)median(paths_ns, count); /* sorts: the least is first */
		path->least_ns = paths_ns[0];
		device_set_path(device, path->least_ns);
		device_set_clock(device, true);
		count = read_rounds(path, fd, data, paths_ns, besides_ns);
		path->path_ns = median(paths_ns, count);
		path->beside_ns = MAX(median(besides_ns, count), 0);
		device_set_path(device, path->path_ns);
		device_set_clock(device, false);
		device_reset(device);
		free(data);
	}
	if (fd >= 0)
		close(fd);
}

static void learn(struct path_follower *path, uint64_t count, int64_t inside_ns)
{
	uint64_t host_count, requests, host_requests;
	int64_t now_ns = os_monotonic_ns(), host_ns, measured_ns, wall_ns;
	double depth;

	if (!read_host(path, &host_count, &host_ns))
		return;
	requests = count - path->last_count;
	host_requests = host_count - path->last_host_count;
	if (path->begun && requests < FOLLOW_LEAST)
		return;
	wall_ns = MAX(now_ns - path->last_now_ns, 1);
	depth = MAX((double)(host_ns - path->last_host_ns) / (double)wall_ns, 1.0);
	measured_ns = (host_ns - path->last_host_ns) - (inside_ns - path->last_inside_ns);
	path->last_now_ns = now_ns;
	path->last_count = count;
	path->last_host_count = host_count;
	path->last_inside_ns = inside_ns;
	path->last_host_ns = host_ns;
	if (!path->begun || (double)(MAX(requests, host_requests) - MIN(requests, host_requests)) >
				    COUNT_SLACK * (double)requests) {
		path->begun = true;
		return;
	}
	measured_ns = measured_ns / (int64_t)requests + path->beside_ns +
		      (int64_t)((depth - 1) * BESIDE_MORE_NS);
	measured_ns = MIN(MAX(measured_ns, 0), PATH_MOST_NS);
	path->path_ns += (measured_ns - path->path_ns) / FOLLOW_STEP;
	device_set_path(path->device, path->path_ns);
}

bool path_follow(struct path_follower *path)
{
	uint64_t count;
	int64_t inside_ns;
	bool busy;

	disk_fuse_times(path->fuse, &count, &inside_ns);
	busy = count != path->seen_count;
	path->seen_count = count;
	learn(path, count, inside_ns);
	return busy;
}
