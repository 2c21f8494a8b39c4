/*
 * The self-test: two lives of the library in child processes, the first of which is killed, with
 * the POSIX layer called directly, so that it needs neither root nor FUSE.
 */
#include "zfsd/self_test.h"
#include "zfsd/daemon.h"
#include "zfsd/layout/layout_probe.h"
#include "zfsd/posix/filesystem.h"
#include "zfsd/zfsd_protocol.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/subprocess.h"
#include "platform/os_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISK_BYTES   (256LL << 20)
#define POOL_NAME    "selftest"
#define PAGE_COUNT   64
#define PAGE_BYTES   8192
#define ZDB_LIMIT_NS (300 * NS_PER_S)

struct self_test {
	const char *folder;
	char *disk;
	const struct kernel_options *kernel;
};

static void fill(unsigned char page[PAGE_BYTES], unsigned number)
{
	for (unsigned i = 0; i < PAGE_BYTES; i++)
		page[i] = (unsigned char)(number * 31 + i * 7 + i / 256);
}

static int write_pages(struct zfsd_filesystem *fs, struct err *err)
{
	struct node_create create = { .name = "before", .mode = S_IFREG | 0640 };
	struct zfsd_node *root = filesystem_root(fs), *node;
	unsigned char page[PAGE_BYTES];
	int r = node_create(root, &create, &node);

	for (unsigned i = 0; r == 0 && i < PAGE_COUNT; i++) {
		fill(page, i);
		if (node_write(node, page, PAGE_BYTES, (uint64_t)i * PAGE_BYTES, 0) != PAGE_BYTES)
			r = -EIO;
	}
	if (r == 0)
		r = node_rename(root, "before", root, "after", 0);
	if (r == 0)
		r = node_sync(node);
	return r < 0 ? err_set_errno(err, r, "write") : 0;
}

static int check_pages(struct zfsd_filesystem *fs, struct err *err)
{
	unsigned char page[PAGE_BYTES], wanted[PAGE_BYTES];
	struct zfsd_node *node;
	int r = node_lookup(filesystem_root(fs), "after", &node);

	if (r < 0)
		return err_set_errno(err, r, "the file is not there after the replay");
	for (unsigned i = 0; r == 0 && i < PAGE_COUNT; i++) {
		fill(wanted, i);
		if (node_read(node, page, PAGE_BYTES, (uint64_t)i * PAGE_BYTES) != PAGE_BYTES ||
			memcmp(page, wanted, PAGE_BYTES) != 0)
			r = err_set(err, -EIO, "page %u differs after the replay", i);
	}
	node_release(node, 1);
	return r;
}

/* Ends by SIGKILL if all went well. */
static int first_life(const struct self_test *test, struct err *err)
{
	const char *devices[] = { test->disk };
	struct pool_vdev vdev = { .type = "stripe", .devices = devices, .device_count = 1 };
	struct pool_create create = {
		.name = POOL_NAME, .vdevs = &vdev, .vdev_count = 1, .force = true
	};
	struct filesystem_options options = { 0 };
	struct zfsd_filesystem *fs;
	json_t *reply;
	int r = kernel_start(test->kernel, err);

	if (r == 0)
		r = pool_create(&create, &reply, err);
	if (r == 0)
		r = filesystem_open(POOL_NAME, &options, &fs, err);
	if (r == 0)
		r = write_pages(fs, err);
	if (r == 0)
		kill(getpid(), SIGKILL);
	return r;
}

static int second_life(const struct self_test *test, struct err *err)
{
	const char *devices[] = { test->disk };
	struct pool_import import = { .name = POOL_NAME, .devices = devices, .device_count = 1 };
	struct filesystem_options options = { 0 };
	struct zfsd_filesystem *fs;
	json_t *reply;
	int r = kernel_start(test->kernel, err);

	if (r == 0)
		r = pool_import(&import, &reply, err);
	if (r == 0)
		r = filesystem_open(POOL_NAME, &options, &fs, err);
	if (r == 0 && filesystem_replayed_records(fs) == 0)
		r = err_set(err, -EIO, "nothing was replayed");
	if (r == 0)
		r = check_pages(fs, err);
	if (r == 0)
		r = layout_probe_pool(POOL_NAME, err);
	if (r == 0) {
		filesystem_close(fs);
		r = pool_export(POOL_NAME, false, err);
	}
	return r;
}

