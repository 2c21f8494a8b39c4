/* The collectors, one file each; all add to collector->facts and never fail. */
#ifndef DOCTOR_COLLECT_INTERNAL_H
#define DOCTOR_COLLECT_INTERNAL_H

#include "doctor/collect/collect.h"
#include "base/strbuf.h"
#include <jansson.h>
#include <libpq-fe.h>
#include <sys/types.h>

struct collector {
	const struct collect_options *options;
	json_t *facts;
	PGconn *connection; /* NULL: not connected */
	int statements;	    /* sent so far */
	bool elsewhere;	    /* the server runs on another machine */
	pid_t server_pid;   /* a process of the server here; 0: not known */
};

/* Connect; version and identity; -errno if the server can't be reached. */
int collect_connect(struct collector *collector, struct err *err);
void collect_disconnect(struct collector *collector);
/* settings, control, tablespaces, statistics, replication, biggest relations */
void collect_server(struct collector *collector);
/* Statistics once more, for the ledger: into facts at path. */
void collect_statistics(struct collector *collector, const char *path);

/* Without a server: PG_VERSION, pg_controldata, configuration files. */
void collect_data_directory(struct collector *collector, const char *folder);
/* Settings that the files name, and documented values for the rest. */
void collect_conf(struct collector *collector, const char *folder, long version);

void collect_locations(struct collector *collector); /* folders of the cluster and their files */
void collect_mounts(struct collector *collector);    /* after locations */
void collect_zfs(struct collector *collector);	     /* after mounts */
void collect_zfs_kstats(struct collector *collector, const char *pool);
void collect_zfsd(struct collector *collector);	   /* after mounts */
void collect_devices(struct collector *collector); /* after zfs */
void collect_host(struct collector *collector);
void collect_memory(struct collector *collector);

/* Counters of the write ledger: first into facts "ledger.begin" and "ledger.end" by the caller. */
void collect_counters(struct collector *collector, const char *path);

/* Counters of plumb-zfsd mounts, below path. */
void collect_zfsd_counters(struct collector *collector, const char *path);

/* A small file of /proc or /sys without its last newline; false if it can't be read. */
bool collect_text(const char *path, struct strbuf *text);
bool collect_number(const char *path, double *ret_number);
/* "NAME" of "folder/NAME" for a printf-like path. */
bool collect_text_at(struct strbuf *text, const char *format, ...) PRINTF_LIKE(2, 3);

/* Run a program that only reads; false and the reason at "unseen" path if it fails. */
bool collect_program(struct collector *collector, const char *unseen, const char *const *arguments,
	struct strbuf *output);

/* Add the name of a block device to the facts' "devices", once; partitions count as their disk.
 * path: "/dev/sda1" or a kernel name. Returns the disk's name, lent by the facts, or NULL. */
const char *collect_device_named(struct collector *collector, const char *path);
const char *collect_device_numbered(struct collector *collector, unsigned major, unsigned minor);

#endif
