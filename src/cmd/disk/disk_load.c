/* Closed loops for the calibration: fio on a block device, and one of our own on a device in
 * process, where no kernel is in the way. */
#include "cmd/disk/disk_internal.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "device/device.h"
#include "device/model_loop.h"
#include "platform/os.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB	       (1ULL << 30)
#define DEVICE_BYTES   (48 * GIB)
#define LATENCIES_MOST (4U << 20)
#define DATA_ALIGNMENT 4096

const double disk_quantile_shares[DISK_QUANTILES] = { 0.01, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30,
	0.35, 0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.99 };

void disk_measured_release(struct disk_measured *measured)
{
	free(measured->ends_s);
	measured->ends_s = NULL;
}

uint64_t disk_row_bytes(const struct model_expected *row)
{
	return row->device_bytes > 0 ? row->device_bytes : DEVICE_BYTES;
}

/* Bytes of the device that the loop works on, behind shift. */
static uint64_t span_bytes(const struct model_expected *row)
{
	uint64_t all = disk_row_bytes(row) - row->shift;
	uint64_t span = row->span > 0 ? (uint64_t)(row->span * (double)disk_row_bytes(row)) : all;

	return MIN(span, all) / row->size * row->size;
}

static const char *fio_mode(const struct model_expected *row)
{
	if (row->sequential)
		return row->write ? "--rw=write" : "--rw=read";
	return row->write ? "--rw=randwrite" : "--rw=randread";
}

static double number_at(json_t *object, const char *first, const char *second, const char *third)
{
	json_t *value = json_object_get(object, first);

	if (second)
		value = json_object_get(value, second);
	if (third)
		value = json_object_get(value, third);
	return json_number_value(value);
}

static int read_fio(
	const char *text, bool write, struct disk_measured *ret_measured, struct err *err)
{
	const char *start = strchr(text, '{'); /* behind its notes */
	json_t *all = json_loads(start ? start : "", JSON_DISABLE_EOF_CHECK, NULL);
	json_t *job = json_array_get(json_object_get(all, "jobs"), 0);
	json_t *side = json_object_get(job, write ? "write" : "read");

	if (!side || number_at(job, "error", NULL, NULL) != 0) {
		json_decref(all);
		return err_set(err, -EPROTO, "fio gave no result");
	}
	ret_measured->iops = number_at(side, "iops", NULL, NULL);
	ret_measured->mean_us = number_at(side, "lat_ns", "mean", NULL) / 1e3;
	for (int i = 0; i < DISK_QUANTILES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%f", disk_quantile_shares[i] * 100);
		ret_measured->quantiles_us[i] = number_at(side, "lat_ns", "percentile", name) / 1e3;
	}
	ret_measured->p50_us = number_at(side, "lat_ns", "percentile", "50.000000") / 1e3;
	ret_measured->p99_us = number_at(side, "lat_ns", "percentile", "99.000000") / 1e3;
	json_decref(all);
	return 0;
}

static char *percentile_list(void)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add_text(&text, "--percentile_list=");
	for (int i = 0; i < DISK_QUANTILES; i++)
		strbuf_add_format(&text, "%s%g", i > 0 ? ":" : "", disk_quantile_shares[i] * 100);
	return strbuf_detach(&text);
}

int disk_load_fio(const struct disk_load *load, const char *block_path,
	struct disk_measured *ret_measured, struct err *err)
{
	const struct model_expected *row = load->row;
	char *size = memory_format("--size=%llu", (unsigned long long)span_bytes(row));
	char *offset = memory_format("--offset=%llu", (unsigned long long)row->shift);
	char *block = memory_format("--bs=%llu", (unsigned long long)row->size);
	char *depth = memory_format("--iodepth=%d", row->depth);
	char *file = memory_format("--filename=%s", block_path);
	char *ramp = memory_format("--ramp_time=%.0fms", load->ramp_s * 1e3);
	char *runtime = memory_format("--runtime=%.0fms", load->seconds * 1e3);
	char *percentiles = percentile_list();
	const char *arguments[] = { "fio", "--name=check", file, size, offset, block, depth, ramp,
		runtime, "--direct=1", "--time_based", "--randrepeat=0", "--norandommap",
		"--output-format=json", "--lat_percentiles=1", "--clat_percentiles=0", percentiles,
		fio_mode(row), row->flush_each ? "--ioengine=psync" : "--ioengine=libaio",
		row->flush_each ? "--fdatasync=1" : NULL, NULL };
	struct strbuf output = STRBUF_INIT;
	/* Its end must not leave fio at work on a disk that nobody waits for. */
	struct subprocess_options options = { .arguments = arguments, .die_with_parent = true };
	int r = subprocess_run(&options, -1, &output, NULL, err);

	if (r == 0)
		r = read_fio(output.data, row->write, ret_measured, err);
	strbuf_release(&output);
	free(percentiles);
	free(size);
	free(offset);
	free(block);
	free(depth);
	free(file);
	free(ramp);
	free(runtime);
	return r;
}

struct loop;

/* One request of the loop, submitted again from its own done(). */
struct slot {
	struct device_request request;
	struct loop *loop;
	int64_t start_ns;
	bool flushes; /* the request under way is the flush after a write */
};

struct loop {
	const struct model_expected *row;
	struct device *device;
	struct rng rng;
	uint64_t next_offset, span_bytes;
	int64_t begin_ns, end_ns;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int running;
	int error;
	double *latencies_us;
	double *ends_s; /* NULL: not asked for */
	size_t count;
	double sum_us;
};

static void slot_done(struct device_request *request, int result);

