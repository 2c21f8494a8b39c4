/* What emulated disks counted, beyond the kernel's statistics: bytes written to the medium with
 * whole indirection units, zeroed, written again; requests whose data came later than the model's
 * time (metrics device_*). */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "device/diskd_client.h"
#include "probe/counters.h"

#include <errno.h>
#include <stdlib.h>

struct disk_counts {
	struct probe base;
	json_t *before;
};

const struct disk_counter disk_counters[] = {
	{ "device_medium_write_bytes", "model", NULL, "medium_write_bytes" },
	{ "device_timed_write_bytes", "model", NULL, "host_write_bytes" },
	{ "device_indirection_requests", "model", NULL, "indirection_requests" },
	{ "device_timed_requests", "model", NULL, "timed_requests" },
	{ "device_late_requests", "model", NULL, "late_requests" },
	{ "device_emulated_write_bytes", "count", "write", "bytes" },
	{ "device_rewritten_bytes", "count", "write", "rewritten_bytes" },
	{ "device_zero_bytes", "count", "zero", "bytes" },
	{ "device_errors", "count", "write", "errors" },
	{ 0 },
};

static void add_disk(json_t *counters, json_t *statistics)
{
	json_t *device = json_object_get(statistics, "device");

	for (const struct disk_counter *row = disk_counters; row->metric; row++) {
		json_t *place = json_object_get(device, row->device);

		if (row->operation)
			place = json_object_get(place, row->operation);
		place = json_object_get(place, row->counter);
		if (place)
			counter_add(counters, row->metric, json_number_value(place));
	}
}

static int read_disks(struct probe *probe, json_t **ret_counters, struct err *err)
{
	struct diskd *const *disks = probe->context.disks;
	json_t *counters = json_object();

	for (size_t i = 0; disks[i]; i++) {
		json_t *statistics = NULL;
		int r = diskd_statistics(disks[i], &statistics, err);

		if (r < 0) {
			json_decref(counters);
			return r;
		}
		add_disk(counters, statistics);
		json_decref(statistics);
	}
	*ret_counters = counters;
	return 0;
}

static struct disk_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct disk_counts, base);
}

static int disk_check(const struct probe_context *context, struct err *why)
{
	return context->disks && context->disks[0]
		       ? 0
		       : err_set(why, -ENOTSUP, "no disk is emulated behind a loop device");
}

static int disk_open(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	struct disk_counts *counts = memory_new(sizeof(*counts));

	*ret_probe = &counts->base;
	return 0;
}

static int disk_begin(struct probe *probe, struct err *err)
{
	struct disk_counts *counts = counts_of(probe);

	json_decref(counts->before);
	counts->before = NULL;
	return read_disks(probe, &counts->before, err);
}

static int disk_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err)
{
	json_t *now = NULL;
	int r = read_disks(probe, &now, err);

	if (r == 0)
		counter_record(counts_of(probe)->before, now, phase, "plumb-diskd", record);
	json_decref(now);
	return r;
}

static void disk_done(struct probe *probe)
{
	struct disk_counts *counts = counts_of(probe);

	json_decref(counts->before);
	free(counts);
}

const struct probe_driver disk_probe = {
	.name = "disk",
	.check = disk_check,
	.open = disk_open,
	.begin = disk_begin,
	.end = disk_end,
	.close = disk_done,
};
