/*
 * Talks to plumb-diskd, the program that shows a device to the kernel as a loop device: start it,
 * turn its clock on and off, read its counters, stop it, and clear away what a killed one left.
 *
 * A daemon keeps nothing on disk but its socket: its FUSE mount is attached nowhere and ends with
 * it. What can be left after kill -9 is the loop device, whose requests then fail with EIO; it is
 * known by its backing file, "/plumb-diskd-PID-STARTTICKS" (LOOP_GET_STATUS64 and sysfs show it).
 */
#ifndef DEVICE_DISKD_CLIENT_H
#define DEVICE_DISKD_CLIENT_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct diskd_options {
	const char *spec;	 /* device_spec.h */
	const char *socket_path; /* control socket, made 0600; its folder must be ours and 0700 */
	const char *program;	 /* NULL: $PLUMB_DISKD, beside our own program, or in PATH */
	const char *output_path; /* messages of the daemon are appended here; NULL: dropped */
	bool die_with_parent;	 /* end when this process ends, however it ends */
	const char *const *cgroup_procs; /* files it writes its pid to; NULL-ended or NULL */
};

struct diskd;

/* Start a daemon and wait until its loop device can be used; errors carry the daemon's message.
 * The model's clock is off. */
int diskd_start(const struct diskd_options *options, struct diskd **ret_diskd, struct err *err);

/* The daemon that listens at socket_path. */
int diskd_connect(const char *socket_path, struct diskd **ret_diskd, struct err *err);

/* Lent, live as long as diskd. */
const char *diskd_loop_path(const struct diskd *diskd);	 /* /dev/loop3 */
const char *diskd_loop_owner(const struct diskd *diskd); /* backing file, for the undo journal */
const char *diskd_spec(const struct diskd *diskd);	 /* canonical */
pid_t diskd_pid(const struct diskd *diskd);
uint64_t diskd_start_ticks(const struct diskd *diskd);

/* What the way between host and device takes, as the daemon measured it. */
int64_t diskd_path_ns(const struct diskd *diskd);
/* Can this machine carry the disk's model? -ERANGE, with the measured floor, when even its reads
 * are faster than twice that. What a model does faster than the floor (writes into a cache) takes
 * the floor's time: a warning is logged. */
int diskd_check_speed(const struct diskd *diskd, struct err *err);

/* -EPIPE when the daemon has ended: a trial's reason to fail. */
int diskd_set_clock(struct diskd *diskd, bool running, struct err *err);
int diskd_statistics(struct diskd *diskd, json_t **ret_statistics, struct err *err);
int diskd_drop_unflushed(struct diskd *diskd, struct err *err);
bool diskd_is_running(const struct diskd *diskd);

/* Detach the loop device and end the daemon. -EBUSY while the loop device is mounted or open
 * (nothing is changed then). A daemon that was killed is fine: its loop device is cleared. */
int diskd_stop(struct diskd *diskd, struct err *err);

/* Forget the daemon without stopping it. Takes NULL, returns NULL. */
struct diskd *diskd_close(struct diskd *diskd);

/* Clear the loop device if its backing file is owner: after the daemon's end. Cleared already, or
 * another's by now: 0. Still mounted: it clears itself at the unmount, -EBUSY. */
int diskd_clear_loop(const char *loop_path, const char *owner, struct err *err);

/* Loop devices of daemons that have ended: called for each one found. */
typedef void diskd_leftover(void *context, const char *loop_path, const char *owner);
int diskd_find_leftovers(diskd_leftover *found, void *context, struct err *err);

#endif
