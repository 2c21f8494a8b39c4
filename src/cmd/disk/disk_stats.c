/* plumb disk stats: what attached disks have done, once or every few seconds. */
#include "cmd/disk/disk_internal.h"

#include "setting/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const operations[] = { "read", "write", "flush", "discard", "zero" };

static double count_of(json_t *statistics, const char *operation, const char *counter)
{
	json_t *device = json_object_get(statistics, "device");
	json_t *count = json_object_get(json_object_get(device, "count"), operation);

	return json_number_value(counter ? json_object_get(count, counter) : count);
}

static void print_human(const char *label, double bytes)
{
	struct strbuf text = STRBUF_INIT;

	size_format_human(bytes, &text);
	printf("%s%12s", label, text.data);
	strbuf_release(&text);
}

static void print_once(const struct diskd *diskd, json_t *statistics)
{
	json_t *model = json_object_get(json_object_get(statistics, "device"), "model");

	printf("%s  %s\n", diskd_loop_path(diskd), diskd_spec(diskd));
	printf("  clock %s\n", json_is_true(json_object_get(statistics, "clock")) ? "on" : "off");
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		double requests = count_of(statistics, operations[i], "requests");

		printf("  %-8s%12.0f requests", operations[i], requests);
		print_human("", count_of(statistics, operations[i], "bytes"));
		if (requests > 0)
			printf("%12.1f us mean",
				count_of(statistics, operations[i], "latency_ns") / requests / 1e3);
		printf("\n");
	}
	print_human("  written again ", count_of(statistics, "write", "rewritten_bytes"));
	printf("\n  most at once %.0f, now %.0f, busy %.1f %%\n",
		count_of(statistics, "in_flight_most", NULL),
		count_of(statistics, "in_flight", NULL),
		100 * count_of(statistics, "busy_ns", NULL) /
			count_of(statistics, "elapsed_ns", NULL));
	if (model) {
		print_human("  medium written",
			json_number_value(json_object_get(model, "medium_write_bytes")));
		printf(" for ");
		print_human("", json_number_value(json_object_get(model, "host_write_bytes")));
		printf("; late data %.0f of %.0f requests\n",
			json_number_value(json_object_get(model, "late_requests")),
			json_number_value(json_object_get(model, "timed_requests")));
	}
}

static void print_json(const struct diskd *diskd, json_t *statistics)
{
	json_t *object = json_pack("{s:s, s:s, s:i, s:O}", "loop", diskd_loop_path(diskd), "spec",
		diskd_spec(diskd), "pid", (int)diskd_pid(diskd), "statistics", statistics);
	char *text = json_dumps(object, JSON_COMPACT);

	printf("%s\n", text);
	free(text);
	json_decref(object);
}

struct printing {
	bool json;
	int found;
	struct err *err;
	int result;
};

static void print_one(void *context, struct diskd *diskd)
{
	struct printing *printing = context;
	json_t *statistics = NULL;
	int r = diskd_statistics(diskd, &statistics, printing->err);

	printing->found++;
	if (r < 0) {
		printing->result = r;
		return;
	}
	if (printing->json)
		print_json(diskd, statistics);
	else
		print_once(diskd, statistics);
	json_decref(statistics);
}

static double rate(json_t *now, json_t *before, const char *operation, const char *counter)
{
	double seconds = (json_number_value(json_object_get(now, "time_ns")) -
				 json_number_value(json_object_get(before, "time_ns"))) /
			 1e9;

	return (count_of(now, operation, counter) - count_of(before, operation, counter)) / seconds;
}

static void print_rates(json_t *now, json_t *before)
{
	double latency_ns =
		rate(now, before, "read", "latency_ns") + rate(now, before, "write", "latency_ns");
	double busy_ns = rate(now, before, "busy_ns", NULL);

	printf("%10.0f %9.1f %10.0f %9.1f %9.0f %8.1f %6.1f\n",
		rate(now, before, "read", "requests"), rate(now, before, "read", "bytes") / 1e6,
		rate(now, before, "write", "requests"), rate(now, before, "write", "bytes") / 1e6,
		rate(now, before, "flush", "requests"), latency_ns / 1e9, busy_ns / 1e7);
	fflush(stdout);
}

/* Rates every period until the disk is detached. */
static int watch(struct diskd *diskd, double period_s, struct err *err)
{
	struct timespec pause = { (time_t)period_s,
		(long)((period_s - (double)(time_t)period_s) * 1e9) };
	json_t *before = NULL, *now = NULL;
	int r = diskd_statistics(diskd, &before, err);

	printf("%10s %9s %10s %9s %9s %8s %6s\n", "reads/s", "MB/s", "writes/s", "MB/s",
		"flushes/s", "depth", "busy%");
	while (r == 0) {
		nanosleep(&pause, NULL);
		r = diskd_statistics(diskd, &now, NULL);
		if (r == 0) {
			print_rates(now, before);
			json_decref(before);
			before = now;
		}
	}
	json_decref(before);
	return r == -EPIPE ? 0 : r;
}

int disk_stats(struct disk_context *context, struct err *err)
{
	const char *every = command_value(context->command, context->line, "every");
	const char *format = command_value(context->command, context->line, "format");
	struct printing printing = { .json = format && strcmp(format, "json") == 0, .err = err };
	struct diskd *diskd = NULL;
	int64_t period_ns = 0;
	int r;

	if (format && !printing.json && strcmp(format, "text") != 0)
		return err_set(err, -EINVAL, "--format '%s': must be text or json", format);
	if (every && (duration_parse(every, &period_ns) < 0 || period_ns < 10 * NS_PER_MS))
		return err_set(err, -EINVAL, "--every '%s': must be a time of 10ms or more", every);
	if (context->argument_count == 0) {
		if (every)
			return err_set(err, -EINVAL, "--every needs a disk");
		r = disk_for_each(context->sockets, print_one, &printing, err);
		if (r == 0 && printing.found == 0 && !printing.json)
			printf("no disk is attached\n");
		return r < 0 ? r : printing.result;
	}
	r = disk_find(context->sockets, context->arguments[0], &diskd, err);
	if (r < 0)
		return r;
	if (every) {
		r = watch(diskd, (double)period_ns / 1e9, err);
	} else {
		print_one(&printing, diskd);
		r = printing.result;
	}
	diskd_close(diskd);
	return r;
}
