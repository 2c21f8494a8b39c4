/*
 * Talks to plumb-zfsd over its private socket (zfsd/zfsd_protocol.h is the contract): start a
 * daemon, send requests, stop it.
 */
#ifndef TARGET_ZFSD_CLIENT_H
#define TARGET_ZFSD_CLIENT_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct zfsd_options {
	const char *socket_path;  /* its folder is ours and 0700 */
	const char *log_path;	  /* the daemon's messages are appended here */
	const char *proof_folder; /* where passed self-tests are kept (zfsd_proof.h) */
	uint64_t arc_max_bytes;	  /* 0: the daemon's default, as for those below */
	uint64_t arc_min_bytes;
	uint64_t dirty_data_max_bytes;
	int64_t txg_timeout_s;
	int workers;
	bool die_with_parent;
	const char *const *cgroup_procs; /* NULL-ended or NULL */
};

struct zfsd;

/* 0 when the program is there and takes the installed library; -ENOTSUP with the package that is
 * missing, or with the program's reason. */
int zfsd_check(struct err *why);

/* Start a daemon and wait until it answers; errors carry the tail of its log. The first start with
 * a library is preceded by its self-test: no daemon without a pass. */
int zfsd_start(const struct zfsd_options *options, struct zfsd **ret_zfsd, struct err *err);

/*
 * The daemon that listens at socket_path; -ENOENT, -ECONNREFUSED when none does. limit_ns: longest
 * that one transfer of a request may take, for those who must not hang on a daemon that is ill;
 * 0: for ever.
 */
int zfsd_connect(
	const char *socket_path, int64_t limit_ns, struct zfsd **ret_zfsd, struct err *err);

/*
 * One request; arguments is taken over (NULL: none), *ret_result is a new reference (ret_result
 * may be NULL). The daemon's refusal comes back as its errno and its words. -EPIPE when it has
 * ended: err then has the tail of its log. -ETIMEDOUT: no answer within the limit; the connection
 * is of no use any more.
 */
int zfsd_request(struct zfsd *zfsd, const char *command, json_t *arguments, json_t **ret_result,
	struct err *err);

/* -EPIPE when the daemon that we started has ended: how, and the report of a failed assertion or
 * the end of its log. */
int zfsd_alive(struct zfsd *zfsd, struct err *err);

pid_t zfsd_pid(const struct zfsd *zfsd); /* 0 when connected only */

/* Ask it to unmount, export and end; kill it when it does not within 30 s. One that has ended is
 * fine. */
int zfsd_stop(struct zfsd *zfsd, struct err *err);

/* Close the connection. Takes NULL, returns NULL. A daemon that we started goes on. */
struct zfsd *zfsd_close(struct zfsd *zfsd);

#endif
