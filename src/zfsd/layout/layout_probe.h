/* Whether structures of a live pool lie as the headers say. */
#ifndef ZFSD_LAYOUT_LAYOUT_PROBE_H
#define ZFSD_LAYOUT_LAYOUT_PROBE_H

#include "base/err.h"

/* -ENOTSUP and the first member that the library's own functions find elsewhere. The pool is
 * imported, its root dataset has a file system. */
int layout_probe_pool(const char *name, struct err *err);

#endif
