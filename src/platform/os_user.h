/* Users of the system. */
#ifndef PLATFORM_OS_USER_H
#define PLATFORM_OS_USER_H

#include "base/err.h"
#include <sys/types.h>

struct os_user {
	uid_t user_id;
	gid_t group_id;
	char name[64];
	char home[256];
};

/* -ENOENT: no such user. */
int os_user_by_name(const char *name, struct os_user *ret_user, struct err *err);
int os_user_by_id(uid_t user_id, struct os_user *ret_user, struct err *err);

/* The "plumb" folder below $VARIABLE or, where that is not set, below_home of the user's home.
 * Caller frees. */
char *os_user_folder(const char *variable, const char *below_home);

/* What may be made again: /var/cache/plumb, or the user's own. Caller frees. */
char *os_cache_folder(void);

#endif
