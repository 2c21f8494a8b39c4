/*
 * The FUSE side of plumb-diskd: one file, direct I/O, requests passed to the device and answered
 * when it is done with them, from whatever thread that is.
 *
 * The file is for a loop device with direct I/O, so the page cache is nowhere in the way, and the
 * threads that take requests never wait for one: a few are enough for any queue depth.
 *
 * What is read goes out of the device's own memory if it has some, and what is written goes into an
 * immediate device out of the session's: that saves a copy of every page.
 */
#define FUSE_USE_VERSION 312

#include "diskd/disk_fuse.h"

#include "base/memory.h"
#include "platform/os.h"
#include "platform/os_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/falloc.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_INODE	2
#define FOR_EVER_S	1e8
#define BLOCK_BYTES	4096
#define BACKGROUND_MOST 512
#define BUFFER_BYTES	(64U << 10) /* larger requests get memory of their own */
#define BUFFERS_KEPT	256

#ifndef FOPEN_PARALLEL_DIRECT_WRITES
#define FOPEN_PARALLEL_DIRECT_WRITES (1 << 6) /* Linux 6.2; older ones ignore it */
#endif

struct disk_fuse {
	struct device *device;
	struct device_limits limits;
	const char *file_name;
	struct fuse_session *session;
	struct fuse_loop_config *config;
	int mount_fd;
	pthread_t loop;
	pthread_mutex_t lock;
	struct operation *spare;
	int spare_count;
	_Atomic uint64_t transfers;
	_Atomic int64_t inside_ns;
};

/* A request on its way through the device. */
struct operation {
	struct operation *next;
	struct disk_fuse *fuse;
	fuse_req_t fuse_request;
	struct device_request request;
	int64_t start_ns;
	unsigned char *buffer; /* BUFFER_BYTES, aligned */
	unsigned char *own;    /* for a larger request, else NULL */
};

static struct operation *operation_new(struct disk_fuse *fuse, fuse_req_t request)
{
	struct operation *operation;

	pthread_mutex_lock(&fuse->lock);
	operation = fuse->spare;
	if (operation) {
		fuse->spare = operation->next;
		fuse->spare_count--;
	}
	pthread_mutex_unlock(&fuse->lock);
	if (!operation) {
		operation = memory_new(sizeof(*operation));
		if (posix_memalign((void **)&operation->buffer, BLOCK_BYTES, BUFFER_BYTES) != 0)
			operation->buffer = NULL;
	}
	operation->fuse = fuse;
	operation->fuse_request = request;
	operation->own = NULL;
	return operation;
}

static void operation_release(struct operation *operation)
{
	free(operation->buffer);
	free(operation);
}

static void operation_free(struct operation *operation)
{
	struct disk_fuse *fuse = operation->fuse;
	bool keep;

	free(operation->own);
	pthread_mutex_lock(&fuse->lock);
	keep = fuse->spare_count < BUFFERS_KEPT;
	if (keep) {
		operation->next = fuse->spare;
		fuse->spare = operation;
		fuse->spare_count++;
	}
	pthread_mutex_unlock(&fuse->lock);
	if (!keep)
		operation_release(operation);
}

/* Aligned memory for size bytes; NULL: there is none. */
static unsigned char *operation_memory(struct operation *operation, size_t size)
{
	if (size <= BUFFER_BYTES)
		return operation->buffer;
	if (posix_memalign((void **)&operation->own, BLOCK_BYTES, size) != 0)
		operation->own = NULL;
	return operation->own;
}

static void operation_done(struct device_request *request, int result)
{
	struct operation *operation = CONTAINER_OF(request, struct operation, request);
	struct disk_fuse *fuse = operation->fuse;

	if (request->operation == DEVICE_READ || request->operation == DEVICE_WRITE) {
		fuse->inside_ns += os_monotonic_ns() - operation->start_ns;
		fuse->transfers++;
	}
	if (result < 0)
		fuse_reply_err(operation->fuse_request, -result);
	else if (request->operation == DEVICE_READ)
		fuse_reply_buf(operation->fuse_request, request->data, request->size);
	else if (request->operation == DEVICE_WRITE)
		fuse_reply_write(operation->fuse_request, request->size);
	else
		fuse_reply_err(operation->fuse_request, 0);
	operation_free(operation);
}

static void operation_submit(
	struct operation *operation, enum device_operation what, off_t offset, size_t size)
{
	struct device_request *request = &operation->request;

	*request = (struct device_request){
		.operation = what, .offset = (uint64_t)offset, .size = size, .done = operation_done
	};
	device_submit(operation->fuse->device, request);
}

