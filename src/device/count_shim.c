/*
 * Counts what passes (see shims.h): the device's half of the write ledger. One lock holds all the
 * numbers, so that they agree with one another whenever they are read.
 */
#include "device/shims.h"

#include "base/memory.h"
#include "platform/os.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKET_COUNT  64
#define BITS_PER_WORD 64

/* Requests by power of two of their size or distance. */
struct histogram {
	uint64_t buckets[BUCKET_COUNT];
};

struct counters {
	uint64_t requests;
	uint64_t bytes;
	uint64_t errors;
	int64_t latency_ns;
	uint64_t sequential;
	uint64_t previous_end;
	struct histogram sizes, back, ahead;
};

struct count_shim {
	struct device base;
	uint32_t sector_bytes;
	pthread_mutex_t lock;
	struct counters operations[DEVICE_OPERATION_COUNT];
	uint64_t *written; /* a bit for each sector */
	uint64_t rewritten_bytes;
	uint64_t durable_requests;
	uint64_t in_flight, in_flight_most;
	int64_t opened_ns, busy_since_ns, busy_ns;
};

/* What the shim remembers of a request while it is below: its submitter, for one. */
struct passage {
	struct count_shim *shim;
	void (*done)(struct device_request *request, int result);
	void *context;
	int64_t submitted_ns;
};

static const char *const operation_words[] = {
	[DEVICE_READ] = "read",
	[DEVICE_WRITE] = "write",
	[DEVICE_FLUSH] = "flush",
	[DEVICE_DISCARD] = "discard",
	[DEVICE_ZERO] = "zero",
};

static void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->buckets[BUCKET_COUNT - 1 - __builtin_clzll(value)]++;
}

/* The bits of [first, first + count) within one word. */
static uint64_t word_mask(uint64_t first, uint64_t count)
{
	uint64_t bits = count >= BITS_PER_WORD ? UINT64_MAX : (UINT64_C(1) << count) - 1;

	return bits << (first % BITS_PER_WORD);
}

/* Mark sectors as written, or as free; sectors among them that were marked. */
static uint64_t mark(struct count_shim *shim, const struct device_request *request, bool written)
{
	uint64_t first = request->offset / shim->sector_bytes;
	uint64_t left = request->size / shim->sector_bytes;
	uint64_t marked = 0;

	while (left > 0) {
		uint64_t step = MIN(left, BITS_PER_WORD - first % BITS_PER_WORD);
		uint64_t mask = word_mask(first, step);
		uint64_t *word = &shim->written[first / BITS_PER_WORD];

		marked += (uint64_t)__builtin_popcountll(*word & mask);
		*word = written ? *word | mask : *word & ~mask;
		first += step;
		left -= step;
	}
	return marked;
}

static void count_distance(struct counters *counters, const struct device_request *request)
{
	uint64_t before = counters->previous_end;

	if (request->offset == before)
		counters->sequential++;
	else if (request->offset < before)
		histogram_add(&counters->back, before - request->offset);
	else
		histogram_add(&counters->ahead, request->offset - before);
	counters->previous_end = request->offset + request->size;
}

static void count_submitted(
	struct count_shim *shim, const struct device_request *request, int64_t now_ns)
{
	struct counters *counters = &shim->operations[request->operation];

	counters->requests++;
	counters->bytes += request->size;
	if (request->operation != DEVICE_FLUSH) {
		histogram_add(&counters->sizes, request->size);
		count_distance(counters, request);
	}
	if (request->operation == DEVICE_WRITE) {
		shim->rewritten_bytes += mark(shim, request, true) * shim->sector_bytes;
		shim->durable_requests += request->force_unit_access;
	} else if (request->operation == DEVICE_DISCARD) {
		mark(shim, request, false);
	}
	if (shim->in_flight++ == 0)
		shim->busy_since_ns = now_ns;
	shim->in_flight_most = MAX(shim->in_flight_most, shim->in_flight);
}

static void count_done(struct device_request *request, int result)
{
	struct passage *passage = request->context;
	struct count_shim *shim = passage->shim;
	struct counters *counters = &shim->operations[request->operation];
	int64_t now_ns;

	pthread_mutex_lock(&shim->lock);
	now_ns = os_monotonic_ns();
	counters->latency_ns += now_ns - passage->submitted_ns;
	counters->errors += result < 0;
	if (--shim->in_flight == 0)
		shim->busy_ns += now_ns - shim->busy_since_ns;
	pthread_mutex_unlock(&shim->lock);
	request->done = passage->done;
	request->context = passage->context;
	free(passage);
	request->done(request, result);
}

