/*
 * The cache of PostgreSQL builds (see install.h): find, build, list, remove. One lock file guards
 * it, so whatever is called .build-* while the lock is held was left by a build that was killed.
 */
#include "postgres/install.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "platform/os.h"
#include "postgres/install_internal.h"
#include "setting/setting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define MANIFEST	  "plumb-build.json"
#define BUILD_SPACE_BYTES (700ULL << 20)
#define GUESS_S		  240.0

void pg_install_folder(struct strbuf *ret_path)
{
	const char *own = getenv("PLUMB_CACHE"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (own && *own == '/')
		strbuf_add_format(ret_path, "%s/pg", own);
	else if (geteuid() == 0)
		strbuf_add_text(ret_path, "/var/cache/plumb/pg");
	else if (cache && *cache == '/')
		strbuf_add_format(ret_path, "%s/plumb/pg", cache);
	else
		strbuf_add_format(ret_path, "%s/.cache/plumb/pg", home ? home : "/tmp");
}

/* Name "15.18-b32K-w8K-s1G-0123abcd" into the parts; false: not a build's name. */
static bool parse_name(const char *name, struct pg_build *build)
{
	char *copy = memory_copy_string(name), *rest = copy;
	const char *version = strsep(&rest, "-"), *block = strsep(&rest, "-");
	const char *wal = rest ? strsep(&rest, "-") : NULL;
	const char *segment = rest ? strsep(&rest, "-") : NULL;
	bool good = pg_version_major(version) && block && *block == 'b' && wal && *wal == 'w' &&
		    segment && *segment == 's' && rest && strlen(rest) == 8 &&
		    size_parse(block + 1, &build->block_bytes) == 0 &&
		    size_parse(wal + 1, &build->wal_block_bytes) == 0 &&
		    size_parse(segment + 1, &build->segment_bytes) == 0;

	if (good) {
		build->name = memory_copy_string(name);
		build->version = memory_copy_string(version);
	}
	free(copy);
	return good;
}

static double manifest_seconds(const char *folder)
{
	char *path = memory_format("%s/" MANIFEST, folder);
	json_t *manifest = json_load_file(path, 0, NULL);
	double seconds = json_number_value(json_object_get(manifest, "seconds"));

	json_decref(manifest);
	free(path);
	return seconds;
}

static int compare_builds(const void *left, const void *right)
{
	const struct pg_build *a = left, *b = right;
	int order = pg_version_compare(b->version, a->version);

	if (order == 0 && a->block_bytes != b->block_bytes)
		order = a->block_bytes < b->block_bytes ? -1 : 1;
	return order ? order : strcmp(a->name, b->name);
}

int pg_install_list(struct pg_build_list *ret_list, struct err *err)
{
	struct strbuf folder = STRBUF_INIT;
	struct pg_build_list list = { NULL, 0 };
	DIR *stream;

	pg_install_folder(&folder);
	stream = opendir(folder.data);
	if (!stream && errno != ENOENT) {
		err_set_errno(err, -errno, "cannot read '%s'", folder.data);
		strbuf_release(&folder);
		return err ? err->code : -EACCES;
	}
	for (struct dirent *entry; stream && (entry = readdir(stream));) {
		struct pg_build build = { 0 };
		char *path = memory_format("%s/%s", folder.data, entry->d_name);

		if (parse_name(entry->d_name, &build)) {
			build.bindir = memory_format("%s/bin", path);
			build.seconds = manifest_seconds(path);
			list.builds =
				memory_resize(list.builds, list.count + 1, sizeof(*list.builds));
			list.builds[list.count++] = build;
		}
		free(path);
	}
	if (stream)
		closedir(stream);
	strbuf_release(&folder);
	if (list.count)
		qsort(list.builds, list.count, sizeof(*list.builds), compare_builds);
	*ret_list = list;
	return 0;
}

void pg_build_list_release(struct pg_build_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->builds[i].name);
		free(list->builds[i].version);
		free(list->builds[i].bindir);
	}
	free(list->builds);
	*list = (struct pg_build_list){ NULL, 0 };
}

double pg_install_estimate_s(bool *ret_measured)
{
	struct pg_build_list list = { NULL, 0 };
	double seconds = 0;

	if (pg_install_list(&list, NULL) == 0)
		for (size_t i = 0; i < list.count && seconds <= 0; i++)
			seconds = list.builds[i].seconds;
	pg_build_list_release(&list);
	*ret_measured = seconds > 0;
	return seconds > 0 ? seconds : GUESS_S;
}

/* Would this build be made the same way today? */
static bool build_current(const struct pg_build *build, const struct pg_build_spec *spec)
{
	struct strbuf name = STRBUF_INIT;
	char **options = NULL;
	bool same;

	if (pg_build_options(spec, pg_version_major(build->version), &options, NULL) < 0)
		return false;
	pg_build_name(spec, build->version, options, &name);
	same = strcmp(name.data, build->name) == 0;
	pg_options_free(options);
	strbuf_release(&name);
	return same;
}

