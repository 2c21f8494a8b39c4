/*
 * Life of a mount: mounting, worker threads, unmounting. Threads are started as they are needed:
 * whenever the last idle one takes a request, another joins, up to the limit, because a thread that
 * waits for the disk in an fsync must not hold up the commits of others.
 */
#include "zfsd/front/front_internal.h"
#include "zfsd/front/ring.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "platform/os_fuse_ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKER_STACK_BYTES (512UL * 1024)

static _Thread_local char *thread_buffer;

void *front_thread_buffer(void)
{
	void *buffer = front_ring_thread_buffer();

	if (buffer)
		return buffer;
	if (!thread_buffer)
		thread_buffer = memory_new(FRONT_REQUEST_BYTES);
	return thread_buffer;
}

void mount_counters(struct front_counters *ret_counters)
{
	const uint64_t *from = (const uint64_t *)&front_counters;
	uint64_t *to = (uint64_t *)ret_counters;

	for (size_t i = 0; i < sizeof(front_counters) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

struct worker {
	struct zfsd_mount *mount;
	struct worker_slot *slot;
};

static void *work(void *argument);

void front_start_worker(struct zfsd_mount *mount, unsigned limit)
{
	pthread_attr_t attributes;
	struct worker *worker;

	if (mount->stopping || mount->thread_count >= limit)
		return;
	worker = memory_new(sizeof(*worker));
	worker->mount = mount;
	worker->slot = &mount->slots[mount->thread_count];
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
	if (pthread_create(&mount->threads[mount->thread_count], &attributes, work, worker) != 0) {
		free(worker);
	} else {
		mount->thread_count++;
		mount->running_count++;
		__atomic_fetch_add(&mount->idle_count, 1, __ATOMIC_RELAXED);
		if (mount->thread_count > front_counters.workers_busy_most)
			front_counters.workers_busy_most = mount->thread_count;
	}
	pthread_attr_destroy(&attributes);
}

static void leave_idle(struct zfsd_mount *mount)
{
	if (__atomic_sub_fetch(&mount->idle_count, 1, __ATOMIC_RELAXED) > 0 ||
		mount->thread_count == mount->options.workers)
		return;
	pthread_mutex_lock(&mount->lock);
	front_start_worker(mount, mount->options.workers);
	pthread_mutex_unlock(&mount->lock);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct zfsd_mount *mount = worker->mount;
	struct fuse_buf buffer = { 0 };

	while (!fuse_session_exited(mount->session)) {
		int r = fuse_session_receive_buf(mount->session, &buffer);

		if (r == -EINTR || r == -EAGAIN)
			continue;
		if (r <= 0)
			break;
		leave_idle(mount);
		if (!front_note_request(mount, worker->slot, buffer.mem))
			fuse_session_process_buf(mount->session, &buffer);
		front_forget_request(worker->slot);
		__atomic_fetch_add(&mount->idle_count, 1, __ATOMIC_RELAXED);
	}
	free(buffer.mem);
	free(thread_buffer);
	free(worker);
	pthread_mutex_lock(&mount->lock);
	mount->stopping = true;
	mount->running_count--;
	pthread_cond_broadcast(&mount->ended);
	pthread_mutex_unlock(&mount->lock);
	return NULL;
}

static void wake_nobody(int signal)
{
	(void)signal;
}

static void install_wake_signal(void)
{
	struct sigaction action = { .sa_handler = wake_nobody };
	sigset_t set;

	sigaction(FRONT_WAKE_SIGNAL, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, FRONT_WAKE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static int check_mountpoint(const char *path, struct err *err)
{
	struct dirent *entry;
	struct stat info, parent;
	char *above = memory_format("%s/..", path);
	DIR *folder = opendir(path);
	int r = 0;

	if (!folder)
		r = err_set_errno(err, -errno, "mount point '%s'", path);
	else if (stat(path, &info) == 0 && stat(above, &parent) == 0 &&
		 info.st_dev != parent.st_dev)
		r = err_set(err, -EBUSY, "mount point '%s' is a mount point already", path);
	while (r == 0 && (entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = err_set(err, -ENOTEMPTY, "mount point '%s' is not empty", path);
	}
	if (folder)
		closedir(folder);
	free(above);
	return r;
}

static int check_machine(struct err *err)
{
	char *helper;

	if (access("/dev/fuse", F_OK) != 0)
		return err_set(err, -ENODEV, "there is no /dev/fuse: FUSE is not available here");
	if (geteuid() == 0)
		return 0;
	helper = subprocess_find("fusermount3");
	if (!helper)
		return err_set(err, -ENOENT, "there is no fusermount3: install package fuse3");
	free(helper);
	return 0;
}

static int make_session(struct zfsd_mount *mount, struct err *err)
{
	const struct mount_options *options = &mount->options;
	char *words =
		memory_format("fsname=%s,subtype=plumb-zfsd%s%s", filesystem_dataset(mount->fs),
			options->allow_other ? ",allow_other,default_permissions" : "",
			options->readonly ? ",ro" : "");
	char *arguments[] = { (char *)"plumb-zfsd", (char *)"-o", words, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
	int r = 0;

	mount->session =
		fuse_session_new(&args, &front_operations, sizeof(front_operations), mount);
	if (!mount->session)
		r = err_set(err, -EINVAL, "libfuse takes no session with options '%s'", words);
	else if (fuse_session_mount(mount->session, mount->mountpoint) != 0)
		r = err_set(err, -EIO, "mount '%s' on '%s' failed, see the log",
			filesystem_dataset(mount->fs), mount->mountpoint);
	fuse_opt_free_args(&args);
	free(words);
	return r;
}

static void mount_free(struct zfsd_mount *mount)
{
	if (mount->session)
		fuse_session_destroy(mount->session);
	filesystem_close(mount->fs);
	pthread_mutex_destroy(&mount->lock);
	pthread_cond_destroy(&mount->ended);
	free(mount->threads);
	free(mount->slots);
	free(mount->mountpoint);
	free(mount);
}

int mount_start(struct zfsd_filesystem *fs, const char *mountpoint,
	const struct mount_options *options, struct zfsd_mount **ret_mount, struct err *err)
{
	struct zfsd_mount *mount = memory_new(sizeof(*mount));
	struct os_fuse_ring ring_switch = OS_FUSE_RING_INIT;
	bool ring = false;
	int r;

	mount->fs = fs;
	mount->options = *options;
	mount->mountpoint = realpath(mountpoint, NULL);
	mount->threads = memory_new_array(options->workers + 1, sizeof(*mount->threads));
	mount->slots = memory_new_array(options->workers + 1, sizeof(*mount->slots));
	pthread_mutex_init(&mount->lock, NULL);
	pthread_cond_init(&mount->ended, NULL);
	install_wake_signal();
	r = check_machine(err);
	if (r == 0)
		r = check_mountpoint(mountpoint, err);
	if (r == 0) {
		ring = !options->no_ring && os_fuse_ring_turn_on(&ring_switch);
		r = make_session(mount, err);
	}
	if (r < 0) {
		os_fuse_ring_turn_back(&ring_switch);
		mount_free(mount);
		return r;
	}
	if (ring)
		front_ring_prepare(mount);
	pthread_mutex_lock(&mount->lock);
	front_start_worker(mount, mount->options.workers);
	front_start_worker(mount, mount->options.workers);
	pthread_mutex_unlock(&mount->lock);
	front_ring_await_offer(mount);
	os_fuse_ring_turn_back(&ring_switch);
	*ret_mount = mount;
	return 0;
}

static int unmount_as_user(const char *mountpoint, bool force, struct err *err)
{
	const char *const plain[] = { "fusermount3", "-u", mountpoint, NULL };
	const char *const lazy[] = { "fusermount3", "-u", "-z", mountpoint, NULL };

	return subprocess_capture(force ? lazy : plain, NULL, err);
}

static int detach(struct zfsd_mount *mount, bool force, struct err *err)
{
	int r;

	if (geteuid() != 0)
		r = unmount_as_user(mount->mountpoint, force, err) < 0 ? -EBUSY : 0;
	else
		r = umount2(mount->mountpoint, force ? MNT_DETACH : UMOUNT_NOFOLLOW) < 0 ? -errno
											 : 0;
	if (r == 0 || force || r == -EINVAL)
		return 0; /* detached, or somebody did it before us */
	if (r == -EBUSY)
		return err_set(err, r, "'%s' is in use", mount->mountpoint);
	return err_set_errno(err, r, "unmount '%s'", mount->mountpoint);
}

/* A detached mount lives on while files are open there: wake the workers until they all left. */
static void stop_workers(struct zfsd_mount *mount)
{
	struct timespec until;

	fuse_session_exit(mount->session);
	pthread_mutex_lock(&mount->lock);
	mount->stopping = true;
	while (mount->running_count > 0) {
		for (unsigned i = 0; i < mount->thread_count; i++)
			pthread_kill(mount->threads[i], FRONT_WAKE_SIGNAL);
		front_ring_wake(mount);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20 * NS_PER_MS;
		if (until.tv_nsec >= NS_PER_S) {
			until.tv_sec++;
			until.tv_nsec -= NS_PER_S;
		}
		pthread_cond_timedwait(&mount->ended, &mount->lock, &until);
	}
	pthread_mutex_unlock(&mount->lock);
	for (unsigned i = 0; i < mount->thread_count; i++)
		pthread_join(mount->threads[i], NULL);
	front_ring_free(mount);
}

int mount_stop(struct zfsd_mount *mount, bool force, struct err *err)
{
	int r = mount_is_gone(mount) ? 0 : detach(mount, force, err);

	if (r < 0)
		return r;
	stop_workers(mount);
	mount_free(mount);
	return 0;
}

bool mount_is_gone(const struct zfsd_mount *mount)
{
	return fuse_session_exited(mount->session);
}

struct zfsd_filesystem *mount_filesystem(const struct zfsd_mount *mount)
{
	return mount->fs;
}

const char *mount_point(const struct zfsd_mount *mount)
{
	return mount->mountpoint;
}

const struct mount_options *mount_options(const struct zfsd_mount *mount)
{
	return &mount->options;
}

bool mount_uses_ring(const struct zfsd_mount *mount)
{
	return front_ring_active(mount);
}
