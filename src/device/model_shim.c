/*
 * Real time for a model (see shims.h): the core says when, one thread waits for it.
 *
 * Sleeping is not exact: a sleep of a few microseconds wakes tens of microseconds late. The thread
 * therefore sleeps until spin_ns before a time and spins the rest; spin_ns is what its sleeps were
 * late at its start, so an idle device costs nothing and a slow one little. (Measured in the thread
 * itself: an ordinary thread's sleeps end 50 us later, and whoever spins that long takes the
 * processor from the host's work.)
 *
 * What remains, from the end of the wait to the call of done(), is a few microseconds: early_ns
 * follows its mean and is taken off.
 *
 * The host sees more than the device does: the way there and back. Half of path_ns is taken off
 * before, by letting requests arrive earlier, and half behind, by letting them end earlier.
 */
#include "device/shims.h"

#include "base/memory.h"
#include "device/model_core.h"
#include "platform/os.h"
#include "platform/os_disk.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define SPIN_TRIALS    50
#define SPIN_LEAST_NS  5000
#define SPIN_MOST_NS   100000
#define EARLY_MOST_NS  8000
#define EARLY_AHEAD_NS 700 /* from the look at the clock to done() */
#define EARLY_STEP     64  /* a lateness moves early_ns by this part */
#define STACK_BYTES    (256U << 10)

struct model_shim {
	struct device base;
	struct model_parameters model;
	struct model_options options;
	uint64_t size_bytes;
	bool rotational, volatile_cache;
	int64_t spin_ns; /* of the timer thread alone */
	pthread_t timer;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct model_core *core;
	bool running; /* the clock */
	bool closing;
	int64_t path_ns;
	int64_t early_ns;
	_Atomic int64_t awaited_ns; /* what the timer waits for; it spins without the lock */
	uint64_t timed, late;
	int64_t late_ns, wake_late_ns;
};

/* A request under way. Ends when both its data and its time are there. */
struct timed {
	struct model_ticket ticket;
	struct timed *next;
	struct model_shim *shim;
	struct device_request *request;
	void (*done)(struct device_request *request, int result);
	void *context;
	bool durable;
	bool data_there, time_there;
	int result;
};

static void finish(struct timed *timed)
{
	struct device_request *request = timed->request;
	int result = timed->result;

	request->done = timed->done;
	request->context = timed->context;
	request->force_unit_access = timed->durable;
	free(timed);
	request->done(request, result);
}

static void data_done(struct device_request *request, int result)
{
	struct timed *timed = request->context;
	struct model_shim *shim = timed->shim;
	bool both;

	pthread_mutex_lock(&shim->lock);
	timed->data_there = true;
	timed->result = result;
	both = timed->time_there;
	if (both) {
		shim->late++;
		shim->late_ns += os_monotonic_ns() - timed->ticket.due_ns;
	}
	pthread_mutex_unlock(&shim->lock);
	if (both)
		finish(timed);
}

/* False: the clock is off. */
static bool start_timing(struct model_shim *shim, struct timed *timed)
{
	bool running;

	pthread_mutex_lock(&shim->lock);
	running = shim->running;
	if (running) {
		model_core_submit(
			shim->core, &timed->ticket, os_monotonic_ns() - shim->path_ns / 2);
		shim->timed++;
		if (model_core_next_ns(shim->core) < shim->awaited_ns) {
			shim->awaited_ns = model_core_next_ns(shim->core);
			pthread_cond_signal(&shim->changed);
		}
	}
	pthread_mutex_unlock(&shim->lock);
	return running;
}

static void model_submit(struct device *device, struct device_request *request)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);
	struct timed *timed = memory_new(sizeof(*timed));

	timed->shim = shim;
	timed->request = request;
	timed->done = request->done;
	timed->context = request->context;
	timed->durable = request->force_unit_access;
	timed->ticket.operation = request->operation;
	timed->ticket.durable = request->force_unit_access;
	timed->ticket.offset = request->offset;
	timed->ticket.size = request->size;
	if (!start_timing(shim, timed)) {
		free(timed);
		device_submit(device->below, request);
		return;
	}
	request->context = timed;
	request->done = data_done;
	if (!shim->options.pass_flush)
		request->force_unit_access = false;
	if (request->operation == DEVICE_FLUSH && !shim->options.pass_flush)
		data_done(request, 0);
	else
		device_submit(device->below, request);
}

struct timed_list {
	struct timed *first, **tail;
};

