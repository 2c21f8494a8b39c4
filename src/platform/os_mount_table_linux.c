/* Linux: the mount table as the kernel prints it in /proc/self/mountinfo (see os_mount.h). Apart
 * from mounting because it is pure and tested on text. */
#include "platform/os_mount.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* \040 and the like: space, tab, newline, backslash (proc_pid_mountinfo(5)). */
static void undo_escapes(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned value;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1 && from[1] >= '0' &&
			from[1] <= '3' && from[2] && from[3]) {
			*to = (char)value;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static char *next_field(char **rest)
{
	char *field = strsep(rest, " ");

	return field && *field ? field : NULL;
}

/* id parent major:minor root path options [tag...] - type source super-options */
static int parse_line(char *line, struct os_mount *row)
{
	char *id = next_field(&line), *parent = next_field(&line), *number = next_field(&line);
	char *root = next_field(&line), *path = next_field(&line), *options = next_field(&line);
	char *tag, *type, *source;

	if (!options || sscanf(number, "%u:%u", &row->major, &row->minor) != 2)
		return -EINVAL;
	do {
		tag = next_field(&line);
	} while (tag && strcmp(tag, "-") != 0);
	type = next_field(&line);
	/* A source may be empty: two spaces follow each other then. */
	source = strsep(&line, " ");
	if (!tag || !type || !source || !line)
		return -EINVAL;
	undo_escapes(root);
	undo_escapes(path);
	undo_escapes(source);
	row->id = strtoull(id, NULL, 10);
	row->parent_id = strtoull(parent, NULL, 10);
	row->root = root;
	row->path = path;
	row->options = options;
	row->type = type;
	row->source = source;
	row->super_options = line;
	return 0;
}

int os_mount_table_parse(struct os_mount_table *table, const char *text, struct err *err)
{
	struct os_mount_table result = { .text = memory_copy_string(text) };
	char *rest = result.text, *line;
	size_t size = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (result.count == size) {
			size = size ? size * 2 : 64;
			result.rows = memory_resize(result.rows, size, sizeof(*result.rows));
		}
		if (parse_line(line, &result.rows[result.count]) < 0) {
			const char *whole = text + (line - result.text);

			err_set(err, -EINVAL, "mount table: line not understood: '%.*s'",
				(int)strcspn(whole, "\n"), whole);
			os_mount_table_release(&result);
			return -EINVAL;
		}
		result.count++;
	}
	*table = result;
	return 0;
}

int os_mount_table_read(struct os_mount_table *table, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = file_read("/proc/self/mountinfo", &text, err);

	if (r == 0)
		r = os_mount_table_parse(table, text.data, err);
	strbuf_release(&text);
	return r;
}

void os_mount_table_release(struct os_mount_table *table)
{
	free(table->rows);
	free(table->text);
	*table = (struct os_mount_table){ 0 };
}

const struct os_mount *os_mount_table_at(const struct os_mount_table *table, const char *path)
{
	for (size_t i = table->count; i > 0; i--)
		if (strcmp(table->rows[i - 1].path, path) == 0)
			return &table->rows[i - 1];
	return NULL;
}

static bool lies_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (strcmp(folder, "/") == 0)
		return path[0] == '/';
	return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

const struct os_mount *os_mount_table_above(const struct os_mount_table *table, const char *path)
{
	const struct os_mount *best = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct os_mount *row = &table->rows[i];

		if (lies_below(path, row->path) &&
			(!best || strlen(row->path) >= strlen(best->path)))
			best = row;
	}
	return best;
}
