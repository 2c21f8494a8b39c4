/*
 * Which pool is suspended. Making or importing a pool holds the lock on the list of pools while it
 * waits for the disks, so a pool whose disks fail just then can't be seen in the list: this
 * function takes the place of the library's own and notes the name before.
 */
#include "zfsd/pool/pool_internal.h"

#include <dlfcn.h>
#include <pthread.h>

typedef void suspend_function(spa_t *, zio_t *, zio_suspend_reason_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char noted_name[ZFS_MAX_DATASET_NAME_LEN];
static uint64_t noted, seen; /* suspensions; those of pools that the list has shown since */

void zio_suspend(spa_t *spa, zio_t *zio, zio_suspend_reason_t reason)
{
	static suspend_function *_Atomic found;

	pthread_mutex_lock(&lock);
	noted++;
	(void)strlcpy(noted_name, spa_name(spa), sizeof(noted_name));
	pthread_mutex_unlock(&lock);
	if (!found)
		found = (suspend_function *)dlsym(RTLD_NEXT, "zio_suspend");
	found(spa, zio, reason);
}

/* While the list is held: has a pool been suspended since it was last looked at? */
static bool any_noted(char *ret_name, size_t size)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = noted != seen;
	if (found)
		(void)strlcpy(ret_name, noted_name, size);
	pthread_mutex_unlock(&lock);
	return found;
}

static uint64_t count_noted(void)
{
	uint64_t count;

	pthread_mutex_lock(&lock);
	count = noted;
	pthread_mutex_unlock(&lock);
	return count;
}

bool pool_any_suspended(char *ret_name, size_t size)
{
	uint64_t before = count_noted();
	spa_t *spa = NULL;
	bool found = false;

	if (!mutex_tryenter(&spa_namespace_lock))
		return any_noted(ret_name, size);
	while (!found && (spa = spa_next(spa))) {
		found = spa_suspended(spa);
		if (found)
			(void)strlcpy(ret_name, spa_name(spa), size);
	}
	mutex_exit(&spa_namespace_lock);
	pthread_mutex_lock(&lock);
	if (!found)
		seen = before;
	pthread_mutex_unlock(&lock);
	return found;
}