/* Newest version of any build that the spec's version allows; NULL: none. Lent by list. */
static const char *newest_version(const struct pg_build_list *list, const char *wanted)
{
	for (size_t i = 0; i < list->count; i++)
		if (pg_version_matches(wanted, list->builds[i].version))
			return list->builds[i].version;
	return NULL;
}

int pg_install_find(const struct pg_build_spec *spec, struct strbuf *ret_bindir, struct err *err)
{
	struct pg_build_list list = { NULL, 0 };
	char major[16];
	const char *wanted = spec->version, *version;
	int r = pg_build_spec_check(spec, err);

	if (r == 0)
		r = pg_install_list(&list, err);
	if (r < 0)
		return r;
	if (!wanted) {
		struct strbuf installed = STRBUF_INIT;

		snprintf(major, sizeof(major), "%d", pg_installed_version(0, &installed));
		wanted = major;
		strbuf_release(&installed);
	}
	version = newest_version(&list, wanted);
	r = -ENOENT;
	for (size_t i = 0; i < list.count && r < 0 && version; i++)
		if (strcmp(list.builds[i].version, version) == 0 &&
			build_current(&list.builds[i], spec)) {
			strbuf_add_text(ret_bindir, list.builds[i].bindir);
			r = 0;
		}
	pg_build_list_release(&list);
	if (r < 0) {
		struct strbuf size = STRBUF_INIT;

		size_format(spec->block_bytes ? spec->block_bytes : 8192, &size);
		err_set(err, r, "no build of PostgreSQL %s with %s blocks", wanted, size.data);
		err_hint(
			err, r, "plumb pg install --version %s --block-size %s", wanted, size.data);
		strbuf_release(&size);
	}
	return r;
}

int pg_install_remove(const char *name, struct err *err)
{
	struct strbuf folder = STRBUF_INIT;
	struct pg_build build = { 0 };
	char *path, *doomed;
	int r = 0;

	if (!parse_name(name, &build) || strchr(name, '/'))
		return err_set(err, -EINVAL, "'%s' is no build's name (see plumb pg list)", name);
	pg_install_folder(&folder);
	path = memory_format("%s/%s", folder.data, name);
	doomed = memory_format("%s/.build-removed-%ld", folder.data, (long)getpid());
	/* Out of sight at once: half a build must never be found. */
	if (rename(path, doomed) < 0)
		r = err_set_errno(err, -errno, "build '%s'", name);
	else
		r = file_remove_tree(doomed, err);
	free(build.name);
	free(build.version);
	free(path);
	free(doomed);
	strbuf_release(&folder);
	return r;
}

static int check_tools(struct err *err)
{
	static const struct {
		const char *program, *package;
	} needed[] = { { "gcc", "gcc and libc6-dev" }, { "make", "make" }, { "tar", "tar" } };

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		char *path = subprocess_find(needed[i].program);

		if (!path)
			return err_hint(err,
				err_set(err, -ENOTSUP, "building PostgreSQL needs '%s'",
					needed[i].program),
				"install the package %s", needed[i].package);
		free(path);
	}
	return 0;
}

static int check_space(const char *cache, struct err *err)
{
	struct statvfs space;
	uint64_t free_bytes;

	if (statvfs(cache, &space) < 0)
		return err_set_errno(err, -errno, "cannot ask for the free space of '%s'", cache);
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	if (free_bytes >= BUILD_SPACE_BYTES)
		return 0;
	return err_set(err, -ENOSPC, "a build needs about %llu MB in '%s', %llu MB are free",
		BUILD_SPACE_BYTES >> 20, cache, (unsigned long long)free_bytes >> 20);
}

int pg_install_check(struct err *err)
{
	struct strbuf folder = STRBUF_INIT;
	int r = check_tools(err);

	pg_install_folder(&folder);
	/* Where the cache is not there yet, the build itself will say. */
	if (r == 0 && file_exists(folder.data))
		r = check_space(folder.data, err);
	strbuf_release(&folder);
	return r;
}

/* Hold the cache's lock, waiting for another builder. *ret_fd is to be closed. */
static int lock_cache(struct pg_build_job *job, int *ret_fd, struct err *err)
{
	char *path = memory_format("%s/lock", job->cache);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct timespec pause = { .tv_nsec = 100 * NS_PER_MS };
	int r = fd < 0 ? err_set_errno(err, -errno, "cannot open '%s'", path) : 0;

	while (r == 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			r = err_set_errno(err, -errno, "cannot lock '%s'", path);
		else if (pg_build_tell(job, "waiting for another build") < 0)
			r = err_set(err, -EINTR, "stopped while waiting for another build");
		else
			nanosleep(&pause, NULL);
	}
	if (r == 0)
		*ret_fd = fd;
	else if (fd >= 0)
		close(fd);
	free(path);
	return r;
}