/* Add to the list, or count on the data to end it. Called with the lock held. */
static void time_has_come(struct timed *timed, struct timed_list *list)
{
	timed->time_there = true;
	if (!timed->data_there)
		return;
	timed->next = NULL;
	*list->tail = timed;
	list->tail = &timed->next;
}

static void finish_all(const struct timed_list *list)
{
	struct timed *next;

	for (struct timed *timed = list->first; timed; timed = next) {
		next = timed->next;
		finish(timed);
	}
}

/* late_ns: how much after its time a request is seen to, less than nothing if early. A time that
 * was over when the request came, or a thread that was kept from running, says nothing on the mean.
 */
static void follow_lateness(struct model_shim *shim, int64_t late_ns)
{
	shim->wake_late_ns += MAX(late_ns, 0);
	if (late_ns > 2 * EARLY_MOST_NS)
		return;
	shim->early_ns += (late_ns + EARLY_AHEAD_NS) / EARLY_STEP;
	shim->early_ns = MIN(MAX(shim->early_ns, 0), EARLY_MOST_NS);
}

/* Those that can end now. Called with the lock held. */
static void take_due(struct model_shim *shim, struct timed_list *list)
{
	int64_t core_ns = os_monotonic_ns() + shim->path_ns / 2 + shim->early_ns;
	struct model_ticket *ticket;

	while ((ticket = model_core_take(shim->core, core_ns))) {
		follow_lateness(shim, core_ns - shim->early_ns - ticket->due_ns);
		time_has_come(CONTAINER_OF(ticket, struct timed, ticket), list);
	}
}

static void spin_until(struct model_shim *shim, int64_t real_ns)
{
	int64_t awaited_ns = shim->awaited_ns;

	while (os_monotonic_ns() < real_ns && shim->awaited_ns == awaited_ns)
		;
}

static void sleep_until(struct model_shim *shim, int64_t real_ns)
{
	struct timespec until = { .tv_sec = real_ns / NS_PER_S, .tv_nsec = real_ns % NS_PER_S };

	pthread_cond_clockwait(&shim->changed, &shim->lock, CLOCK_MONOTONIC, &until);
}

/* Wait for the next time of the core, or until a submitter has brought an earlier one. Called and
 * left with the lock held. */
static void await_next(struct model_shim *shim)
{
	int64_t real_ns;

	shim->awaited_ns = model_core_next_ns(shim->core);
	if (shim->awaited_ns == INT64_MAX) {
		pthread_cond_wait(&shim->changed, &shim->lock);
		return;
	}
	real_ns = shim->awaited_ns - shim->path_ns / 2 - shim->early_ns;
	if (real_ns - os_monotonic_ns() > shim->spin_ns) {
		sleep_until(shim, real_ns - shim->spin_ns);
		return;
	}
	pthread_mutex_unlock(&shim->lock);
	spin_until(shim, real_ns);
	pthread_mutex_lock(&shim->lock);
}

/* How late a sleep of this thread ends here: the median of some. */
static int64_t measure_sleep_ns(void)
{
	int64_t late[SPIN_TRIALS];

	for (int i = 0; i < SPIN_TRIALS; i++) {
		struct timespec sleep = { .tv_nsec = 50 * NS_PER_US };
		int64_t start_ns = os_monotonic_ns(), value;
		int place = i;

		nanosleep(&sleep, NULL);
		value = os_monotonic_ns() - start_ns - 50 * NS_PER_US;
		for (; place > 0 && late[place - 1] > value; place--)
			late[place] = late[place - 1];
		late[place] = value;
	}
	return late[SPIN_TRIALS / 2];
}

static void *keep_time(void *context)
{
	struct model_shim *shim = context;

	os_precise_sleep();
	shim->spin_ns = MIN(MAX(measure_sleep_ns() * 3 / 2, SPIN_LEAST_NS), SPIN_MOST_NS);
	pthread_mutex_lock(&shim->lock);
	while (!shim->closing) {
		struct timed_list list = { NULL, &list.first };

		take_due(shim, &list);
		if (list.first) {
			pthread_mutex_unlock(&shim->lock);
			finish_all(&list);
			pthread_mutex_lock(&shim->lock);
		} else {
			await_next(shim);
		}
	}
	pthread_mutex_unlock(&shim->lock);
	return NULL;
}

