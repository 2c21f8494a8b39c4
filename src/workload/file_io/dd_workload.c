/*
 * The dd driver: one sequential pass of the real dd, as people measure a pool by hand. Writing ends
 * with dd's own fsync; reading meets the start state that the study asks for. The work is fixed
 * (file_size), so warm-up and window length are not used.
 */
#include "base/macros.h"
#include "base/memory.h"
#include "workload/client.h"
#include "workload/file_io/file_folder.h"
#include "workload/workload_drivers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_NS (100 * NS_PER_MS)

struct dd {
	struct workload base;
	struct arena arena;
	struct client client;
	char *folder;
	bool warm_told;
};

static struct dd *dd_of(struct workload *workload)
{
	return CONTAINER_OF(workload, struct dd, base);
}

static int dd_check(struct err *why)
{
	char *path = subprocess_find("dd");

	free(path);
	return path ? 0 : err_set(why, -ENOTSUP, "program 'dd' is not installed (coreutils)");
}

static uint64_t file_bytes(const struct settings *settings)
{
	return settings_size(settings, "workload.file_size", 1ULL << 30);
}

static bool reads(const struct dd *dd)
{
	return strcmp(settings_text(dd->base.context.settings, "workload.direction", "write"),
		       "read") == 0;
}

static int dd_open(
	const struct workload_context *context, struct workload **ret_workload, struct err *err)
{
	struct dd *dd = memory_new(sizeof(*dd));
	int r;

	dd->base.context = *context;
	dd->client.context = &dd->base.context;
	r = file_folder_make(context, "plumb-dd", &dd->folder, err);
	if (r < 0) {
		free(dd);
		return r;
	}
	*ret_workload = &dd->base;
	return 0;
}

/* /dev/urandom gives some 500 MB/s: enough for one disk, and said in the docs. */
static int start_dd(struct dd *dd, const char *name, bool read, struct err *err)
{
	const struct settings *settings = dd->base.context.settings;
	bool zeros = strcmp(settings_text(settings, "workload.data", "random"), "zeros") == 0;
	const char *file = arena_format(&dd->arena, "%s/file", dd->folder);
	const char *arguments[] = { "dd",
		arena_format(&dd->arena, "if=%s",
			read	? file
			: zeros ? "/dev/zero"
				: "/dev/urandom"),
		arena_format(&dd->arena, "of=%s", read ? "/dev/null" : file), "bs=1M",
		arena_format(
			&dd->arena, "count=%llu", (unsigned long long)(file_bytes(settings) >> 20)),
		read ? NULL : "conv=fsync", NULL };

	return client_start(&dd->client, name, arguments, err);
}

static int dd_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct dd *dd = dd_of(workload);
	const struct workload_context *context = &workload->context;
	struct workload_progress progress = { .fraction = -1, .part = "dd" };
	int r;

	if (!reads(dd))
		return 0;
	r = start_dd(dd, "dd-layout", false, err);
	if (r < 0)
		return r;
	while ((r = client_poll(&dd->client, STEP_NS, err)) == 0)
		if (context->progress && context->progress(context->listener, &progress)) {
			client_end(&dd->client);
			return err_set(err, -EINTR, "interrupted");
		}
	if (r < 0)
		return r;
	trial_record_sample(record, &(struct sample){ "load_s", "load", "dd",
					    client_seconds(&dd->client), SAMPLE_WHOLE });
	return 0;
}

static int dd_start(struct workload *workload, int64_t warmup_ns UNUSED, int64_t measure_ns UNUSED,
	struct err *err)
{
	struct dd *dd = dd_of(workload);

	dd->warm_told = false;
	if (!reads(dd)) {
		char *file = memory_format("%s/file", dd->folder);

		unlink(file); /* every run writes a fresh file */
		free(file);
	}
	return start_dd(dd, "dd-run", reads(dd), err);
}

static int dd_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct dd *dd = dd_of(workload);
	int r;

	*ret_progress = (struct workload_progress){ .fraction = -1, .unit = "dd" };
	if (!dd->warm_told) { /* there is no warm-up */
		dd->warm_told = true;
		return WORKLOAD_WARM;
	}
	r = client_poll(&dd->client, STEP_NS, err);
	return r < 0 ? r : r > 0 ? WORKLOAD_ENDED : WORKLOAD_RUNNING;
}

static void dd_stop(struct workload *workload)
{
	client_end(&dd_of(workload)->client);
}

static int dd_collect(
	struct workload *workload, struct trial_record *record, struct err *err UNUSED)
{
	struct dd *dd = dd_of(workload);
	double bytes = (double)(file_bytes(workload->context.settings) >> 20 << 20);
	struct sample sample = { .metric = reads(dd) ? "read_bytes_per_s" : "write_bytes_per_s",
		.phase = "run",
		.source = "dd",
		.value = bytes / client_seconds(&dd->client),
		.at_ns = SAMPLE_WHOLE };

	trial_record_sample(record, &sample);
	sample.metric = "io_bytes_per_s";
	trial_record_sample(record, &sample);
	sample.metric = "cpu_client_user_ns";
	sample.value = (double)dd->client.usage.user_ns;
	trial_record_sample(record, &sample);
	sample.metric = "cpu_client_system_ns";
	sample.value = (double)dd->client.usage.system_ns;
	trial_record_sample(record, &sample);
	file_folder_note_zeros(workload->context.settings, record);
	return 0;
}

static void dd_close(struct workload *workload)
{
	struct dd *dd = dd_of(workload);

	client_release(&dd->client);
	arena_release(&dd->arena);
	free(dd->folder);
	free(dd);
}

static const struct setting dd_settings[] = {
#define ROW .section = "workload", .types = "dd"
	{ ROW, .key = "direction", .type = SETTING_WORD, .words = "write read", .fallback = "write",
		.reload = true,
		.help = "write a fresh file, fsync included, or read one laid out before" },
	{ ROW, .key = "file_size", .type = SETTING_SIZE, .min = 1 << 20, .max = 1LL << 44,
		.fallback = "1G", .reload = true,
		.help = "bytes that one pass moves, in blocks of 1M" },
	{ ROW, .key = "data", .type = SETTING_WORD, .words = "random zeros", .fallback = "random",
		.reload = true,
		.help = "what is written; zeros say nothing on a compressing filesystem" },
#undef ROW
	{ 0 },
};

const struct workload_driver dd_workload = {
	.name = "dd",
	.settings = dd_settings,
	.check = dd_check,
	.expected_bytes = file_bytes,
	.open = dd_open,
	.load = dd_load,
	.start = dd_start,
	.step = dd_step,
	.stop = dd_stop,
	.collect = dd_collect,
	.close = dd_close,
};