/* Run one life in a child; its status as from waitpid(). */
static int live(const struct self_test *test,
	int (*life)(const struct self_test *test, struct err *err), int *ret_status,
	struct err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, -errno, "fork");
	if (pid == 0) {
		struct err why = ERR_INIT;
		int r = life(test, &why);

		if (r < 0)
			log_error("self-test: %s", why.message);
		daemon_end_now(r < 0 ? 1 : 0);
	}
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return err_set_errno(err, -errno, "wait for the child");
	}
	return 0;
}

static int check_with_zdb(const struct self_test *test, struct err *err)
{
	const char *const arguments[] = { "zdb", "-e", "-p", test->folder, "-bcc", POOL_NAME,
		NULL };
	struct subprocess_options options = { .arguments = arguments };
	struct strbuf output = STRBUF_INIT;
	int r = subprocess_run(&options, ZDB_LIMIT_NS, &output, NULL, err);

	if (r == -ENOENT)
		err_hint(err, r, "Debian package zfsutils-linux");
	if (r == 0 && !strstr(output.data, "No leaks"))
		r = err_set(err, -EIO, "zdb finds leaks");
	strbuf_release(&output);
	return r;
}

static int run_steps(const struct self_test *test, struct err *err)
{
	int status = 0;
	int r = live(test, first_life, &status, err);

	if (r == 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		r = err_set(err, -EIO, "writing failed, see the log");
	if (r == 0)
		r = live(test, second_life, &status, err);
	if (r == 0 && status != 0)
		r = err_set(err, -EIO, "replay failed, see the log");
	return r == 0 ? check_with_zdb(test, err) : r;
}

static int make_disk(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int r = 0;

	if (fd < 0 || ftruncate(fd, DISK_BYTES) < 0)
		r = err_set_errno(err, -errno, "disk '%s'", path);
	if (fd >= 0)
		close(fd);
	return r;
}

/* Until the descriptor is closed, by us and by the children that a kill left behind. */
static int lock_folder(const char *folder, struct err *err)
{
	char *path = memory_format("%s/lock", folder);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX) < 0) {
		if (errno == EINTR)
			continue;
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		err_set_errno(err, -errno, "lock '%s'", path);
	free(path);
	return fd;
}

int self_test_run(
	const char *folder, const char *hash, const struct kernel_options *kernel, struct err *err)
{
	struct self_test test = { .folder = folder, .kernel = kernel };
	char *passed = memory_format("%s/" ZFSD_PASSED_NAME "%s", folder, hash);
	int lock = file_exists(passed) ? -1 : lock_folder(folder, err);
	int r = lock < 0 && !file_exists(passed) ? -EIO : 0;

	test.disk = memory_format("%s/self-test.disk", folder);
	if (r == 0 && !file_exists(passed)) {
		struct clock *clock = clock_system();
		int64_t start_ns = clock->now_ns(clock);

		log_info("OpenZFS library %s: self-test, once for each build of it", hash);
		r = make_disk(test.disk, err);
		if (r == 0)
			r = run_steps(&test, err);
		unlink(test.disk);
		if (r == 0)
			r = file_write_atomic(passed, "", 0, 0644, err);
		if (r == 0)
			log_info("self-test passed in %.1f s",
				(double)(clock->now_ns(clock) - start_ns) / NS_PER_S);
	}
	if (lock >= 0)
		close(lock);
	free(test.disk);
	free(passed);
	return r < 0 ? err_prefix(err, r, "self-test of the OpenZFS library") : 0;
}

int self_test_ensure(
	const char *folder, const char *hash, const struct kernel_options *kernel, struct err *err)
{
	char *cache = os_cache_folder();
	char *path = folder ? memory_copy_string(folder) : memory_format("%s/zfsd", cache);
	int r = file_make_folders(path, 0755, err);

	if (r == 0)
		r = self_test_run(path, hash, kernel, err);
	free(path);
	free(cache);
	return r;
}
