/* Lines "name [=] value [# comment]", values bare or in single quotes ('' and \' inside). */
#include "doctor/collect/conf_file.h"
#include "base/file.h"
#include "base/strbuf.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INCLUDE_DEPTH_MAX   10
#define CONF_FILE_MAX_BYTES (4 * 1024 * 1024)

struct reader {
	conf_file_visit *visit;
	void *context;
	int depth;
};

static int read_file(struct reader *reader, const char *path, struct err *err);

/* After a value only blanks and a comment may follow. */
static bool ends_here(const char *text)
{
	text += strspn(text, " \t\r");
	return *text == '\0' || *text == '#';
}

/* Take the value out of text (changed in place): its start, or NULL if it is malformed. */
static char *take_value(char *text)
{
	char *out = text;

	if (*text != '\'') {
		char *end = text + strcspn(text, " \t#\r'");
		bool whole = end > text && ends_here(end);
		*end = '\0';
		return whole ? text : NULL;
	}
	for (char *in = text + 1; *in; in++) {
		if ((*in == '\'' && in[1] == '\'') || (*in == '\\' && in[1])) {
			in++;
		} else if (*in == '\'') {
			bool whole = ends_here(in + 1);
			*out = '\0';
			return whole ? text : NULL;
		}
		*out++ = *in;
	}
	return NULL;
}

static void beside(const char *file, const char *name, char *path)
{
	const char *slash = strrchr(file, '/');

	if (*name == '/' || !slash)
		snprintf(path, PATH_MAX, "%s", name);
	else
		snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - file), file, name);
}

static int is_conf(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 5 &&
	       strcmp(entry->d_name + length - 5, ".conf") == 0;
}

static int read_folder(struct reader *reader, const char *folder, struct err *err)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count = scandir(folder, &entries, is_conf, alphasort), r = 0;

	if (count < 0)
		return err_set_errno(err, -errno, "read folder '%s'", folder);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (r == 0)
			r = read_file(reader, path, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int take_setting(
	struct reader *reader, const char *file, char *name, const char *value, struct err *err)
{
	char path[PATH_MAX];

	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	beside(file, value, path);
	if (strcmp(name, "include") == 0)
		return read_file(reader, path, err);
	if (strcmp(name, "include_if_exists") == 0)
		return file_exists(path) ? read_file(reader, path, err) : 0;
	if (strcmp(name, "include_dir") == 0)
		return read_folder(reader, path, err);
	reader->visit(reader->context, file, name, value);
	return 0;
}

static int read_line(struct reader *reader, const char *file, char *line, struct err *err)
{
	line += strspn(line, " \t\r");
	if (*line == '\0' || *line == '#')
		return 0;
	size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.$");
	char *rest = line + length + strspn(line + length, " \t");
	bool apart = rest > line + length;
	if (*rest == '=') {
		rest++;
		rest += strspn(rest, " \t");
		apart = true;
	}
	char *value = length > 0 && apart ? take_value(rest) : NULL;
	if (!value)
		return err_set(err, -EINVAL, "not a setting"); /* no text: it may hold a secret */
	line[length] = '\0';
	return take_setting(reader, file, line, value, err);
}

static int read_file(struct reader *reader, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = file_read_limited(path, CONF_FILE_MAX_BYTES, &text, err), number = 0;
	char *line, *rest;

	if (r == 0 && ++reader->depth > INCLUDE_DEPTH_MAX)
		r = err_set(err, -ELOOP, "%s: included more than %d deep", path, INCLUDE_DEPTH_MAX);
	rest = text.data;
	while (r == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		r = read_line(reader, path, line, err);
		if (r < 0)
			err_prefix(err, r, "%s:%d", path, number);
	}
	reader->depth--;
	strbuf_release(&text);
	return r;
}

int conf_file_read(const char *path, conf_file_visit *visit, void *context, struct err *err)
{
	struct reader reader = { .visit = visit, .context = context };

	return read_file(&reader, path, err);
}
