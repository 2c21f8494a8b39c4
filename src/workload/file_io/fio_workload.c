/*
 * The fio driver: the real fio on the filesystem under test, with a shipped job, the user's job
 * file, or a shipped job changed by options. fio's JSON is kept and read.
 */
#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"
#include "workload/client.h"
#include "workload/file_io/file_folder.h"
#include "workload/file_io/fio_jobs.h"
#include "workload/file_io/fio_result.h"
#include "workload/workload_drivers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_NS (100 * NS_PER_MS)

struct fio {
	struct workload base;
	struct arena arena;
	struct client client;
	char *folder; /* below the mount, the run-as user's */
	int64_t began_ns, warmup_ns, measure_ns;
	bool warm_told;
};

static struct fio *fio_of(struct workload *workload)
{
	return CONTAINER_OF(workload, struct fio, base);
}

static int fio_check(struct err *why)
{
	char *path = subprocess_find("fio");

	free(path);
	if (path)
		return 0;
	err_set(why, -ENOTSUP, "program 'fio' is not installed");
	return err_hint(why, -ENOTSUP, "on Debian: package fio");
}

static int fio_check_settings(const struct settings *settings, struct err *err)
{
	const char *file = settings_text(settings, "workload.job_file", NULL);
	const char *options = settings_text(settings, "workload.options", NULL);
	int r = options ? fio_options_check(options, err) : 0;

	if (r == 0 && file && access(file, R_OK) < 0)
		r = err_set_errno(err, -errno, "workload.job_file = '%s'", file);
	return r;
}

static uint64_t fio_expected_bytes(const struct settings *settings)
{
	return settings_size(settings, "workload.file_size", 1ULL << 30) *
	       (uint64_t)settings_integer(settings, "workload.jobs", 1);
}

static int fio_open(
	const struct workload_context *context, struct workload **ret_workload, struct err *err)
{
	struct fio *fio = memory_new(sizeof(*fio));
	int r;

	fio->base.context = *context;
	fio->client.context = &fio->base.context;
	r = file_folder_make(context, "plumb-fio", &fio->folder, err);
	if (r < 0) {
		free(fio);
		return r;
	}
	*ret_workload = &fio->base;
	return 0;
}

static struct fio_plan plan_of(const struct fio *fio)
{
	const struct settings *settings = fio->base.context.settings;

	return (struct fio_plan){
		.directory = fio->folder,
		.job = fio_job_find(settings_text(settings, "workload.job", "rand-rw")),
		.options = settings_text(settings, "workload.options", NULL),
		.file_bytes = settings_size(settings, "workload.file_size", 1ULL << 30),
		.jobs = (int)settings_integer(settings, "workload.jobs", 1),
		.io_depth = (int)settings_integer(settings, "workload.io_depth", 1),
		.direct = settings_boolean(settings, "workload.direct", false),
		.zeros = strcmp(settings_text(settings, "workload.data", "random"), "zeros") == 0,
		.warmup_ns = fio->warmup_ns,
		.measure_ns = fio->measure_ns,
	};
}

/* Write the job file into the raw folder and start fio on it. */
static int start_fio(struct fio *fio, const char *name, const char *text, struct err *err)
{
	const char *path =
		arena_format(&fio->arena, "%s/%s.fio", fio->base.context.raw_folder, name);
	const char *arguments[] = { "fio", "--output-format=json", path, NULL };
	int r = file_write_atomic(path, text, strlen(text), 0644, err);

	return r == 0 ? client_start(&fio->client, name, arguments, err) : r;
}

/* Wait for the layout, telling progress. */
static int wait_load(struct fio *fio, struct err *err)
{
	const struct workload_context *context = &fio->base.context;
	struct workload_progress progress = { .fraction = -1, .part = "fio layout" };
	int r;

	while ((r = client_poll(&fio->client, STEP_NS, err)) == 0)
		if (context->progress && context->progress(context->listener, &progress)) {
			client_end(&fio->client);
			return err_set(err, -EINTR, "interrupted");
		}
	return r < 0 ? r : 0;
}

static int fio_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct fio *fio = fio_of(workload);
	struct fio_plan plan = plan_of(fio);
	struct strbuf text = STRBUF_INIT;
	int r;

	if (settings_text(workload->context.settings, "workload.job_file", NULL))
		return 0; /* the user's job lays out what it needs */
	fio_layout_text(&plan, &text);
	r = start_fio(fio, "fio-layout", text.data, err);
	if (r == 0)
		r = wait_load(fio, err);
	if (r == 0)
		trial_record_sample(record, &(struct sample){ "load_s", "load", "fio",
						    client_seconds(&fio->client), SAMPLE_WHOLE });
	strbuf_release(&text);
	return r;
}

static int user_job_text(
	const char *path, const struct fio *fio, struct strbuf *text, struct err *err)
{
	/* Before the user's own sections, so that they may override it. */
	strbuf_add_format(text, "[global]\ndirectory=%s\n", fio->folder);
	return file_read_limited(path, 1 << 20, text, err);
}

static int fio_start(
	struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err)
{
	struct fio *fio = fio_of(workload);
	const char *file = settings_text(workload->context.settings, "workload.job_file", NULL);
	struct clock *clock = workload->context.clock;
	struct strbuf text = STRBUF_INIT;
	struct fio_plan plan;
	int r = 0;

	fio->warmup_ns = warmup_ns;
	fio->measure_ns = measure_ns;
	fio->warm_told = false;
	plan = plan_of(fio);
	if (file)
		r = user_job_text(file, fio, &text, err);
	else
		fio_plan_text(&plan, &text);
	fio->began_ns = clock->now_ns(clock);
	if (r == 0)
		r = start_fio(fio, "fio-run", text.data, err);
	strbuf_release(&text);
	return r;
}

