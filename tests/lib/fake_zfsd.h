/*
 * What the admin commands of plumb-zfsd call, without OpenZFS: every call is written down as one
 * line of text, with all its arguments. Names of pools and datasets decide what comes back:
 * "missing..." is -ENOENT, "busy..." -EBUSY, all others succeed. A file whose executable is linked
 * with -Wl,--wrap=kill also has the kill of "crash" written down.
 */
#ifndef TESTS_FAKE_ZFSD_H
#define TESTS_FAKE_ZFSD_H

#include "zfsd/daemon.h"

#include "base/strbuf.h"

extern struct strbuf fake_zfsd_calls;

/* A daemon without mounts; release closes its descriptor and forgets the calls. */
void fake_zfsd_init(struct zfsd_daemon *daemon);
void fake_zfsd_release(struct zfsd_daemon *daemon);

#endif
