/*
 * Random operations on stacks of devices, many under way at once, against a plain array: what is
 * read must be what the array holds, and at the end all of it. Ranges under way never overlap, so
 * that there is one right answer. Clocks of models go on and off in between. At the end of a stack
 * with a write log, the log is replayed onto an empty array and must give the same.
 *
 *	device_stress STACK OPERATIONS [SEED]
 */
#include "base/memory.h"
#include "base/rng.h"
#include "device/device_spec.h"
#include "device/write_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512
#define DEVICE_BYTES (4U << 20)
#define SECTORS	     (DEVICE_BYTES / SECTOR_BYTES)
#define DEPTH	     16
#define SECTORS_MOST 128
#define CLOCK_PERIOD 5000

struct slot {
	struct device_request request;
	struct stress *stress;
	struct slot *next_done;
	int result;
	_Alignas(8) unsigned char data[SECTORS_MOST * SECTOR_BYTES + 8]; /* sometimes not aligned */
};

struct stress {
	struct device *device;
	unsigned char *array;
	bool *busy; /* a flag for each sector */
	struct rng rng;
	struct slot slots[DEPTH];
	struct slot *free_slots[DEPTH];
	int free_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *done;
};

static void fail(const char *what, const struct device_request *request)
{
	fprintf(stderr, "FAILED: %s (operation %d, offset %llu, size %llu)\n", what,
		(int)request->operation, (unsigned long long)request->offset,
		(unsigned long long)request->size);
	exit(1);
}

static void slot_done(struct device_request *request, int result)
{
	struct slot *slot = request->context;
	struct stress *stress = slot->stress;

	pthread_mutex_lock(&stress->lock);
	slot->result = result;
	slot->next_done = stress->done;
	stress->done = slot;
	pthread_cond_signal(&stress->changed);
	pthread_mutex_unlock(&stress->lock);
}

static void set_busy(struct stress *stress, const struct device_request *request, bool busy)
{
	memset(stress->busy + request->offset / SECTOR_BYTES, busy, request->size / SECTOR_BYTES);
}

static bool is_busy(const struct stress *stress, uint64_t first, uint64_t count)
{
	return memchr(stress->busy + first, true, count) != NULL;
}

static void retire(struct stress *stress, struct slot *slot)
{
	struct device_request *request = &slot->request;

	if (slot->result != 0)
		fail("a request failed", request);
	if (request->operation == DEVICE_READ &&
		memcmp(request->data, stress->array + request->offset, request->size) != 0)
		fail("a read gave something else than was written", request);
	set_busy(stress, request, false);
	stress->free_slots[stress->free_count++] = slot;
}

/* Retire what is done; wait until at most most_running are left under way. */
static void collect(struct stress *stress, int most_running)
{
	do {
		struct slot *list;

		pthread_mutex_lock(&stress->lock);
		while (!stress->done && DEPTH - stress->free_count > most_running)
			pthread_cond_wait(&stress->changed, &stress->lock);
		list = stress->done;
		stress->done = NULL;
		pthread_mutex_unlock(&stress->lock);
		while (list) {
			struct slot *next = list->next_done;

			retire(stress, list);
			list = next;
		}
	} while (DEPTH - stress->free_count > most_running);
}

static enum device_operation draw_operation(struct stress *stress)
{
	uint64_t draw = rng_below(&stress->rng, 100);

	if (draw < 45)
		return DEVICE_WRITE;
	if (draw < 85)
		return DEVICE_READ;
	if (draw < 90)
		return DEVICE_FLUSH;
	return draw < 95 ? DEVICE_DISCARD : DEVICE_ZERO;
}

/* A range that nobody works on: some must be free, since slots hold a quarter at most. */
static void draw_range(struct stress *stress, struct device_request *request)
{
	uint64_t first, count;

	do {
		/* Mostly pages, sometimes anything. */
		count = rng_below(&stress->rng, 4) ? 16 : 1 + rng_below(&stress->rng, SECTORS_MOST);
		first = rng_below(&stress->rng, SECTORS - count + 1);
		if (count == 16)
			first -= first % 16;
	} while (is_busy(stress, first, count));
	request->offset = first * SECTOR_BYTES;
	request->size = count * SECTOR_BYTES;
}

static void fill(struct stress *stress, struct slot *slot)
{
	uint64_t *words = (uint64_t *)(void *)slot->data;
	uint64_t value = rng_next(&stress->rng);

	for (size_t i = 0; i < sizeof(slot->data) / sizeof(*words); i++)
		words[i] = value += 0x9e3779b97f4a7c15ULL;
}

