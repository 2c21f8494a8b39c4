/*
 * plumb disk check: is the emulated disk on this machine what its model says? Each row of the
 * model's table (model_expected.h) is run through the loop device, by fio, or in process, by a
 * closed loop of ours. First the floor of both ways is measured, with a model that has no time:
 * what is faster than twice the floor is refused and says so.
 */
#include "cmd/disk/disk_internal.h"

#include "base/memory.h"
#include "device/device_spec.h"
#include "device/model_table.h"
#include "setting/setting.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLOOR_DEPTH   32
#define FLOOR_SECONDS 1.5
#define QUICK_RAMP_S  2
#define QUICK_SECONDS 9
#define FULL_RAMP_S   10
#define FULL_SECONDS  60
#define TIMES_FLOOR   2

enum door { DOOR_LOOP, DOOR_PROCESS, DOOR_COUNT };

/* A way to a device, and what it takes when the device takes nothing. */
struct way {
	bool usable;
	double floor_us; /* of one request alone */
	double most_iops;
};

struct checking {
	struct disk_context *context;
	const char *model;
	double slow;
	bool quick;
	struct way ways[DOOR_COUNT];
	char *socket_path;
	int outside, run, refused;
};

static const char *const door_words[] = { "loop", "process" };

static char *spec_of(const struct model_expected *row, double slow)
{
	return memory_format("ram:size=%lluM;model=%s%s%s;slow=%.15g",
		(unsigned long long)(disk_row_bytes(row) >> 20), row->model,
		row->parameters ? "," : "", row->parameters ? row->parameters : "", slow);
}

static int run_loop(struct checking *checking, const char *spec, const struct disk_load *load,
	struct disk_measured *ret_measured, struct err *err)
{
	struct diskd_options options = {
		.spec = spec, .socket_path = checking->socket_path, .die_with_parent = true
	};
	struct diskd *diskd = NULL;
	int r = diskd_start(&options, &diskd, err);

	if (r < 0)
		return r;
	r = diskd_set_clock(diskd, true, err);
	if (r == 0)
		r = disk_load_fio(load, diskd_loop_path(diskd), ret_measured, err);
	if (diskd_stop(diskd, err) < 0 && r == 0)
		r = err->code;
	diskd_close(diskd);
	return r;
}

int disk_run_process(const struct disk_load *load, double slow, struct disk_measured *ret_measured,
	struct err *err)
{
	char *spec = spec_of(load->row, slow);
	struct device *device = NULL;
	int r = device_open_text(spec, &device, err);

	free(spec);
	if (r < 0)
		return r;
	device_set_clock(device, true);
	r = disk_load_device(load, device, ret_measured, err);
	device_close(device);
	return r;
}

static int run_door(struct checking *checking, enum door door, const struct disk_load *load,
	struct disk_measured *ret_measured, struct err *err)
{
	char *spec;
	int r;

	if (door == DOOR_PROCESS)
		return disk_run_process(load, checking->slow, ret_measured, err);
	spec = spec_of(load->row, checking->slow);
	r = run_loop(checking, spec, load, ret_measured, err);
	free(spec);
	return r;
}

/* With a model whose times are all nothing: the whole way, its timer too. */
static int measure_floor(struct checking *checking, enum door door, struct err *err)
{
	struct model_expected row = { "none", .parameters = "overhead=1ns", .size = 4096,
		.depth = 1 };
	struct disk_load load = { &row, 0.3, FLOOR_SECONDS };
	struct way *way = &checking->ways[door];
	struct disk_measured measured = { 0 };
	double slow = checking->slow;
	int r;

	checking->slow = 1;
	r = run_door(checking, door, &load, &measured, err);
	way->floor_us = measured.p50_us;
	row.depth = FLOOR_DEPTH;
	if (r == 0)
		r = run_door(checking, door, &load, &measured, err);
	checking->slow = slow;
	if (r < 0)
		return r;
	way->most_iops = measured.iops;
	way->usable = true;
	return 0;
}

