/* What the parts of `plumb disk` share. */
#ifndef CMD_DISK_DISK_INTERNAL_H
#define CMD_DISK_DISK_INTERNAL_H

#include "cmd/command.h"
#include "device/diskd_client.h"
#include "device/model_expected.h"

struct disk_context {
	const struct command *command;
	const struct command_line *line;
	char **arguments; /* behind the subcommand */
	int argument_count;
	char *sockets; /* folder of the daemons' control sockets */
};

/* disk_daemons.c: daemons that `attach` has left running. */
int disk_sockets_make(const char *folder, struct err *err);
/* Full path of a file that may not exist; the caller's. */
char *disk_full_path(const char *name);
char *disk_socket_path(const char *folder, const char *name); /* the caller's */
/* The daemon of a loop device or of a backing file. -ENOENT. */
int disk_find(const char *folder, const char *name, struct diskd **ret_diskd, struct err *err);
typedef void disk_each(void *context, struct diskd *diskd);
int disk_for_each(const char *folder, disk_each *each, void *context, struct err *err);

/* disk_stats.c */
int disk_stats(struct disk_context *context, struct err *err);

/* disk_check.c: exit code, or a negative errno. */
int disk_check(struct disk_context *context, struct err *err);
/* Print one figure of the model, of the machine, and their difference; true: outside. */
bool disk_print_figure(
	const char *what, const char *unit, double model, double measured, double percent);

/* Shares of requests at which latencies are compared: fio takes twenty. */
#define DISK_QUANTILES 20
extern const double disk_quantile_shares[DISK_QUANTILES];

/* What one closed loop gave. */
struct disk_measured {
	double iops, mean_us, p50_us, p99_us;
	double quantiles_us[DISK_QUANTILES];
	double *ends_s; /* with keep_ends: when each request was done, in order */
	size_t count;
};
void disk_measured_release(struct disk_measured *measured);

struct disk_load {
	const struct model_expected *row;
	double ramp_s, seconds;
	bool keep_ends; /* in process only */
};
/* disk_load.c: run a row; through fio, or on a device in process. */
struct device;
uint64_t disk_row_bytes(const struct model_expected *row); /* of the device */
int disk_load_fio(const struct disk_load *load, const char *block_path,
	struct disk_measured *ret_measured, struct err *err);
int disk_load_device(const struct disk_load *load, struct device *device,
	struct disk_measured *ret_measured, struct err *err);
/* On a fresh device in memory, its clock on. */
int disk_run_process(const struct disk_load *load, double slow, struct disk_measured *ret_measured,
	struct err *err);

/* disk_shape.c */
/* How far the latencies are from the model's, in per cent of its mean. */
int disk_demerit(const struct model_expected *row, double slow,
	const struct disk_measured *measured, double *ret_percent, struct err *err);
/* Caches that fill and credits that are spent, where the model has them. */
int disk_check_knees(const char *model, double slow, int *ret_outside, struct err *err);

#endif