static void submit(struct stress *stress)
{
	struct slot *slot = stress->free_slots[--stress->free_count];
	struct device_request *request = &slot->request;

	*request = (struct device_request){ .operation = draw_operation(stress),
		.done = slot_done,
		.context = slot,
		.data = slot->data + (rng_below(&stress->rng, 2) ? 0 : 3) };
	if (request->operation != DEVICE_FLUSH) {
		draw_range(stress, request);
		set_busy(stress, request, true);
	}
	if (request->operation == DEVICE_WRITE) {
		fill(stress, slot);
		request->force_unit_access = rng_below(&stress->rng, 20) == 0;
		memcpy(stress->array + request->offset, request->data, request->size);
	} else if (request->operation == DEVICE_DISCARD || request->operation == DEVICE_ZERO) {
		memset(stress->array + request->offset, 0, request->size);
	}
	device_submit(stress->device, request);
}

static void compare_all(struct stress *stress)
{
	unsigned char *data = memory_new(65536);
	struct device_request request = { .size = 65536 };

	for (; request.offset < DEVICE_BYTES; request.offset += request.size) {
		if (device_transfer(
			    stress->device, DEVICE_READ, request.offset, request.size, data) != 0)
			fail("a read at the end failed", &request);
		if (memcmp(data, stress->array + request.offset, request.size) != 0)
			fail("the end differs", &request);
	}
	free(data);
}

static void replay(const struct stress *stress, const char *path)
{
	unsigned char *array = memory_new(DEVICE_BYTES);
	struct write_log_reader *reader = NULL;
	struct write_log_header header;
	struct write_log_record record;
	struct err err = ERR_INIT;
	int r = write_log_open(path, &header, &reader, &err);

	while (r == 0 && (r = write_log_next(reader, &record, &err)) > 0) {
		r = 0;
		if (record.kind != WRITE_LOG_SUBMIT)
			continue;
		if (record.operation == DEVICE_WRITE)
			memcpy(array + record.offset, record.data, record.size);
		else if (record.operation != DEVICE_FLUSH)
			memset(array + record.offset, 0, record.size);
	}
	if (r < 0 || memcmp(array, stress->array, DEVICE_BYTES) != 0) {
		fprintf(stderr, "FAILED: the replayed log differs: %s\n", err.message);
		exit(1);
	}
	write_log_reader_close(reader);
	free(array);
}

static struct stress *stress_new(const char *stack, uint64_t seed)
{
	struct stress *stress = memory_new(sizeof(*stress));
	struct err err = ERR_INIT;

	if (device_open_text(stack, &stress->device, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	stress->array = memory_new(DEVICE_BYTES);
	stress->busy = memory_new(SECTORS);
	rng_init(&stress->rng, seed, 0);
	pthread_mutex_init(&stress->lock, NULL);
	pthread_cond_init(&stress->changed, NULL);
	for (int i = 0; i < DEPTH; i++) {
		stress->slots[i].stress = stress;
		stress->free_slots[stress->free_count++] = &stress->slots[i];
	}
	return stress;
}

static void stress_free(struct stress *stress)
{
	device_close(stress->device);
	pthread_cond_destroy(&stress->changed);
	pthread_mutex_destroy(&stress->lock);
	free(stress->busy);
	free(stress->array);
	free(stress);
}

int main(int argc, char **argv)
{
	const char *log_path = argc > 1 ? strstr(argv[1], "log=") : NULL;
	long operations = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	struct stress *stress;
	json_t *statistics;

	if (operations <= 0) {
		fprintf(stderr, "usage: device_stress STACK OPERATIONS [SEED]\n");
		return 1;
	}
	stress = stress_new(argv[1], argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	for (long i = 0; i < operations; i++) {
		if (i % CLOCK_PERIOD == 0)
			device_set_clock(stress->device, i / CLOCK_PERIOD % 2);
		if (i % 1000 == 0)
			json_decref(device_statistics(stress->device));
		collect(stress, DEPTH - 1);
		submit(stress);
	}
	collect(stress, 0);
	compare_all(stress);
	statistics = device_statistics(stress->device);
	printf("%ld operations, equal at the end; ", operations);
	json_dumpf(json_object_get(json_object_get(statistics, "count"), "in_flight_most"), stdout,
		JSON_ENCODE_ANY);
	printf(" at once\n");
	json_decref(statistics);
	if (log_path)
		replay(stress, log_path + strlen("log="));
	stress_free(stress);
	return 0;
}
