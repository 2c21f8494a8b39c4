/* What the files of the FUSE front share. */
#ifndef ZFSD_FRONT_FRONT_INTERNAL_H
#define ZFSD_FRONT_FRONT_INTERNAL_H

#define FUSE_USE_VERSION 312

#include "zfsd/front/mount.h"
#include "zfsd/posix/filesystem.h"

#include <fuse_lowlevel.h>
#include <pthread.h>

/* Longest read and write request. */
#define FRONT_REQUEST_BYTES (1024U * 1024)

/* Interrupts threads that wait for a request. */
#define FRONT_WAKE_SIGNAL SIGUSR1

/* What a worker is busy with. */
struct worker_slot {
	uint64_t unique; /* atomic; number of the request, 0: none that waits for an answer */
};

struct front_ring;

struct zfsd_mount {
	struct zfsd_filesystem *fs;
	struct fuse_session *session;
	struct front_ring *ring; /* NULL: requests are read from the device */
	struct mount_options options;
	char *mountpoint;
	pthread_mutex_t lock; /* the rest */
	pthread_cond_t ended;
	pthread_t *threads;
	struct worker_slot *slots; /* one a thread */
	unsigned thread_count;	   /* started */
	unsigned running_count;	   /* threads of the ring too */
	unsigned idle_count;	   /* atomic: waiting for a request */
	bool stopping;
	bool given_up; /* atomic */
};

/* Requests to functions; userdata is the mount. */
extern const struct fuse_lowlevel_ops front_operations;
extern struct front_counters front_counters; /* atomic fields */

#define FRONT_COUNT(name, by) \
	__atomic_fetch_add(&front_counters.name, (uint64_t)(by), __ATOMIC_RELAXED)

/* --- front_reply.c: replies that this libfuse can't make, because they need newer flags --- */
void front_reply_open(fuse_req_t request, const struct fuse_file_info *info);
void front_reply_create(
	fuse_req_t request, struct zfsd_node *node, const struct fuse_file_info *info);
void front_reply_node(fuse_req_t request, struct zfsd_node *node);
void front_reply_attributes(fuse_req_t request, struct zfsd_node *node);
void front_fill_stat(struct zfsd_node *node, struct stat *ret_stat);

/* --- give_up.c --- */
/* Note the request in buffer as the slot's; answer it and return true once we gave up. */
bool front_note_request(struct zfsd_mount *mount, struct worker_slot *slot, const void *bytes);
void front_forget_request(struct worker_slot *slot);

/* Start one more worker, beyond the limit by one. Lock held. */
void front_start_worker(struct zfsd_mount *mount, unsigned limit);

/* Memory of the calling thread, FRONT_REQUEST_BYTES long. */
void *front_thread_buffer(void);

#endif
