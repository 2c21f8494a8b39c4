/*
 * Whether the loaded library is the one that the headers speak of. Used by the build, on the
 * library that it links with, and by the daemon at each start, on the one that it got.
 */
#ifndef ZFSD_LAYOUT_LIBRARY_LAYOUT_H
#define ZFSD_LAYOUT_LIBRARY_LAYOUT_H

#include "base/err.h"

/* Path of the file that the library was loaded from; NULL: not known. Lent. */
const char *layout_library_path(void);

/* -ENOTSUP and the first object whose size in the library's own table of symbols is not that of
 * the headers. Looks at the file, not at copies of its objects in the program. */
int layout_check(struct err *err);

#endif