static void operation_transfer(struct operation *operation, enum device_operation what,
	off_t offset, size_t size, void *data)
{
	operation->start_ns = os_monotonic_ns();
	operation->request = (struct device_request){ .operation = what,
		.may_lend = what == DEVICE_READ,
		.offset = (uint64_t)offset,
		.size = size,
		.data = data,
		.done = operation_done };
	device_submit(operation->fuse->device, &operation->request);
}

static void disk_read(fuse_req_t request, fuse_ino_t inode UNUSED, size_t size, off_t offset,
	struct fuse_file_info *file UNUSED)
{
	struct operation *operation = operation_new(fuse_req_userdata(request), request);
	unsigned char *buffer = operation_memory(operation, size);

	if (buffer) {
		operation_transfer(operation, DEVICE_READ, offset, size, buffer);
		return;
	}
	operation_free(operation);
	fuse_reply_err(request, ENOMEM);
}

static void disk_write(fuse_req_t request, fuse_ino_t inode UNUSED, const char *data, size_t size,
	off_t offset, struct fuse_file_info *file UNUSED)
{
	struct disk_fuse *fuse = fuse_req_userdata(request);
	struct operation *operation = operation_new(fuse, request);
	void *source = (void *)data;

	/* data is the session's and gone when this function returns. */
	if (!fuse->limits.immediate) {
		source = operation_memory(operation, size);
		if (source)
			memcpy(source, data, size);
	}
	if (source) {
		operation_transfer(operation, DEVICE_WRITE, offset, size, source);
		return;
	}
	operation_free(operation);
	fuse_reply_err(request, ENOMEM);
}

static void disk_fsync(fuse_req_t request, fuse_ino_t inode UNUSED, int data_only UNUSED,
	struct fuse_file_info *file UNUSED)
{
	struct operation *operation = operation_new(fuse_req_userdata(request), request);

	operation_submit(operation, DEVICE_FLUSH, 0, 0);
}

/* The loop device discards by punching holes, and zeroes by either of both. */
static void disk_fallocate(fuse_req_t request, fuse_ino_t inode UNUSED, int mode, off_t offset,
	off_t length, struct fuse_file_info *file UNUSED)
{
	struct disk_fuse *fuse = fuse_req_userdata(request);
	enum device_operation what;

	if (mode & FALLOC_FL_PUNCH_HOLE)
		what = DEVICE_DISCARD;
	else if (mode & FALLOC_FL_ZERO_RANGE)
		what = DEVICE_ZERO;
	else {
		fuse_reply_err(request, EOPNOTSUPP);
		return;
	}
	operation_submit(operation_new(fuse, request), what, offset, (size_t)length);
}

static struct stat attributes_of(const struct disk_fuse *fuse, fuse_ino_t inode)
{
	struct stat info = { .st_ino = inode, .st_nlink = 1, .st_blksize = BLOCK_BYTES };

	info.st_mode = inode == FILE_INODE ? S_IFREG | 0600 : S_IFDIR | 0700;
	if (inode == FILE_INODE)
		info.st_size = (off_t)fuse->limits.size_bytes;
	return info;
}

static void disk_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct disk_fuse *fuse = fuse_req_userdata(request);
	struct fuse_entry_param entry = {
		.ino = FILE_INODE, .attr_timeout = FOR_EVER_S, .entry_timeout = FOR_EVER_S
	};

	if (parent != FUSE_ROOT_ID || strcmp(name, fuse->file_name) != 0) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	entry.attr = attributes_of(fuse, FILE_INODE);
	fuse_reply_entry(request, &entry);
}

static void disk_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file UNUSED)
{
	struct stat info = attributes_of(fuse_req_userdata(request), inode);

	fuse_reply_attr(request, &info, FOR_EVER_S);
}

static void disk_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file UNUSED)
{
	/* fuse_reply_open() of libfuse 3.14 does not know parallel writes, without which the kernel
	 * lets one write at a time through. */
	struct fuse_open_out out = { .open_flags = FOPEN_DIRECT_IO | FOPEN_KEEP_CACHE |
						   FOPEN_PARALLEL_DIRECT_WRITES };

	if (inode != FILE_INODE)
		fuse_reply_err(request, EISDIR);
	else
		fuse_reply_buf(request, (const char *)&out, sizeof(out));
}

