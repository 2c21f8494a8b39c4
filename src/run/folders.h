/*
 * Where things lie. As root: scratch in /var/lib/plumb, builds in /var/cache/plumb, sockets in
 * /run/plumb. As a user: the XDG folders. Nothing that the server's user must reach lies in the
 * clone or in a home.
 */
#ifndef RUN_FOLDERS_H
#define RUN_FOLDERS_H

#include "base/err.h"
#include <stddef.h>

/* What PostgreSQL adds to a socket's folder, and the most that a socket address holds. */
#define FOLDERS_SOCKET_NAME "/.s.PGSQL.65432.lock"
#define FOLDERS_SOCKET_MAX  107

struct folders {
	char *scratch; /* 0711 as root, 0700 as a user */
	char *rigs;    /* scratch/rigs: one folder a rig */
	char *journal; /* scratch/journal, 0700 */
	char *cache;   /* builds */
	char *runtime; /* sockets: short */
};

/* Decide; touches nothing. scratch: replaces the default (--scratch; then $PLUMB_SCRATCH); may be
 * NULL. -ENAMETOOLONG when a socket's path would be too long, with what to change. */
int folders_init(struct folders *folders, const char *scratch, struct err *err);
/* Make those that are missing and check owner and mode of those that are there. */
int folders_make(const struct folders *folders, struct err *err);
void folders_release(struct folders *folders); /* fine twice */

#endif
