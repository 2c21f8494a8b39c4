/* Counters that the filesystem itself keeps (OpenZFS: ARC, ZIL, txg, vdevs), and its space. */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "probe/counters.h"
#include "target/target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct target_counts {
	struct probe base;
	json_t *before;
	double last_txgs, last_sync_ns; /* NAN: not read in this phase */
};

static struct target_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct target_counts, base);
}

static int target_check(const struct probe_context *context, struct err *why)
{
	return context->target ? 0 : err_set(why, -ENOTSUP, "no target is mounted");
}

static int target_probe_open(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	struct target_counts *counts = memory_new(sizeof(*counts));

	*ret_probe = &counts->base;
	return 0;
}

/* "zil.needcopy.bytes" of a ZFS target becomes the metric zfs_zil_needcopy_bytes. */
static int read_counters(struct probe *probe, json_t **ret_counters, struct err *err)
{
	struct target *target = probe->context.target;
	bool zfs = strncmp(target->driver->name, "zfs", 3) == 0;
	json_t *raw, *value;
	const char *name;
	int r;

	*ret_counters = json_object();
	if (!target->driver->counters)
		return 0;
	r = target_counters(target, &raw, err);
	if (r < 0)
		return r;
	json_object_foreach(raw, name, value)
	{
		char *metric = memory_format("%s_%s", zfs ? "zfs" : "filesystem", name);

		for (char *c = metric; *c; c++)
			if (*c == '.' || *c == '-')
				*c = '_';
		if (json_is_number(value))
			counter_add(*ret_counters, metric, json_number_value(value));
		free(metric);
	}
	json_decref(raw);
	return 0;
}

static int target_begin(struct probe *probe, struct err *err)
{
	struct target_counts *counts = counts_of(probe);

	json_decref(counts->before);
	counts->last_txgs = counts->last_sync_ns = NAN;
	return read_counters(probe, &counts->before, err);
}

/* Transaction groups that ended since the last tick, as marks in the series of the run, and the
 * time that writing them took. */
static int target_tick(struct probe *probe, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err)
{
	static const char txgs[] = "zfs_txg_count", times[] = "zfs_txg_sync_ns";
	struct target_counts *counts = counts_of(probe);
	json_t *now;
	double count, sync_ns;
	int r;

	if (!counter_has(counts->before, txgs))
		return 0;
	r = read_counters(probe, &now, err);
	if (r < 0)
		return r;
	count = counter_get(now, txgs);
	sync_ns = counter_has(now, times) ? counter_get(now, times) : NAN;
	json_decref(now);
	if (count > counts->last_txgs)
		trial_record_sample(record,
			&(struct sample){ txgs, phase, "txg", count - counts->last_txgs, at_ns });
	if (sync_ns > counts->last_sync_ns)
		trial_record_sample(record, &(struct sample){ times, phase, "txg",
						    sync_ns - counts->last_sync_ns, at_ns });
	counts->last_txgs = count;
	counts->last_sync_ns = sync_ns;
	return 0;
}

struct vdev_change {
	const json_t *before, *after;
	const char *phase;
	struct trial_record *record;
};

static void record_change(const struct vdev_change *change, const char *counter, const char *metric)
{
	if (counter_has(change->after, counter))
		trial_record_sample(change->record,
			&(struct sample){ metric, change->phase, "vdev",
				counter_difference(change->before, change->after, counter),
				SAMPLE_WHOLE });
}

/* Time that the busiest of a target's own disks had a request, in per cent. The disks' times are
 * kept out of the record. */
static void record_busiest(
	const json_t *before, json_t *now, const char *phase, struct trial_record *record)
{
	double busiest_ns = 0, elapsed_ns;
	size_t count = 0;

	for (;; count++) {
		char *name = memory_format("zfs_device_%zu_busy_ns", count);
		bool there = counter_has(now, name);

		busiest_ns = MAX(busiest_ns, counter_difference(before, now, name));
		json_object_del(now, name);
		free(name);
		if (!there)
			break;
	}
	elapsed_ns = counter_difference(before, now, "zfs_devices_counters_count_elapsed_ns");
	if (count > 0 && elapsed_ns > 0) /* a sum over the disks */
		trial_record_sample(
			record, &(struct sample){ "device_busy", phase, "vdev",
					MIN(busiest_ns / (elapsed_ns / (double)count) * 100, 100.0),
					SAMPLE_WHOLE });
}

/* A target that opens its own disks has no block device: its vdevs' counters are the device's. */
static void record_device(struct probe *probe, const json_t *before, const json_t *after,
	const char *phase, struct trial_record *record)
{
	static const struct {
		const char *counter, *metric;
	} rows[] = { { "zfs_vdev_write_bytes", "device_write_bytes" },
		{ "zfs_vdev_write_ops", "device_write_requests" },
		{ "zfs_vdev_read_bytes", "device_read_bytes" },
		{ "zfs_vdev_read_ops", "device_read_requests" },
		{ "zfs_vdev_flush_ops", "device_flushes" } };
	const char *const *devices = probe->context.block_devices;
	struct vdev_change change = { before, after, phase, record };

	if (devices && devices[0])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		record_change(&change, rows[i].counter, rows[i].metric);
	for (const struct disk_counter *row = disk_counters; row->metric; row++) {
		char *counter = memory_format("zfs_devices_counters_%s_%s%s%s", row->device,
			row->operation ? row->operation : "", row->operation ? "_" : "",
			row->counter);

		record_change(&change, counter, row->metric);
		free(counter);
	}
}

static int target_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err)
{
	struct target_counts *counts = counts_of(probe);
	json_t *now;
	int r = read_counters(probe, &now, err);

	if (r == 0) {
		record_busiest(counts->before, now, phase, record);
		counter_record(
			counts->before, now, phase, probe->context.target->driver->name, record);
		record_device(probe, counts->before, now, phase, record);
		r = target_space(probe->context.target, phase, record, err);
	}
	json_decref(now);
	return r;
}

static void target_done(struct probe *probe)
{
	struct target_counts *counts = counts_of(probe);

	json_decref(counts->before);
	free(counts);
}

const struct probe_driver target_probe = {
	.name = "filesystem",
	.asks_system = true,
	.check = target_check,
	.open = target_probe_open,
	.begin = target_begin,
	.tick = target_tick,
	.end = target_end,
	.close = target_done,
};
