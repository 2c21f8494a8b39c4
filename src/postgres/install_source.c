/*
 * Where the source of a build comes from: a folder, a tarball, or the distribution's source
 * package (install_apt.c), and which version it is.
 */
#include "postgres/install_internal.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIGURE_LIMIT (4 << 20)

int pg_version_major(const char *version)
{
	char *end;
	long major = strtol(version, &end, 10);

	if (!isdigit((unsigned char)*version) || major < 1 || major > 999)
		return 0;
	return *end == '\0' || *end == '.' || isalpha((unsigned char)*end) ? (int)major : 0;
}

/* Place of a version among those of its major: release .N counts above rcN, betaN, alphaN, devel.
 */
static long version_rank(const char *version)
{
	static const struct {
		const char *word;
		long base;
	} stages[] = { { "devel", 0 }, { "alpha", 1000 }, { "beta", 2000 }, { "rc", 3000 } };
	const char *rest = version + strspn(version, "0123456789");

	for (size_t i = 0; i < ARRAY_SIZE(stages); i++)
		if (strncmp(rest, stages[i].word, strlen(stages[i].word)) == 0)
			return stages[i].base + strtol(rest + strlen(stages[i].word), NULL, 10);
	return 10000 + (*rest == '.' ? strtol(rest + 1, NULL, 10) : 0);
}

int pg_version_compare(const char *a, const char *b)
{
	int major_a = pg_version_major(a), major_b = pg_version_major(b);
	long rank_a = version_rank(a), rank_b = version_rank(b);

	if (major_a != major_b)
		return major_a < major_b ? -1 : 1;
	return rank_a < rank_b ? -1 : rank_a > rank_b;
}

bool pg_version_matches(const char *wanted, const char *version)
{
	if (wanted[strspn(wanted, "0123456789")])
		return strcmp(wanted, version) == 0;
	return pg_version_major(wanted) == pg_version_major(version);
}

int pg_source_version(const char *configure_text, struct strbuf *ret_version)
{
	static const char name[] = "PACKAGE_NAME='PostgreSQL'", version[] = "PACKAGE_VERSION='";
	const char *found = strstr(configure_text, version);
	size_t length;

	if (!found || !strstr(configure_text, name))
		return -EINVAL;
	found += strlen(version);
	length = strcspn(found, "'\n");
	if (found[length] != '\'' || !pg_version_major(found))
		return -EINVAL;
	strbuf_add(ret_version, found, length);
	return 0;
}

void pg_source_tarball_version(const char *tarball, struct strbuf *ret_version)
{
	const char *name = strrchr(tarball, '/'), *end;

	name = strchr(name ? name : tarball, '_');
	end = name ? strstr(name, ".orig.tar.") : NULL;
	if (end)
		strbuf_add(ret_version, name + 1, (size_t)(end - name - 1));
}

char *pg_source_newest(const char *folder, int major)
{
	char *prefix = memory_format("postgresql-%d_", major), *best = NULL;
	DIR *stream = opendir(folder);

	for (struct dirent *entry; stream && (entry = readdir(stream));) {
		const char *name = entry->d_name;

		if (strncmp(name, prefix, strlen(prefix)) != 0 || !strstr(name, ".orig.tar."))
			continue;
		if (!best || pg_version_compare(name + strlen(prefix), best + strlen(prefix)) > 0) {
			free(best);
			best = memory_copy_string(name);
		}
	}
	if (stream)
		closedir(stream);
	free(prefix);
	if (best) {
		char *path = memory_format("%s/%s", folder, best);

		free(best);
		best = path;
	}
	return best;
}

/* Major version to build when the user names none: that of the installed server. */
static int wanted_major(const struct pg_build_spec *spec, int *ret_major, struct err *err)
{
	struct strbuf text = STRBUF_INIT;

	*ret_major = spec->version ? pg_version_major(spec->version) : 0;
	if (*ret_major == 0)
		*ret_major = pg_installed_version(0, &text);
	strbuf_release(&text);
	if (*ret_major == 0)
		return err_hint(err,
			err_set(err, -ENOENT,
				"no PostgreSQL is installed to take the version from"),
			"name one: --version 15");
	if (*ret_major < PG_OLDEST_MAJOR)
		return err_set(err, -ENOTSUP,
			"PostgreSQL %d is too old: %d is the oldest supported", *ret_major,
			PG_OLDEST_MAJOR);
	return 0;
}

