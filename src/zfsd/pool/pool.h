/*
 * Pools, datasets and their properties as plain C: what the admin commands call. No ZFS type
 * appears here. Replies are JSON objects in the form that zfsd_protocol.h documents (new
 * references).
 *
 * Functions that change pools or mounts must not run side by side; the caller has one lock for
 * them. Errors are negative errnos with a sentence in err.
 */
#ifndef ZFSD_POOL_POOL_H
#define ZFSD_POOL_POOL_H

#include "base/err.h"
#include "base/hash.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* --- kernel_setup.c: the library as a whole --- */

struct kernel_options {
	uint64_t arc_min_bytes;
	uint64_t arc_max_bytes;
	uint64_t dirty_data_max_bytes;
	uint32_t txg_timeout_s;
	bool no_cache_flush; /* never flush devices: loses data at a power cut, for controls */
};

/* Bounds, defaults filled in for zeros. */
int kernel_options_check(struct kernel_options *options, struct err *err);

/* Starts some 90 threads: nothing may fork afterwards but to exec at once. */
int kernel_start(const struct kernel_options *options, struct err *err);
void kernel_stop(void); /* all pools exported */

/* --- library.c --- */
struct kernel_library {
	char version[64];	   /* "2.3.2-2~bpo12+2" */
	char hash[HASH_TEXT_SIZE]; /* of the file that it was loaded from */
	bool is_as_built;	   /* the very file that the build linked with */
};
/* The library that was loaded; refused (-ENOTSUP) unless it is of the series that this program was
 * built for and its objects are those of the headers. Forks: before kernel_start(). */
int kernel_check_library(struct kernel_library *ret_library, struct err *err);

/* --- pool.c --- */

struct pool_vdev {
	const char *type; /* stripe mirror raidz1 raidz2 raidz3 */
	bool log;
	const char *const *devices; /* specifications */
	size_t device_count;
};

struct pool_create {
	const char *name;
	const struct pool_vdev *vdevs;
	size_t vdev_count;
	const json_t *properties;	  /* object of texts, or NULL */
	const json_t *dataset_properties; /* of the root dataset, or NULL */
	bool force;			  /* devices that hold a pool are taken */
	const char *const *destroy;	  /* block devices that may be written to */
	size_t destroy_count;
};

struct pool_import {
	const char *name; /* NULL: the only one there */
	const char *const *devices;
	size_t device_count;
	bool readonly;
	bool force;
	bool destroyed; /* one that was destroyed is what is wanted */
};

int pool_create(const struct pool_create *create, json_t **ret_reply, struct err *err);
int pool_import(const struct pool_import *import, json_t **ret_reply, struct err *err);
int pool_export(const char *name, bool force, struct err *err);
int pool_destroy(const char *name, struct err *err);
int pool_sync(const char *name, uint64_t *ret_txg, struct err *err);
int pool_scrub(const char *name, const char *action, struct err *err);
int pool_set_clock(const char *name, bool running, struct err *err);
/* Break a rule of the library in the middle of its work: it ends the process. For tests. */
void pool_fail_assertion(void);
/* Call visit for each imported pool. */
void pool_each(void (*visit)(void *context, const char *name), void *context);
int pool_check_name(const char *name, struct err *err);

/* --- suspension.c; for one caller at a time --- */
/* Name of a pool that is suspended; false if none is. Never waits for the library. */
bool pool_any_suspended(char *ret_name, size_t size);

/* --- pool_status.c --- */
int pool_status(const char *name, json_t **ret_reply, struct err *err);
int pool_iostat(const char *name, json_t **ret_reply, struct err *err);

/* --- dataset.c --- */
int dataset_create(const char *name, const json_t *properties, bool parents, struct err *err);
int dataset_destroy(const char *name, bool recursive, struct err *err); /* or a snapshot */
int dataset_snapshot(const char *name, bool recursive, struct err *err);
int dataset_rollback(const char *name, bool destroy_newer, struct err *err);
bool dataset_exists(const char *name);
/* Each dataset ("filesystem", "snapshot", "all") at or below name (NULL: everything), sorted. */
struct dataset_query {
	const char *name;
	const char *type;
	bool recursive;
};
int dataset_each(const struct dataset_query *query,
	int (*visit)(void *context, const char *name, const char *type), void *context,
	struct err *err);

/* --- property.c --- */
/* Object of PROPERTIES; names NULL: all. */
int property_get(
	const char *dataset, const json_t *names, json_t **ret_properties, struct err *err);
int property_set(const char *dataset, const json_t *values, struct err *err);
int property_inherit(const char *dataset, const char *name, struct err *err);
int property_get_pool(
	const char *pool, const json_t *names, json_t **ret_properties, struct err *err);
int property_set_pool(const char *pool, const json_t *values, struct err *err);

/* --- statistics.c --- */
json_t *statistics_arc(void);
json_t *statistics_process(void);
json_t *statistics_pools(const char *name); /* NULL: all */
struct zfsd_filesystem;
/* Whose log counters appear under "zil"; takes them out again with mounted false. */
void statistics_mounted(struct zfsd_filesystem *fs, bool mounted);

#endif
