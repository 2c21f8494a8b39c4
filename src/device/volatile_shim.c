/*
 * A write cache that a kill loses (see shims.h).
 *
 * Written sectors lie in a hash table until a flush has put them below. Three rules keep it right:
 *   - A read takes its cached sectors at submission, then reads below, then lays the taken sectors
 *     over the result: a sector leaves the table only when it has arrived below, so one of the two
 *     has it.
 *   - Only one turn is under way at a time, a write-back or a batch of clearings (discard, zero),
 * so that an older version of a sector can't arrive after a newer one or after its clearing.
 *     Flushes that come meanwhile share the next write-back.
 *   - A sector written again while its old version is on its way below stays in the table.
 */
#include "device/shims.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_BYTES  (256ULL << 20)
#define FIRST_BUCKET_COUNT   1024
#define WRITE_BACK_MAX_BYTES (256U << 10)

struct sector {
	struct sector *next; /* of its bucket */
	uint64_t number;
	uint64_t version; /* of the shim when it was written */
	unsigned char data[];
};

struct volatile_shim {
	struct device base;
	struct volatile_options options;
	uint32_t sector_bytes;

	pthread_mutex_t lock;
	struct sector **buckets;
	size_t bucket_count;
	size_t sector_count;
	uint64_t version;
	struct device_request *flushes;	  /* and durable writes, for the next write-back */
	struct device_request *clearings; /* for the turn before it */
	bool taking_turn;
	uint64_t write_backs, written_back_bytes, dropped_bytes;
};

/* A run of neighbouring sectors on its way below, or a clearing. */
struct run {
	struct device_request request;
	struct run *next;
	struct turn *owner;
};

struct turn {
	struct volatile_shim *shim;
	struct device_request *served; /* done when it is */
	bool clears;
	struct run *runs;
	uint64_t version; /* sectors up to this one are in it */
	size_t pending;
	int result;
	struct device_request flush;
};

static struct sector **bucket_of(struct volatile_shim *shim, uint64_t number)
{
	/* Neighbours in neighbouring buckets: a request touches few cache lines. */
	return &shim->buckets[number & (shim->bucket_count - 1)];
}

static struct sector *find(struct volatile_shim *shim, uint64_t number)
{
	struct sector *sector = *bucket_of(shim, number);

	while (sector && sector->number != number)
		sector = sector->next;
	return sector;
}

static void grow(struct volatile_shim *shim)
{
	struct sector **old = shim->buckets;
	size_t old_count = shim->bucket_count;

	shim->bucket_count *= 2;
	shim->buckets = memory_new_array(shim->bucket_count, sizeof(*shim->buckets));
	for (size_t i = 0; i < old_count; i++) {
		for (struct sector *sector = old[i], *next; sector; sector = next) {
			struct sector **bucket = bucket_of(shim, sector->number);

			next = sector->next;
			sector->next = *bucket;
			*bucket = sector;
		}
	}
	free(old);
}

static void put(struct volatile_shim *shim, uint64_t number, const unsigned char *data)
{
	struct sector *sector = find(shim, number);

	if (!sector) {
		if (shim->sector_count >= shim->bucket_count)
			grow(shim);
		sector = memory_new(sizeof(*sector) + shim->sector_bytes);
		sector->number = number;
		sector->next = *bucket_of(shim, number);
		*bucket_of(shim, number) = sector;
		shim->sector_count++;
	}
	sector->version = shim->version;
	memcpy(sector->data, data, shim->sector_bytes);
}

/* Take sectors [first, first + count) with a version up to version out of one bucket. */
static void take_out_of_bucket(struct volatile_shim *shim, struct sector **link, uint64_t first,
	uint64_t count, uint64_t version)
{
	while (*link) {
		struct sector *sector = *link;

		if (sector->number - first < count && sector->version <= version) {
			*link = sector->next;
			free(sector);
			shim->sector_count--;
		} else {
			link = &sector->next;
		}
	}
}

static void take_out(
	struct volatile_shim *shim, const struct device_request *request, uint64_t version)
{
	uint64_t first = request->offset / shim->sector_bytes;
	uint64_t count = request->size / shim->sector_bytes;

