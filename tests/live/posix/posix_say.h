/* Shared by the files of posix_conformance: each call tells what it gave, one line a call, so that
 * two filesystems are compared by comparing their lines. */
#ifndef TESTS_POSIX_SAY_H
#define TESTS_POSIX_SAY_H

#include <stddef.h>

/* "GROUP.name: text" */
void say(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The call's outcome: the value if it is not negative, else the errno's name. */
void say_result(const char *name, long result);
/* Name of an errno ("ENOENT"). */
const char *errno_name(int code);
void begin_group(const char *name); /* makes and enters a fresh folder of that name */

/* Make a file of size bytes with a known pattern; returns an open descriptor (O_RDWR). */
int make_file(const char *name, size_t size);
/* A number that depends on the bytes of the file and nothing else. */
unsigned long file_sum(const char *name);
/* Run function as another user (nobody) in a child, with its lines in order; only as root. */
void as_other_user(void (*function)(void));

void posix_data_cases(void);	  /* open flags, read, write, truncate, fallocate, seek, mmap */
void posix_namespace_cases(void); /* link, unlink, rename, folders, symlinks, names */
void posix_attribute_cases(void); /* modes, owners, times, permissions, locks */

#endif
