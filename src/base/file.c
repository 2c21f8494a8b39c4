/* Whole files and folders (see file.h). */
#include "base/file.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read_limited(const char *path, size_t limit_bytes, struct strbuf *text, struct err *err)
{
	char block[16384];
	size_t total = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", path);
	while ((got = read(fd, block, sizeof(block))) > 0) {
		total += (size_t)got;
		if (total > limit_bytes) {
			close(fd);
			return err_set(
				err, -EFBIG, "'%s' is larger than %zu bytes", path, limit_bytes);
		}
		strbuf_add(text, block, (size_t)got);
	}
	if (got < 0) {
		int code = -errno;

		close(fd);
		return err_set_errno(err, code, "cannot read '%s'", path);
	}
	close(fd);
	return 0;
}

int file_read(const char *path, struct strbuf *text, struct err *err)
{
	return file_read_limited(path, SIZE_MAX / 2, text, err);
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t put = write(fd, bytes, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		length -= (size_t)put;
	}
	return 0;
}

static int sync_folder_of(const char *path)
{
	char *folder = memory_copy_string(path);
	char *slash = strrchr(folder, '/');
	int fd, r = 0;

	if (slash && slash != folder)
		*slash = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0)
		r = -errno;
	close(fd);
	return r;
}

int file_writer_begin(struct file_writer *writer, const char *path, mode_t mode, struct err *err)
{
	char *temporary = memory_format("%s.tmp", path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0) {
		int r = err_set_errno(err, -errno, "cannot write '%s'", path);

		free(temporary);
		return r;
	}
	*writer = (struct file_writer){
		.path = memory_copy_string(path),
		.temporary = temporary,
		.fd = fd,
	};
	return 0;
}

int file_writer_add(struct file_writer *writer, const char *bytes, size_t length, struct err *err)
{
	int r = write_all(writer->fd, bytes, length);

	if (r < 0 && writer->failed == 0)
		writer->failed = r;
	return r < 0 ? err_set_errno(err, r, "cannot write '%s'", writer->path) : 0;
}

int file_writer_end(struct file_writer *writer, bool keep, struct err *err)
{
	int r = writer->failed;

	if (keep && r == 0 && fsync(writer->fd) < 0)
		r = -errno;
	if (close(writer->fd) < 0 && r == 0)
		r = -errno;
	if (keep && r == 0 && rename(writer->temporary, writer->path) < 0)
		r = -errno;
	if (keep && r == 0)
		r = sync_folder_of(writer->path);
	if (!keep || r < 0)
		unlink(writer->temporary);
	if (r < 0)
		err_set_errno(err, r, "cannot write '%s'", writer->path);
	free(writer->path);
	free(writer->temporary);
	return r;
}

int file_write_atomic(
	const char *path, const char *bytes, size_t length, mode_t mode, struct err *err)
{
	struct file_writer writer;
	int r = file_writer_begin(&writer, path, mode, err);

	if (r < 0)
		return r;
	r = file_writer_add(&writer, bytes, length, err);
	return file_writer_end(&writer, r == 0, err);
}

int file_make_folders(const char *path, mode_t mode, struct err *err)
{
	char *copy = memory_copy_string(path);
	struct stat info;
	int r = 0;

	for (char *slash = copy + 1; r == 0 && *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			r = err_set_errno(err, -errno, "cannot make folder '%s'", copy);
		*slash = '/';
	}
	if (r == 0 && mkdir(copy, mode) < 0) {
		if (errno != EEXIST)
			r = err_set_errno(err, -errno, "cannot make folder '%s'", copy);
		else if (stat(copy, &info) < 0 || !S_ISDIR(info.st_mode))
			r = err_set_errno(err, -ENOTDIR, "cannot make folder '%s'", copy);
	}
	free(copy);
	return r;
}

static int remove_below(int folder, const char *name, dev_t device, struct err *err)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	struct stat info;
	DIR *dir;
	int r = 0;

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open folder '%s'", name);
	if (fstat(fd, &info) < 0 || info.st_dev != device) {
		close(fd);
		return err_set(err, -EXDEV, "'%s' is another file system: still mounted?", name);
	}
	dir = fdopendir(fd);
	if (!dir) {
		r = err_set_errno(err, -errno, "cannot read folder '%s'", name);
		close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			r = err_set_errno(err, -errno, "cannot remove '%s'", entry->d_name);
		else
			r = remove_below(fd, entry->d_name, device, err);
	}
	closedir(dir);
	if (r == 0 && unlinkat(folder, name, AT_REMOVEDIR) < 0)
		r = err_set_errno(err, -errno, "cannot remove folder '%s'", name);
	return r;
}

int file_remove_tree(const char *path, struct err *err)
{
	struct stat info;
	int r;

	if (lstat(path, &info) < 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, -errno, "cannot look at '%s'", path);
	if (!S_ISDIR(info.st_mode))
		return err_set(err, -ENOTDIR, "'%s' is not a folder: left alone", path);
	r = remove_below(AT_FDCWD, path, info.st_dev, err);
	return r < 0 ? err_prefix(err, r, "remove '%s'", path) : 0;
}

bool file_exists(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0;
}

static int sum_below(int folder, const char *name, uint64_t *bytes)
{
	struct stat info;
	struct dirent *entry;
	int fd, r = 0;
	DIR *dir;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno; /* a server may remove files meanwhile */
	*bytes += (uint64_t)info.st_blocks * 512;
	if (!S_ISDIR(info.st_mode))
		return 0;
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = sum_below(fd, entry->d_name, bytes);
	closedir(dir);
	return r;
}

int file_tree_allocated_bytes(const char *path, uint64_t *ret_bytes, struct err *err)
{
	uint64_t bytes = 0;
	int r = sum_below(AT_FDCWD, path, &bytes);

	if (r < 0)
		return err_set_errno(err, r, "cannot sum the size of '%s'", path);
	*ret_bytes = bytes;
	return 0;
}

void file_read_tail(const char *path, size_t max_bytes, struct strbuf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	off_t start = end > (off_t)max_bytes ? end - (off_t)max_bytes : 0;
	char *bytes = memory_new(max_bytes + 1);
	ssize_t got = end < 0 ? -1 : pread(fd, bytes, max_bytes, start);

	if (got > 0) {
		char *line = bytes;
		char *newline = start > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;

		if (newline)
			line = newline + 1;
		strbuf_add(text, line, (size_t)(bytes + got - line));
	}
	free(bytes);
	if (fd >= 0)
		close(fd);
}
