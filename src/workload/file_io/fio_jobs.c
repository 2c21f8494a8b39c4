/* The shipped fio jobs (see fio_jobs.h). */
#include "workload/file_io/fio_jobs.h"

#include "base/macros.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

const struct fio_job fio_jobs[] = {
	{ "seq-read", "read", "1m", true, "sequential read in 1 MiB" },
	{ "seq-write", "write", "1m", false, "sequential write in 1 MiB, fsync at the end" },
	{ "seq-rw", "rw", "1m", true, "sequential, half reads and half writes" },
	{ "rand-read", "randread", "8k", true, "random read in 8 KiB" },
	{ "rand-write", "randwrite", "8k", true, "random write in 8 KiB, fsync at the end" },
	{ "rand-rw", "randrw", "8k", true, "random, half reads and half writes" },
	{ 0 },
};

const struct fio_job *fio_job_find(const char *name)
{
	for (const struct fio_job *job = fio_jobs; job->name; job++)
		if (strcmp(job->name, name) == 0)
			return job;
	return NULL;
}

/* What layout and run have in common. psync, because it works on every filesystem. */
static void add_common(const struct fio_plan *plan, struct strbuf *text)
{
	strbuf_add_format(text,
		"[global]\n"
		"directory=%s\n"
		"filename_format=plumb.$jobnum\n"
		"size=%llu\n"
		"numjobs=%d\n"
		"ioengine=%s\n"
		"iodepth=%d\n"
		"direct=%d\n"
		"fallocate=none\n"
		"group_reporting=1\n",
		plan->directory, (unsigned long long)plan->file_bytes, plan->jobs,
		plan->io_depth > 1 ? "libaio" : "psync", plan->io_depth, plan->direct);
	/* Zeros compress to nothing; otherwise every block is fresh and does not compress. */
	strbuf_add_text(text, plan->zeros ? "zero_buffers=1\n" : "refill_buffers=1\n");
}

void fio_plan_text(const struct fio_plan *plan, struct strbuf *text)
{
	bool whole_file = strcmp(plan->job->rw, "write") == 0;

	add_common(plan, text);
	strbuf_add_format(text,
		"invalidate=0\n" /* the start state is the study's */
		"time_based=1\n"
		"ramp_time=%lldms\n"
		"runtime=%lldms\n"
		"end_fsync=1\n"
		"[%s]\n"
		"rw=%s\n"
		"bs=%s\n",
		(long long)(plan->warmup_ns / NS_PER_MS), (long long)(plan->measure_ns / NS_PER_MS),
		plan->job->name, plan->job->rw, plan->job->block);
	if (!whole_file)
		strbuf_add_text(text, "overwrite=1\n");
	for (const char *at = plan->options ? plan->options : ""; *at;) {
		size_t length = strcspn(at, " ");

		strbuf_add_format(text, "%.*s\n", (int)length, at);
		at += length;
		at += strspn(at, " ");
	}
}

void fio_layout_text(const struct fio_plan *plan, struct strbuf *text)
{
	add_common(plan, text);
	strbuf_add_text(text, "end_fsync=1\n[layout]\nrw=write\nbs=1m\n");
}

int fio_options_check(const char *options, struct err *err)
{
	for (const char *at = options; *at;) {
		size_t length = strcspn(at, " ");
		size_t key = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");

		/* fio runs what these name: not for a study to choose. */
		if (key < length &&
			(strncmp(at, "exec_", 5) == 0 || strncmp(at, "include", 7) == 0))
			return err_set(err, -EINVAL, "workload.options: '%.*s' is not allowed",
				(int)length, at);
		if (length && (key == 0 || at[key] != '=' || key > length))
			return err_set(err, -EINVAL, "workload.options: '%.*s' is not KEY=VALUE",
				(int)length, at);
		for (size_t i = 0; i < length; i++)
			if (!isgraph((unsigned char)at[i]) || at[i] == '[' || at[i] == ';')
				return err_set(err, -EINVAL,
					"workload.options: '%.*s' has a character that fio's "
					"job files give a meaning",
					(int)length, at);
		at += length;
		at += strspn(at, " ");
	}
	return 0;
}
