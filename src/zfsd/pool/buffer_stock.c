/*
 * The first touch of new memory is a page fault, two for a record of 8K, and the library takes the
 * buffer of a record while a request waits for it. A thread of ours takes buffers ahead and touches
 * their pages on another processor; our function in the place of the library's hands them out.
 * Measured: docs/performance.md.
 */
#include "zfsd/pool/buffer_stock.h"
#include "zfsd/compat/zfs_headers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#define SMALLEST_BYTES	 4096UL
#define SHELVES		 6 /* 4K, 8K, ... 128K */
#define SHELF_BYTES	 (4UL * 1024 * 1024)
#define SHELF_COUNT_MOST 512
#define PAGE_BYTES	 4096

#define LOOK_EVERY_NS  (2 * 1000 * 1000)
#define UNUSED_ROUNDS  500 /* then all goes back: about a second */
#define WAIT_UNUSED_NS (100 * 1000 * 1000)

struct shelf {
	pthread_mutex_t lock;
	unsigned count;
	unsigned asked; /* since the thread looked last */
	void *buffers[SHELF_COUNT_MOST];
};

static struct {
	pthread_t thread;
	bool running; /* atomic */
	struct shelf shelves[SHELVES];
} stock;

typedef void *allocate_function(size_t size);

static void *library_allocate(size_t size)
{
	static allocate_function *found;

	if (!found)
		found = (allocate_function *)dlsym(RTLD_NEXT, "zio_data_buf_alloc");
	return found(size);
}

static size_t bytes_of(unsigned shelf)
{
	return SMALLEST_BYTES << shelf;
}

static struct shelf *shelf_for(size_t size)
{
	for (unsigned i = 0; i < SHELVES; i++) {
		if (size == bytes_of(i))
			return &stock.shelves[i];
	}
	return NULL;
}

static void *take(struct shelf *shelf)
{
	void *buffer = NULL;

	pthread_mutex_lock(&shelf->lock);
	shelf->asked++;
	if (shelf->count > 0)
		buffer = shelf->buffers[--shelf->count];
	pthread_mutex_unlock(&shelf->lock);
	return buffer;
}

void *zio_data_buf_alloc(size_t size)
{
	struct shelf *shelf = NULL;
	void *buffer = NULL;

	if (__atomic_load_n(&stock.running, __ATOMIC_ACQUIRE))
		shelf = shelf_for(size);
	if (shelf)
		buffer = take(shelf);
	return buffer ? buffer : library_allocate(size);
}

/* ---- the thread ---- */

static void *touched_buffer(size_t size)
{
	volatile char *buffer = library_allocate(size);

	for (size_t i = 0; i < size; i += PAGE_BYTES)
		buffer[i] = 0;
	return (void *)buffer;
}

static bool has_room(struct shelf *shelf, unsigned most)
{
	bool room;

	pthread_mutex_lock(&shelf->lock);
	room = shelf->count < most;
	pthread_mutex_unlock(&shelf->lock);
	return room;
}

/* Only the thread puts: where it saw room there is room for one. */
static void put(struct shelf *shelf, void *buffer)
{
	pthread_mutex_lock(&shelf->lock);
	shelf->buffers[shelf->count++] = buffer;
	pthread_mutex_unlock(&shelf->lock);
}

static void fill(struct shelf *shelf, size_t size)
{
	unsigned most = (unsigned)MIN(SHELF_BYTES / size, SHELF_COUNT_MOST);

	/* No more than that at once: the other shelves wait. */
	for (unsigned i = 0; i < most && has_room(shelf, most); i++)
		put(shelf, touched_buffer(size));
}

static void empty(struct shelf *shelf, size_t size)
{
	void *buffer;

	while ((buffer = take(shelf)))
		zio_data_buf_free(buffer, size);
}

static unsigned asked_since(struct shelf *shelf)
{
	unsigned asked;

	pthread_mutex_lock(&shelf->lock);
	asked = shelf->asked;
	shelf->asked = 0;
	pthread_mutex_unlock(&shelf->lock);
	return asked;
}

static void *keep_stock(void *unused)
{
	unsigned unused_rounds[SHELVES];
	bool used = false;

	(void)unused;
	for (unsigned i = 0; i < SHELVES; i++)
		unused_rounds[i] = UNUSED_ROUNDS;
	while (__atomic_load_n(&stock.running, __ATOMIC_ACQUIRE)) {
		struct timespec rest = { .tv_nsec = used ? LOOK_EVERY_NS : WAIT_UNUSED_NS };

		nanosleep(&rest, NULL);
		used = false;
		for (unsigned i = 0; i < SHELVES; i++) {
			struct shelf *shelf = &stock.shelves[i];

			if (asked_since(shelf) > 0) {
				unused_rounds[i] = 0;
				fill(shelf, bytes_of(i));
			} else if (++unused_rounds[i] == UNUSED_ROUNDS) {
				empty(shelf, bytes_of(i));
				asked_since(shelf);
			}
			used = used || unused_rounds[i] < UNUSED_ROUNDS;
		}
	}
	return NULL;
}

void buffer_stock_start(void)
{
	for (unsigned i = 0; i < SHELVES; i++)
		pthread_mutex_init(&stock.shelves[i].lock, NULL);
	__atomic_store_n(&stock.running, true, __ATOMIC_RELEASE);
	if (pthread_create(&stock.thread, NULL, keep_stock, NULL) != 0)
		stock.running = false;
}

void buffer_stock_stop(void)
{
	if (!stock.running)
		return;
	__atomic_store_n(&stock.running, false, __ATOMIC_RELEASE);
	pthread_join(stock.thread, NULL);
	for (unsigned i = 0; i < SHELVES; i++)
		empty(&stock.shelves[i], bytes_of(i));
}
