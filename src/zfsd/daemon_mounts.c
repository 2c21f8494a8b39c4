/* The list of mounts, by dataset. */
#include "zfsd/daemon.h"
#include "zfsd/posix/filesystem.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const char *dataset, const char *name, bool whole_pool)
{
	size_t length = strlen(name);

	if (!whole_pool)
		return strcmp(dataset, name) == 0;
	return strncmp(dataset, name, length) == 0 && strchr("/@", dataset[length]);
}

static const char *dataset_of(const struct daemon_mount *entry)
{
	return filesystem_dataset(mount_filesystem(entry->mount));
}

struct zfsd_mount *daemon_find_mount(struct zfsd_daemon *daemon, const char *name)
{
	struct zfsd_mount *found = NULL;

	pthread_mutex_lock(&daemon->mounts_lock);
	for (struct daemon_mount *entry = daemon->mounts; entry && !found; entry = entry->next) {
		if (belongs(dataset_of(entry), name, false))
			found = entry->mount;
	}
	pthread_mutex_unlock(&daemon->mounts_lock);
	return found;
}

bool daemon_is_mounted(struct zfsd_daemon *daemon, const char *name, bool whole_pool)
{
	bool found = false;

	pthread_mutex_lock(&daemon->mounts_lock);
	for (struct daemon_mount *entry = daemon->mounts; entry && !found; entry = entry->next)
		found = belongs(dataset_of(entry), name, whole_pool) &&
			!mount_is_gone(entry->mount);
	pthread_mutex_unlock(&daemon->mounts_lock);
	return found;
}

int daemon_mount_dataset(struct zfsd_daemon *daemon, const char *name, const char *mountpoint,
	const struct mount_options *options, struct err *err)
{
	struct filesystem_options open_options = { .readonly = options->readonly };
	struct zfsd_filesystem *fs;
	struct daemon_mount *entry;
	struct zfsd_mount *mount;
	int r;

	if (daemon_is_mounted(daemon, name, false))
		return err_set(err, -EBUSY, "dataset '%s' is mounted already", name);
	r = daemon_unmount(daemon, name, false, true, err); /* what somebody else unmounted */
	if (r == 0)
		r = filesystem_open(name, &open_options, &fs, err);
	if (r < 0)
		return r;
	r = mount_start(fs, mountpoint, options, &mount, err);
	if (r < 0)
		return r;
	statistics_mounted(fs, true);
	entry = memory_new(sizeof(*entry));
	entry->mount = mount;
	pthread_mutex_lock(&daemon->mounts_lock);
	entry->next = daemon->mounts;
	daemon->mounts = entry;
	pthread_mutex_unlock(&daemon->mounts_lock);
	return 0;
}

static struct daemon_mount *take_out(struct zfsd_daemon *daemon, const char *name, bool whole_pool)
{
	struct daemon_mount **place = &daemon->mounts, *entry;

	pthread_mutex_lock(&daemon->mounts_lock);
	while ((entry = *place) && !belongs(dataset_of(entry), name, whole_pool))
		place = &entry->next;
	if (entry)
		*place = entry->next;
	pthread_mutex_unlock(&daemon->mounts_lock);
	return entry;
}

static void put_back(struct zfsd_daemon *daemon, struct daemon_mount *entry)
{
	pthread_mutex_lock(&daemon->mounts_lock);
	entry->next = daemon->mounts;
	daemon->mounts = entry;
	pthread_mutex_unlock(&daemon->mounts_lock);
}

int daemon_unmount(
	struct zfsd_daemon *daemon, const char *name, bool whole_pool, bool force, struct err *err)
{
	struct daemon_mount *entry;
	int r = 0;

	while (r == 0 && (entry = take_out(daemon, name, whole_pool))) {
		struct zfsd_filesystem *fs = mount_filesystem(entry->mount);

		statistics_mounted(fs, false);
		r = mount_stop(entry->mount, force, err);
		if (r < 0) {
			statistics_mounted(fs, true);
			put_back(daemon, entry);
		} else {
			free(entry);
		}
	}
	return r;
}

void daemon_give_up(struct zfsd_daemon *daemon)
{
	pthread_mutex_lock(&daemon->mounts_lock);
	for (struct daemon_mount *entry = daemon->mounts; entry; entry = entry->next)
		mount_give_up(entry->mount);
	pthread_mutex_unlock(&daemon->mounts_lock);
}

struct stop_all {
	struct zfsd_daemon *daemon;
	struct err *err;
	bool force;
	int result;
};

static void stop_pool(void *context, const char *name)
{
	struct stop_all *all = context;
	int r = daemon_unmount(all->daemon, name, true, all->force, all->err);

	if (r == 0)
		r = pool_export(name, all->force, all->err);
	if (r < 0)
		all->result = r;
}

int daemon_stop_all(struct zfsd_daemon *daemon, bool force, struct err *err)
{
	struct stop_all all = { .daemon = daemon, .err = err, .force = force };

	pool_each(stop_pool, &all);
	return all.result;
}
