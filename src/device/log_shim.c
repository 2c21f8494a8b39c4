/* Keeps the write log of what passes (see shims.h, write_log.h). */
#include "device/shims.h"

#include "base/clock.h"
#include "base/memory.h"
#include "device/write_log.h"

#include <errno.h>
#include <stdlib.h>

struct log_shim {
	struct device base;
	char *path;
	struct write_log_writer *writer;
};

struct passage {
	struct log_shim *shim;
	void (*done)(struct device_request *request, int result);
	void *context;
	struct write_log_record record;
};

static void log_done(struct device_request *request, int result)
{
	struct passage *passage = request->context;
	int logged;

	passage->record.kind = WRITE_LOG_COMPLETE;
	passage->record.data = NULL;
	passage->record.result = result;
	logged = write_log_append(passage->shim->writer, &passage->record);
	request->done = passage->done;
	request->context = passage->context;
	free(passage);
	if (result == 0 && logged < 0)
		result = logged == -ENOSPC ? -ENOSPC : -EIO;
	request->done(request, result);
}

static void log_submit(struct device *device, struct device_request *request)
{
	struct log_shim *shim = CONTAINER_OF(device, struct log_shim, base);
	struct passage *passage;

	if (request->operation == DEVICE_READ) {
		device_submit(device->below, request);
		return;
	}
	passage = memory_new(sizeof(*passage));
	passage->shim = shim;
	passage->done = request->done;
	passage->context = request->context;
	passage->record = (struct write_log_record){ .kind = WRITE_LOG_SUBMIT,
		.operation = request->operation,
		.force_unit_access = request->force_unit_access,
		.offset = request->offset,
		.size = request->size,
		.data = request->operation == DEVICE_WRITE ? request->data : NULL };
	request->done = log_done;
	request->context = passage;
	if (write_log_append(shim->writer, &passage->record) < 0)
		log_done(request, -EIO);
	else
		device_submit(device->below, request);
}

static void log_limits(const struct device *device, struct device_limits *ret_limits)
{
	device_limits(device->below, ret_limits);
}

static void log_close(struct device *device)
{
	struct log_shim *shim = CONTAINER_OF(device, struct log_shim, base);

	device_close(device->below);
	write_log_writer_close(shim->writer);
	free(shim->path);
	free(shim);
}

static json_t *log_statistics(struct device *device)
{
	struct log_shim *shim = CONTAINER_OF(device, struct log_shim, base);

	return json_pack("{s:s, s:I}", "path", shim->path, "bytes",
		(json_int_t)write_log_bytes(shim->writer));
}

static const struct device_driver log_shim = {
	.name = "log",
	.submit = log_submit,
	.limits = log_limits,
	.close = log_close,
	.statistics = log_statistics,
};

int log_shim_open(
	struct device *below, const char *path, struct device **ret_device, struct err *err)
{
	struct write_log_header header = { 0 };
	struct write_log_writer *writer;
	struct device_limits limits;
	struct log_shim *shim;
	int r;

	device_limits(below, &limits);
	header.size_bytes = limits.size_bytes;
	header.sector_bytes = limits.logical_sector_bytes;
	header.created_utc_ns = clock_system()->utc_ns(clock_system());
	r = write_log_create(path, &header, &writer, err);
	if (r < 0) {
		device_close(below);
		return r;
	}
	shim = memory_new(sizeof(*shim));
	shim->base.driver = &log_shim;
	shim->base.below = below;
	shim->path = memory_copy_string(path);
	shim->writer = writer;
	*ret_device = &shim->base;
	return 0;
}