/* Called with the lock held. */
static void fill_slot(struct slot *slot)
{
	struct loop *loop = slot->loop;
	const struct model_expected *row = loop->row;
	uint64_t offset;

	slot->start_ns = os_monotonic_ns();
	slot->request.done = slot_done;
	if (slot->flushes) {
		slot->request.operation = DEVICE_FLUSH;
		slot->request.offset = slot->request.size = 0;
		return;
	}
	if (row->sequential) {
		offset = loop->next_offset;
		loop->next_offset = (offset + row->size) % loop->span_bytes;
	} else {
		offset = rng_below(&loop->rng, loop->span_bytes / row->size) * row->size;
	}
	slot->request.operation = row->write ? DEVICE_WRITE : DEVICE_READ;
	slot->request.offset = offset + row->shift;
	slot->request.size = row->size;
}

static void note(struct slot *slot, int64_t now_ns)
{
	struct loop *loop = slot->loop;
	double latency_us = (double)(now_ns - slot->start_ns) / 1e3;

	if (slot->flushes || now_ns < loop->begin_ns || now_ns >= loop->end_ns ||
		loop->count == LATENCIES_MOST)
		return;
	if (loop->ends_s)
		loop->ends_s[loop->count] = (double)(now_ns - loop->begin_ns) / NS_PER_S;
	loop->latencies_us[loop->count++] = latency_us;
	loop->sum_us += latency_us;
}

static void slot_done(struct device_request *request, int result)
{
	struct slot *slot = CONTAINER_OF(request, struct slot, request);
	struct loop *loop = slot->loop;
	int64_t now_ns = os_monotonic_ns();
	bool again;

	pthread_mutex_lock(&loop->lock);
	note(slot, now_ns);
	if (result < 0)
		loop->error = result;
	again = now_ns < loop->end_ns && loop->error == 0;
	if (again) {
		slot->flushes = loop->row->flush_each && !slot->flushes;
		fill_slot(slot);
	} else {
		loop->running--;
		pthread_cond_signal(&loop->changed);
	}
	pthread_mutex_unlock(&loop->lock);
	if (again)
		device_submit(loop->device, request);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static int conclude(struct loop *loop, double seconds, struct disk_measured *ret, struct err *err)
{
	size_t count = loop->count;

	if (loop->error < 0)
		return err_set_errno(err, loop->error, "a request failed");
	if (count == 0)
		return err_set(err, -ETIMEDOUT, "no request was done in %.0f s", seconds);
	qsort(loop->latencies_us, count, sizeof(double), compare);
	ret->iops = (double)count / seconds;
	ret->mean_us = loop->sum_us / (double)count;
	ret->p50_us = loop->latencies_us[count / 2];
	ret->p99_us = loop->latencies_us[count * 99 / 100];
	for (int i = 0; i < DISK_QUANTILES; i++)
		ret->quantiles_us[i] =
			model_job_quantile(loop->latencies_us, count, disk_quantile_shares[i]);
	ret->ends_s = loop->ends_s;
	ret->count = count;
	loop->ends_s = NULL;
	return 0;
}

static void run_slots(struct loop *loop, struct slot *slots, unsigned char *data)
{
	const struct model_expected *row = loop->row;

	loop->running = row->depth;
	for (int i = 0; i < row->depth; i++) {
		slots[i].loop = loop;
		slots[i].request.data = data + (size_t)i * row->size;
		pthread_mutex_lock(&loop->lock);
		fill_slot(&slots[i]);
		pthread_mutex_unlock(&loop->lock);
		device_submit(loop->device, &slots[i].request);
	}
	pthread_mutex_lock(&loop->lock);
	while (loop->running > 0)
		pthread_cond_wait(&loop->changed, &loop->lock);
	pthread_mutex_unlock(&loop->lock);
}

int disk_load_device(const struct disk_load *load, struct device *device,
	struct disk_measured *ret_measured, struct err *err)
{
	const struct model_expected *row = load->row;
	struct slot *slots = memory_new_array((size_t)row->depth, sizeof(*slots));
	struct loop loop = { .row = row, .device = device, .span_bytes = span_bytes(row) };
	void *data;
	int r;

	if (posix_memalign(&data, DATA_ALIGNMENT, (size_t)row->depth * row->size) != 0) {
		free(slots);
		return err_set(err, -ENOMEM, "no memory for %d requests", row->depth);
	}
	memset(data, 0x5a, (size_t)row->depth * row->size);
	loop.latencies_us = malloc(LATENCIES_MOST * sizeof(double)); /* touched as needed */
	if (load->keep_ends)
		loop.ends_s = malloc(LATENCIES_MOST * sizeof(double));
	if (!loop.latencies_us || (load->keep_ends && !loop.ends_s)) {
		free(loop.latencies_us);
		free(loop.ends_s);
		free(slots);
		free(data);
		return err_set(err, -ENOMEM, "no memory for latencies");
	}
	rng_init(&loop.rng, 1, 2);
	pthread_mutex_init(&loop.lock, NULL);
	pthread_cond_init(&loop.changed, NULL);
	loop.begin_ns = os_monotonic_ns() + (int64_t)(load->ramp_s * NS_PER_S);
	loop.end_ns = loop.begin_ns + (int64_t)(load->seconds * NS_PER_S);
	run_slots(&loop, slots, data);
	r = conclude(&loop, load->seconds, ret_measured, err);
	pthread_cond_destroy(&loop.changed);
	pthread_mutex_destroy(&loop.lock);
	free(loop.latencies_us);
	free(loop.ends_s);
	free(slots);
	free(data);
	return r;
}