static void model_set_clock(struct device *device, bool running)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);
	struct model_ticket *ticket, *next;
	struct timed_list list = { NULL, &list.first };

	pthread_mutex_lock(&shim->lock);
	shim->running = running;
	for (ticket = running ? NULL : model_core_abandon(shim->core); ticket; ticket = next) {
		next = ticket->next;
		time_has_come(CONTAINER_OF(ticket, struct timed, ticket), &list);
	}
	pthread_mutex_unlock(&shim->lock);
	finish_all(&list);
}

static void model_set_path(struct device *device, int64_t path_ns)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);

	/* A disk loses a revolution because the next request comes a little late: one that comes
	 * early would meet the sector behind the last one, and its way is nothing beside a seek. */
	if (shim->rotational)
		return;
	pthread_mutex_lock(&shim->lock);
	shim->path_ns = path_ns;
	pthread_mutex_unlock(&shim->lock);
}

static void model_reset(struct device *device)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);

	pthread_mutex_lock(&shim->lock);
	model_core_free(shim->core);
	shim->core = model_core_new(
		&shim->model, shim->size_bytes, shim->options.slow, shim->options.seed);
	shim->timed = shim->late = 0;
	shim->late_ns = shim->wake_late_ns = 0;
	pthread_mutex_unlock(&shim->lock);
}

static void model_limits(const struct device *device, struct device_limits *ret_limits)
{
	const struct model_shim *shim = CONTAINER_OF(device, const struct model_shim, base);

	device_limits(device->below, ret_limits);
	ret_limits->rotational = shim->rotational;
	ret_limits->volatile_cache |= shim->volatile_cache;
	ret_limits->immediate = false;
}

static void model_close(struct device *device)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);

	pthread_mutex_lock(&shim->lock);
	shim->closing = true;
	shim->awaited_ns = INT64_MIN; /* ends a spin */
	pthread_cond_signal(&shim->changed);
	pthread_mutex_unlock(&shim->lock);
	pthread_join(shim->timer, NULL);
	device_close(device->below);
	model_core_free(shim->core);
	pthread_cond_destroy(&shim->changed);
	pthread_mutex_destroy(&shim->lock);
	free(shim);
}

static json_t *model_statistics(struct device *device)
{
	struct model_shim *shim = CONTAINER_OF(device, struct model_shim, base);
	struct model_statistics model;
	json_t *object;

	pthread_mutex_lock(&shim->lock);
	model_core_statistics(shim->core, os_monotonic_ns(), &model);
	object = json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "clock",
		shim->running, "timed_requests", (json_int_t)shim->timed, "late_requests",
		(json_int_t)shim->late, "late_ns", (json_int_t)shim->late_ns, "wake_late_ns",
		(json_int_t)shim->wake_late_ns, "path_ns", (json_int_t)shim->path_ns,
		"host_write_bytes", (json_int_t)model.host_write_bytes, "medium_write_bytes",
		(json_int_t)model.medium_write_bytes, "indirection_requests",
		(json_int_t)model.indirection_requests, "counted_requests",
		(json_int_t)model.counted_requests, "dirty_bytes", (json_int_t)model.dirty_bytes,
		"credits", (json_int_t)model.credits);
	pthread_mutex_unlock(&shim->lock);
	return object;
}

static const struct device_driver model_shim = {
	.name = "model",
	.submit = model_submit,
	.limits = model_limits,
	.close = model_close,
	.set_clock = model_set_clock,
	.set_path = model_set_path,
	.reset = model_reset,
	.statistics = model_statistics,
};

int model_shim_open(struct device *below, const struct model_parameters *model,
	const struct model_options *options, struct device **ret_device, struct err *err)
{
	struct model_shim *shim = memory_new(sizeof(*shim));
	struct device_limits limits;
	pthread_attr_t attributes;
	int r;

	device_limits(below, &limits);
	shim->base.driver = &model_shim;
	shim->base.below = below;
	shim->model = *model;
	shim->options = *options;
	shim->size_bytes = limits.size_bytes;
	shim->rotational = model_is_disk(model);
	shim->volatile_cache = model->cache_bytes > 0 && model->is_protected <= 0;
	shim->core = model_core_new(model, limits.size_bytes, options->slow, options->seed);
	shim->awaited_ns = INT64_MAX;
	pthread_mutex_init(&shim->lock, NULL);
	pthread_cond_init(&shim->changed, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	r = -pthread_create(&shim->timer, &attributes, keep_time, shim);
	pthread_attr_destroy(&attributes);
	if (r < 0) {
		device_close(below);
		model_core_free(shim->core);
		free(shim);
		return err_set_errno(err, r, "cannot start the thread that keeps a model's time");
	}
	*ret_device = &shim->base;
	return 0;
}
