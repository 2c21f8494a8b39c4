/* Where things lie (see folders.h). */
#include "run/folders.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os_user.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "plumb-" and eight digits: a rig's own folder below runtime. */
#define RIG_NAME_LENGTH 15

static bool runtime_fits(const char *runtime)
{
	return strlen(runtime) + RIG_NAME_LENGTH + strlen(FOLDERS_SOCKET_NAME) <=
	       FOLDERS_SOCKET_MAX;
}

static char *user_runtime(void)
{
	const char *value = getenv("XDG_RUNTIME_DIR");

	if (value && value[0] == '/' && access(value, W_OK) == 0) {
		char *path = memory_format("%s/plumb", value);

		if (runtime_fits(path))
			return path;
		free(path);
	}
	return memory_format("/tmp/plumb-%u", (unsigned)geteuid());
}

int folders_init(struct folders *folders, const char *scratch, struct err *err)
{
	bool root = geteuid() == 0;

	if (!scratch)
		scratch = getenv("PLUMB_SCRATCH");
	if (scratch && scratch[0] != '/')
		return err_set(
			err, -EINVAL, "scratch folder '%s': must be an absolute path", scratch);
	folders->scratch = scratch ? memory_copy_string(scratch)
			   : root  ? memory_copy_string("/var/lib/plumb")
				   : os_user_folder("XDG_STATE_HOME", ".local/state");
	folders->rigs = memory_format("%s/rigs", folders->scratch);
	folders->journal = memory_format("%s/journal", folders->scratch);
	folders->cache = os_cache_folder();
	folders->runtime = root ? memory_copy_string("/run/plumb") : user_runtime();
	if (!runtime_fits(folders->runtime)) {
		int r = err_set(err, -ENAMETOOLONG,
			"sockets in '%s' would have paths above %d bytes", folders->runtime,
			FOLDERS_SOCKET_MAX);

		folders_release(folders);
		return err_hint(err, r, "set XDG_RUNTIME_DIR to a shorter path");
	}
	return 0;
}

void folders_release(struct folders *folders)
{
	free(folders->scratch);
	free(folders->rigs);
	free(folders->journal);
	free(folders->cache);
	free(folders->runtime);
	*folders = (struct folders){ 0 };
}

/* Make one folder, or check that the one that is there is ours. A folder of somebody else, or one
 * that others may write to, could lead root astray. */
static int make_folder(const char *path, mode_t mode, struct err *err)
{
	struct stat info;
	int r;

	if (lstat(path, &info) < 0) {
		r = file_make_folders(path, 0755, err);
		if (r < 0)
			return r;
		if (chmod(path, mode) < 0)
			return err_set_errno(err, -errno, "cannot change the mode of '%s'", path);
		return 0;
	}
	if (!S_ISDIR(info.st_mode))
		return err_set(err, -ENOTDIR, "'%s' is not a folder", path);
	if (info.st_uid != geteuid())
		return err_set(err, -EPERM, "'%s' belongs to user %u: left alone", path,
			(unsigned)info.st_uid);
	if (info.st_mode & 0022)
		return err_set(err, -EPERM,
			"'%s' can be written by others (mode %04o)\nhint: chmod %04o '%s'", path,
			(unsigned)(info.st_mode & 07777), (unsigned)mode, path);
	if ((info.st_mode & 0777) != mode && chmod(path, mode) < 0)
		return err_set_errno(err, -errno, "cannot change the mode of '%s'", path);
	return 0;
}

/* The server's user must be able to walk down to the rigs. */
static int check_reachable(const char *path, struct err *err)
{
	char *above = memory_copy_string(path), *slash;
	int r = 0;

	while (r == 0 && (slash = strrchr(above, '/')) && slash != above) {
		struct stat info;

		*slash = '\0';
		if (stat(above, &info) == 0 && !(info.st_mode & S_IXOTH)) {
			err_set(err, r = -EACCES,
				"the server's user cannot reach '%s': '%s' is closed to others",
				path, above);
			err_hint(err, r, "give another folder with --scratch");
		}
	}
	free(above);
	return r;
}

int folders_make(const struct folders *folders, struct err *err)
{
	bool root = geteuid() == 0;
	mode_t open_mode = root ? 0711 : 0700;
	int r = make_folder(folders->scratch, open_mode, err);

	if (r == 0)
		r = make_folder(folders->rigs, open_mode, err);
	if (r == 0 && root)
		r = check_reachable(folders->rigs, err);
	if (r == 0)
		r = make_folder(folders->journal, 0700, err);
	if (r == 0)
		r = make_folder(folders->runtime, open_mode, err);
	return r;
}
