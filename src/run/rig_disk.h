/*
 * The disks of a rig: a sparse file opened past the page cache behind a loop device, or an emulated
 * one shown by plumb-diskd, or (targets with a daemon of their own) only its specification.
 */
#ifndef RUN_RIG_DISK_H
#define RUN_RIG_DISK_H

#include "base/arena.h"
#include "base/clock.h"
#include "platform/os_loop.h"
#include "record/record.h"
#include "record/undo.h"
#include "setting/setting.h"
#include "target/target.h"

struct diskd;

struct rig_disk {
	enum target_device_role role;
	const char *image_path; /* backing file; NULL: in memory */
	const char *spec;	/* NULL: a plain loop device is enough */
	uint64_t size_bytes;
	uint32_t sector_bytes;
	char loop_path[OS_LOOP_PATH_SIZE]; /* "" while not attached */
	uint64_t undo_id;		   /* of the loop device */
	uint64_t daemon_undo_id;
	struct diskd *daemon; /* NULL: none */
};

struct rig_disk_context {
	const struct settings *settings;
	const char *folder;	    /* for images: marked, ours */
	const char *runtime_folder; /* for the daemon's socket: 0700 */
	const char *log_path;	    /* of the daemon */
	const char *const *cgroup_procs;
	enum target_base base;
	uint64_t seed; /* of a model's random draws */
	struct undo_sink *undo;
	struct arena *arena;
};

/* Decide what disk number index is. Touches nothing. */
int rig_disk_plan(struct rig_disk *disk, enum target_device_role role, size_t index,
	const struct rig_disk_context *context, struct err *err);
/* Can the disks of these settings be? Their models and parameters are known. */
int rig_disk_check_settings(
	const struct settings *settings, enum target_base base, struct err *err);
/* Make the image, fresh and sparse. */
int rig_disk_create(const struct rig_disk *disk, struct err *err);
/* Show it to the kernel (TARGET_ON_BLOCK); noted first. */
int rig_disk_attach(struct rig_disk *disk, const struct rig_disk_context *context, struct err *err);
int rig_disk_detach(struct rig_disk *disk, const struct rig_disk_context *context, struct err *err);
/* Turn the model's clock on (load, run) or off. */
int rig_disk_set_clock(struct rig_disk *disk, bool running, struct err *err);
/* -EPIPE and its log's tail when its daemon has ended by itself. */
int rig_disk_check(const struct rig_disk *disk, struct err *err);

#endif
