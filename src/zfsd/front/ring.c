/*
 * Threads of the queues. A queue gets another thread whenever its last idle one takes a request, as
 * in mount.c and for the same reason. Replies reach us through the session's write hook: libfuse
 * knows nothing of rings, it is handed requests and gives back what is to be written.
 */
#include "zfsd/front/ring_internal.h"

#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A machine that could have more processors keeps to the device: each needs a thread at least. */
#define QUEUES_MOST	   128
#define WORKER_STACK_BYTES (512UL * 1024)

enum ring_state { RING_WAITING, RING_GO, RING_NOT_WANTED };

struct ring_worker {
	struct ring_worker *next;
	struct front_ring *ring;
	unsigned queue;
	pthread_t thread;
	struct ring_memory *memory;
	uint64_t unique; /* atomic; of the request under way, 0: none */
};

struct ring_queue {
	unsigned thread_count;
	unsigned idle_count; /* atomic */
};

/* The mount's lock guards it. */
struct front_ring {
	struct zfsd_mount *mount;
	enum ring_state state;
	pthread_cond_t changed;
	struct ring_worker *workers;
	unsigned opened_count, failed_count; /* of the first threads */
	unsigned thread_count;
	unsigned queue_count;
	struct ring_queue queues[];
};

static _Thread_local struct ring_worker *this_worker;
static _Thread_local bool this_is_offer;

static int device_of(const struct ring_worker *worker)
{
	return fuse_session_fd(worker->ring->mount->session);
}

void *front_ring_thread_buffer(void)
{
	return this_worker ? this_worker->memory->payload : NULL;
}

bool front_ring_active(const struct zfsd_mount *mount)
{
	return mount->ring && __atomic_load_n(&mount->ring->state, __ATOMIC_ACQUIRE) == RING_GO;
}

/* ---- one thread ---- */

static void bind_to_processor(unsigned number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return; /* not online, or not ours: slower, no more */
}

/* Say that the ring is open (0) or why not; wait for the mount's first request to be answered. */
static bool wait_for_start(struct front_ring *ring, int error)
{
	bool go;

	pthread_mutex_lock(&ring->mount->lock);
	ring->opened_count++;
	if (error)
		ring->failed_count++;
	pthread_cond_broadcast(&ring->changed);
	while (!error && ring->state == RING_WAITING && !ring->mount->stopping)
		pthread_cond_wait(&ring->changed, &ring->mount->lock);
	go = !error && ring->state == RING_GO;
	pthread_mutex_unlock(&ring->mount->lock);
	return go;
}

static void start_thread(struct front_ring *ring, unsigned queue);

static void leave_idle(struct ring_worker *worker)
{
	struct front_ring *ring = worker->ring;
	struct ring_queue *queue = &ring->queues[worker->queue];

	if (__atomic_sub_fetch(&queue->idle_count, 1, __ATOMIC_RELAXED) > 0 ||
		queue->thread_count == ring->mount->options.workers)
		return;
	pthread_mutex_lock(&ring->mount->lock);
	start_thread(ring, worker->queue);
	pthread_mutex_unlock(&ring->mount->lock);
}

static void answer(struct ring_worker *worker)
{
	struct zfsd_mount *mount = worker->ring->mount;
	struct fuse_buf request = ring_wire_request(worker->memory);
	uint64_t unique = worker->memory->headers.commit_id;

	__atomic_store_n(&worker->unique, unique, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&mount->given_up, __ATOMIC_SEQ_CST))
		ring_wire_error(worker->memory, unique, -EIO);
	else
		fuse_session_process_buf(mount->session, &request);
}

static void serve(struct ring_worker *worker, struct io_ring *io)
{
	struct zfsd_mount *mount = worker->ring->mount;
	unsigned *idle = &worker->ring->queues[worker->queue].idle_count;
	uint64_t tag;
	int r, result;

	ring_wire_register(io, device_of(worker), worker->queue, worker->memory);
	r = io_ring_wait(io, 1, &tag, &result);
	while (!fuse_session_exited(mount->session)) {
		if (r == -EINTR) {
			r = io_ring_wait(io, 0, &tag, &result);
			continue;
		}
		if (r < 0 || result < 0)
			break; /* unmounted, or given up on us */
		leave_idle(worker);
		answer(worker);
		__atomic_fetch_add(idle, 1, __ATOMIC_RELAXED);
		ring_wire_commit(io, device_of(worker), worker->queue,
			__atomic_exchange_n(&worker->unique, 0, __ATOMIC_SEQ_CST), 0);
		r = io_ring_wait(io, 1, &tag, &result);
	}
}

