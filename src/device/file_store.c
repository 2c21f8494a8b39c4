/*
 * A device in a sparse file, or on a block device (raw_device.c), past the page cache. Worker
 * threads do the transfers: as many are started as requests were ever waiting at once, up to the
 * queue depth, so that the host sees the depth it was given. Threads rather than io_uring, because
 * that is switched off in many containers and missing on other systems, and a thread's wake-up is
 * small next to a transfer.
 *
 * Uncached transfers need aligned memory: a worker has a bounce buffer for data that is not.
 */
#include "device/stores.h"

#include "base/macros.h"
#include "base/memory.h"
#include "platform/os.h"
#include "platform/os_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOUNCE_ALIGNMENT_BYTES 4096
#define WORKER_STACK_BYTES     (256U << 10)
#define MAX_QUEUE_DEPTH	       1024
#define CLONE_FILE_MODE	       0600

struct file_store {
	struct device base;
	struct store_options options;
	char *path;
	int fd;
	bool direct;
	uint32_t memory_alignment;

	pthread_mutex_t lock;
	pthread_cond_t work;
	struct device_request *head; /* waiting, oldest first */
	struct device_request **tail;
	pthread_t *workers;
	uint32_t worker_count;
	uint32_t idle_count;
	uint32_t waiting_count;
	bool closing;
};

struct worker {
	struct file_store *store;
	unsigned char *bounce; /* made at first need */
};

