/*
 * A program of a workload (psql, pg_restore, fio, dd) under way: run as the server's user inside
 * the machine's limits, its output kept in the trial's raw folder, its CPU time counted.
 */
#ifndef WORKLOAD_CLIENT_H
#define WORKLOAD_CLIENT_H

#include "base/subprocess.h"
#include "workload/workload.h"

struct client {
	const struct workload_context *context; /* lent */
	struct subprocess process;
	char *output_path, *error_path; /* of the last program */
	struct subprocess_usage usage;	/* of the last program that ended */
	int64_t started_ns, ended_ns;
};

/* Start arguments[0] (a path, or looked up in PATH); NAME.out and NAME.err in the raw folder get
 * its output. With a cluster, libpq's environment points to it. */
int client_start(
	struct client *client, const char *name, const char *const *arguments, struct err *err);
/* Sleep until it ends, at most wait_ns. 1: ended well; 0: runs; negative: it failed, err has the
 * tail of its messages. */
int client_poll(struct client *client, int64_t wait_ns, struct err *err);
/* Seconds that the last program ran. */
double client_seconds(const struct client *client);
void client_end(struct client *client);	    /* stop what runs; fine when nothing does */
void client_release(struct client *client); /* ends, frees the paths; fine twice */

#endif
