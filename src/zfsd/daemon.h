/* The daemon as its parts see it: options, mounts, how it ends. */
#ifndef ZFSD_DAEMON_H
#define ZFSD_DAEMON_H

#include "base/err.h"
#include "zfsd/front/mount.h"
#include "zfsd/pool/pool.h"

#include <pthread.h>
#include <stdint.h>

struct daemon_mount {
	struct daemon_mount *next;
	struct zfsd_mount *mount;
};

struct daemon_options {
	char *socket_path;
	char *log_path;
	char *proof_folder; /* passes of the self-test; NULL: the cache folder's */
	int ready_fd;	    /* -1: none */
	bool die_with_parent;
	struct kernel_options kernel;
	unsigned workers;
	bool no_ring;
	unsigned suspend_timeout_s;
	char *self_test_folder;
};

struct zfsd_daemon {
	struct daemon_options options;
	pthread_mutex_t change_lock; /* pools and mounts change one at a time */
	pthread_mutex_t mounts_lock; /* the list itself */
	struct daemon_mount *mounts;
	int64_t start_ns;
	int stop_fd; /* eventfd: written to end the daemon */
	struct kernel_library library;
};

/* --- zfsd_main.c --- */
/* End the process at once, without a flush: nothing in it can be relied on. */
void daemon_end_now(int status) __attribute__((noreturn));

/* --- daemon_mounts.c; change_lock held, but for find --- */
int daemon_mount_dataset(struct zfsd_daemon *daemon, const char *name, const char *mountpoint,
	const struct mount_options *options, struct err *err);
/* By dataset, or with "POOL" and whole_pool each dataset of the pool. Nothing mounted is fine. */
int daemon_unmount(
	struct zfsd_daemon *daemon, const char *name, bool whole_pool, bool force, struct err *err);
bool daemon_is_mounted(struct zfsd_daemon *daemon, const char *name, bool whole_pool);
/* Lent while change_lock is held; NULL if not mounted. */
struct zfsd_mount *daemon_find_mount(struct zfsd_daemon *daemon, const char *name);
void daemon_give_up(struct zfsd_daemon *daemon); /* EIO to every request of every mount */
/* Unmount and export everything. */
int daemon_stop_all(struct zfsd_daemon *daemon, bool force, struct err *err);

/* --- admin.c --- */
/* Listen and serve on threads of its own until stop_fd fires. */
int admin_start(struct zfsd_daemon *daemon, struct err *err);
void admin_stop(struct zfsd_daemon *daemon);

/* --- admin_commands.c --- */
/* Carry out one request line; *ret_reply is the line to send back, newline included. */
void admin_handle(struct zfsd_daemon *daemon, const char *line, size_t length, char **ret_reply);

/* --- watchdog.c --- */
int watchdog_start(struct zfsd_daemon *daemon, struct err *err);

#endif