static void remove_leftovers(const char *cache)
{
	DIR *stream = opendir(cache);

	for (struct dirent *entry; stream && (entry = readdir(stream));) {
		char *path = memory_format("%s/%s", cache, entry->d_name);
		struct err err = ERR_INIT;

		if (strncmp(entry->d_name, ".build-", 7) == 0) {
			log_info("removing '%s', left by a build that was cut short", path);
			if (file_remove_tree(path, &err) < 0)
				log_warning("%s", err.message);
		}
		free(path);
	}
	if (stream)
		closedir(stream);
}

static int write_manifest(
	const struct pg_build_job *job, char *const *options, const char *stage, struct err *err)
{
	json_t *list = json_array(), *manifest;
	char *path = memory_format("%s/" MANIFEST, stage), *text;
	int r;

	for (size_t i = 0; options[i]; i++)
		json_array_append_new(list, json_string(options[i]));
	manifest = json_pack("{s:s, s:s, s:o, s:f, s:I}", "name", job->name, "version",
		job->version, "options", list, "seconds",
		(double)os_monotonic_ns() / NS_PER_S - job->started_s, "built_utc_s",
		(json_int_t)time(NULL));
	text = json_dumps(manifest, JSON_INDENT(2));
	r = file_write_atomic(path, text, strlen(text), 0644, err);
	json_decref(manifest);
	free(text);
	free(path);
	return r;
}

static int publish(const char *stage, const char *prefix, struct err *err)
{
	if (rename(stage, prefix) < 0)
		return err_set_errno(err, -errno, "cannot put the build at '%s'", prefix);
	return 0;
}

/* Source, options, name; then make it unless it has appeared meanwhile. */
static int build_locked(struct pg_build_job *job, struct strbuf *ret_bindir, struct err *err)
{
	struct strbuf name = STRBUF_INIT, stage = STRBUF_INIT;
	char **options = NULL, *prefix = NULL;
	int r = pg_source_prepare(job, err);

	if (r == 0)
		r = pg_build_options(job->spec, pg_version_major(job->version), &options, err);
	if (r == 0) {
		pg_build_name(job->spec, job->version, options, &name);
		job->name = strbuf_detach(&name);
		prefix = memory_format("%s/%s", job->cache, job->name);
	}
	if (r == 0 && !file_exists(prefix)) {
		r = pg_build_make(job, options, prefix, &stage, err);
		if (r == 0)
			r = write_manifest(job, options, stage.data, err);
		if (r == 0)
			r = publish(stage.data, prefix, err);
	} else if (r == 0 && job->request->source) {
		log_warning("%s is installed already and stays as it is: the given source was not "
			    "built (plumb pg remove %s)",
			job->name, job->name);
	}
	if (r == 0)
		strbuf_add_format(ret_bindir, "%s/bin", prefix);
	else if (r == -ECHILD)
		pg_build_explain(job, err);
	pg_options_free(options);
	free(prefix);
	strbuf_release(&stage);
	strbuf_release(&name);
	return r;
}

static int run_job(struct pg_build_job *job, struct strbuf *ret_bindir, struct err *err)
{
	char *logs = memory_format("%s/log", job->cache);
	mode_t mask = umask(022); /* the server's user must be able to read what root builds */
	int lock = -1, r = file_make_folders(logs, 0755, err);

	if (r == 0)
		r = check_space(job->cache, err);
	if (r == 0)
		r = lock_cache(job, &lock, err);
	if (r == 0) {
		remove_leftovers(job->cache);
		job->work = memory_format("%s/.build-%ld", job->cache, (long)getpid());
		job->log_path = memory_format(
			"%s/build-%ld-%lld.log", logs, (long)getpid(), (long long)time(NULL));
		r = file_make_folders(job->work, 0755, err);
	}
	if (r == 0) {
		struct err undo = ERR_INIT;

		r = build_locked(job, ret_bindir, err);
		if (file_remove_tree(job->work, &undo) < 0)
			log_warning("%s", undo.message);
	}
	if (lock >= 0)
		close(lock);
	umask(mask);
	free(logs);
	return r;
}

int pg_install_build(const struct pg_build_spec *spec, const struct pg_build_request *request,
	struct strbuf *ret_bindir, struct err *err)
{
	struct strbuf cache = STRBUF_INIT;
	struct pg_build_job job = { .spec = spec, .request = request };
	int r = pg_build_spec_check(spec, err);

	if (r == 0 && !request->source && pg_install_find(spec, ret_bindir, NULL) == 0)
		return 0;
	if (r == 0)
		r = check_tools(err);
	if (r < 0)
		return r;
	pg_install_folder(&cache);
	job.cache = cache.data;
	job.started_s = (double)os_monotonic_ns() / NS_PER_S;
	r = run_job(&job, ret_bindir, err);
	free(job.work);
	free(job.source);
	free(job.version);
	free(job.name);
	free(job.log_path);
	strbuf_release(&cache);
	return r;
}
