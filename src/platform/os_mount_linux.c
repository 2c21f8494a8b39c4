/* Linux: mounting through fsopen(2) and friends (5.2 and later; mount(2) before), because only
 * they hand back what the filesystem has to say about a refusal (see os_mount.h). */
#include "platform/os_mount.h"

#include "base/memory.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Options of a mount, not of a filesystem: they go into attributes, not into fsconfig(). */
static const struct {
	const char *word;
	unsigned attribute;
	unsigned long flag; /* for mount(2) */
	bool of_filesystem; /* also told to the filesystem */
} mount_words[] = {
	{ "rw", 0, 0, false },
	{ "ro", MOUNT_ATTR_RDONLY, MS_RDONLY, true },
	{ "nosuid", MOUNT_ATTR_NOSUID, MS_NOSUID, false },
	{ "nodev", MOUNT_ATTR_NODEV, MS_NODEV, false },
	{ "noexec", MOUNT_ATTR_NOEXEC, MS_NOEXEC, false },
	{ "noatime", MOUNT_ATTR_NOATIME, MS_NOATIME, false },
	{ "relatime", MOUNT_ATTR_RELATIME, MS_RELATIME, false },
	{ "strictatime", MOUNT_ATTR_STRICTATIME, MS_STRICTATIME, false },
	{ "nodiratime", MOUNT_ATTR_NODIRATIME, MS_NODIRATIME, false },
};

static int find_word(const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(mount_words); i++)
		if (strcmp(mount_words[i].word, option) == 0)
			return (int)i;
	return -1;
}

/* What the kernel wrote about the last refusal: lines "e text" or "w text". */
static void read_messages(int context, struct strbuf *messages)
{
	char line[1024];
	ssize_t got;

	while ((got = read(context, line, sizeof(line) - 1)) > 0) {
		line[got] = '\0';
		if (got > 2)
			strbuf_add_format(messages, "%s%s", messages->length ? "; " : "", line + 2);
		strbuf_trim(messages);
	}
}

static int fail_context(
	int context, int code, const char *doing, const char *value, struct err *err)
{
	struct strbuf messages = STRBUF_INIT;

	read_messages(context, &messages);
	if (messages.length)
		err_set(err, code, "%s '%s': %s", doing, value, messages.data);
	else
		err_set_errno(err, code, "%s '%s'", doing, value);
	strbuf_release(&messages);
	return code;
}

static int configure_option(int context, char *option, unsigned *attributes, struct err *err)
{
	char *value = strchr(option, '=');
	int word = find_word(option);
	int r;

	if (word >= 0) {
		*attributes |= mount_words[word].attribute;
		if (!mount_words[word].of_filesystem)
			return 0;
	}
	if (value) {
		*value++ = '\0';
		r = fsconfig(context, FSCONFIG_SET_STRING, option, value, 0);
	} else {
		r = fsconfig(context, FSCONFIG_SET_FLAG, option, NULL, 0);
	}
	return r < 0 ? fail_context(context, -errno, "mount option", option, err) : 0;
}

static int configure(
	int context, const char *source, const char *options, unsigned *attributes, struct err *err)
{
	char *copy = memory_copy_string(options ? options : ""), *rest = copy, *option;
	int r = 0;

	if (fsconfig(context, FSCONFIG_SET_STRING, "source", source, 0) < 0)
		r = fail_context(context, -errno, "mount source", source, err);
	while (r == 0 && (option = strsep(&rest, ",")))
		if (*option)
			r = configure_option(context, option, attributes, err);
	free(copy);
	if (r == 0 && fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		r = fail_context(context, -errno, "mount", source, err);
	return r;
}

static int mount_in_steps(
	int context, const char *source, const char *path, const char *options, struct err *err)
{
	unsigned attributes = 0;
	int mounted;
	int r = configure(context, source, options, &attributes, err);

	if (r < 0)
		return r;
	mounted = fsmount(context, FSMOUNT_CLOEXEC, attributes);
	if (mounted < 0)
		return fail_context(context, -errno, "mount", source, err);
	if (move_mount(mounted, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = err_set_errno(err, -errno, "cannot mount '%s' at '%s'", source, path);
	close(mounted);
	return r;
}

static int mount_at_once(const char *source, const char *path, const char *type,
	const char *options, struct err *err)
{
	char *copy = memory_copy_string(options ? options : ""), *rest = copy, *option;
	struct strbuf data = STRBUF_INIT;
	unsigned long flags = 0;
	int r = 0;

	while ((option = strsep(&rest, ","))) {
		int word = find_word(option);

		if (word >= 0)
			flags |= mount_words[word].flag;
		else if (*option)
			strbuf_add_format(&data, "%s%s", data.length ? "," : "", option);
	}
	if (mount(source, path, type, flags, data.data) < 0)
		r = err_set_errno(err, -errno, "cannot mount '%s' at '%s' with '%s'", source, path,
			options ? options : "");
	strbuf_release(&data);
	free(copy);
	return r;
}

int os_mount(const char *source, const char *path, const char *type, const char *options,
	struct err *err)
{
	int context = fsopen(type, FSOPEN_CLOEXEC);
	int r;

	if (context < 0 && errno == ENOSYS)
		return mount_at_once(source, path, type, options, err);
	if (context < 0 && errno == ENODEV)
		return err_set(err, -ENODEV, "this kernel has no filesystem '%s'", type);
	if (context < 0)
		return err_set_errno(err, -errno, "cannot mount '%s' as %s", source, type);
	r = mount_in_steps(context, source, path, options, err);
	close(context);
	return r;
}

int os_unmount(const char *path, bool detach)
{
	int flags = UMOUNT_NOFOLLOW | (detach ? MNT_DETACH : 0);

	return umount2(path, flags) < 0 ? -errno : 0;
}

int os_sync_filesystem(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (syncfs(fd) < 0)
		r = -errno;
	close(fd);
	return r;
}

/* FS_IOC_SHUTDOWN of ext4, XFS and others; 2: without writing the log either. */
#define SHUTDOWN_IOCTL	     _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITHOUT_LOG 2

int os_filesystem_shutdown(const char *path)
{
	uint32_t flags = SHUTDOWN_WITHOUT_LOG;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SHUTDOWN_IOCTL, &flags) < 0)
		r = -errno;
	close(fd);
	return r;
}

int os_space(const char *path, struct os_space *ret_space)
{
	struct statvfs info;

	if (statvfs(path, &info) < 0)
		return -errno;
	ret_space->total_bytes = (uint64_t)info.f_blocks * info.f_frsize;
	ret_space->free_bytes = (uint64_t)info.f_bfree * info.f_frsize;
	ret_space->available_bytes = (uint64_t)info.f_bavail * info.f_frsize;
	ret_space->block_bytes = info.f_bsize;
	ret_space->files_free = info.f_ffree;
	return 0;
}

static bool listed_in(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	char line[1024];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return found;
}

bool os_filesystem_known(const char *type)
{
	char word[64], path[sizeof(((struct utsname *)0)->release) + 64];
	struct utsname name;

	snprintf(word, sizeof(word), "\t%s\n", type);
	if (listed_in("/proc/filesystems", word))
		return true;
	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", name.release);
	snprintf(word, sizeof(word), "/%s.ko", type);
	return listed_in(path, word);
}

void os_kernel_version(int *ret_major, int *ret_minor)
{
	struct utsname name;

	*ret_major = *ret_minor = 0;
	uname(&name);
	(void)sscanf(name.release, "%d.%d", ret_major, ret_minor); /* 0.0: oldest of all */
}
