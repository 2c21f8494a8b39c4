/*
 * Targets: the filesystem that the cluster lies on. One driver a filesystem: one file and one
 * entry in targets[] (target.c). The caller (run/rig) has made the devices; a target makes, mounts,
 * describes and removes the filesystem.
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "record/record.h"
#include "record/undo.h"
#include "setting/setting.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the target wants to stand on. */
enum target_base {
	TARGET_ON_NOTHING, /* directory: an existing folder */
	TARGET_ON_BLOCK,   /* block devices (loop) */
	TARGET_ON_SPEC, /* device specs (device/device_spec.h), opened by the target's own daemon */
	TARGET_ON_FAKE,
};

enum target_device_role { TARGET_DEVICE_DATA, TARGET_DEVICE_LOG, TARGET_DEVICE_CACHE };

struct target_device {
	enum target_device_role role;
	const char *path; /* /dev/loopN; NULL with TARGET_ON_SPEC */
	const char *spec; /* device spec text; NULL with a plain block device */
	uint64_t size_bytes;
};

/* How many devices of each role a layout needs ("2 x mirror 2", log = 1). */
struct target_needs {
	size_t data_devices, log_devices, cache_devices;
	uint64_t min_device_bytes;
};

struct target_context {
	const struct settings *settings; /* of the cell: filesystem.*, zfs.*, device.* */
	const char *id;			 /* "plumb-..." unique: pool names and the like */
	const char *folder;		 /* scratch folder of this rig, root-owned when root */
	const char *mount_path;		 /* where to mount; exists, empty */
	const char *runtime_folder;	 /* for sockets: short path, 0700 */
	const char *cache_folder;	 /* what is kept from rig to rig */
	const struct target_device *devices;
	size_t device_count;
	uid_t owner_user; /* the server's user: owns the mounted root */
	gid_t owner_group;
	const char *const *cgroup_procs; /* for daemons that must be inside the memory limit */
	struct undo_sink *undo;
	struct clock *clock;
};

struct target;

struct target_driver {
	const char *name; /* the word of [filesystem] type */
	enum target_base base;
	const struct setting *settings; /* rows of filesystem.* for this type; ends with {0} */
	/* Is it one that plumb may use here? -ENOTSUP and why, with the package that is missing.
	 * Changes nothing. May be asked without a study (plumb check). */
	int (*check)(struct err *why);
	/* Optional. Impossible combinations of one cell; before anything is touched. */
	int (*check_settings)(const struct settings *settings, struct err *err);
	/* Optional (else one data device). */
	int (*needs)(
		const struct settings *settings, struct target_needs *ret_needs, struct err *err);
	/* Make the driver's private struct. Touches nothing. */
	int (*open)(
		const struct target_context *context, struct target **ret_target, struct err *err);
	/* Make a fresh filesystem on the devices, lazy work done before it returns. */
	int (*create)(struct target *target, struct err *err);
	/* Mount at context->mount_path; root folder owned by the server's user. */
	int (*mount)(struct target *target, struct err *err);
	/* Everything written is on the device when it returns (syncfs, zpool sync). */
	int (*sync)(struct target *target, struct err *err);
	/* Optional. Forget cached data so that the next read is cold: remount, export and import,
	 * per-file advice. Never a machine-wide drop. The cluster is stopped. */
	int (*drop_cache)(struct target *target, struct err *err);
	int (*unmount)(struct target *target, struct err *err);
	/* Optional (targets that open their own devices). Turn the time models of the devices on
	 * (measured phases: load, run) or off. Off when create returns. */
	int (*set_clock)(struct target *target, bool running, struct err *err);
	/* Optional. Unmounted: let go of the devices (export) so that their images can be copied,
	 * and take them again, perhaps at other paths. */
	int (*release)(struct target *target, struct err *err);
	int (*take)(struct target *target, struct err *err);
	/* Optional. -EPIPE when the program that serves the filesystem has ended, with its last
	 * words. Mounted. */
	int (*alive)(struct target *target, struct err *err);
	/* Optional, with alive. That program has ended and the dead mount is gone: start another
	 * one and take the filesystem from its devices. */
	int (*revive)(struct target *target, struct err *err);
	/* Remove what create made; the devices stay the caller's. */
	int (*destroy)(struct target *target, struct err *err);
	/* What is really in force, read back from the system (mount options, block size, zfs get):
	 * facts "filesystem.KEY" and "filesystem.mount_options", engine and version. */
	int (*describe)(struct target *target, struct trial_record *record, struct err *err);
	/* Optional. Counters now, as a JSON object of numbers that only grow ("zil.bytes"). */
	int (*counters)(struct target *target, json_t **ret_counters, struct err *err);
	/* Space: bytes used and available, compression ratio in samples of phase. */
	int (*space)(struct target *target, const char *phase, struct trial_record *record,
		struct err *err);
	/* Free the private struct; nothing is mounted any more (or it is left to the journal). */
	void (*close)(struct target *target);
};

/* First member of each driver's private struct. */
struct target {
	const struct target_driver *driver;
	struct target_context context; /* lent contents */
	bool created, mounted;
	uint64_t undo_id; /* of the mount, for the driver */
};

/* NULL-ended; every driver is listed, also those that can't run here. */
extern const struct target_driver *const target_drivers[];
/* Driver of a type word. "zfs" gives the kernel's where it can run, else the embedded one. */
const struct target_driver *target_find(const char *type);

/* The only callers of the driver's functions; same contracts. */
int target_open(const struct target_driver *driver, const struct target_context *context,
	struct target **ret_target, struct err *err);
int target_create(struct target *target, struct err *err);
int target_mount(struct target *target, struct err *err);
int target_sync(struct target *target, struct err *err);
int target_drop_cache(struct target *target, struct err *err);
int target_set_clock(struct target *target, bool running, struct err *err);
int target_unmount(struct target *target, struct err *err);
/* 0 where no program serves it. */
int target_alive(struct target *target, struct err *err);
/* If the program that serves it has ended: unmount, start another, mount. */
int target_revive(struct target *target, struct err *err);
int target_destroy(struct target *target, struct err *err);
int target_describe(struct target *target, struct trial_record *record, struct err *err);
int target_counters(struct target *target, json_t **ret_counters, struct err *err);
int target_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err);
struct target *target_close(struct target *target); /* takes NULL, returns NULL */

#endif