static void disk_statfs(fuse_req_t request, fuse_ino_t inode UNUSED)
{
	const struct disk_fuse *fuse = fuse_req_userdata(request);
	/* The loop device takes the block for the grain of its discards. */
	struct statvfs info = { .f_bsize = BLOCK_BYTES,
		.f_frsize = BLOCK_BYTES,
		.f_blocks = fuse->limits.size_bytes / BLOCK_BYTES,
		.f_namemax = 255 };

	fuse_reply_statfs(request, &info);
}

static void disk_init(void *context, struct fuse_conn_info *connection)
{
	const struct disk_fuse *fuse = context;

	connection->max_write = fuse->limits.max_request_bytes;
	connection->max_background = BACKGROUND_MOST;
	connection->congestion_threshold = BACKGROUND_MOST;
	/* Pipes cost more than the copy of a database page. */
	connection->want &= ~(
		unsigned int)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
}

static const struct fuse_lowlevel_ops operations = {
	.init = disk_init,
	.lookup = disk_lookup,
	.getattr = disk_getattr,
	.open = disk_open,
	.read = disk_read,
	.write = disk_write,
	.fsync = disk_fsync,
	.fallocate = disk_fallocate,
	.statfs = disk_statfs,
};

static void *run_session(void *context)
{
	struct disk_fuse *fuse = context;

	fuse_session_loop_mt(fuse->session, fuse->config);
	return NULL;
}

static int make_session(struct disk_fuse *fuse, int fuse_fd, int threads, struct err *err)
{
	char *arguments[] = { (char *)"plumb-diskd", NULL };
	struct fuse_args fuse_arguments = FUSE_ARGS_INIT(1, arguments);
	char mount_point[32];

	fuse->session = fuse_session_new(&fuse_arguments, &operations, sizeof(operations), fuse);
	if (!fuse->session)
		return err_set(err, -EINVAL, "cannot make a FUSE session");
	snprintf(mount_point, sizeof(mount_point), "/dev/fd/%d", fuse_fd);
	if (fuse_session_mount(fuse->session, mount_point) != 0)
		return err_set(err, -EINVAL, "libfuse does not take a mounted descriptor");
	fuse->config = fuse_loop_cfg_create();
	fuse_loop_cfg_set_clone_fd(fuse->config, 1);
	fuse_loop_cfg_set_max_threads(fuse->config, (unsigned int)threads);
	fuse_loop_cfg_set_idle_threads(fuse->config, (unsigned int)threads);
	return 0;
}

static void disk_fuse_free(struct disk_fuse *fuse)
{
	if (fuse->config)
		fuse_loop_cfg_destroy(fuse->config);
	if (fuse->session)
		fuse_session_destroy(fuse->session);
	if (fuse->mount_fd >= 0)
		close(fuse->mount_fd);
	while (fuse->spare) {
		struct operation *next = fuse->spare->next;

		operation_release(fuse->spare);
		fuse->spare = next;
	}
	pthread_mutex_destroy(&fuse->lock);
	free(fuse);
}

int disk_fuse_start(struct device *device, const char *file_name, int threads,
	struct disk_fuse **ret_fuse, struct err *err)
{
	struct disk_fuse *fuse = memory_new(sizeof(*fuse));
	int fuse_fd = -1;
	int r;

	fuse->device = device;
	fuse->file_name = file_name;
	fuse->mount_fd = -1;
	device_limits(device, &fuse->limits);
	pthread_mutex_init(&fuse->lock, NULL);
	r = os_fuse_mount(&fuse_fd, &fuse->mount_fd, err);
	if (r == 0)
		r = make_session(fuse, fuse_fd, threads, err);
	if (r == 0 && pthread_create(&fuse->loop, NULL, run_session, fuse) != 0)
		r = err_set(err, -EAGAIN, "cannot start a thread");
	if (r < 0) {
		if (fuse_fd >= 0 && !fuse->session)
			close(fuse_fd);
		disk_fuse_free(fuse);
		return r;
	}
	*ret_fuse = fuse;
	return 0;
}

int disk_fuse_open_file(struct disk_fuse *fuse, int *ret_fd, struct err *err)
{
	int fd = openat(fuse->mount_fd, fuse->file_name, O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open the FUSE file");
	*ret_fd = fd;
	return 0;
}

void disk_fuse_times(struct disk_fuse *fuse, uint64_t *ret_count, int64_t *ret_inside_ns)
{
	*ret_count = fuse->transfers;
	*ret_inside_ns = fuse->inside_ns;
}

void disk_fuse_stop(struct disk_fuse *fuse)
{
	if (!fuse)
		return;
	close(fuse->mount_fd); /* the unmount ends the session's threads */
	fuse->mount_fd = -1;
	pthread_join(fuse->loop, NULL);
	disk_fuse_free(fuse);
}