static void *work(void *argument)
{
	struct ring_worker *worker = argument;
	struct front_ring *ring = worker->ring;
	struct zfsd_mount *mount = ring->mount;
	struct io_ring io;

	bind_to_processor(worker->queue);
	this_worker = worker;
	if (wait_for_start(ring, io_ring_open(&io, 1)))
		serve(worker, &io);
	io_ring_close(&io);
	pthread_mutex_lock(&mount->lock);
	mount->running_count--;
	pthread_cond_broadcast(&mount->ended);
	pthread_mutex_unlock(&mount->lock);
	return NULL;
}

static struct ring_memory *new_memory(void)
{
	void *memory = mmap(NULL, sizeof(struct ring_memory), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Lock held. Without another thread the queue goes on with those that it has. */
static void start_thread(struct front_ring *ring, unsigned number)
{
	struct zfsd_mount *mount = ring->mount;
	struct ring_queue *queue = &ring->queues[number];
	struct ring_worker *worker;
	pthread_attr_t attributes;

	if (mount->stopping || queue->thread_count >= mount->options.workers)
		return;
	worker = memory_new(sizeof(*worker));
	worker->ring = ring;
	worker->queue = number;
	worker->memory = new_memory();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
	if (!worker->memory || pthread_create(&worker->thread, &attributes, work, worker) != 0) {
		if (worker->memory)
			munmap(worker->memory, sizeof(*worker->memory));
		free(worker);
	} else {
		worker->next = ring->workers;
		ring->workers = worker;
		ring->thread_count++;
		queue->thread_count++;
		mount->running_count++;
		__atomic_fetch_add(&queue->idle_count, 1, __ATOMIC_RELAXED);
		if (ring->thread_count > front_counters.workers_busy_most)
			front_counters.workers_busy_most = ring->thread_count;
	}
	pthread_attr_destroy(&attributes);
}

/* ---- the session's hooks ---- */

static void set_state(struct front_ring *ring, enum ring_state state)
{
	pthread_mutex_lock(&ring->mount->lock);
	__atomic_store_n(&ring->state, state, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mount->lock);
}

static ssize_t hook_read(int fd, void *buffer, size_t size, void *userdata)
{
	struct zfsd_mount *mount = userdata;
	ssize_t got = read(fd, buffer, size);

	if (got > 0 && mount->ring->state == RING_WAITING)
		this_is_offer = ring_wire_is_offer(buffer, (size_t)got);
	return got;
}

static ssize_t answer_first(struct zfsd_mount *mount, int fd, struct iovec *parts, int count)
{
	bool accepted = false;
	ssize_t r = this_is_offer ? ring_wire_accept(fd, parts, count, &accepted)
				  : writev(fd, parts, count);

	this_is_offer = false;
	set_state(mount->ring, accepted ? RING_GO : RING_NOT_WANTED);
	if (accepted)
		log_info("'%s': requests come over io_uring, one queue a processor",
			mount->mountpoint);
	return r;
}

static ssize_t hook_write(int fd, struct iovec *parts, int count, void *userdata)
{
	struct zfsd_mount *mount = userdata;

	if (this_worker) {
		size_t bytes = 0;

		ring_wire_reply(this_worker->memory, parts, count);
		for (int i = 0; i < count; i++)
			bytes += parts[i].iov_len;
		return (ssize_t)bytes;
	}
	if (mount->ring->state == RING_WAITING)
		return answer_first(mount, fd, parts, count);
	return writev(fd, parts, count);
}

/* ---- life ---- */

/* Processors that the machine could have: the kernel wants a queue for each. 0: can't tell. */
static unsigned possible_processors(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned first, last;
	int found = 0;

	if (file) {
		found = fscanf(file, "%u-%u", &first, &last);
		fclose(file);
	}
	if (found == 1)
		return first == 0 ? 1 : 0;
	return found == 2 && first == 0 ? last + 1 : 0;
}

static bool start_first_threads(struct front_ring *ring)
{
	struct zfsd_mount *mount = ring->mount;
	bool ok;

	pthread_mutex_lock(&mount->lock);
	for (unsigned i = 0; i < ring->queue_count; i++)
		start_thread(ring, i);
	while (ring->opened_count < ring->thread_count)
		pthread_cond_wait(&ring->changed, &mount->lock);
	ok = ring->thread_count == ring->queue_count && ring->failed_count == 0;
	pthread_mutex_unlock(&mount->lock);
	return ok;
}

void front_ring_prepare(struct zfsd_mount *mount)
{
	static const struct fuse_custom_io hooks = { .read = hook_read, .writev = hook_write };
	unsigned queues = possible_processors();
	struct front_ring *ring;

	if (queues == 0 || queues > QUEUES_MOST)
		return;
	ring = memory_new(sizeof(*ring) + queues * sizeof(ring->queues[0]));
	ring->mount = mount;
	ring->queue_count = queues;
	pthread_cond_init(&ring->changed, NULL);
	mount->ring = ring;
	if (!start_first_threads(ring) ||
		fuse_session_custom_io(mount->session, &hooks, fuse_session_fd(mount->session)) < 0)
		set_state(ring, RING_NOT_WANTED);
}

void front_ring_await_offer(struct zfsd_mount *mount)
{
	struct front_ring *ring = mount->ring;
	struct timespec until;

	if (!ring)
		return;
	pthread_mutex_lock(&mount->lock);
	/* A mount that is taken away at once ends its session without a word to us. */
	while (ring->state == RING_WAITING && !fuse_session_exited(mount->session)) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&ring->changed, &mount->lock, &until);
	}
	pthread_mutex_unlock(&mount->lock);
}

