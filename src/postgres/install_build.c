/*
 * Configure, compile and install one PostgreSQL, out of tree, only the parts that plumb calls,
 * into a staging folder. Apart from install.c, which decides what is built and where it goes.
 */
#include "postgres/install_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_NS		    (100 * NS_PER_MS)
#define LOG_TAIL_BYTES	    1500
#define FULL_BYTES	    (1 << 20) /* less is left for nothing */
#define COMPILES_EXPECTED   980	      /* compile lines of PostgreSQL 15; others differ by a few % */
#define FRACTION_CONFIGURED 0.08
#define FRACTION_COMPILED   0.97

/* In the order of their dependencies; a folder that a version lacks is skipped. */
static const char *const parts[] = {
	"src/common",
	"src/port",
	"src/timezone",
	"src/backend",
	"src/interfaces/libpq",
	"src/fe_utils",
	"src/backend/utils/mb/conversion_procs",
	"src/backend/snowball",
	"src/pl/plpgsql/src",
	"src/bin/initdb",
	"src/bin/pg_ctl",
	"src/bin/psql",
	"src/bin/pgbench",
	"src/bin/pg_waldump",
	"src/bin/pg_controldata",
	"src/bin/pg_checksums",
	"src/bin/pg_amcheck",
	"src/bin/pg_dump",
	"src/bin/pg_config",
	"contrib/amcheck",
};

/* Count compile lines that have come to the log: the only steady measure of progress. */
static void read_log(struct pg_build_job *job)
{
	char block[65536 + 1];
	int fd = open(job->log_path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return;
	while ((got = pread(fd, block, sizeof(block) - 1, (off_t)job->log_position)) > 0) {
		char *last;

		block[got] = '\0';
		last = strrchr(block, '\n');
		if (!last)
			break;
		*last = '\0';
		job->log_position += (size_t)(last + 1 - block);
		for (const char *at = block; (at = strstr(at, " -c -o ")); at++)
			job->compiled++;
	}
	close(fd);
	if (job->compiled) {
		double share = (double)job->compiled / COMPILES_EXPECTED;

		job->fraction = FRACTION_CONFIGURED +
				(FRACTION_COMPILED - FRACTION_CONFIGURED) * MIN(share, 1.0);
	}
}

int pg_build_tell(struct pg_build_job *job, const char *step)
{
	struct pg_build_progress progress = { .step = step };

	if (!job->request->progress)
		return 0;
	progress.fraction = job->fraction;
	progress.elapsed_s = (double)os_monotonic_ns() / NS_PER_S - job->started_s;
	return job->request->progress(job->request->listener, &progress) ? -EINTR : 0;
}

static int wait_telling(
	struct pg_build_job *job, const char *step, struct subprocess *process, int *ret_status)
{
	int r;

	while ((r = subprocess_wait(process, POLL_NS, ret_status, NULL)) == -ETIMEDOUT) {
		read_log(job);
		r = pg_build_tell(job, step);
		if (r < 0)
			break;
	}
	if (r < 0)
		subprocess_end(process, NS_PER_S);
	return r;
}

int pg_build_call(struct pg_build_job *job, const char *step, const char *directory,
	const char *const *arguments, struct err *err)
{
	/* Messages that a user may read in the log, and no localised surprises for configure. */
	static const char *const environment[] = { "LC_ALL=C", "MAKEFLAGS=", "MAKELEVEL=", NULL };
	struct subprocess_options options = { .arguments = arguments,
		.directory = directory,
		.environment = environment,
		.output_path = job->log_path,
		.error_path = job->log_path,
		.die_with_parent = true };
	struct strbuf tail = STRBUF_INIT;
	struct subprocess process;
	char text[64];
	int status, r = pg_build_tell(job, step);

	if (r == 0)
		r = subprocess_start(&options, &process, err);
	else
		return err_set(err, r, "stopped at '%s'", step);
	if (r < 0)
		return r;
	r = wait_telling(job, step, &process, &status);
	if (r < 0)
		return err_set(err, r, "stopped at '%s'", step);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	subprocess_describe_status(status, text, sizeof(text));
	file_read_tail(job->log_path, LOG_TAIL_BYTES, &tail);
	err_set(err, -ECHILD, "%s: '%s' ended with %s; end of its log:\n%s", step, arguments[0],
		text, tail.data);
	strbuf_release(&tail);
	return -ECHILD;
}

static int configure(struct pg_build_job *job, char *const *options, const char *prefix,
	const char *object_folder, struct err *err)
{
	const char *arguments[40];
	char *program = memory_format("%s/configure", job->source);
	char *prefix_option = memory_format("--prefix=%s", prefix);
	size_t used = 0;
	int r;

	arguments[used++] = program;
	arguments[used++] = prefix_option;
	for (size_t i = 0; options[i] && used < ARRAY_SIZE(arguments) - 1; i++)
		arguments[used++] = options[i];
	arguments[used] = NULL;
	r = pg_build_call(job, "configure", object_folder, arguments, err);
	free(program);
	free(prefix_option);
	return r;
}

static int make(struct pg_build_job *job, const char *part, const char *target, const char *extra,
	struct err *err)
{
	int jobs = job->request->jobs ? job->request->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
	char *folder = memory_format("%s/obj/%s", job->work, part);
	char *parallel = memory_format("-j%d", MAX(jobs, 1));
	const char *arguments[] = { "make", parallel, "-C", folder, target, extra, NULL };
	int r = pg_build_call(job, part, NULL, arguments, err);

	free(parallel);
	free(folder);
	return r;
}

static int make_parts(struct pg_build_job *job, struct err *err)
{
	char *stage = memory_format("DESTDIR=%s/stage", job->work);
	int r = make(job, "src/backend", "generated-headers", NULL, err);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(parts); i++) {
		char *source = memory_format("%s/%s/Makefile", job->source, parts[i]);

		if (file_exists(source)) {
			r = make(job, parts[i], "all", NULL, err);
			if (r == 0)
				r = make(job, parts[i], "install", stage, err);
		}
		free(source);
	}
	free(stage);
	return r;
}

