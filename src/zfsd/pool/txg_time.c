/*
 * Time spent in writing transaction groups. The library keeps it in a history that only its kstats
 * can read, and those are a stub in a process, so this function takes the place of its own and
 * holds a watch beside it.
 */
#include "zfsd/pool/txg_time.h"

#include "base/clock.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>

typedef void sync_function(spa_t *, uint64_t);

/* By pool, not by spa_t: a pool that was exported and comes back goes on counting. */
struct pool_time {
	struct pool_time *next;
	uint64_t guid;
	uint64_t sync_ns;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool_time *pools;

static struct pool_time *find(uint64_t guid)
{
	struct pool_time *pool = pools;

	while (pool && pool->guid != guid)
		pool = pool->next;
	return pool;
}

static void add(uint64_t guid, uint64_t sync_ns)
{
	struct pool_time *pool;

	pthread_mutex_lock(&lock);
	pool = find(guid);
	if (!pool) {
		pool = memory_new(sizeof(*pool));
		pool->guid = guid;
		pool->next = pools;
		pools = pool;
	}
	pool->sync_ns += sync_ns;
	pthread_mutex_unlock(&lock);
}

uint64_t txg_time_sync_ns(spa_t *spa)
{
	const struct pool_time *pool;
	uint64_t sync_ns;

	pthread_mutex_lock(&lock);
	pool = find(spa_guid(spa));
	sync_ns = pool ? pool->sync_ns : 0;
	pthread_mutex_unlock(&lock);
	return sync_ns;
}

/* Called by the one thread that syncs a pool. */
void spa_sync(spa_t *spa, uint64_t txg)
{
	static sync_function *_Atomic found;
	struct clock *clock = clock_system();
	int64_t start_ns = clock->now_ns(clock);

	if (!found)
		found = (sync_function *)dlsym(RTLD_NEXT, "spa_sync");
	found(spa, txg);
	add(spa_guid(spa), (uint64_t)(clock->now_ns(clock) - start_ns));
}
