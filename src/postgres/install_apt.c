/*
 * The distribution's source package, fetched by apt-get with a configuration of our own (entries
 * derived from the machine's, lists and cache in our folder): it needs no root and leaves the
 * system's apt as it was. Apart from install_source.c because nothing else there knows apt.
 */
#include "postgres/install_internal.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define APT_FOLDER "/etc/apt"

/* Private apt: every call gets these. */
struct apt {
	char *folder; /* cache/apt */
	char *list, *lists, *cache;
	int major; /* of the PostgreSQL that is wanted */
};

static bool suite_wanted(const char *suite, size_t suite_length, const char *codename)
{
	size_t length = strlen(codename);

	/* old style: "bookworm/updates" */
	return suite_length >= length && strncmp(suite, codename, length) == 0 &&
	       (suite_length == length || suite[length] == '-' || suite[length] == '/');
}

/* "deb [options] URI SUITE COMPONENT..." */
static void derive_line(
	const char *line, size_t length, const char *codename, struct strbuf *entries)
{
	char *copy = memory_copy_bytes(line, length), *rest = copy + 3;
	const char *suite;

	rest += strspn(rest, " \t");
	if (*rest == '[' && (rest = strchr(rest, ']')))
		rest += 1 + strspn(rest + 1, " \t");
	suite = rest ? rest + strcspn(rest, " \t") : NULL; /* past the URI */
	if (suite) {
		suite += strspn(suite, " \t");
		if (suite_wanted(suite, strcspn(suite, " \t"), codename))
			strbuf_add_format(entries, "deb-src%s\n", copy + 3);
	}
	free(copy);
}

static void derive_lines(const char *text, const char *codename, struct strbuf *entries)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *start = text;
		size_t left = length;

		while (left && (*start == ' ' || *start == '\t'))
			start++, left--;
		if (left > 4 && strncmp(start, "deb", 3) == 0 &&
			(start[3] == ' ' || start[3] == '\t'))
			derive_line(start, left, codename, entries);
		text += length + (text[length] == '\n');
	}
}

/* One paragraph "Types: ...\nURIs: ...\nSuites: ...": suites that are not wanted go, Types becomes
 * deb-src, everything else (keys, options, continuation lines) stays. */
static void derive_paragraph(char *paragraph, const char *codename, struct strbuf *entries)
{
	struct strbuf out = STRBUF_INIT;
	bool any = false, disabled = false;
	char *rest = paragraph, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (strncasecmp(line, "Types:", 6) == 0) {
			strbuf_add_text(&out, "Types: deb-src\n");
		} else if (strncasecmp(line, "Suites:", 7) == 0) {
			char *words = line + 7, *word;

			strbuf_add_text(&out, "Suites:");
			while ((word = strsep(&words, " \t")))
				if (*word && suite_wanted(word, strlen(word), codename)) {
					strbuf_add_format(&out, " %s", word);
					any = true;
				}
			strbuf_add_char(&out, '\n');
		} else if (*line && *line != '#') {
			disabled |= strncasecmp(line, "Enabled: no", 11) == 0;
			strbuf_add_format(&out, "%s\n", line);
		}
	}
	if (any && !disabled)
		strbuf_add_format(entries, "%s\n", out.data);
	strbuf_release(&out);
}

void pg_source_entries(
	const char *text, bool deb822, const char *codename, struct strbuf *ret_entries)
{
	char *copy, *rest;

	if (!deb822) {
		derive_lines(text, codename, ret_entries);
		return;
	}
	copy = memory_copy_string(text);
	for (rest = copy; rest;) {
		char *end = strstr(rest, "\n\n");

		if (end)
			*end = '\0';
		derive_paragraph(rest, codename, ret_entries);
		rest = end ? end + 2 : NULL;
	}
	free(copy);
}

/* VERSION_CODENAME of /etc/os-release. */
static int release_codename(struct strbuf *ret_codename, struct err *err)
{
	static const char key[] = "\nVERSION_CODENAME=";
	struct strbuf text = STRBUF_INIT;
	const char *found;
	int r;

	strbuf_add_char(&text, '\n');
	r = file_read_limited("/etc/os-release", 1 << 16, &text, err);
	found = r == 0 ? strstr(text.data, key) : NULL;
	if (found) {
		found += strlen(key);
		found += *found == '"';
		strbuf_add(ret_codename, found, strcspn(found, "\"\n"));
	} else if (r == 0) {
		r = err_set(err, -ENOTSUP, "/etc/os-release names no release");
	}
	strbuf_release(&text);
	return r;
}

