/* Shared by the files of `plumb zfs`. */
#ifndef CMD_ZFS_ZFS_INTERNAL_H
#define CMD_ZFS_ZFS_INTERNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "target/zfsd_client.h"
#include <jansson.h>
#include <stdbool.h>

/* The options of one call, as zpool(8) and zfs(8) have them. */
struct zfs_options {
	bool scripted, parsable, json, force, recursive, parents, stop, wait, all, no_mount, cached,
		destroyed;
	const char *columns, *type, *mountpoint;
	json_t *properties, *dataset_properties; /* -o and -O name=value */
	json_t *devices;			 /* -d */
	json_t *destroy;			 /* --destroy */
	const char *arc_max;
	char **arguments;
	int argument_count;
	struct arena *arena;
};

struct zfs_session {
	struct zfsd *zfsd;
	char *folder, *socket_path, *log_path, *proof_folder;
};

/* The user's own daemon: connect, or with start begin one. -ENOENT when none runs and start is
 * false: there is no pool then. */
int zfs_session_open(struct zfs_session *session, bool start, const struct zfs_options *options,
	struct err *err);
/* End the daemon when it has no pool left; close the connection. */
void zfs_session_close(struct zfs_session *session);

/* One request with NAME as its only argument. */
int zfs_request_name(struct zfs_session *session, const char *command, const char *name,
	json_t **ret_result, struct err *err);

/* Each carries out one subcommand. */
int zfs_create(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_import(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_export(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_destroy(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_list(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_get(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_set(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_status(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_iostat(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_scrub(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_snapshot(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_rollback(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_mount(struct zfs_session *session, struct zfs_options *options, struct err *err);
int zfs_unmount(struct zfs_session *session, struct zfs_options *options, struct err *err);

/* A table of text: columns as wide as their widest cell, or with -H tabs and no head. */
struct zfs_table {
	const char **cells; /* rows * columns, lent */
	size_t columns, count, size;
	bool no_head; /* the first row serves for the widths only */
};
void zfs_table_add(struct zfs_table *table, const char *cell);
void zfs_table_print(struct zfs_table *table, const struct zfs_options *options);
void zfs_print_json(json_t *value);

/* "1.50G" of bytes as zpool prints it, or with -p the number itself; in the options' arena. */
const char *zfs_size_text(const struct zfs_options *options, double bytes);

#endif