	/* A discard may be much longer than the table. */
	for (uint64_t i = 0; i < MIN(count, shim->bucket_count); i++)
		take_out_of_bucket(shim, bucket_of(shim, first + i), first, count, version);
}

static void complete(struct device_request *list, int result)
{
	while (list) {
		struct device_request *next = list->next;

		list->done(list, result);
		list = next;
	}
}

static void start_turn(struct volatile_shim *shim);

static void end_turn(struct turn *turn)
{
	struct volatile_shim *shim = turn->shim;
	bool again;

	pthread_mutex_lock(&shim->lock);
	for (struct run *run = turn->runs, *next; run; run = next) {
		next = run->next;
		if (turn->result == 0)
			take_out(shim, &run->request, turn->version);
		if (turn->result == 0 && !turn->clears)
			shim->written_back_bytes += run->request.size;
		free(run);
	}
	again = shim->flushes || shim->clearings;
	shim->taking_turn = again;
	pthread_mutex_unlock(&shim->lock);
	complete(turn->served, turn->result);
	free(turn);
	if (again)
		start_turn(shim);
}

static void flush_done(struct device_request *flush, int result)
{
	struct turn *turn = flush->context;

	turn->result = result;
	end_turn(turn);
}

static void runs_done(struct turn *turn)
{
	if (turn->result == 0 && !turn->clears && turn->shim->options.pass_flush) {
		turn->flush = (struct device_request){
			.operation = DEVICE_FLUSH, .done = flush_done, .context = turn
		};
		device_submit(turn->shim->base.below, &turn->flush);
	} else {
		end_turn(turn);
	}
}

/* One of the runs, or the start itself, has ended. */
static void step_turn(struct turn *turn, int result)
{
	bool last;

	pthread_mutex_lock(&turn->shim->lock);
	if (turn->result == 0)
		turn->result = result;
	last = --turn->pending == 0;
	pthread_mutex_unlock(&turn->shim->lock);
	if (last)
		runs_done(turn);
}

static void run_done(struct device_request *request, int result)
{
	step_turn(CONTAINER_OF(request, struct run, request)->owner, result);
}

static struct run *add_run(struct turn *turn, size_t data_bytes)
{
	struct run *run = memory_new(sizeof(*run) + data_bytes);

	run->owner = turn;
	run->next = turn->runs;
	turn->runs = run;
	turn->pending++;
	return run;
}

static int compare_sectors(const void *a, const void *b)
{
	const struct sector *left = *(struct sector *const *)a;
	const struct sector *right = *(struct sector *const *)b;

	return (left->number > right->number) - (left->number < right->number);
}

/* Copy neighbours from sectors[0] on into one run; how many were taken. */
static size_t copy_run(struct turn *turn, struct sector **sectors, size_t count)
{
	uint32_t sector_bytes = turn->shim->sector_bytes;
	size_t length = 1;
	struct run *run;
	unsigned char *data;

	while (length < count && sectors[length]->number == sectors[0]->number + length &&
		(length + 1) * sector_bytes <= WRITE_BACK_MAX_BYTES)
		length++;
	run = add_run(turn, length * sector_bytes);
	data = (unsigned char *)(run + 1);
	for (size_t i = 0; i < length; i++)
		memcpy(data + i * sector_bytes, sectors[i]->data, sector_bytes);
	run->request = (struct device_request){ .operation = DEVICE_WRITE,
		.offset = sectors[0]->number * sector_bytes,
		.size = length * sector_bytes,
		.data = data,
		.done = run_done };
	return length;
}

/* Copy all of the table into runs. Called with the lock held, like plan_clearings. */
static void plan_write_back(struct turn *turn)
{
	struct volatile_shim *shim = turn->shim;
	struct sector **sectors = memory_new_array(shim->sector_count + 1, sizeof(*sectors));
	size_t count = 0;

	for (size_t i = 0; i < shim->bucket_count; i++)
		for (struct sector *sector = shim->buckets[i]; sector; sector = sector->next)
			sectors[count++] = sector;
	qsort(sectors, count, sizeof(*sectors), compare_sectors);
	for (size_t i = 0; i < count;)
		i += copy_run(turn, sectors + i, count - i);
	free(sectors);
	turn->served = shim->flushes;
	shim->flushes = NULL;
	shim->write_backs++;
}