static void count_submit(struct device *device, struct device_request *request)
{
	struct count_shim *shim = CONTAINER_OF(device, struct count_shim, base);
	struct passage *passage = memory_new(sizeof(*passage));

	passage->shim = shim;
	passage->done = request->done;
	passage->context = request->context;
	request->done = count_done;
	request->context = passage;
	pthread_mutex_lock(&shim->lock);
	passage->submitted_ns = os_monotonic_ns();
	count_submitted(shim, request, passage->submitted_ns);
	pthread_mutex_unlock(&shim->lock);
	device_submit(device->below, request);
}

static void count_limits(const struct device *device, struct device_limits *ret_limits)
{
	device_limits(device->below, ret_limits);
}

static void count_close(struct device *device)
{
	struct count_shim *shim = CONTAINER_OF(device, struct count_shim, base);

	device_close(device->below);
	pthread_mutex_destroy(&shim->lock);
	free(shim->written);
	free(shim);
}

static json_t *histogram_json(const struct histogram *histogram)
{
	json_t *object = json_object();
	char name[24];

	for (int i = 0; i < BUCKET_COUNT; i++) {
		if (histogram->buckets[i] == 0)
			continue;
		snprintf(name, sizeof(name), "%" PRIu64, UINT64_C(1) << i);
		json_object_set_new(object, name, json_integer((json_int_t)histogram->buckets[i]));
	}
	return object;
}

static json_t *counters_json(const struct counters *counters)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:{s:I, s:o, s:o}}", "requests",
		(json_int_t)counters->requests, "bytes", (json_int_t)counters->bytes, "errors",
		(json_int_t)counters->errors, "latency_ns", (json_int_t)counters->latency_ns,
		"sizes", histogram_json(&counters->sizes), "distances", "sequential",
		(json_int_t)counters->sequential, "back", histogram_json(&counters->back), "ahead",
		histogram_json(&counters->ahead));
}

static json_t *count_statistics(struct device *device)
{
	struct count_shim *shim = CONTAINER_OF(device, struct count_shim, base);
	json_t *all = json_object(), *write;
	int64_t now_ns, busy_ns;

	pthread_mutex_lock(&shim->lock);
	now_ns = os_monotonic_ns();
	busy_ns = shim->busy_ns + (shim->in_flight ? now_ns - shim->busy_since_ns : 0);
	for (int i = 0; i < DEVICE_OPERATION_COUNT; i++)
		json_object_set_new(all, operation_words[i], counters_json(&shim->operations[i]));
	write = json_object_get(all, operation_words[DEVICE_WRITE]);
	json_object_set_new(
		write, "rewritten_bytes", json_integer((json_int_t)shim->rewritten_bytes));
	json_object_set_new(
		write, "durable_requests", json_integer((json_int_t)shim->durable_requests));
	json_object_set_new(all, "in_flight", json_integer((json_int_t)shim->in_flight));
	json_object_set_new(all, "in_flight_most", json_integer((json_int_t)shim->in_flight_most));
	json_object_set_new(all, "busy_ns", json_integer(busy_ns));
	json_object_set_new(all, "elapsed_ns", json_integer(now_ns - shim->opened_ns));
	pthread_mutex_unlock(&shim->lock);
	return all;
}

static const struct device_driver count_shim = {
	.name = "count",
	.submit = count_submit,
	.limits = count_limits,
	.close = count_close,
	.statistics = count_statistics,
};

int count_shim_open(struct device *below, struct device **ret_device, struct err *err)
{
	struct count_shim *shim = memory_new(sizeof(*shim));
	struct device_limits limits;
	uint64_t words;

	device_limits(below, &limits);
	words = limits.size_bytes / limits.logical_sector_bytes / BITS_PER_WORD + 1;
	/* calloc: pages that are never touched cost nothing, 48G need 12M else. */
	shim->written = calloc(words, sizeof(*shim->written));
	if (!shim->written) {
		free(shim);
		device_close(below);
		return err_set(err, -ENOMEM, "no memory for the map of written sectors");
	}
	shim->base.driver = &count_shim;
	shim->base.below = below;
	shim->sector_bytes = limits.logical_sector_bytes;
	shim->opened_ns = os_monotonic_ns();
	pthread_mutex_init(&shim->lock, NULL);
	*ret_device = &shim->base;
	return 0;
}
