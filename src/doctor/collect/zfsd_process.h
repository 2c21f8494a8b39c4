/* Which processes are plumb-zfsd, and where they listen. */
#ifndef DOCTOR_COLLECT_ZFSD_PROCESS_H
#define DOCTOR_COLLECT_ZFSD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* If the process of that /proc entry is a plumb-zfsd whose command line names its socket, true
 * and the path. */
bool zfsd_socket_of(const char *process, char *ret_path, size_t size);

#endif