static void plan_clearings(struct turn *turn)
{
	turn->clears = true;
	turn->served = turn->shim->clearings;
	turn->shim->clearings = NULL;
	for (struct device_request *request = turn->served; request; request = request->next)
		add_run(turn, 0)->request =
			(struct device_request){ .operation = request->operation,
				.offset = request->offset,
				.size = request->size,
				.done = run_done };
}

/* taking_turn is set already and belongs to this call. */
static void start_turn(struct volatile_shim *shim)
{
	struct turn *turn = memory_new(sizeof(*turn));

	turn->shim = shim;
	turn->pending = 1; /* this function: the runs are freed by the last step, at its end */
	pthread_mutex_lock(&shim->lock);
	turn->version = shim->version++;
	if (shim->clearings)
		plan_clearings(turn);
	else
		plan_write_back(turn);
	pthread_mutex_unlock(&shim->lock);
	for (struct run *run = turn->runs; run; run = run->next)
		device_submit(shim->base.below, &run->request);
	step_turn(turn, 0);
}

/* Have request done by a turn that starts after now. Called with the lock held; true: the caller
 * must call start_turn() once it has let go of it. */
static bool ask_turn(
	struct volatile_shim *shim, struct device_request **list, struct device_request *request)
{
	bool start = !shim->taking_turn;

	request->next = *list;
	*list = request;
	shim->taking_turn = true;
	return start;
}

static void submit_write(struct volatile_shim *shim, struct device_request *request)
{
	const unsigned char *data = request->data;
	uint64_t first = request->offset / shim->sector_bytes;
	bool start = false, wait;

	pthread_mutex_lock(&shim->lock);
	for (uint64_t i = 0; i < request->size / shim->sector_bytes; i++)
		put(shim, first + i, data + i * shim->sector_bytes);
	wait = request->force_unit_access ||
	       shim->sector_count * shim->sector_bytes > shim->options.limit_bytes;
	if (wait)
		start = ask_turn(shim, &shim->flushes, request);
	pthread_mutex_unlock(&shim->lock);
	if (start)
		start_turn(shim);
	if (!wait)
		request->done(request, 0);
}

/* The cached sectors of a read, to be laid over what is read below. */
struct overlay {
	struct volatile_shim *shim;
	void (*done)(struct device_request *request, int result);
	void *context;
	size_t count;
	uint64_t *numbers; /* behind them the data, both in this allocation */
	unsigned char *data;
};

static void read_done(struct device_request *request, int result)
{
	struct overlay *overlay = request->context;
	uint32_t sector_bytes = overlay->shim->sector_bytes;
	unsigned char *data = request->data;

	for (size_t i = 0; result == 0 && i < overlay->count; i++)
		memcpy(data + overlay->numbers[i] * sector_bytes - request->offset,
			overlay->data + i * sector_bytes, sector_bytes);
	request->done = overlay->done;
	request->context = overlay->context;
	free(overlay);
	request->done(request, result);
}

/* Copy the cached sectors of a read; NULL when there are none. Called with the lock held. */
static struct overlay *copy_cached(struct volatile_shim *shim, struct device_request *request)
{
	uint64_t first = request->offset / shim->sector_bytes;
	size_t count = request->size / shim->sector_bytes;
	struct overlay *overlay = NULL;

	for (size_t i = 0; shim->sector_count > 0 && i < count; i++) {
		const struct sector *sector = find(shim, first + i);

		if (!sector)
			continue;
		if (!overlay) {
			overlay = memory_new(
				sizeof(*overlay) + count * (sizeof(uint64_t) + shim->sector_bytes));
			overlay->shim = shim;
			overlay->numbers = (uint64_t *)(overlay + 1);
			overlay->data = (unsigned char *)(overlay->numbers + count);
		}
		overlay->numbers[overlay->count] = first + i;
		memcpy(overlay->data + overlay->count * shim->sector_bytes, sector->data,
			shim->sector_bytes);
		overlay->count++;
	}
	return overlay;
}

