/* Whole files and folders: read, write atomically, make, remove. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Append the whole file to text. Errors name the path. */
int file_read(const char *path, struct strbuf *text, struct err *err);

/* The same with a limit: -EFBIG when the file is larger. */
int file_read_limited(const char *path, size_t limit_bytes, struct strbuf *text, struct err *err);

/* Write path.tmp, fsync it, rename it over path, fsync the folder: old or new, never half. */
int file_write_atomic(
	const char *path, const char *bytes, size_t length, mode_t mode, struct err *err);

/* The same piece by piece. After a begin that succeeded: any number of adds, then end, which gives
 * the memory back in every case. After an error of add, and with keep = false, end leaves what
 * stood at path before. */
struct file_writer {
	char *path, *temporary;
	int fd;
	int failed; /* the first error of add */
};
int file_writer_begin(struct file_writer *writer, const char *path, mode_t mode, struct err *err);
int file_writer_add(struct file_writer *writer, const char *bytes, size_t length, struct err *err);
int file_writer_end(struct file_writer *writer, bool keep, struct err *err);

/* Make the folder and those above it; one that exists is fine. */
int file_make_folders(const char *path, mode_t mode, struct err *err);

/* Remove a folder and all below it without following symbolic links or leaving the file system
 * it lies on (a mount point inside is an error, -EXDEV). A missing folder is fine. */
int file_remove_tree(const char *path, struct err *err);

bool file_exists(const char *path);

/* Size of a file, or the sum of allocated bytes below a folder. */
int file_tree_allocated_bytes(const char *path, uint64_t *ret_bytes, struct err *err);

/* The last max_bytes of a file, from a line's start; empty text if it can't be read. */
void file_read_tail(const char *path, size_t max_bytes, struct strbuf *text);

#endif