void front_ring_wake(struct zfsd_mount *mount)
{
	if (!mount->ring)
		return;
	pthread_cond_broadcast(&mount->ring->changed);
	for (struct ring_worker *worker = mount->ring->workers; worker; worker = worker->next)
		pthread_kill(worker->thread, FRONT_WAKE_SIGNAL);
}

void front_ring_free(struct zfsd_mount *mount)
{
	struct front_ring *ring = mount->ring;
	struct ring_worker *worker;

	if (!ring)
		return;
	while ((worker = ring->workers)) {
		ring->workers = worker->next;
		pthread_join(worker->thread, NULL);
		munmap(worker->memory, sizeof(*worker->memory));
		free(worker);
	}
	pthread_cond_destroy(&ring->changed);
	free(ring);
	mount->ring = NULL;
}

/* ---- the end of a pool ---- */

static void *answer_for_all(void *argument)
{
	struct front_ring *ring = argument;
	struct zfsd_mount *mount = ring->mount;
	unsigned added = 0;
	struct io_ring io;
	uint64_t tag;
	int result;

	if (io_ring_open(&io, 4096) < 0)
		return NULL;
	pthread_mutex_lock(&mount->lock);
	for (struct ring_worker *worker = ring->workers; worker; worker = worker->next) {
		uint64_t unique = __atomic_load_n(&worker->unique, __ATOMIC_SEQ_CST);

		if (!unique)
			continue;
		ring_wire_error(worker->memory, unique, -EIO);
		ring_wire_commit(&io, device_of(worker), worker->queue, unique, (uintptr_t)worker);
		added++;
	}
	pthread_mutex_unlock(&mount->lock);
	while (!fuse_session_exited(mount->session)) {
		int r = io_ring_wait(&io, added, &tag, &result);
		struct ring_worker *worker = (struct ring_worker *)(uintptr_t)tag;
		uint64_t unique;

		added = 0;
		if (r < 0 || result < 0)
			continue;
		unique = worker->memory->headers.commit_id;
		ring_wire_error(worker->memory, unique, -EIO);
		ring_wire_commit(&io, device_of(worker), worker->queue, unique, (uintptr_t)worker);
		added = 1;
	}
	io_ring_close(&io);
	return NULL;
}

void front_ring_give_up(struct zfsd_mount *mount)
{
	pthread_t thread;

	if (!front_ring_active(mount))
		return;
	/* The daemon ends soon after; nobody waits for this thread. */
	if (pthread_create(&thread, NULL, answer_for_all, mount->ring) == 0)
		pthread_detach(thread);
}
