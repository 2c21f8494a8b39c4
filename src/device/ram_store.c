/*
 * A device in memory: for tests, and to see what the path to a device costs when the device itself
 * costs nothing. Requests are done inside submit. Memory is taken page by page as it is written,
 * so a 48G device costs what it holds.
 */
#include "device/stores.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct ram_store {
	struct device base;
	struct store_options options;
	unsigned char *bytes;
	uint64_t page_bytes;
};

int store_options_check(struct store_options *options, struct err *err)
{
	if (options->logical_sector_bytes == 0)
		options->logical_sector_bytes = 512;
	if (options->physical_block_bytes == 0)
		options->physical_block_bytes = options->logical_sector_bytes;
	if (options->queue_depth == 0)
		options->queue_depth = 32;
	if (options->logical_sector_bytes != 512 && options->logical_sector_bytes != 4096)
		return err_set(err, -EINVAL, "a sector of %" PRIu32 " bytes: must be 512 or 4096",
			options->logical_sector_bytes);
	if (options->physical_block_bytes < options->logical_sector_bytes ||
		(options->physical_block_bytes & (options->physical_block_bytes - 1)) != 0)
		return err_set(err, -EINVAL,
			"a physical block of %" PRIu32
			" bytes: must be a power of two, not under the sector of %" PRIu32,
			options->physical_block_bytes, options->logical_sector_bytes);
	if (options->size_bytes % options->logical_sector_bytes != 0 ||
		options->size_bytes > INT64_MAX)
		return err_set(err, -EINVAL,
			"a size of %" PRIu64 " bytes: must be a multiple of the sector of %" PRIu32,
			options->size_bytes, options->logical_sector_bytes);
	return 0;
}

static void ram_zero(struct ram_store *store, uint64_t offset, uint64_t size)
{
	uint64_t page = store->page_bytes;
	uint64_t first = (offset + page - 1) / page * page;
	uint64_t last = (offset + size) / page * page;

	if (first < last && madvise(store->bytes + first, last - first, MADV_DONTNEED) == 0) {
		memset(store->bytes + offset, 0, first - offset);
		memset(store->bytes + last, 0, offset + size - last);
	} else {
		memset(store->bytes + offset, 0, size);
	}
}

static void ram_submit(struct device *device, struct device_request *request)
{
	struct ram_store *store = CONTAINER_OF(device, struct ram_store, base);
	unsigned char *place = store->bytes + request->offset;

	switch (request->operation) {
	case DEVICE_READ:
		if (request->may_lend)
			request->data = place;
		else
			memcpy(request->data, place, request->size);
		break;
	case DEVICE_WRITE:
		memcpy(place, request->data, request->size);
		break;
	case DEVICE_DISCARD:
	case DEVICE_ZERO:
		ram_zero(store, request->offset, request->size);
		break;
	case DEVICE_FLUSH:
	case DEVICE_OPERATION_COUNT:
		break;
	}
	request->done(request, 0);
}

static void ram_limits(const struct device *device, struct device_limits *ret_limits)
{
	const struct ram_store *store = CONTAINER_OF(device, const struct ram_store, base);

	*ret_limits = (struct device_limits){ .size_bytes = store->options.size_bytes,
		.logical_sector_bytes = store->options.logical_sector_bytes,
		.physical_block_bytes = store->options.physical_block_bytes,
		.max_request_bytes = STORE_MAX_REQUEST_BYTES,
		.data_alignment = 1,
		.queue_depth = store->options.queue_depth,
		.immediate = true };
}

static void ram_close(struct device *device)
{
	struct ram_store *store = CONTAINER_OF(device, struct ram_store, base);

	munmap(store->bytes, store->options.size_bytes);
	free(store);
}

static json_t *ram_statistics(struct device *device)
{
	struct ram_store *store = CONTAINER_OF(device, struct ram_store, base);

	return json_pack("{s:I}", "size_bytes", (json_int_t)store->options.size_bytes);
}

static const struct device_driver ram_store = {
	.name = "ram",
	.submit = ram_submit,
	.limits = ram_limits,
	.close = ram_close,
	.statistics = ram_statistics,
};

int ram_store_open(const struct store_options *options, struct device **ret_device, struct err *err)
{
	struct store_options checked = *options;
	struct ram_store *store;
	void *bytes;
	int r = store_options_check(&checked, err);

	if (r < 0)
		return r;
	if (checked.size_bytes == 0)
		return err_set(err, -EINVAL, "a device in memory needs a size");
	bytes = mmap(NULL, checked.size_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return err_set_errno(err, -errno, "cannot reserve %" PRIu64 " bytes of memory",
			checked.size_bytes);
	store = memory_new(sizeof(*store));
	store->base.driver = &ram_store;
	store->options = checked;
	store->bytes = bytes;
	store->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	*ret_device = &store->base;
	return 0;
}