/* What a request may end with; see device.h. */
static int io_result(int code)
{
	switch (code) {
	case 0:
		return 0;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

static bool is_aligned(const struct file_store *store, const void *data)
{
	return !store->direct || (uintptr_t)data % store->memory_alignment == 0;
}

static unsigned char *worker_bounce(struct worker *worker)
{
	if (!worker->bounce && posix_memalign((void **)&worker->bounce, BOUNCE_ALIGNMENT_BYTES,
				       STORE_MAX_REQUEST_BYTES) != 0)
		worker->bounce = NULL;
	return worker->bounce;
}

static int read_whole(int fd, unsigned char *data, uint64_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t got = pread(fd, data, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		data += got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return 0;
}

static int write_whole(int fd, const unsigned char *data, const struct device_request *request)
{
	uint64_t offset = request->offset, size = request->size;

	while (size > 0) {
		ssize_t put = request->force_unit_access
				      ? os_file_write_durable(fd, data, size, offset)
				      : pwrite(fd, data, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? -errno : -ENOSPC;
		data += put;
		offset += (uint64_t)put;
		size -= (uint64_t)put;
	}
	return 0;
}

static int transfer(struct worker *worker, struct device_request *request)
{
	struct file_store *store = worker->store;
	unsigned char *data = request->data;
	int r;

	if (!is_aligned(store, data))
		data = worker_bounce(worker);
	if (!data)
		return -ENOMEM;
	if (request->operation == DEVICE_READ) {
		r = read_whole(store->fd, data, request->size, request->offset);
		if (r == 0 && data != request->data)
			memcpy(request->data, data, request->size);
		return r;
	}
	if (data != request->data)
		memcpy(data, request->data, request->size);
	return write_whole(store->fd, data, request);
}

/* For file systems without holes. */
static int write_zeros(struct worker *worker, uint64_t offset, uint64_t size)
{
	unsigned char *zeros = worker_bounce(worker);
	struct device_request piece = { .operation = DEVICE_WRITE, .offset = offset };
	int r = zeros ? 0 : -ENOMEM;

	if (zeros)
		memset(zeros, 0, STORE_MAX_REQUEST_BYTES);
	while (r == 0 && size > 0) {
		piece.size = MIN(size, STORE_MAX_REQUEST_BYTES);
		r = write_whole(worker->store->fd, zeros, &piece);
		piece.offset += piece.size;
		size -= piece.size;
	}
	return r;
}

static int clear(struct worker *worker, const struct device_request *request)
{
	int fd = worker->store->fd;
	int r = os_file_punch(fd, request->offset, request->size);

	/* mkfs zeroes much that is never written: a hole keeps the file small. */
	if (r == -EOPNOTSUPP)
		r = os_file_zero(fd, request->offset, request->size);
	if (r == -EOPNOTSUPP)
		r = write_zeros(worker, request->offset, request->size);
	return r;
}

static int perform(struct worker *worker, struct device_request *request)
{
	switch (request->operation) {
	case DEVICE_READ:
	case DEVICE_WRITE:
		return io_result(transfer(worker, request));
	case DEVICE_FLUSH:
		return io_result(fdatasync(worker->store->fd) < 0 ? -errno : 0);
	case DEVICE_DISCARD:
	case DEVICE_ZERO:
		return io_result(clear(worker, request));
	case DEVICE_OPERATION_COUNT:
		break;
	}
	return -EINVAL;
}

/* Wait for work; NULL when the store closes. */
static struct device_request *take(struct file_store *store)
{
	struct device_request *request;

	pthread_mutex_lock(&store->lock);
	store->idle_count++;
	while (!store->head && !store->closing)
		pthread_cond_wait(&store->work, &store->lock);
	store->idle_count--;
	request = store->head;
	if (request) {
		store->head = request->next;
		if (!store->head)
			store->tail = &store->head;
		store->waiting_count--;
	}
	pthread_mutex_unlock(&store->lock);
	return request;
}

static void *work(void *context)
{
	struct worker worker = { .store = context };
	struct device_request *request;

	while ((request = take(worker.store)))
		request->done(request, perform(&worker, request));
	free(worker.bounce);
	return NULL;
}

/* One more worker, if the depth allows. Called with the lock held. */
static void start_worker(struct file_store *store)
{
	pthread_attr_t attributes;

	if (store->worker_count == store->options.queue_depth)
		return;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
	if (pthread_create(&store->workers[store->worker_count], &attributes, work, store) == 0)
		store->worker_count++;
	pthread_attr_destroy(&attributes);
}

/* In the submitter's thread, with a bounce buffer that lives as long as the request. */
static void transfer_here(struct file_store *store, struct device_request *request)
{
	struct worker here = { .store = store };
	int result = perform(&here, request);

	free(here.bounce);
	request->done(request, result);
}

static void file_submit(struct device *device, struct device_request *request)
{
	struct file_store *store = CONTAINER_OF(device, struct file_store, base);

	if (request->may_block) {
		transfer_here(store, request);
		return;
	}
	pthread_mutex_lock(&store->lock);
	request->next = NULL;
	*store->tail = request;
	store->tail = &request->next;
	store->waiting_count++;
	if (store->waiting_count > store->idle_count)
		start_worker(store);
	pthread_cond_signal(&store->work);
	pthread_mutex_unlock(&store->lock);
}

static void file_limits(const struct device *device, struct device_limits *ret_limits)
{
	const struct file_store *store = CONTAINER_OF(device, const struct file_store, base);

	*ret_limits = (struct device_limits){ .size_bytes = store->options.size_bytes,
		.logical_sector_bytes = store->options.logical_sector_bytes,
		.physical_block_bytes = store->options.physical_block_bytes,
		.max_request_bytes = STORE_MAX_REQUEST_BYTES,
		.data_alignment = store->memory_alignment,
		.queue_depth = store->options.queue_depth };
}

static void file_close(struct device *device)
{
	struct file_store *store = CONTAINER_OF(device, struct file_store, base);

	pthread_mutex_lock(&store->lock);
	store->closing = true;
	pthread_cond_broadcast(&store->work);
	pthread_mutex_unlock(&store->lock);
	for (uint32_t i = 0; i < store->worker_count; i++)
		pthread_join(store->workers[i], NULL);
	pthread_cond_destroy(&store->work);
	pthread_mutex_destroy(&store->lock);
	close(store->fd);
	free(store->workers);
	free(store->path);
	free(store);
}

static json_t *file_statistics(struct device *device)
{
	struct file_store *store = CONTAINER_OF(device, struct file_store, base);
	struct stat info;
	uint64_t allocated_bytes = 0;

	if (fstat(store->fd, &info) == 0)
		allocated_bytes = (uint64_t)info.st_blocks * 512;
	return json_pack("{s:s, s:I, s:I, s:b}", "path", store->path, "size_bytes",
		(json_int_t)store->options.size_bytes, "allocated_bytes",
		(json_int_t)allocated_bytes, "direct", store->direct);
}

static int file_clone(struct device *device, const char *path, struct err *err)
{
	struct file_store *store = CONTAINER_OF(device, struct file_store, base);
	int fd, r;

	if (store->options.raw)
		return err_set(err, -EOPNOTSUPP, "'%s' is not a file of ours", store->path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, CLONE_FILE_MODE);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make '%s'", path);
	r = os_file_clone(store->fd, fd);
	if (r < 0) {
		unlink(path);
		err_set_errno(err, r, "cannot copy '%s' to '%s'", store->path, path);
	}
	close(fd);
	return r;
}

static const struct device_driver file_store = {
	.name = "file",
	.submit = file_submit,
	.limits = file_limits,
	.close = file_close,
	.statistics = file_statistics,
	.clone = file_clone,
};

/* Bring the file to its size; fill options->size_bytes from it if not given. */
static int fit_size(int fd, struct store_options *options, struct err *err)
{
	struct stat info;
	uint64_t size_bytes;

	if (fstat(fd, &info) < 0)
		return err_set_errno(err, -errno, "cannot look at it");
	if (!S_ISREG(info.st_mode))
		return err_set(err, -EINVAL, "not a regular file");
	size_bytes = (uint64_t)info.st_size;
	if (options->size_bytes == 0)
		options->size_bytes =
			size_bytes / options->logical_sector_bytes * options->logical_sector_bytes;
	if (options->size_bytes == 0)
		return err_set(err, -EINVAL, "new or empty, and no size was given");
	if (size_bytes > options->size_bytes)
		return err_set(err, -EINVAL,
			"the file has %" PRIu64 " bytes, more than the size of %" PRIu64
			" asked for",
			size_bytes, options->size_bytes);
	if (size_bytes < options->size_bytes && ftruncate(fd, (off_t)options->size_bytes) < 0)
		return err_set_errno(
			err, -errno, "cannot grow it to %" PRIu64 " bytes", options->size_bytes);
	return 0;
}

static int prepare_file(int fd, struct store_options *options, bool direct, struct err *err)
{
	uint32_t offset_alignment, memory_alignment;
	int r = os_file_lock_whole(fd);

	if (r == -EBUSY)
		return err_set(err, r, "it is in use: another device is attached to it");
	if (r < 0)
		return err_set_errno(err, r, "cannot lock it");
	r = fit_size(fd, options, err);
	os_file_direct_alignment(fd, &offset_alignment, &memory_alignment);
	if (r == 0 && direct && offset_alignment > options->logical_sector_bytes)
		r = err_set(err, -EINVAL,
			"its disk transfers %" PRIu32 " bytes at least: a sector of %" PRIu32
			" bytes can't be had here, use sector=4096",
			offset_alignment, options->logical_sector_bytes);
	return r;
}

static struct device *file_store_new(
	const char *path, const struct store_options *options, int fd, bool direct)
{
	struct file_store *store = memory_new(sizeof(*store));
	uint32_t offset_alignment;

	store->base.driver = &file_store;
	store->options = *options;
	store->path = memory_copy_string(path);
	store->fd = fd;
	store->direct = direct;
	os_file_direct_alignment(fd, &offset_alignment, &store->memory_alignment);
	if (options->raw) /* older systems do not tell */
		store->memory_alignment =
			MAX(store->memory_alignment, options->logical_sector_bytes);
	store->tail = &store->head;
	store->workers = memory_new_array(options->queue_depth, sizeof(*store->workers));
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->work, NULL);
	pthread_mutex_lock(&store->lock);
	start_worker(store);
	pthread_mutex_unlock(&store->lock);
	return &store->base;
}

static bool is_block_device(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISBLK(info.st_mode);
}

/* Open, lock and size the file or the block device; *ret_fd is the caller's. */
static int open_backing(const char *path, struct store_options *options, int *ret_fd,
	bool *ret_direct, struct err *err)
{
	int r;

	if (is_block_device(path)) {
		*ret_direct = true;
		return raw_device_open(path, options, ret_fd, err);
	}
	options->raw = false;
	r = os_file_open_direct(path, options->size_bytes > 0, ret_fd, ret_direct);
	if (r < 0)
		return err_set_errno(err, r, "cannot open '%s'", path);
	r = prepare_file(*ret_fd, options, *ret_direct, err);
	if (r < 0) {
		close(*ret_fd);
		return err_prefix(err, r, "'%s'", path);
	}
	return 0;
}

int file_store_open(const char *path, const struct store_options *options,
	struct device **ret_device, struct err *err)
{
	struct store_options checked = *options;
	struct device *device;
	bool direct;
	int fd;
	int r = store_options_check(&checked, err);

	if (r < 0)
		return r;
	if (checked.queue_depth > MAX_QUEUE_DEPTH)
		return err_set(err, -EINVAL, "a queue depth of %" PRIu32 ": at most %d",
			checked.queue_depth, MAX_QUEUE_DEPTH);
	r = open_backing(path, &checked, &fd, &direct, err);
	if (r < 0)
		return r;
	device = file_store_new(path, &checked, fd, direct);
	if (CONTAINER_OF(device, struct file_store, base)->worker_count == 0) {
		device_close(device);
		return err_set(err, -EAGAIN, "'%s': cannot start a thread", path);
	}
	*ret_device = device;
	return 0;
}
