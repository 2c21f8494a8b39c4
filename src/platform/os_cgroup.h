/*
 * Control groups: one memory and CPU limit for server, client and filesystem daemon together.
 * Version 2 where its memory controller is there, else version 1 with one folder a controller.
 */
#ifndef PLATFORM_OS_CGROUP_H
#define PLATFORM_OS_CGROUP_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

#define OS_CGROUP_PATH_SIZE 256

/* Where groups can be made on this machine. */
struct os_cgroup_place {
	int version; /* 1 or 2 */
	char memory_root[OS_CGROUP_PATH_SIZE];
	char cpu_root[OS_CGROUP_PATH_SIZE]; /* version 2: equal to memory_root */
};

struct os_cgroup {
	int version;
	/* The same folder in version 2. Empty string: no such limit was asked for (version 1). */
	char memory_folder[OS_CGROUP_PATH_SIZE];
	char cpu_folder[OS_CGROUP_PATH_SIZE];
	char procs_paths[2][OS_CGROUP_PATH_SIZE + 16];
	const char *procs[3]; /* NULL-ended: what a child writes its pid to */
};

struct os_cgroup_limits {
	uint64_t memory_bytes; /* 0: no limit */
	double cpus;	       /* 0: no limit; 1.5: one and a half */
};

/* -ENOTSUP and why: no controller, not root. Changes nothing. */
int os_cgroup_find(struct os_cgroup_place *ret_place, struct err *why);
/* Names of the folders that os_cgroup_create() will make; touches nothing. */
void os_cgroup_name(
	struct os_cgroup *cgroup, const struct os_cgroup_place *place, const char *name);
/* Make them and set the limits; no swap beyond the memory limit. */
int os_cgroup_create(
	struct os_cgroup *cgroup, const struct os_cgroup_limits *limits, struct err *err);
/* The limits as the kernel has them now. */
int os_cgroup_read(
	const struct os_cgroup *cgroup, struct os_cgroup_limits *ret_limits, struct err *err);
/* Kill what is still inside folder and remove it. A missing folder is fine. -EBUSY after 10 s. */
int os_cgroup_remove(const char *folder, struct err *err);

#endif
