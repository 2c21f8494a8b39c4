/* Fixed tests of the machine (see canary.h). */
#include "run/canary.h"

#include "base/memory.h"
#include "base/rng.h"
#include "platform/os_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_NS	    NS_PER_S /* each of the four */
#define SPIN_STEPS  2000000
#define COPY_BYTES  (16 << 20)
#define FILE_BYTES  (32 << 20)
#define BLOCK_BYTES 8192

/* One piece of work; 0 or a negative errno. */
typedef int canary_work(void *context, uint64_t number);

struct memory_test {
	char *from, *to;
	uint64_t sum; /* kept, so that the compiler keeps the work */
};

struct file_test {
	int fd;
	char *block;
};

static int spin(void *context, uint64_t number)
{
	struct memory_test *test = context;
	uint64_t value = number;

	for (int i = 0; i < SPIN_STEPS; i++)
		value = rng_mix(value);
	test->sum += value;
	return 0;
}

static int copy(void *context, uint64_t number)
{
	struct memory_test *test = context;

	test->from[number % COPY_BYTES]++;
	memcpy(test->to, test->from, COPY_BYTES);
	test->sum += (unsigned char)test->to[number % COPY_BYTES];
	return 0;
}

/* The same places every time, in an order that no read-ahead guesses. */
static off_t place_of(uint64_t number)
{
	return (off_t)(rng_at(1, 1, number) % (FILE_BYTES / BLOCK_BYTES) * BLOCK_BYTES);
}

static int read_block(void *context, uint64_t number)
{
	struct file_test *test = context;
	ssize_t got = pread(test->fd, test->block, BLOCK_BYTES, place_of(number));

	return got == BLOCK_BYTES ? 0 : got < 0 ? -errno : -EIO;
}

static int write_block(void *context, uint64_t number)
{
	struct file_test *test = context;
	ssize_t put = pwrite(test->fd, test->block, BLOCK_BYTES, place_of(number));

	if (put != BLOCK_BYTES)
		return put < 0 ? -errno : -EIO;
	return fdatasync(test->fd) < 0 ? -errno : 0;
}

/* Repeat work for TEST_NS, at least once; its mean time. */
static int measure(struct clock *clock, canary_work *work, void *context, double *ret_ns)
{
	int64_t began_ns = clock->now_ns(clock), now_ns = began_ns;
	uint64_t count = 0;

	while (count == 0 || now_ns - began_ns < TEST_NS) {
		int r = work(context, count++);

		if (r < 0)
			return r;
		now_ns = clock->now_ns(clock);
	}
	*ret_ns = (double)(now_ns - began_ns) / (double)count;
	return 0;
}

static void add(struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, phase, "canary", value, SAMPLE_WHOLE });
}

static void test_memory(struct trial_record *record, const char *phase, struct clock *clock)
{
	struct memory_test test = { memory_new(COPY_BYTES), memory_new(COPY_BYTES), 0 };
	double ns;

	if (measure(clock, spin, &test, &ns) == 0)
		add(record, phase, "canary_spin_ns", ns);
	if (measure(clock, copy, &test, &ns) == 0)
		add(record, phase, "canary_copy_ns", ns);
	/* Used, or the work would be none. */
	if (test.sum == 0)
		trial_record_note(record, NOTE_INFO, "canary", "the sum of the canary is 0");
	free(test.from);
	free(test.to);
}

/* Every block written once: a hole would be read and first written in no time that means anything.
 */
static int fill(struct file_test *test)
{
	for (off_t at = 0; at < FILE_BYTES; at += BLOCK_BYTES)
		if (pwrite(test->fd, test->block, BLOCK_BYTES, at) != BLOCK_BYTES)
			return errno ? -errno : -EIO;
	return fdatasync(test->fd) < 0 ? -errno : 0;
}

static int test_file(
	struct trial_record *record, const char *phase, const char *path, struct clock *clock)
{
	struct file_test test = { .fd = -1 };
	void *block = NULL;
	bool direct = false;
	double ns;
	int r = os_file_open_direct(path, true, &test.fd, &direct);

	if (r < 0)
		return r;
	if (!direct) {
		trial_record_note(record, NOTE_INFO, "canary",
			"no file tests: the scratch folder's filesystem has no direct I/O");
		close(test.fd);
		return 0;
	}
	r = -posix_memalign(&block, 4096, BLOCK_BYTES);
	if (r == 0) {
		test.block = memset(block, 0x5a, BLOCK_BYTES);
		r = fill(&test);
	}
	if (r == 0)
		r = measure(clock, read_block, &test, &ns);
	if (r == 0) {
		add(record, phase, "canary_read_ns", ns);
		r = measure(clock, write_block, &test, &ns);
	}
	if (r == 0)
		add(record, phase, "canary_write_ns", ns);
	free(block);
	close(test.fd);
	return r;
}

int canary_run(struct trial_record *record, const char *phase, const char *folder,
	struct clock *clock, struct err *err)
{
	char *path = memory_format("%s/canary", folder);
	int r;

	test_memory(record, phase, clock);
	r = test_file(record, phase, path, clock);
	(void)unlink(path); /* goes with the folder at the latest */
	if (r < 0)
		err_set_errno(err, r, "canary in '%s'", folder);
	free(path);
	return r;
}
