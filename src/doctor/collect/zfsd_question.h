/* The doctor's end of plumb-zfsd's admin socket: find it, ask one thing, read one answer. Apart
 * from the targets' client because here every transfer has a time limit: a doctor must not hang on
 * a daemon that is ill. */
#ifndef DOCTOR_COLLECT_ZFSD_QUESTION_H
#define DOCTOR_COLLECT_ZFSD_QUESTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* If the process of that /proc entry is a plumb-zfsd whose command line names its socket, true
 * and the path. */
bool zfsd_socket_of(const char *process, char *ret_path, size_t size);

/* Connected socket with a time limit on each transfer, or a negative errno. The caller closes. */
int zfsd_open(const char *path);

/* Send the request (the reference is taken over; NULL fails) and return the "result" of a good
 * answer, owned by the caller; NULL otherwise. */
json_t *zfsd_ask(int socket, json_t *request);

#endif
