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

#endif