static int fio_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct fio *fio = fio_of(workload);
	struct clock *clock = workload->context.clock;
	int r = client_poll(&fio->client, STEP_NS, err);
	int64_t passed_ns = clock->now_ns(clock) - fio->began_ns;
	double length_ns = (double)(fio->warmup_ns + fio->measure_ns);

	*ret_progress = (struct workload_progress){
		.fraction = MIN((double)passed_ns / MAX(length_ns, 1.0), 1.0), .unit = "fio"
	};
	if (r < 0)
		return r;
	if (!fio->warm_told && (r > 0 || passed_ns >= fio->warmup_ns)) {
		fio->warm_told = true;
		if (r == 0)
			return WORKLOAD_WARM;
	}
	return r > 0 ? WORKLOAD_ENDED : WORKLOAD_RUNNING;
}

static void fio_stop(struct workload *workload)
{
	client_end(&fio_of(workload)->client);
}

static void sample(struct trial_record *record, const char *metric, double value)
{
	trial_record_sample(record, &(struct sample){ .metric = metric,
					    .phase = "run",
					    .source = "fio",
					    .value = value,
					    .at_ns = SAMPLE_WHOLE });
}

static void record_direction(
	struct trial_record *record, const char *name, const struct fio_direction *direction)
{
	const struct {
		const char *suffix;
		double value;
	} latencies[] = { { "mean", direction->latency_mean_ns },
		{ "p50", direction->latency_p50_ns }, { "p99", direction->latency_p99_ns },
		{ "p999", direction->latency_p999_ns }, { "max", direction->latency_max_ns } };
	char *metric = memory_format("%s_bytes_per_s", name);

	if (direction->bytes > 0) {
		sample(record, metric, direction->bytes_per_s);
		free(metric);
		metric = memory_format("%s_iops", name);
		sample(record, metric, direction->iops);
	}
	free(metric);
	for (size_t i = 0; i < ARRAY_SIZE(latencies) && direction->bytes > 0; i++) {
		metric = memory_format("fio_%s_latency_%s_ns", name, latencies[i].suffix);
		sample(record, metric, latencies[i].value);
		free(metric);
	}
}

static int fio_collect(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct fio *fio = fio_of(workload);
	struct strbuf text = STRBUF_INIT;
	struct fio_result result;
	int r = file_read_limited(fio->client.output_path, 64 << 20, &text, err);

	if (r == 0)
		r = fio_result_parse(text.data, &result, err);
	strbuf_release(&text);
	if (r < 0)
		return r;
	record_direction(record, "read", &result.read);
	record_direction(record, "write", &result.write);
	sample(record, "io_bytes_per_s", result.read.bytes_per_s + result.write.bytes_per_s);
	sample(record, "fio_cpu_user_percent", result.user_percent);
	sample(record, "fio_cpu_system_percent", result.system_percent);
	if (result.errors > 0)
		trial_record_note(record, NOTE_SPOILED, "fio-error", "%.0f of fio's jobs failed",
			result.errors);
	file_folder_note_zeros(workload->context.settings, record);
	return 0;
}

static void fio_close(struct workload *workload)
{
	struct fio *fio = fio_of(workload);

	client_release(&fio->client);
	arena_release(&fio->arena);
	free(fio->folder);
	free(fio);
}

static const struct setting fio_settings[] = {
#define ROW .section = "workload", .types = "fio"
	{ ROW, .key = "job", .type = SETTING_WORD,
		.words = "seq-read seq-write seq-rw rand-read rand-write rand-rw",
		.fallback = "rand-rw",
		.help = "shipped job: sequential in 1 MiB, random in 8 KiB" },
	{ ROW, .key = "job_file", .type = SETTING_TEXT,
		.help = "a job file of your own instead; 'directory' is set for it" },
	{ ROW, .key = "options", .type = SETTING_TEXT,
		.help = "more of fio's options: 'bs=16k fsync=1'" },
	{ ROW, .key = "file_size", .type = SETTING_SIZE, .min = 1 << 20, .max = 1LL << 44,
		.fallback = "1G", .reload = true, .help = "size of the file of each job" },
	{ ROW, .key = "jobs", .type = SETTING_INTEGER, .min = 1, .max = 256, .fallback = "1",
		.reload = true, .help = "numjobs" },
	{ ROW, .key = "io_depth", .type = SETTING_INTEGER, .min = 1, .max = 1024, .fallback = "1",
		.help = "iodepth; above 1 with libaio, which needs direct to matter" },
	{ ROW, .key = "direct", .type = SETTING_BOOLEAN, .fallback = "off", .help = "O_DIRECT" },
	{ ROW, .key = "data", .type = SETTING_WORD, .words = "random zeros", .fallback = "random",
		.reload = true,
		.help = "what is written; zeros say nothing on a compressing filesystem" },
#undef ROW
	{ 0 },
};

const struct workload_driver fio_workload = {
	.name = "fio",
	.settings = fio_settings,
	.check = fio_check,
	.check_settings = fio_check_settings,
	.expected_bytes = fio_expected_bytes,
	.open = fio_open,
	.load = fio_load,
	.start = fio_start,
	.step = fio_step,
	.stop = fio_stop,
	.collect = fio_collect,
	.close = fio_close,
};
