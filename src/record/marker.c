/* Marked folders (see marker.h). */
#include "record/marker.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_MODE 0711 /* the server's user must reach what lies below */

static char *marker_path(const char *folder)
{
	return memory_format("%s/%s", folder, MARKER_FILE);
}

static int write_marker(const char *folder, const char *id, struct err *err)
{
	char *path = marker_path(folder), *text = memory_format("%s\n", id);
	int r = file_write_atomic(path, text, strlen(text), 0600, err);

	free(path);
	free(text);
	return r;
}

int marker_make_folder(const char *path, const char *id, struct undo_sink *undo,
	uint64_t *ret_undo_id, struct err *err)
{
	struct undo_record record = { .kind = UNDO_FOLDER, .path = path, .owner = id };
	uint64_t undo_id;
	int r = undo->note(undo, &record, &undo_id, err);

	if (r < 0)
		return r;
	if (mkdir(path, FOLDER_MODE) < 0)
		return err_set_errno(err, -errno, "cannot make the folder '%s'", path);
	/* The umask must not close it to the server's user. */
	if (chmod(path, FOLDER_MODE) < 0)
		return err_set_errno(err, -errno, "cannot change the mode of '%s'", path);
	r = write_marker(path, id, err);
	if (r == 0 && ret_undo_id)
		*ret_undo_id = undo_id;
	return r;
}

int marker_check(const char *path, const char *id, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct stat info;
	char *marker;
	int r;

	if (lstat(path, &info) < 0)
		return err_set_errno(err, -errno, "'%s'", path);
	if (!S_ISDIR(info.st_mode))
		return err_set(err, -EPERM, "'%s' is not a folder: left alone", path);
	marker = marker_path(path);
	r = file_read_limited(marker, 256, &text, NULL);
	strbuf_trim(&text);
	if (r < 0 || strcmp(text.data, id) != 0)
		r = err_set(
			err, -EPERM, "'%s' does not carry the marker of %s: left alone", path, id);
	strbuf_release(&text);
	free(marker);
	return r;
}

static int remove_entry(const char *folder, const char *name, struct err *err)
{
	char *path = memory_format("%s/%s", folder, name);
	struct stat info;
	int r = 0;

	if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
		r = file_remove_tree(path, err);
	else if (unlink(path) < 0 && errno != ENOENT)
		r = err_set_errno(err, -errno, "cannot remove '%s'", path);
	free(path);
	return r;
}

/* The marker goes last: a removal that is cut short, or fails, can be taken up again. */
static int remove_marked(const char *path, struct err *err)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!folder)
		return err_set_errno(err, -errno, "cannot read '%s'", path);
	while (r == 0 && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			strcmp(entry->d_name, MARKER_FILE) != 0)
			r = remove_entry(path, entry->d_name, err);
	closedir(folder);
	if (r == 0)
		r = remove_entry(path, MARKER_FILE, err);
	if (r == 0 && rmdir(path) < 0)
		r = err_set_errno(err, -errno, "cannot remove '%s'", path);
	return r;
}

int marker_remove_folder(
	const char *path, const char *id, struct undo_sink *undo, uint64_t undo_id, struct err *err)
{
	int r;

	/* Died between mkdir and marker: empty, and rmdir takes nothing else. */
	if (rmdir(path) < 0 && errno != ENOENT) {
		r = marker_check(path, id, err);
		if (r == 0)
			r = remove_marked(path, err);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	return undo ? undo->forget(undo, undo_id, err) : 0;
}
