/*
 * How plumb and plumb-diskd talk: the whole contract between the two programs, words and numbers
 * only.
 *
 * THE PROGRAM
 *
 *   plumb-diskd --socket PATH --spec SPEC [--threads N] [--ready-fd FD] [--parent PID] [--log FILE]
 *
 *   --socket PATH   listen here; the folder must belong to us and be 0700, the socket is made 0600
 *   --spec SPEC     the device to show: device/device_spec.h
 *   --threads N     threads that take requests from the kernel (2; 1 for an immediate device)
 *   --ready-fd FD   write DISKD_READY_LINE here once the loop device can be used
 *   --parent PID    end when that process ends
 *   --log FILE      append messages there (stderr)
 *
 * Stays in the foreground. SIGTERM and SIGINT: as "detach". Status 0: ended as asked, 1: wrong use
 * or could not start.
 *
 * THE SOCKET
 *
 * A peer is served if its user is ours or root. A request is one JSON object on a line, a reply is
 * one too; a connection may send many.
 *
 *   request  {"protocol": 1, "command": "clock", "running": true}
 *   reply    {"ok": true, "result": {...}}
 *   failure  {"ok": false, "error": {"errno": 16, "message": "..."}}
 *
 *   ping     {} -> {"pid", "start_ticks", "loop": "/dev/loop3", "owner": backing file as the kernel
 *            shows it, "spec": canonical text, "threads", "memory_locked": BOOL,
 *            "path_ns": what the way between host and device takes}
 *   clock    {"running": BOOL} -> {}
 *   stats    {} -> {"time_ns": monotonic, "clock": BOOL, "device": object of device_statistics()}
 *   drop     {} -> {}: forget unflushed writes (volatile=)
 *   detach   {} -> {}: clear the loop device and end. EBUSY while it is mounted or open.
 */
#ifndef DISKD_DISKD_PROTOCOL_H
#define DISKD_DISKD_PROTOCOL_H

#define DISKD_PROTOCOL_VERSION 1
#define DISKD_PROGRAM	       "plumb-diskd"
#define DISKD_LINE_MAX_BYTES   (1024 * 1024)
#define DISKD_READY_LINE       "READY\n"

#define DISKD_COMMANDS(X) \
	X(PING, "ping")   \
	X(CLOCK, "clock") \
	X(STATS, "stats") \
	X(DROP, "drop")   \
	X(DETACH, "detach")

/* Name of the FUSE file behind the loop device, from pid and start time of the daemon. */
#define DISKD_FILE_FORMAT "plumb-diskd-%ld-%llu"

#endif
