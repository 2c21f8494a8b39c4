/*
 * Workloads: what is run on a rig. One driver: one file and one entry in workloads[]. A workload
 * has a load (once a set-up) and a run (each trial). It works through a running cluster, or on the
 * bare mount (fio, dd).
 *
 * A run is stepped: start() begins it and returns; step() is called about ten times a second until
 * it says WORKLOAD_ENDED, so that progress, probes and an interrupt have their turn.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "record/record.h"
#include "setting/setting.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pg_cluster; /* postgres/cluster.h */

enum workload_step { WORKLOAD_RUNNING, WORKLOAD_WARM, WORKLOAD_ENDED };

struct workload_progress {
	double rate;	  /* tps or the workload's own unit per second, now */
	const char *unit; /* "tps", "MB/s", "query" */
	double fraction;  /* of the phase that is done, 0 to 1; negative: unknown */
	const char *part; /* "keys", "query 7" ...; may be NULL */
};

struct workload_context {
	const struct settings *settings; /* of the cell: workload.*, design.* */
	struct pg_cluster *cluster;	 /* running; NULL for workloads that need none */
	const char *mount_path;		 /* the filesystem under test */
	const char *raw_folder; /* for raw files of this trial; exists, the run-as user's */
	const char *const *cgroup_procs; /* clients run inside the machine's limits too */
	bool drop_user;
	uid_t user_id;
	gid_t group_id;
	uint64_t seed; /* of this trial: random streams, pgbench --random-seed */
	struct clock *clock;
	/* Optional: tells the status line. May be called from load(), which blocks. Returns true
	 * when the user wants to stop: load() then ends what it started and returns -EINTR. */
	bool (*progress)(void *listener, const struct workload_progress *progress);
	void *listener;
};

struct workload;

struct workload_driver {
	const char *name;		/* the word of [workload] type */
	const struct setting *settings; /* rows of workload.* for this type; ends with {0} */
	bool needs_cluster;
	/* Optional. Can it run here, the server's own programs apart (postgres/binaries.h)?
	 * -ENOTSUP with what is missing and its package. */
	int (*check)(struct err *why);
	/* Optional. Impossible combinations of one cell, missing files; before anything is touched.
	 */
	int (*check_settings)(const struct settings *settings, struct err *err);
	/* Bytes of database (or files) that load() will make: for the space check and estimates. */
	uint64_t (*expected_bytes)(const struct settings *settings);
	int (*open)(const struct workload_context *context, struct workload **ret_workload,
		struct err *err);
	/* Optional. Load the data, timed by part: samples of phase "load" (load_s, load_PART_s,
	 * CPU). -EINTR when progress() said so. */
	int (*load)(struct workload *workload, struct trial_record *record, struct err *err);
	/* Begin a run of warmup_ns + measure_ns (or as many operations as the settings say). */
	int (*start)(
		struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err);
	/* Never blocks long. WORKLOAD_WARM once, when warm-up is over and the window begins. A
	 * negative errno: the run failed (err has the tail of its log). */
	int (*step)(
		struct workload *workload, struct workload_progress *ret_progress, struct err *err);
	/* Optional. Hold the clients still, or let them go on: a planted effect slows a run by a
	 * known share of its time. While held, step() is not called. */
	void (*pause)(struct workload *workload, bool paused);
	/* Stop early; returns when nothing of it runs any more. Fine when it has ended. */
	void (*stop)(struct workload *workload);
	/* After WORKLOAD_ENDED: samples of phase "run", raw files (by name in raw_folder), notes
	 * (errors, retries). */
	int (*collect)(struct workload *workload, struct trial_record *record, struct err *err);
	/* Optional. Check the data against what the run must have left (sums, hashes). */
	int (*verify)(struct workload *workload, struct trial_record *record, struct err *err);
	void (*close)(struct workload *workload);
};

/* First member of each driver's private struct. */
struct workload {
	const struct workload_driver *driver;
	struct workload_context context;
};

extern const struct workload_driver *const workload_drivers[]; /* NULL-ended */
const struct workload_driver *workload_find(const char *type);

int workload_open(const struct workload_driver *driver, const struct workload_context *context,
	struct workload **ret_workload, struct err *err);
int workload_load(struct workload *workload, struct trial_record *record, struct err *err);
int workload_start(
	struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err);
int workload_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err);
void workload_pause(struct workload *workload, bool paused); /* no pause: nothing happens */
void workload_stop(struct workload *workload);
int workload_collect(struct workload *workload, struct trial_record *record, struct err *err);
int workload_verify(struct workload *workload, struct trial_record *record, struct err *err);
struct workload *workload_close(struct workload *workload); /* takes NULL, returns NULL */

#endif
