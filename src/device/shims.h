/*
 * Devices that stand on another device and are stacked at will: each takes over below (closes it
 * when closed, also when its own opening fails). Usual order, from the store up: volatile, model,
 * log, count; device_spec.h builds it from text.
 */
#ifndef DEVICE_SHIMS_H
#define DEVICE_SHIMS_H

#include "device/device.h"
#include "device/model_table.h"

/*
 * Counts what passes, per operation: requests, bytes, errors, times, request sizes, distances
 * from the end of the request before, bytes written again, depth and busy time.
 *
 * Statistics ("count"), whole numbers that only grow unless said otherwise; times since opening:
 *   read, write, flush, discard, zero: {"requests", "bytes", "errors", "latency_ns" (sum, from
 *     submit to done), "sizes": {"4096": N} requests of 4096 to 8191 bytes and so on by powers of
 *     two, "distances": {"sequential": N, "back": {"4096": N}, "ahead": {...}} from the end of the
 *     request of the same operation before it}
 *   write also: "rewritten_bytes" sectors that were written before and not discarded since,
 *     "durable_requests" (force_unit_access)
 *   "in_flight" now, "in_flight_most", "busy_ns" with at least one request, "elapsed_ns"; mean
 *     depth over a time is the difference of the latency sums divided by that of elapsed_ns
 */
int count_shim_open(struct device *below, struct device **ret_device, struct err *err);

/*
 * A write cache that is lost when the process ends, or at device_drop_unflushed(): a kill becomes
 * a power cut. Writes stay in memory until a flush; when more than limit_bytes are held they are
 * written back as by a flush (0: 256 MiB). Discards and zeroing take effect below at once, which
 * a disk may do. With pass_flush off a flush ends here and does not reach the device below: for
 * use under a time model, where the host's own flush would be charged twice.
 */
struct volatile_options {
	uint64_t limit_bytes;
	bool pass_flush;
	bool ignore_flush; /* a disk that lies: a flush is done at once and saves nothing */
};
int volatile_shim_open(struct device *below, const struct volatile_options *options,
	struct device **ret_device, struct err *err);

/*
 * Makes requests take the time of a model (model_core.h) while its clock is on: a request is done
 * when its data is where it belongs and its time has come. With the clock off requests pass. A
 * flush costs what the model says; it reaches the device below only with pass_flush (a volatile
 * shim stands there) or while the clock is off.
 *
 * Statistics ("model"): "clock", "timed_requests", "late_requests"
 * whose data came later than the model says, "late_ns" their sum, "wake_late_ns" the sum of what
 * the timer overslept, "path_ns", "host_write_bytes" and "medium_write_bytes" (with whole
 * indirection units) of timed writes, "indirection_requests", "counted_requests", "dirty_bytes"
 * and "credits" now.
 */
struct model_options {
	double slow;
	uint64_t seed;
	bool pass_flush;
};
int model_shim_open(struct device *below, const struct model_parameters *model,
	const struct model_options *options, struct device **ret_device, struct err *err);

/*
 * Writes an ordered log of all that changes data, with the data, to a file (write_log.h,
 * docs/format.md). A file that exists is an error. When the log can't be written the request
 * fails: a log with a hole is worth nothing.
 */
int log_shim_open(
	struct device *below, const char *path, struct device **ret_device, struct err *err);

#endif
