/* What may take long in a rig and must end at once when the user stops: programs, and syncing a
 * filesystem on a slow disk (see rig.h). */
#include "run/rig_internal.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "base/subprocess.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOOK_NS (100 * NS_PER_MS)

static bool wants_stop(struct rig *rig)
{
	return rig->options.stop && rig->options.stop(rig->options.listener);
}

int rig_run_program(struct rig *rig, const char *const *arguments, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments,
		.output_path = rig->program_log_path,
		.error_path = rig->program_log_path,
		.die_with_parent = true };
	struct subprocess process;
	char text[64];
	int status;
	int r = subprocess_start(&options, &process, err);

	if (r < 0)
		return r;
	while ((r = subprocess_wait(&process, LOOK_NS, &status, NULL)) == -ETIMEDOUT) {
		if (wants_stop(rig)) {
			subprocess_end(&process, NS_PER_S);
			return err_set(err, -EINTR, "stopped by the user");
		}
	}
	if (r < 0)
		return err_set_errno(err, r, "cannot wait for '%s'", arguments[0]);
	if (status != 0) {
		struct strbuf tail = STRBUF_INIT;

		subprocess_describe_status(status, text, sizeof(text));
		file_read_tail(rig->program_log_path, 1500, &tail);
		strbuf_trim(&tail);
		r = err_set(err, -ECHILD, "'%s' ended with %s: %s", arguments[0], text, tail.data);
		strbuf_release(&tail);
	}
	return r;
}

struct sync_job {
	struct target *target;
	struct err err;
	int result;
	atomic_bool done;
};

static void *sync_target(void *context)
{
	struct sync_job *job = context;

	job->result = target_sync(job->target, &job->err);
	atomic_store(&job->done, true);
	return NULL;
}

int rig_sync(struct rig *rig, struct err *err)
{
	struct clock *clock = clock_system(); /* the thread runs in real time */
	struct sync_job job = { .target = rig->target };
	bool stopped = false;
	pthread_t thread;

	/* A fake takes its time on the caller's clock, which is no thread's. */
	if (rig->driver->base == TARGET_ON_FAKE ||
		pthread_create(&thread, NULL, sync_target, &job) != 0)
		return target_sync(rig->target, err);
	while (!atomic_load(&job.done)) {
		if (!stopped && wants_stop(rig)) {
			stopped = true;
			(void)rig_set_clock(rig, false, NULL); /* else it takes what it takes */
		}
		clock->sleep_until(clock, clock->now_ns(clock) + 5 * NS_PER_MS);
	}
	pthread_join(thread, NULL);
	if (stopped)
		return err_set(err, -EINTR, "stopped by the user");
	return job.result < 0 ? err_set(err, job.result, "%s", job.err.message) : 0;
}