static void submit_read(struct volatile_shim *shim, struct device_request *request)
{
	struct overlay *overlay;

	pthread_mutex_lock(&shim->lock);
	overlay = copy_cached(shim, request);
	pthread_mutex_unlock(&shim->lock);
	if (overlay) {
		overlay->done = request->done;
		overlay->context = request->context;
		request->done = read_done;
		request->context = overlay;
		request->may_lend = false; /* the overlay would be laid over the store */
	}
	if (overlay && overlay->count * shim->sector_bytes == request->size)
		read_done(request, 0);
	else
		device_submit(shim->base.below, request);
}

static void volatile_submit(struct device *device, struct device_request *request)
{
	struct volatile_shim *shim = CONTAINER_OF(device, struct volatile_shim, base);
	bool clears = request->operation == DEVICE_DISCARD || request->operation == DEVICE_ZERO;
	bool start;

	if (request->operation == DEVICE_READ) {
		submit_read(shim, request);
		return;
	}
	if (request->operation == DEVICE_WRITE) {
		submit_write(shim, request);
		return;
	}
	if (request->operation == DEVICE_FLUSH && shim->options.ignore_flush) {
		request->done(request, 0);
		return;
	}
	pthread_mutex_lock(&shim->lock);
	start = ask_turn(shim, clears ? &shim->clearings : &shim->flushes, request);
	pthread_mutex_unlock(&shim->lock);
	if (start)
		start_turn(shim);
}

static void volatile_limits(const struct device *device, struct device_limits *ret_limits)
{
	device_limits(device->below, ret_limits);
	ret_limits->volatile_cache = true;
	ret_limits->immediate = false;
}

static void volatile_drop(struct device *device)
{
	struct volatile_shim *shim = CONTAINER_OF(device, struct volatile_shim, base);

	pthread_mutex_lock(&shim->lock);
	shim->dropped_bytes += shim->sector_count * shim->sector_bytes;
	for (size_t i = 0; i < shim->bucket_count; i++)
		take_out_of_bucket(shim, &shim->buckets[i], 0, UINT64_MAX, UINT64_MAX);
	pthread_mutex_unlock(&shim->lock);
}

/* An orderly end is no power cut: what is cached goes below first. */
static void volatile_close(struct device *device)
{
	struct volatile_shim *shim = CONTAINER_OF(device, struct volatile_shim, base);

	shim->options.ignore_flush = false;
	(void)device_transfer(device, DEVICE_FLUSH, 0, 0, NULL); /* close has no result */
	volatile_drop(device);
	device_close(device->below);
	pthread_mutex_destroy(&shim->lock);
	free(shim->buckets);
	free(shim);
}

static json_t *volatile_statistics(struct device *device)
{
	struct volatile_shim *shim = CONTAINER_OF(device, struct volatile_shim, base);
	json_t *object;

	pthread_mutex_lock(&shim->lock);
	object = json_pack("{s:I, s:I, s:I, s:I}", "unflushed_bytes",
		(json_int_t)(shim->sector_count * shim->sector_bytes), "write_backs",
		(json_int_t)shim->write_backs, "written_back_bytes",
		(json_int_t)shim->written_back_bytes, "dropped_bytes",
		(json_int_t)shim->dropped_bytes);
	pthread_mutex_unlock(&shim->lock);
	return object;
}

static const struct device_driver volatile_shim = {
	.name = "volatile",
	.submit = volatile_submit,
	.limits = volatile_limits,
	.close = volatile_close,
	.statistics = volatile_statistics,
	.drop_unflushed = volatile_drop,
};

int volatile_shim_open(struct device *below, const struct volatile_options *options,
	struct device **ret_device, struct err *err UNUSED)
{
	struct volatile_shim *shim = memory_new(sizeof(*shim));
	struct device_limits limits;

	device_limits(below, &limits);
	shim->base.driver = &volatile_shim;
	shim->base.below = below;
	shim->options = *options;
	if (shim->options.limit_bytes == 0)
		shim->options.limit_bytes = DEFAULT_LIMIT_BYTES;
	shim->sector_bytes = limits.logical_sector_bytes;
	shim->bucket_count = FIRST_BUCKET_COUNT;
	shim->buckets = memory_new_array(shim->bucket_count, sizeof(*shim->buckets));
	pthread_mutex_init(&shim->lock, NULL);
	*ret_device = &shim->base;
	return 0;
}