/* What a request of the row takes alone, by the model: between requests that flush, the write. */
static double alone_us(const struct checking *checking, const struct model_expected *row)
{
	double us = row->depth == 1 ? 1e6 / row->iops : 0;
	struct model_parameters model;

	if (row->mean_us > 0 && row->depth == 1)
		us = row->mean_us;
	if (us == 0 && model_parameters_load(row->model, row->parameters, &model, NULL) == 0)
		us = (model.overhead_ns + model.controller_ns +
			     (row->write ? model.ack_ns + model.write_ns : model.read_ns)) /
		     1e3;
	return us * checking->slow;
}

static bool carries(
	const struct checking *checking, enum door door, const struct model_expected *row)
{
	const struct way *way = &checking->ways[door];

	if (!way->usable || row->iops / checking->slow * TIMES_FLOOR > way->most_iops)
		return false;
	/* Deep queues hide the way of one request: what counts is the rate. */
	return row->depth > 1 || alone_us(checking, row) >= TIMES_FLOOR * way->floor_us;
}

static void describe(const struct model_expected *row, char *text, size_t size)
{
	char span[32] = "";

	if (row->span > 0)
		snprintf(span, sizeof(span), " on %.0f %%", row->span * 100);
	snprintf(text, size, "%s %lluk qd%d%s%s%s%s%s", row->sequential ? "seq" : "rand",
		(unsigned long long)row->size / 1024, row->depth, row->write ? " write" : " read",
		row->flush_each ? "+fdatasync" : "", span, row->shift > 0 ? " shifted" : "",
		row->parameters ? " *" : "");
}

bool disk_print_figure(
	const char *what, const char *unit, double model, double measured, double percent)
{
	double difference = (measured / model - 1) * 100;
	bool outside = fabs(difference) > percent;

	printf("    %-5s %12.1f %12.1f %-4s %+7.1f %%  %s\n", what, model, measured, unit,
		difference, outside ? "OUTSIDE" : "ok");
	return outside;
}

/* How far the latencies lie from the model's; where the table has some. */
static int print_demerit(struct checking *checking, const struct model_expected *row,
	const struct disk_measured *measured, struct err *err)
{
	double percent;
	bool outside;
	int r;

	if (row->mean_us <= 0)
		return 0;
	r = disk_demerit(row, checking->slow, measured, &percent, err);
	if (r < 0)
		return r;
	outside = percent > MODEL_DEMERIT_PERCENT;
	printf("    shape %12s %12s      %7.1f %%  %s\n", "", "", percent,
		outside ? "OUTSIDE" : "ok");
	checking->outside += outside;
	return 0;
}

static void print_row(struct checking *checking, const struct model_expected *row,
	const struct disk_measured *measured)
{
	double slow = checking->slow;

	checking->outside += disk_print_figure("iops", "1/s", row->iops / slow, measured->iops,
		row->iops_percent > 0 ? row->iops_percent : MODEL_IOPS_PERCENT);
	if (row->mean_us > 0)
		checking->outside += disk_print_figure(
			"mean", "us", row->mean_us * slow, measured->mean_us, MODEL_MEAN_PERCENT);
	if (row->p99_us > 0)
		checking->outside += disk_print_figure(
			"p99", "us", row->p99_us * slow, measured->p99_us, MODEL_P99_PERCENT);
	fflush(stdout);
}

static void print_refusal(const struct checking *checking, const struct model_expected *row)
{
	for (int door = 0; door < DOOR_COUNT; door++) {
		const struct way *way = &checking->ways[door];

		if (!way->usable)
			continue;
		printf("    refused: it needs %.0f IOPS", row->iops / checking->slow);
		if (row->depth == 1)
			printf(", %.0f us a request", alone_us(checking, row));
		printf("; floor of the %s way: %.0f us, %.0f IOPS at depth %d\n", door_words[door],
			way->floor_us, way->most_iops, FLOOR_DEPTH);
	}
	printf("    (a model may be at most half as fast as the floor; --slow N)\n");
}

