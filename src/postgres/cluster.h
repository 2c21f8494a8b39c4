/*
 * A private cluster on a rig: initdb, configuration, start, stop. On a Unix socket in a private
 * folder, without TCP unless asked for; it never touches servers that run already. Started as
 * root, everything of it runs as the user that the caller names.
 */
#ifndef POSTGRES_CLUSTER_H
#define POSTGRES_CLUSTER_H

#include "base/arena.h"
#include "base/subprocess.h"
#include "postgres/binaries.h"
#include "postgres/conn.h"
#include "record/record.h"
#include "record/undo.h"
#include <sys/types.h>

struct pg_cluster_options {
	const char *data_directory;	 /* made by initdb; its parent exists, the user's */
	const char *socket_directory;	 /* 0700, the user's; path short enough for a socket */
	const char *log_path;		 /* server log, appended */
	const struct settings *settings; /* postgres.*, postgresql.conf.* of the cell */
	int max_connections;		 /* clients that will come; 0: the server's default */
	bool drop_user;
	uid_t user_id;
	gid_t group_id;
	const char *const *cgroup_procs;
	struct undo_sink *undo; /* NULL: tests that clean up themselves */
};

struct pg_cluster {
	struct pg_binaries binaries;
	struct pg_cluster_options options; /* strings copied into arena; settings lent */
	struct arena arena;
	struct subprocess postmaster;
	int port; /* names the socket; with TCP a free one */
	uint64_t undo_id;
	bool noted;
};

/* Find the programs and remember the options. Touches nothing. */
int pg_cluster_open(
	const struct pg_cluster_options *options, struct pg_cluster **ret_cluster, struct err *err);
struct pg_cluster *pg_cluster_close(struct pg_cluster *cluster); /* stopped; NULL is fine */

/* initdb with the options of settings. Errors carry initdb's own words. */
int pg_cluster_init(struct pg_cluster *cluster, struct err *err);

/* Write plumb.conf (our base and settings' postgresql.conf.*), included last by postgresql.conf.
 * The server must be stopped. settings become the cluster's. */
int pg_cluster_configure(
	struct pg_cluster *cluster, const struct settings *settings, struct err *err);

/* Start and wait until it takes connections (crash recovery included, at most 10 minutes). On
 * failure err has the tail of the server's log and nothing runs. */
int pg_cluster_start(struct pg_cluster *cluster, struct err *err);

enum pg_stop_mode { PG_STOP_FAST, PG_STOP_IMMEDIATE };
/* Stop; after timeout_ns of a fast stop an immediate one. Fine when it does not run. */
int pg_cluster_stop(
	struct pg_cluster *cluster, enum pg_stop_mode mode, int64_t timeout_ns, struct err *err);

/* Does the postmaster run? A dead one is reaped, err (may be NULL) gets the log's tail. */
bool pg_cluster_alive(struct pg_cluster *cluster, struct err *err);

/* A connection as the bootstrap user, application_name plumb. */
int pg_cluster_connect(
	const struct pg_cluster *cluster, const char *database, PGconn **ret_conn, struct err *err);

/* "host", "port", "user" of clients: the socket folder, or 127.0.0.1 with postgres.tcp. */
const char *pg_cluster_host(const struct pg_cluster *cluster);

/* Full path of one of its programs ("pgbench"), in the cluster's arena. */
const char *pg_cluster_program(struct pg_cluster *cluster, const char *name);

/* Run one of the cluster's client programs as its user with PGHOST etc. set; output may be NULL. */
int pg_cluster_run_client(struct pg_cluster *cluster, const char *const *arguments,
	struct strbuf *output, struct strbuf *errors, struct err *err);
/* Environment for clients that a caller starts itself, in the cluster's arena. */
const char *const *pg_cluster_client_environment(struct pg_cluster *cluster);

/* Facts "postgresql.conf.NAME" for what was asked and whatever is not a default, and version and
 * page sizes; a note "setting-differs" for each that is not as asked. */
int pg_cluster_describe(struct pg_cluster *cluster, struct trial_record *record, struct err *err);

/* Are two spellings the same value ("on" and "true", "1GB" and "1024MB")? */
bool pg_values_equal(const char *asked, const char *effective);

/* The user that owns the bootstrap role: "postgres" always. */
#define PG_CLUSTER_USER "postgres"

#endif
