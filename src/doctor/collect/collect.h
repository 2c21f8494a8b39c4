/*
 * Gathering of facts on the machine itself. Nothing is written, no lock above AccessShare is
 * taken, at most COLLECT_STATEMENTS_MAX statements are sent, each with a time limit. What can't be
 * read is noted in the facts as unseen, with the reason.
 */
#ifndef DOCTOR_COLLECT_H
#define DOCTOR_COLLECT_H

#include "base/clock.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define COLLECT_STATEMENTS_MAX 20

struct collect_options {
	const char *connection;	    /* conninfo string; NULL: do not connect */
	const char *data_directory; /* look at this folder; NULL: the one the server names */
	const char *bin_directory;  /* where pg_controldata is; NULL: looked for */
	bool names;		    /* host and relation names may go into the facts */
	int seconds;		    /* length of the write ledger; 0: none */
	struct clock *clock;	    /* lent */
};

/* Fails only when there is nothing to look at: no connection and no data directory. A server
 * that can't be reached is unseen where a data directory is given. The caller owns the facts. */
int collect_facts(const struct collect_options *options, json_t **ret_facts, struct err *err);

#endif