static int unpack(struct pg_build_job *job, const char *tarball, struct err *err)
{
	const char *const arguments[] = { "tar", "-xf", tarball, "-C", job->source,
		"--strip-components=1", "--no-same-owner", NULL };
	int r = file_make_folders(job->source, 0755, err);

	if (r == 0)
		r = pg_build_call(job, "unpack", NULL, arguments, err);
	return r < 0 ? err_prefix(err, r, "unpack '%s'", tarball) : 0;
}

/* Read the version of the unpacked tree, refuse what can't be built. */
static int inspect(struct pg_build_job *job, struct err *err)
{
	char *path = memory_format("%s/configure", job->source);
	char *configured = memory_format("%s/config.status", job->source);
	struct strbuf text = STRBUF_INIT, version = STRBUF_INIT;
	int r = file_read_limited(path, CONFIGURE_LIMIT, &text, NULL);

	if (r < 0 || pg_source_version(text.data, &version) < 0)
		r = err_set(err, -EINVAL,
			"'%s' is no PostgreSQL source tree (configure names none)",
			job->request->source ? job->request->source : job->source);
	else if (pg_version_major(version.data) < PG_OLDEST_MAJOR)
		r = err_set(err, -ENOTSUP, "PostgreSQL %s is too old: %d is the oldest supported",
			version.data, PG_OLDEST_MAJOR);
	else if (job->spec->version && !pg_version_matches(job->spec->version, version.data))
		r = err_set(err, -EINVAL, "the source is PostgreSQL %s, not %s", version.data,
			job->spec->version);
	else if (file_exists(configured))
		r = err_hint(err,
			err_set(err, -EBUSY, "'%s' has been configured in place", job->source),
			"make -C %s distclean, or give the tarball", job->source);
	if (r == 0)
		job->version = strbuf_detach(&version);
	strbuf_release(&version);
	strbuf_release(&text);
	free(configured);
	free(path);
	return r;
}

static int given_source(struct pg_build_job *job, struct err *err)
{
	const char *source = job->request->source;
	char *full = realpath(source, NULL);
	struct stat status;
	int r = 0;

	if (!full || stat(full, &status) < 0)
		r = err_set_errno(err, -errno, "source '%s'", source);
	else if (S_ISDIR(status.st_mode))
		job->source = memory_copy_string(full);
	else {
		job->source = memory_format("%s/source", job->work);
		r = unpack(job, full, err);
	}
	free(full);
	return r;
}

/* The version that a source should have: the one asked for, or the installed server's. */
static void best_version(const struct pg_build_spec *spec, int major, struct strbuf *ret_version)
{
	if (spec->version && strchr(spec->version, '.'))
		strbuf_add_text(ret_version, spec->version);
	else
		(void)pg_installed_version(major, ret_version); /* none: any is good enough */
}

/* The kept tarball, unless it is older than it should be and a newer one can be had. */
static int find_tarball(struct pg_build_job *job, int major, const char *kept_folder,
	char **ret_tarball, struct err *err)
{
	struct strbuf best = STRBUF_INIT, kept_version = STRBUF_INIT;
	char *kept = pg_source_newest(kept_folder, major);
	struct err failure = ERR_INIT;
	int r = 0;

	if (!kept)
		return pg_source_fetch(job, major, NULL, ret_tarball, err);
	pg_source_tarball_version(kept, &kept_version);
	best_version(job->spec, major, &best);
	if (best.length && pg_version_compare(kept_version.data, best.data) < 0) {
		r = pg_source_fetch(job, major, kept_version.data, ret_tarball, &failure);
		if (r == 0) {
			free(kept);
			kept = NULL;
		} else if (r == -EINTR) {
			err_set(err, r, "%s", failure.message);
		} else {
			log_info("no newer source than %s: %s", kept_version.data, failure.message);
			r = 0;
		}
	}
	if (r == 0 && kept)
		*ret_tarball = kept;
	else
		free(kept);
	strbuf_release(&best);
	strbuf_release(&kept_version);
	return r;
}

int pg_source_prepare(struct pg_build_job *job, struct err *err)
{
	char *tarball = NULL, *kept = memory_format("%s/source", job->cache);
	int major = 0, r;

	if (job->request->source) {
		r = given_source(job, err);
	} else {
		r = wanted_major(job->spec, &major, err);
		if (r == 0)
			r = find_tarball(job, major, kept, &tarball, err);
		job->source = memory_format("%s/source", job->work);
		if (r == 0)
			r = unpack(job, tarball, err);
	}
	if (r == 0)
		r = inspect(job, err);
	free(tarball);
	free(kept);
	return r;
}
