/*
 * See vdev_flusher.h. The thread sleeps while commits come one at a time: then the committing
 * thread itself flushes, because a hand-over costs more than it saves.
 */
#include "zfsd/pool/vdev_flusher.h"
#include "zfsd/pool/commit_count.h"
#include "zfsd/pool/zio_inline.h"

#include "base/memory.h"

struct waiting {
	struct waiting *next;
	zio_t *zio;
};

struct vdev_flusher {
	struct device *device;
	pthread_t thread;
	pthread_mutex_t lock; /* the rest */
	pthread_cond_t work;
	struct waiting *waiting;
	bool busy; /* the thread flushes */
	bool stopping;
};

static uint32_t committing; /* atomic */

void commit_count_enter(void)
{
	atomic_inc_32(&committing);
}

void commit_count_leave(void)
{
	atomic_dec_32(&committing);
}

uint32_t commit_count_now(void)
{
	return atomic_load_32(&committing);
}

static int flush_here(struct device *device)
{
	return device_transfer(device, DEVICE_FLUSH, 0, 0, NULL);
}

static void complete(struct waiting *list, int result)
{
	while (list) {
		struct waiting *next = list->next;
		zio_t *zio = list->zio;

		free(list);
		zio->io_error = result == -ENODEV ? ENXIO : -result;
		zio_interrupt(zio);
		list = next;
	}
}

/* What waits now is served by a flush that has not begun yet. */
static struct waiting *take_all(struct vdev_flusher *flusher)
{
	struct waiting *taken;

	pthread_mutex_lock(&flusher->lock);
	flusher->busy = false;
	while (!flusher->waiting && !flusher->stopping)
		pthread_cond_wait(&flusher->work, &flusher->lock);
	taken = flusher->waiting;
	flusher->waiting = NULL;
	flusher->busy = taken != NULL;
	pthread_mutex_unlock(&flusher->lock);
	return taken;
}

static void *work(void *argument)
{
	struct vdev_flusher *flusher = argument;
	struct waiting *taken;

	while ((taken = take_all(flusher)))
		complete(taken, flush_here(flusher->device));
	return NULL;
}

struct vdev_flusher *vdev_flusher_start(struct device *device)
{
	struct vdev_flusher *flusher = memory_new(sizeof(*flusher));

	flusher->device = device;
	pthread_mutex_init(&flusher->lock, NULL);
	pthread_cond_init(&flusher->work, NULL);
	VERIFY0(pthread_create(&flusher->thread, NULL, work, flusher));
	return flusher;
}

void vdev_flusher_stop(struct vdev_flusher *flusher)
{
	if (!flusher)
		return;
	pthread_mutex_lock(&flusher->lock);
	flusher->stopping = true;
	pthread_cond_signal(&flusher->work);
	pthread_mutex_unlock(&flusher->lock);
	pthread_join(flusher->thread, NULL);
	pthread_cond_destroy(&flusher->work);
	pthread_mutex_destroy(&flusher->lock);
	free(flusher);
}

void vdev_flusher_submit(struct vdev_flusher *flusher, zio_t *zio)
{
	struct waiting *waiting = memory_new(sizeof(*waiting));
	bool alone;

	waiting->zio = zio;
	pthread_mutex_lock(&flusher->lock);
	alone = commit_count_now() <= 1 && !flusher->busy && !flusher->waiting;
	if (!alone) {
		waiting->next = flusher->waiting;
		flusher->waiting = waiting;
		pthread_cond_signal(&flusher->work);
	}
	pthread_mutex_unlock(&flusher->lock);
	if (alone)
		complete(waiting, flush_here(flusher->device));
}
