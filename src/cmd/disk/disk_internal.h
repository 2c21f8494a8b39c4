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

/* What one closed loop gave. */
struct disk_measured {
	double iops, mean_us, p50_us, p99_us;
};
struct disk_load {
	const struct model_expected *row;
	double ramp_s, seconds;
};
/* disk_load.c: run a row; through fio, or on a device in process. */
struct device;
int disk_load_fio(const struct disk_load *load, const char *block_path,
	struct disk_measured *ret_measured, struct err *err);
int disk_load_device(const struct disk_load *load, struct device *device,
	struct disk_measured *ret_measured, struct err *err);

#endif
