/* Looking at files closely and without a trace: attributes and extents that POSIX does not know.
 * Functions return 0 (or a descriptor) or a negative errno. */
#ifndef PLATFORM_OS_FILES_H
#define PLATFORM_OS_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Open for reading, close-on-exec, with more flags such as O_DIRECTORY; leaves no access time
 * behind where the caller may ask for that (owner or root). The descriptor is the caller's. */
int os_open_unnoticed(const char *path, int more_flags);

/* Whether writes go in place although the filesystem copies on write (btrfs, attribute C). */
int os_file_is_nocow(int fd, bool *ret_nocow);

/* Pieces the file is stored in. Nothing is flushed for it: what is still in memory counts not. */
int os_file_extents(int fd, uint64_t *ret_extents);

bool os_path_is_btrfs(const char *path);

#endif
