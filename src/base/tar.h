/*
 * Archives in the ustar format (POSIX.1-1988, pax(1)): enough to put plain files into one file that
 * any tar reads, and to read such a file back while believing nothing in it. Only regular files
 * with plain names are written, and anything else is an error when reading.
 */
#ifndef BASE_TAR_H
#define BASE_TAR_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TAR_NAME_MOST 255

/*
 * A plain name: components of letters, digits, '.', '_', '-', '+', '@', ',', '=' or ':' that do not
 * begin with a dot or a dash, joined by single slashes, at most TAR_NAME_MOST bytes and 8
 * components; never absolute, never "..".
 */
bool tar_name_is_plain(const char *name);

struct tar_writer {
	FILE *file;
	const char *path; /* lent: of the archive, for messages */
};

/* Add the file at path under name. -EINVAL: name is not plain; errors name the file. */
int tar_add_file(struct tar_writer *writer, const char *name, const char *path, struct err *err);
int tar_add_text(struct tar_writer *writer, const char *name, const char *text, size_t length,
	struct err *err);
/* The two empty blocks at the end; flushes, does not close. */
int tar_finish(struct tar_writer *writer, struct err *err);

struct tar_entry {
	char name[TAR_NAME_MOST + 1]; /* plain */
	uint64_t size;
};

/*
 * Read an archive from its beginning: extract() is called with each entry and must take exactly
 * entry->size bytes from file (tar_copy helps). -EBADMSG with what is wrong: a header whose
 * checksum does not fit, anything but a regular file, a name that is not plain, an end that is
 * missing.
 */
struct tar_reader {
	FILE *file;
	const char *path;
	int (*extract)(void *context, const struct tar_entry *entry, FILE *file, struct err *err);
	void *context;
};
int tar_read(const struct tar_reader *reader, struct err *err);

/* Copy size bytes from one file to another (NULL: drop them). -EBADMSG: it ends before. */
int tar_copy(FILE *from, FILE *to, uint64_t size, struct err *err);

#endif
