/* Daemons that `plumb disk attach` has left running: found by their sockets in one folder. */
#include "cmd/disk/disk_internal.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "device/device_spec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOCKET_SUFFIX ".sock"

int disk_sockets_make(const char *folder, struct err *err)
{
	int r = file_make_folders(folder, 0700, err);

	if (r == 0 && chmod(folder, 0700) < 0)
		r = err_set_errno(err, -errno, "folder '%s'", folder);
	return r;
}

char *disk_full_path(const char *name)
{
	char *real_name = realpath(name, NULL), folder[PATH_MAX];

	if (real_name)
		return real_name;
	if (name[0] == '/' || !getcwd(folder, sizeof(folder)))
		return memory_copy_string(name);
	return memory_format("%s/%s", folder, name);
}

char *disk_socket_path(const char *folder, const char *name)
{
	struct hash128 hash = hash_bytes(name, strlen(name));
	char text[HASH_TEXT_SIZE];

	hash_format(hash, text);
	return memory_format("%s/%.16s" SOCKET_SUFFIX, folder, text);
}

static bool is_socket_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SOCKET_SUFFIX);

	return length > suffix && strcmp(name + length - suffix, SOCKET_SUFFIX) == 0;
}

/* Connect to one; a dead socket is removed. NULL: nobody there. */
static struct diskd *connect_daemon(const char *folder, const char *name)
{
	char *path = memory_format("%s/%s", folder, name);
	struct diskd *diskd = NULL;
	int r = diskd_connect(path, &diskd, NULL);

	if (r == -ECONNREFUSED)
		unlink(path);
	free(path);
	return diskd;
}

int disk_for_each(const char *folder, disk_each *each, void *context, struct err *err)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	if (!entries)
		return errno == ENOENT ? 0 : err_set_errno(err, -errno, "cannot list '%s'", folder);
	while ((entry = readdir(entries))) {
		struct diskd *diskd = is_socket_name(entry->d_name)
					      ? connect_daemon(folder, entry->d_name)
					      : NULL;

		if (diskd)
			each(context, diskd);
		diskd_close(diskd);
	}
	closedir(entries);
	return 0;
}

static bool is_called(const struct diskd *diskd, const char *name, const char *real_name)
{
	struct device_spec spec = { 0 };
	bool same = strcmp(diskd_loop_path(diskd), name) == 0;

	if (!same && device_spec_parse(diskd_spec(diskd), &spec, NULL) == 0)
		same = spec.path && (strcmp(spec.path, name) == 0 ||
					    (real_name && strcmp(spec.path, real_name) == 0));
	device_spec_release(&spec);
	return same;
}

int disk_find(const char *folder, const char *name, struct diskd **ret_diskd, struct err *err)
{
	char *real_name = realpath(name, NULL);
	char *full_name = disk_full_path(name);
	char *socket_path = disk_socket_path(folder, full_name);
	DIR *entries = opendir(folder);
	struct dirent *entry;
	struct diskd *diskd = NULL;

	/* By the name it was attached with: all that a disk in memory has. */
	(void)diskd_connect(socket_path, &diskd, NULL);
	free(socket_path);
	free(full_name);
	while (entries && !diskd && (entry = readdir(entries))) {
		if (is_socket_name(entry->d_name))
			diskd = connect_daemon(folder, entry->d_name);
		if (diskd && !is_called(diskd, name, real_name))
			diskd = diskd_close(diskd);
	}
	if (entries)
		closedir(entries);
	free(real_name);
	if (!diskd)
		return err_set(err, -ENOENT, "no disk of plumb is attached as or from '%s'", name);
	*ret_diskd = diskd;
	return 0;
}
