/*
 * Probes: counters read at both ends of a phase and once a second. One driver: one file and one
 * entry in probes[]. A probe reads; it never changes what it looks at, and a counter that is not
 * there is left out, never zero.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "base/clock.h"
#include "base/err.h"
#include "record/record.h"

struct diskd;
struct pg_cluster;
struct target;

struct probe_driver;

struct probe_context {
	const struct probe_driver *const *drivers; /* NULL-ended; NULL: probe_drivers[] */
	const struct settings *settings;
	struct pg_cluster *cluster; /* NULL: none */
	struct target *target;	    /* NULL: none */
	/* Block devices under the filesystem ("loop3", "nvme0n1"), NULL-ended; for kernel
	 * statistics. Empty when nothing is known. */
	const char *const *block_devices;
	struct diskd *const *disks; /* daemons of emulated disks behind them, NULL-ended or NULL */
	const char *mount_path;
	const char *cgroup_folder; /* NULL: no limits were set */
	struct clock *clock;
};

struct probe;

struct probe_driver {
	const char *name;
	/* It asks the server or the filesystem under test: a failure is theirs, not plumb's. */
	bool asks_system;
	/* 0: it can look here; -ENOTSUP and why not. */
	int (*check)(const struct probe_context *context, struct err *why);
	int (*open)(const struct probe_context *context, struct probe **ret_probe, struct err *err);
	/* Start of a phase: remember the counters. */
	int (*begin)(struct probe *probe, struct err *err);
	/* Optional. Once a second in the run phase: series samples with at_ns. */
	int (*tick)(struct probe *probe, const char *phase, int64_t at_ns,
		struct trial_record *record, struct err *err);
	/* End of a phase: differences as whole samples, spoiled marks (steal, ...). */
	int (*end)(struct probe *probe, const char *phase, struct trial_record *record,
		struct err *err);
	/* Optional. Facts of the environment (once a set-up). */
	int (*describe)(struct probe *probe, struct trial_record *record, struct err *err);
	void (*close)(struct probe *probe);
};

struct probe {
	const struct probe_driver *driver;
	struct probe_context context;
};

extern const struct probe_driver *const probe_drivers[]; /* NULL-ended */

/* All probes that can look here, opened; those that can't are said in notes of record. */
struct probe_set {
	struct probe *probes[16];
	size_t count;
	/* Whose failure the one was that a function below has returned last; NULL: none has. */
	const struct probe_driver *failed;
};
int probe_set_open(struct probe_set *set, const struct probe_context *context,
	struct trial_record *record, struct err *err);
int probe_set_describe(struct probe_set *set, struct trial_record *record, struct err *err);
int probe_set_begin(struct probe_set *set, struct err *err);
int probe_set_tick(struct probe_set *set, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err);
int probe_set_end(
	struct probe_set *set, const char *phase, struct trial_record *record, struct err *err);
void probe_set_close(struct probe_set *set);

#endif
