/* Block devices from the kernel's statistics (os_block_statistics). */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "platform/os_disk.h"
#include "probe/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECTOR	       512.0
#define BUSY_NAME_SIZE 64

struct device_counts {
	struct probe base;
	json_t *before;
	int64_t before_ns;
	json_t *last; /* at the last tick */
	int64_t last_ns;
};

static void busy_name(const char *device, char text[BUSY_NAME_SIZE])
{
	snprintf(text, BUSY_NAME_SIZE, "busy_ms %s", device);
}

static void read_device(const char *name, json_t *counters)
{
	char busy[BUSY_NAME_SIZE];
	uint64_t f[OS_BLOCK_FIELDS];
	size_t count = os_block_statistics(name, f);

	if (count >= 11) {
		counter_add(counters, "device_read_requests", (double)f[OS_BLOCK_READS]);
		counter_add(
			counters, "device_read_bytes", (double)f[OS_BLOCK_READ_SECTORS] * SECTOR);
		counter_add(counters, "device_write_requests", (double)f[OS_BLOCK_WRITES]);
		counter_add(
			counters, "device_write_bytes", (double)f[OS_BLOCK_WRITE_SECTORS] * SECTOR);
		busy_name(name, busy);
		counter_add(counters, busy, (double)f[OS_BLOCK_BUSY_MS]);
	}
	if (count >= 15)
		counter_add(counters, "device_discard_bytes",
			(double)f[OS_BLOCK_DISCARD_SECTORS] * SECTOR);
	if (count >= 16)
		counter_add(counters, "device_flushes", (double)f[OS_BLOCK_FLUSHES]);
}

static json_t *read_all(const struct probe *probe)
{
	json_t *counters = json_object();

	for (size_t i = 0; probe->context.block_devices && probe->context.block_devices[i]; i++)
		read_device(probe->context.block_devices[i], counters);
	return counters;
}

static int device_check(const struct probe_context *context, struct err *why)
{
	char *path;
	int r = 0;

	if (!context->block_devices || !context->block_devices[0])
		return err_set(why, -ENOTSUP, "no block device is known");
	path = memory_format("/sys/block/%s/stat", context->block_devices[0]);
	if (access(path, R_OK) < 0)
		r = err_set(why, -ENOTSUP, "cannot read '%s'", path);
	free(path);
	return r;
}

static int device_open(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	struct device_counts *counts = memory_new(sizeof(*counts));

	*ret_probe = &counts->base;
	return 0;
}

static struct device_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct device_counts, base);
}

static int device_begin(struct probe *probe, struct err *err UNUSED)
{
	struct device_counts *counts = counts_of(probe);

	json_decref(counts->before);
	json_decref(counts->last);
	counts->before = read_all(probe);
	counts->before_ns = probe->context.clock->now_ns(probe->context.clock);
	counts->last = json_incref(counts->before);
	counts->last_ns = counts->before_ns;
	return 0;
}

static int device_tick(struct probe *probe, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err UNUSED)
{
	static const char *const names[] = { "device_write_bytes", "device_read_bytes",
		"device_write_requests", "device_flushes" };
	struct device_counts *counts = counts_of(probe);
	int64_t now_ns = probe->context.clock->now_ns(probe->context.clock);
	double seconds = (double)(now_ns - counts->last_ns) / NS_PER_S;
	json_t *now = read_all(probe);

	/* Rates: a tick may come late. */
	for (size_t i = 0; seconds > 0 && i < ARRAY_SIZE(names); i++)
		if (counter_has(now, names[i]))
			trial_record_sample(record,
				&(struct sample){ names[i], phase, "/sys/block",
					counter_difference(counts->last, now, names[i]) / seconds,
					at_ns });
	json_decref(counts->last);
	counts->last = now;
	counts->last_ns = now_ns;
	return 0;
}

/* Of several devices the busiest is the limit: busy times don't add up. Kept out of the record. */
static double take_busiest_ms(const struct probe *probe, const json_t *before, json_t *now)
{
	double busiest = 0;

	for (size_t i = 0; probe->context.block_devices[i]; i++) {
		char busy[BUSY_NAME_SIZE];

		busy_name(probe->context.block_devices[i], busy);
		busiest = MAX(busiest, counter_difference(before, now, busy));
		json_object_del(now, busy);
	}
	return busiest;
}

static int device_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err UNUSED)
{
	struct device_counts *counts = counts_of(probe);
	int64_t now_ns = probe->context.clock->now_ns(probe->context.clock);
	double wall_ms = (double)(now_ns - counts->before_ns) / NS_PER_MS;
	json_t *now = read_all(probe);
	double busy_ms = take_busiest_ms(probe, counts->before, now);

	counter_record(counts->before, now, phase, "/sys/block", record);
	if (wall_ms > 0)
		trial_record_sample(
			record, &(struct sample){ "device_busy", phase, "/sys/block",
					MIN(busy_ms / wall_ms * 100, 100.0), SAMPLE_WHOLE });
	json_decref(now);
	return 0;
}

static void device_done(struct probe *probe)
{
	struct device_counts *counts = counts_of(probe);

	json_decref(counts->before);
	json_decref(counts->last);
	free(counts);
}

const struct probe_driver device_probe = {
	.name = "device",
	.check = device_check,
	.open = device_open,
	.begin = device_begin,
	.tick = device_tick,
	.end = device_end,
	.close = device_done,
};
