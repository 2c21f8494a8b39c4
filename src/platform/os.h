/*
 * Everything that is not POSIX, behind names of our own: one os_SYSTEM.c implements it, so that a
 * port is one file. Functions return 0 or a negative errno.
 */
#ifndef PLATFORM_OS_H
#define PLATFORM_OS_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int64_t os_monotonic_ns(void);

/* In a child after fork: be killed when parent ends. -ESRCH if it has ended already. */
int os_die_with_parent(pid_t parent);

/* In a child before exec: close all above last_kept except one (exec closes that). */
void os_close_descriptors_above(int last_kept, int except);

/* Wait until the child has ended, without reaping it; negative timeout: for ever. -ETIMEDOUT. */
int os_wait_process(pid_t pid, int64_t timeout_ns);

/* When a process started, in clock ticks since boot: with the pid its identity. -ESRCH. */
int os_process_start_ticks(pid_t pid, uint64_t *ret_ticks);

/* Full path of the running program. */
int os_own_path(char *path, size_t size);

/* Bytes of a block device or regular file. */
int os_file_size(int fd, uint64_t *ret_bytes);

#define OS_BOOT_ID_SIZE 40

/* A text that differs after every start of the machine. */
void os_boot_id(char ret_text[OS_BOOT_ID_SIZE]);

/* True when the process works in this folder: how a server is told from one that has its pid. */
bool os_process_works_in(pid_t pid, const char *folder);

#endif