static void derive_file(
	const char *path, const char *codename, struct strbuf lists[2], struct strbuf *seen)
{
	size_t length = strlen(path);
	bool deb822 = length > 8 && strcmp(path + length - 8, ".sources") == 0;
	bool lines = length > 5 && strcmp(path + length - 5, ".list") == 0;
	struct strbuf text = STRBUF_INIT;

	/* One that can't be read gives no entries; the download then says what is missing. */
	if ((deb822 || lines) && file_read_limited(path, 1 << 20, &text, NULL) == 0) {
		pg_source_entries(text.data, deb822, codename, &lists[deb822]);
		strbuf_add_format(seen, " %s", path);
	}
	strbuf_release(&text);
}

static int write_entries(struct apt *apt, struct err *err)
{
	struct strbuf lists[2] = { STRBUF_INIT, STRBUF_INIT }, codename = STRBUF_INIT;
	struct strbuf seen = STRBUF_INIT;
	DIR *folder = opendir(APT_FOLDER "/sources.list.d");
	int r = release_codename(&codename, err);

	if (r == 0)
		derive_file(APT_FOLDER "/sources.list", codename.data, lists, &seen);
	for (struct dirent *entry; r == 0 && folder && (entry = readdir(folder));) {
		char *path = memory_format(APT_FOLDER "/sources.list.d/%s", entry->d_name);

		derive_file(path, codename.data, lists, &seen);
		free(path);
	}
	if (r == 0 && lists[0].length + lists[1].length == 0)
		r = err_hint(err,
			err_set(err, -ENOENT, "no package source of '%s' in" APT_FOLDER ":%s",
				codename.data, seen.length ? seen.data : " nothing readable"),
			"give the source: --source DIR or --source TARBALL");
	for (int deb822 = 0; r == 0 && deb822 < 2; deb822++) {
		char *path =
			memory_format("%s/plumb-source.%s", apt->list, deb822 ? "sources" : "list");

		r = file_write_atomic(path, lists[deb822].data, lists[deb822].length, 0644, err);
		free(path);
	}
	if (folder)
		closedir(folder);
	strbuf_release(&lists[0]);
	strbuf_release(&lists[1]);
	strbuf_release(&codename);
	strbuf_release(&seen);
	return r;
}

static int apt_open(struct apt *apt, const char *cache, struct err *err)
{
	char *partial;
	int r;

	apt->folder = memory_format("%s/apt", cache);
	apt->list = memory_format("%s/sources.list.d", apt->folder);
	apt->lists = memory_format("%s/lists", apt->folder);
	apt->cache = memory_format("%s/cache", apt->folder);
	partial = memory_format("%s/archives/partial", apt->cache);
	r = file_make_folders(apt->list, 0755, err);
	if (r == 0)
		r = file_make_folders(partial, 0755, err);
	free(partial);
	partial = memory_format("%s/partial", apt->lists);
	if (r == 0)
		r = file_make_folders(partial, 0755, err);
	free(partial);
	return r == 0 ? write_entries(apt, err) : r;
}

static void apt_close(struct apt *apt)
{
	free(apt->folder);
	free(apt->list);
	free(apt->lists);
	free(apt->cache);
}

#define APT_ARGUMENTS_MAX 24

/* argv of PROGRAM with the private configuration and up to three words. */
static char **apt_arguments(const struct apt *apt, const char *program, const char *const *words)
{
	char **arguments = memory_new_array(APT_ARGUMENTS_MAX, sizeof(*arguments));
	size_t used = 0;

	arguments[used++] = memory_copy_string(program);
	arguments[used++] = memory_copy_string("-oDir::Etc::sourcelist=/dev/null");
	arguments[used++] = memory_format("-oDir::Etc::sourceparts=%s", apt->list);
	arguments[used++] = memory_format("-oDir::State::lists=%s", apt->lists);
	arguments[used++] = memory_format("-oDir::Cache=%s", apt->cache);
	arguments[used++] = memory_copy_string("-oAPT::Sandbox::User="); /* our folders only */
	/* A mirror that does not answer must not hold up a build for minutes. */
	arguments[used++] = memory_copy_string("-oAcquire::http::Timeout=30");
	arguments[used++] = memory_copy_string("-oAcquire::https::Timeout=30");
	for (size_t i = 0; words[i]; i++)
		arguments[used++] = memory_copy_string(words[i]);
	return arguments;
}

/* Versions of the source package that are newer than newer_than (NULL: all), newest first, one a
 * line. */
