/* Keeping raw files (see raw_files.h). */
#include "run/raw_files.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES     (1 << 20)
#define TRIAL_ID_SHOWN 16

int raw_files_prepare(const char *path, const struct os_user *user, struct err *err)
{
	if (mkdir(path, 0700) < 0)
		return err_set_errno(err, -errno, "cannot make the folder '%s'", path);
	if (user && chown(path, user->user_id, user->group_id) < 0)
		return err_set_errno(err, -errno, "cannot give '%s' to '%s'", path, user->name);
	return 0;
}

uint64_t raw_files_length(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

static int copy_bytes(int from, int to)
{
	char *bytes = memory_new(COPY_BYTES);
	ssize_t got;
	int r = 0;

	while (r == 0 && (got = read(from, bytes, COPY_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || write(to, bytes, (size_t)got) != got)
			r = errno ? -errno : -EIO;
	}
	free(bytes);
	return r;
}

/* From start on to a fresh file. The source is the run-as user's: no link of its making is
 * followed. */
static int copy_file(const char *from, uint64_t start, const char *to, struct err *err)
{
	int source = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int copy = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	struct stat info;
	int r = 0;

	if (source < 0 || copy < 0 || fstat(source, &info) < 0)
		r = -errno;
	else if (!S_ISREG(info.st_mode))
		r = -EINVAL;
	else if (lseek(source, (off_t)start, SEEK_SET) < 0)
		r = -errno;
	else
		r = copy_bytes(source, copy);
	if (source >= 0)
		close(source);
	if (copy >= 0)
		close(copy);
	return r < 0 ? err_set_errno(err, r, "cannot keep '%s' as '%s'", from, to) : 0;
}

int raw_files_add_log(
	struct trial_record *record, const struct raw_log *log, const char *folder, struct err *err)
{
	char *to;
	int r;

	if (raw_files_length(log->path) <= log->start)
		return 0;
	to = memory_format("%s/%s", folder, log->name);
	r = copy_file(log->path, log->start, to, err);
	if (r == 0)
		trial_record_file(record, log->kind, log->name);
	free(to);
	return r;
}

/* A VOID trial that is repeated finds its earlier attempt's folder there. */
static int make_place(const struct raw_place *where, char **ret_place, struct err *err)
{
	char *above = memory_format("raw/%s", where->study);
	char *full = memory_format("%s/%s", where->results, above);
	int r = file_make_folders(full, 0755, err);

	free(full);
	for (int attempt = 1; r == 0; attempt++) {
		char *place = attempt == 1 ? memory_format("%s/%.*s", above, TRIAL_ID_SHOWN,
						     where->trial_id)
					   : memory_format("%s/%.*s-%d", above, TRIAL_ID_SHOWN,
						     where->trial_id, attempt);

		full = memory_format("%s/%s", where->results, place);
		if (mkdir(full, 0755) == 0) {
			*ret_place = place;
			free(full);
			break;
		}
		if (errno != EEXIST)
			r = err_set_errno(err, -errno, "cannot make the folder '%s'", full);
		free(full);
		free(place);
	}
	free(above);
	return r;
}

int raw_files_keep(struct trial_record *record, const char *folder, const struct raw_place *where,
	struct err *err)
{
	char *place = NULL;
	int r;

	if (record->file_count == 0)
		return 0;
	if (!where->results) {
		record->file_count = 0;
		return 0;
	}
	r = make_place(where, &place, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < record->file_count; i++) {
		struct raw_file *file = &record->files[i];
		const char *slash = strrchr(file->path, '/');
		const char *name = slash ? slash + 1 : file->path;
		char *from = file->path[0] == '/' ? memory_copy_string(file->path)
						  : memory_format("%s/%s", folder, file->path);
		char *to = memory_format("%s/%s/%s", where->results, place, name);
		int one = copy_file(from, 0, to, err);

		if (one == 0)
			file->path = arena_format(&record->arena, "%s/%s", place, name);
		if (r == 0)
			r = one;
		free(from);
		free(to);
	}
	free(place);
	return r;
}