static int check_row(struct checking *checking, const struct model_expected *row, struct err *err)
{
	struct disk_load load = { row, checking->quick ? QUICK_RAMP_S : FULL_RAMP_S,
		checking->quick ? QUICK_SECONDS : FULL_SECONDS };
	struct disk_measured measured = { 0 };
	enum door door = DOOR_LOOP;
	char text[96];
	int r;

	describe(row, text, sizeof(text));
	if (!carries(checking, door, row))
		door = DOOR_PROCESS;
	if (!carries(checking, door, row)) {
		printf("  %s\n", text);
		print_refusal(checking, row);
		checking->refused++;
		return 0;
	}
	printf("  %s (%s)\n", text, door_words[door]);
	fflush(stdout);
	r = run_door(checking, door, &load, &measured, err);
	if (r < 0)
		return r;
	checking->run++;
	print_row(checking, row, &measured);
	return print_demerit(checking, row, &measured, err);
}

static int check_knees(struct checking *checking, struct err *err)
{
	int outside;
	int r = disk_check_knees(checking->model, checking->slow, &outside, err);

	if (r == 0)
		checking->outside += outside;
	return r;
}

static int measure_floors(struct checking *checking, struct err *err)
{
	struct err why = ERR_INIT;
	int r = measure_floor(checking, DOOR_PROCESS, err);

	if (r < 0)
		return r;
	/* Without root, FUSE or loop devices the other way is left. */
	if (measure_floor(checking, DOOR_LOOP, &why) < 0)
		printf("no loop device here, checking in process only: %s\n", why.message);
	for (int door = 0; door < DOOR_COUNT; door++)
		if (checking->ways[door].usable)
			printf("floor of the %s way: %.1f us, %.0f IOPS at depth %d\n",
				door_words[door], checking->ways[door].floor_us,
				checking->ways[door].most_iops, FLOOR_DEPTH);
	fflush(stdout);
	return 0;
}

static int check_rows(struct checking *checking, struct err *err)
{
	int r = measure_floors(checking, err);

	printf("%s, slow = %g: model, measured, difference\n", checking->model, checking->slow);
	for (const struct model_expected *row = model_expected; r == 0 && row->model; row++)
		if (strcmp(row->model, checking->model) == 0 && (row->quick || !checking->quick))
			r = check_row(checking, row, err);
	if (r == 0)
		r = check_knees(checking, err);
	if (r < 0)
		return r;
	printf("%d rows run, %d figures outside, %d rows refused\n", checking->run,
		checking->outside, checking->refused);
	if (checking->run == 0)
		return err_set(err, -ERANGE,
			"this machine cannot carry '%s': the floor of its way to a disk is %.0f us",
			checking->model,
			checking->ways[DOOR_LOOP].usable ? checking->ways[DOOR_LOOP].floor_us
							 : checking->ways[DOOR_PROCESS].floor_us);
	return checking->outside > 0 ? EXIT_FINDINGS : EXIT_DONE;
}

int disk_check(struct disk_context *context, struct err *err)
{
	const char *slow = command_value(context->command, context->line, "slow");
	struct checking checking = { .context = context,
		.model = context->arguments[0],
		.slow = 1,
		.quick = command_flag(context->command, context->line, "quick") };
	struct model_parameters model;
	char name[40];
	int r = model_parameters_load(checking.model, NULL, &model, err);

	if (r < 0)
		return r;
	if (!model_has_time(&model))
		return err_set(err, -EINVAL, "model '%s' has no times to check", checking.model);
	if (slow && (real_parse(slow, &checking.slow) < 0 || !(checking.slow >= 1)))
		return err_set(err, -EINVAL, "--slow '%s': must be a number of 1 or more", slow);
	r = disk_sockets_make(context->sockets, err);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "check %d", (int)getpid());
	checking.socket_path = disk_socket_path(context->sockets, name);
	r = check_rows(&checking, err);
	free(checking.socket_path);
	return r;
}
