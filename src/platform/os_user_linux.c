/* Users, through the system's databases (see os_user.h). */
#include "platform/os_user.h"

#include "base/memory.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

char *os_user_folder(const char *variable, const char *below_home)
{
	const char *value = getenv(variable), *home = getenv("HOME");
	struct os_user user;

	/* The XDG rules: a path that is not absolute is to be ignored. */
	if (value && value[0] == '/')
		return memory_format("%s/plumb", value);
	if (!home || home[0] != '/') {
		if (os_user_by_id(geteuid(), &user, NULL) < 0)
			return memory_format("/tmp/plumb-%u", (unsigned)geteuid());
		return memory_format("%s/%s/plumb", user.home, below_home);
	}
	return memory_format("%s/%s/plumb", home, below_home);
}

char *os_cache_folder(void)
{
	return geteuid() == 0 ? memory_copy_string("/var/cache/plumb")
			      : os_user_folder("XDG_CACHE_HOME", ".cache");
}
