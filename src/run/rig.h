/*
 * The rig: the provisioned system under test. Device, then filesystem, then cluster, each step
 * noted in the undo journal before it is tried. rig_up() stops at the first step that fails;
 * rig_down() walks back whatever was reached.
 */
#ifndef RUN_RIG_H
#define RUN_RIG_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "platform/os_cgroup.h"
#include "platform/os_user.h"
#include "postgres/cluster.h"
#include "record/record.h"
#include "run/folders.h"
#include "run/journal.h"
#include "run/rig_disk.h"
#include "target/target.h"

#define RIG_ID_SIZE   24
#define RIG_DISKS_MAX 80

/* Who broke it: what we do may fail without the system under test being at fault. */
enum rig_blame { RIG_OURS, RIG_SYSTEM };

struct rig_options {
	const struct settings *settings; /* of a cell of this set-up; lent while the rig is up */
	const struct folders *folders;
	const char *study;
	bool needs_cluster;
	const char *image_folder; /* device.folder of the study; NULL: the rig's own */
	bool keeps_image;	  /* several runs: a loaded set-up is kept and cloned */
	bool drop_user;		  /* root: the server runs as run_as */
	struct os_user run_as;
	int max_connections; /* 0: the server's default is enough */
	uint64_t seed;
	struct clock *clock;
	/* Tells which step begins; true: stop, the user wants it (-EINTR). May be NULL. */
	bool (*step)(void *listener, const char *name);
	/* Asked within a step that takes long; may be NULL. */
	bool (*stop)(void *listener);
	void *listener;
};

struct rig {
	struct rig_options options;
	struct arena arena;
	char id[RIG_ID_SIZE];
	struct journal *journal; /* NULL with a fake target: nothing is touched */
	struct undo_sink *undo;
	const char *folder;	    /* scratch: images, logs, raw files */
	const char *mount_path;	    /* the filesystem under test */
	const char *data_folder;    /* of the cluster */
	const char *runtime_folder; /* sockets: s/ the server's, d/ our daemons' */
	const char *daemon_folder;
	const char *raw_folder;	      /* of the run-as user: what a workload writes */
	const char *log_path;	      /* of the server */
	const char *program_log_path; /* of programs that the rig runs */
	uint64_t folder_undo_id, runtime_undo_id, image_undo_id;
	struct os_cgroup cgroup;
	bool has_cgroup;
	uint64_t cgroup_undo_ids[2];
	int awake_fd; /* keeps processors awake; -1: they may sleep */
	struct rig_disk disks[RIG_DISKS_MAX];
	size_t disk_count;
	struct rig_disk_context disk_context;
	const struct target_driver *driver;
	struct target *target;
	struct target_device devices[RIG_DISKS_MAX];
	struct pg_cluster *cluster; /* NULL: the workload needs none */
	bool server_runs;
	bool has_image;	      /* the loaded state is kept */
	size_t done;	      /* steps that are up */
	enum rig_blame blame; /* of the last failure */
	double step_s[16];    /* how long each step took */
};

/* All steps up to an initialised cluster that is configured and stopped. On failure what was
 * reached stays up: the caller calls rig_down() either way. */
int rig_up(struct rig *rig, const struct rig_options *options, struct err *err);
/* Walk back. Every step is tried; what could not be undone stays in the journal and is said in err
 * (beside an error that is there already). hurry: the user waits, nothing is saved. */
int rig_down(struct rig *rig, bool hurry, struct err *err);

/* Start the cluster with settings (run-level ones included); no cluster: nothing. */
int rig_start(struct rig *rig, const struct settings *settings, struct err *err);
int rig_stop(struct rig *rig, bool hurry, struct err *err);

/* Server stopped: keep the loaded state, to be brought back before each run but the first. */
int rig_save_image(struct rig *rig, struct err *err);
/* Server stopped: bring the loaded state back. */
int rig_restore_image(struct rig *rig, struct err *err);
/* How runs start from the same state: "image" "tree" or "none", for the record. */
const char *rig_restore_word(const struct rig *rig);

/* Everything written is on the disks. As soon as the user wants to stop the disks' clock is turned
 * off, so that a slow model holds nobody up: -EINTR. */
int rig_sync(struct rig *rig, struct err *err);

/* Clock of the emulated disks: on in measured phases. */
int rig_set_clock(struct rig *rig, bool running, struct err *err);
/* Does everything that must run still run? Else what ended, with the tail of its log. */
int rig_check(struct rig *rig, struct err *err);
/* Facts: machine limits as read back, devices, step times; target and cluster described. */
int rig_describe(struct rig *rig, struct trial_record *record, struct err *err);
/* Names of the block devices for kernel statistics ("loop3"), NULL-ended, in the rig's arena. */
const char *const *rig_block_devices(struct rig *rig);
/* Daemons of its emulated disks, NULL-ended, in the rig's arena. */
struct diskd *const *rig_disk_daemons(struct rig *rig);
/* Bytes allocated in the images, phase of the record: sample backing_bytes. */
void rig_backing_bytes(struct rig *rig, const char *phase, struct trial_record *record);
const char *rig_step_name(size_t step); /* NULL after the last */

#endif