/* A full disk may also have kept the program from saying so in the log. */
static bool disk_full(const struct pg_build_job *job, const char *log)
{
	struct statvfs space;

	return strstr(log, "No space left on device") ||
	       (statvfs(job->cache, &space) == 0 &&
		       (uint64_t)space.f_bavail * space.f_frsize < FULL_BYTES);
}

void pg_build_explain(struct pg_build_job *job, struct err *err)
{
	struct strbuf log = STRBUF_INIT;

	file_read_tail(job->log_path, 1 << 16, &log);
	if (disk_full(job, log.data))
		err_hint(err, err->code, "the disk is full: a build needs about 700 MB in '%s'",
			job->cache);
	else if (strstr(log.data, "C compiler cannot create executables"))
		err_hint(err, err->code, "install the packages gcc and libc6-dev");
	else if (strstr(log.data, "bison not found") || strstr(log.data, "flex not found") ||
		 strstr(log.data, "Perl not found") || strstr(log.data, "perl not found"))
		err_hint(err, err->code,
			"this version's source needs the packages bison, flex and perl");
	strbuf_release(&log);
	err_hint(err, err->code, "the whole log is %s", job->log_path);
}

int pg_build_make(struct pg_build_job *job, char *const *options, const char *prefix,
	struct strbuf *ret_stage, struct err *err)
{
	char *object_folder = memory_format("%s/obj", job->work);
	int r = file_make_folders(object_folder, 0755, err);

	if (r == 0)
		r = configure(job, options, prefix, object_folder, err);
	job->fraction = FRACTION_CONFIGURED;
	if (r == 0)
		r = make_parts(job, err);
	free(object_folder);
	if (r == 0)
		strbuf_add_format(ret_stage, "%s/stage%s", job->work, prefix);
	return r;
}
