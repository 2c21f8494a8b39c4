/*
 * Which library was loaded. A library that the build did not see may still be one of the same
 * release series, after an update of the distribution: its version is asked, its objects are
 * compared with the headers, and the self-test, kept by its hash, has the last word.
 */
#include "zfsd/compat/zfs_headers.h"
#include "zfsd/daemon.h"
#include "zfsd/layout/library_layout.h"
#include "zfsd/pool/pool.h"

#include "base/file.h"
#include "base/log.h"
#include "base/strbuf.h"

#include <dlfcn.h>
#include <sys/wait.h>

#define SERIES "2.3."

static int read_hash(char ret_hash[HASH_TEXT_SIZE], struct err *err)
{
	const char *path = layout_library_path();
	struct strbuf bytes = STRBUF_INIT;
	int r = path ? file_read(path, &bytes, err)
		     : err_set(err, -ENOENT, "the OpenZFS library's file is not known");

	if (r == 0)
		hash_format(hash_bytes(bytes.data, bytes.length), ret_hash);
	strbuf_release(&bytes);
	return r;
}

static void tell_version(int fd)
{
	void *libzfs = dlopen(ZFSD_LIBZFS, RTLD_LAZY | RTLD_LOCAL);
	const char *(*version)(void) = NULL;

	if (libzfs)
		*(void **)&version = dlsym(libzfs, "zfs_version_userland");
	daemon_end_now(version && write(fd, version(), strlen(version())) > 0 ? 0 : 1);
}

/* libzpool does not know its version; libzfs, of the same release by its dependency, does. It is
 * asked in a child, because it brings names of libzpool along. */
static int ask_version(char *ret_version, size_t size, struct err *err)
{
	static const char before[] = "zfs-";
	char text[128] = "";
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set_errno(err, -errno, "pipe");
	pid = fork();
	if (pid == 0)
		tell_version(fds[1]);
	close(fds[1]);
	if (pid < 0 || read(fds[0], text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fds[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (text[0] == '\0')
		return err_set(err, -ENOTSUP,
			"the OpenZFS library was replaced since plumb-zfsd was built for %s, and "
			"%s does not tell its version",
			ZFSD_BUILT_FOR, ZFSD_LIBZFS);
	(void)strlcpy(ret_version,
		strncmp(text, before, strlen(before)) == 0 ? text + strlen(before) : text, size);
	return 0;
}

int kernel_check_library(struct kernel_library *ret_library, struct err *err)
{
	struct kernel_library library = { .version = ZFSD_BUILT_FOR };
	int r = read_hash(library.hash, err);

	library.is_as_built = r == 0 && strcmp(library.hash, ZFSD_LIBRARY_HASH) == 0;
	if (r == 0 && !library.is_as_built)
		r = ask_version(library.version, sizeof(library.version), err);
	if (r == 0 && strncmp(library.version, SERIES, strlen(SERIES)) != 0)
		r = err_set(err, -ENOTSUP,
			"OpenZFS %s is installed: only 2.3.x is supported, and plumb-zfsd was "
			"built for %s",
			library.version, ZFSD_BUILT_FOR);
	if (r == 0)
		r = layout_check(err);
	if (r == 0)
		*ret_library = library;
	return r;
}
