/* The one caller of the device drivers: checks the rules of device.h once, for all of them. */
#include "device/device.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static bool request_is_valid(const struct device *device, const struct device_request *request)
{
	struct device_limits limits;

	if (request->operation == DEVICE_FLUSH)
		return request->offset == 0 && request->size == 0;
	device_limits(device, &limits);
	if (request->operation <= DEVICE_WRITE && request->size > limits.max_request_bytes)
		return false;
	return request->size > 0 && request->operation < DEVICE_OPERATION_COUNT &&
	       request->offset % limits.logical_sector_bytes == 0 &&
	       request->size % limits.logical_sector_bytes == 0 &&
	       request->offset <= limits.size_bytes &&
	       request->size <= limits.size_bytes - request->offset;
}

void device_submit(struct device *device, struct device_request *request)
{
	if (request_is_valid(device, request))
		device->driver->submit(device, request);
	else
		request->done(request, -EINVAL);
}

void device_limits(const struct device *device, struct device_limits *ret_limits)
{
	device->driver->limits(device, ret_limits);
}

void device_set_clock(struct device *device, bool running)
{
	for (; device; device = device->below)
		if (device->driver->set_clock)
			device->driver->set_clock(device, running);
}

void device_set_path(struct device *device, int64_t path_ns)
{
	for (; device; device = device->below)
		if (device->driver->set_path)
			device->driver->set_path(device, path_ns);
}

void device_reset(struct device *device)
{
	for (; device; device = device->below)
		if (device->driver->reset)
			device->driver->reset(device);
}

json_t *device_statistics(struct device *device)
{
	json_t *all = json_object();

	for (; device; device = device->below)
		if (device->driver->statistics)
			json_object_set_new(
				all, device->driver->name, device->driver->statistics(device));
	return all;
}

void device_drop_unflushed(struct device *device)
{
	for (; device; device = device->below)
		if (device->driver->drop_unflushed)
			device->driver->drop_unflushed(device);
}

int device_clone(struct device *device, const char *path, struct err *err)
{
	while (device->below)
		device = device->below;
	if (!device->driver->clone)
		return err_set(err, -ENOTSUP, "a device of kind '%s' cannot be cloned",
			device->driver->name);
	return device->driver->clone(device, path, err);
}

struct device *device_close(struct device *device)
{
	if (device)
		device->driver->close(device);
	return NULL;
}

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool finished;
	int result;
};

static void wake_waiter(struct device_request *request, int result)
{
	struct waiter *waiter = request->context;

	pthread_mutex_lock(&waiter->lock);
	waiter->finished = true;
	waiter->result = result;
	pthread_cond_signal(&waiter->changed);
	pthread_mutex_unlock(&waiter->lock);
}

int device_transfer(struct device *device, enum device_operation operation, uint64_t offset,
	uint64_t size, void *data)
{
	struct waiter waiter = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0 };
	struct device_request request = { .operation = operation,
		.offset = offset,
		.size = size,
		.data = data,
		.may_block = true,
		.done = wake_waiter,
		.context = &waiter };

	device_submit(device, &request);
	pthread_mutex_lock(&waiter.lock);
	while (!waiter.finished)
		pthread_cond_wait(&waiter.changed, &waiter.lock);
	pthread_mutex_unlock(&waiter.lock);
	return waiter.result;
}