static int source_versions(const struct apt *apt, const char *package, const char *newer_than,
	struct strbuf *ret_versions)
{
	const char *const words[] = { "--only-source", "showsrc", package, NULL };
	char **arguments = apt_arguments(apt, "apt-cache", words);
	struct strbuf text = STRBUF_INIT;
	int r = subprocess_capture((const char *const *)arguments, &text, NULL);
	char *rest = text.data, *line;
	struct strbuf sorted = STRBUF_INIT;

	while (r == 0 && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, "Version: ", 9) != 0 ||
			(newer_than && pg_version_compare(line + 9, newer_than) <= 0))
			continue;
		/* two or three of them: put the newer one in front */
		if (ret_versions->length && pg_version_compare(line + 9, ret_versions->data) > 0) {
			strbuf_add_format(&sorted, "%s\n%s", line + 9, ret_versions->data);
			strbuf_clear(ret_versions);
			strbuf_add(ret_versions, sorted.data, sorted.length);
			strbuf_clear(&sorted);
		} else {
			strbuf_add_format(ret_versions, "%s\n", line + 9);
		}
	}
	pg_options_free(arguments);
	strbuf_release(&sorted);
	strbuf_release(&text);
	return r == 0 && ret_versions->length ? 0 : -ENOENT;
}

static int download_version(struct pg_build_job *job, const struct apt *apt, const char *folder,
	const char *package_version, struct err *err)
{
	const char *const words[] = { "-q", "--download-only", "source", package_version, NULL };
	char **arguments = apt_arguments(apt, "apt-get", words);
	int r = pg_build_call(job, "download", folder, (const char *const *)arguments, err);

	pg_options_free(arguments);
	return r;
}

/* Try the versions from the newest on: a mirror may list a source that it does not hold. */
static int download_newest(struct pg_build_job *job, const struct apt *apt, const char *folder,
	const char *newer_than, struct err *err)
{
	char *package = memory_format("postgresql-%d", apt->major);
	struct strbuf versions = STRBUF_INIT;
	char *rest, *version;
	int r = source_versions(apt, package, newer_than, &versions);

	if (r < 0)
		err_set(err, r, "no source package '%s'%s%s in this machine's package sources",
			package, newer_than ? " newer than " : "", newer_than ? newer_than : "");
	for (rest = versions.data; r == 0 && (version = strsep(&rest, "\n")) && *version;) {
		char *wanted = memory_format("%s=%s", package, version);
		struct err failure = ERR_INIT;

		r = download_version(job, apt, folder, wanted, &failure);
		if (r == -ECHILD && rest && *rest) {
			log_warning("source package %s can't be downloaded, trying an older one",
				wanted);
			r = 0;
		} else {
			if (r < 0)
				err_set(err, r, "%s", failure.message);
			free(wanted);
			break;
		}
		free(wanted);
	}
	free(package);
	strbuf_release(&versions);
	return r;
}

/* Rename a complete download into the cache: a half one never looks like a tarball there. */
static int keep_tarball(const char *from, const char *kept, struct err *err)
{
	if (rename(from, kept) < 0)
		return err_set_errno(err, -errno, "cannot keep '%s'", kept);
	return 0;
}

int pg_source_fetch(struct pg_build_job *job, int major, const char *newer_than, char **ret_tarball,
	struct err *err)
{
	char *kept = memory_format("%s/source", job->cache);
	char *folder = memory_format("%s/download", job->work);
	char *fresh = NULL;
	struct apt apt = { .major = major };
	const char *const words[] = { "-q", "update", NULL };
	int r = file_make_folders(kept, 0755, err);

	if (r == 0)
		r = file_make_folders(folder, 0755, err);
	if (r == 0)
		r = apt_open(&apt, job->cache, err);
	if (r == 0) {
		char **arguments = apt_arguments(&apt, "apt-get", words);

		r = pg_build_call(
			job, "package lists", folder, (const char *const *)arguments, err);
		pg_options_free(arguments);
	}
	if (r == 0)
		r = download_newest(job, &apt, folder, newer_than, err);
	if (r == 0 && !(fresh = pg_source_newest(folder, major)))
		r = err_set(
			err, -ENOENT, "the source package of PostgreSQL %d has no tarball", major);
	if (r == 0) {
		*ret_tarball = memory_format("%s%s", kept, strrchr(fresh, '/'));
		r = keep_tarball(fresh, *ret_tarball, err);
	}
	if (r < 0 && r != -EINTR)
		err_hint(err, r, "give the source: --source DIR or --source TARBALL");
	free(fresh);
	apt_close(&apt);
	free(folder);
	free(kept);
	return r;
}
