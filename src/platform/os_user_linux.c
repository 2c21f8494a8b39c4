/* Users, through the system's databases (see os_user.h). */
#include "platform/os_user.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>

static void take(const struct passwd *entry, struct os_user *user)
{
	user->user_id = entry->pw_uid;
	user->group_id = entry->pw_gid;
	snprintf(user->name, sizeof(user->name), "%s", entry->pw_name);
	snprintf(user->home, sizeof(user->home), "%s", entry->pw_dir);
}

int os_user_by_name(const char *name, struct os_user *ret_user, struct err *err)
{
	struct passwd entry, *found = NULL;
	char text[4096];
	int r = getpwnam_r(name, &entry, text, sizeof(text), &found);

	if (!found)
		return err_set(err, r ? -r : -ENOENT, "there is no user '%s'", name);
	take(found, ret_user);
	return 0;
}

int os_user_by_id(uid_t user_id, struct os_user *ret_user, struct err *err)
{
	struct passwd entry, *found = NULL;
	char text[4096];
	int r = getpwuid_r(user_id, &entry, text, sizeof(text), &found);

	if (!found)
		return err_set(
			err, r ? -r : -ENOENT, "there is no user with id %u", (unsigned)user_id);
	take(found, ret_user);
	return 0;
}
