/* A connection of the analytic workload: libpq with our errors. */
#ifndef WORKLOAD_ANALYTIC_SESSION_H
#define WORKLOAD_ANALYTIC_SESSION_H

#include "base/err.h"
#include "base/strbuf.h"

#include <libpq-fe.h>

/* *ret_session is to be closed. -ECONNREFUSED with the server's message. */
int session_open(const char *connection, PGconn **ret_session, struct err *err);
void session_close(PGconn *session); /* fine with NULL */

/* Put the session's last error into err: "WHAT: message". Returns -EPROTO, -ETIMEDOUT when the
 * statement's time limit struck, -ENOSPC when the server's disk is full. */
int session_error(PGconn *session, const char *what, struct err *err);

/* Run a statement, its rows dropped. */
int session_run(PGconn *session, const char *statement, struct err *err);

/* Run a query; its result as text appended, a line a row, fields separated by '|'; *ret_rows may
 * be NULL. */
int session_query(PGconn *session, const char *query, struct strbuf *ret_text, int *ret_rows,
	struct err *err);

int session_copy_begin(PGconn *session, const char *command, struct err *err);
/* End a COPY: with a reason it is undone and code is returned, else the server's answer. */
int session_copy_end(PGconn *session, const char *reason, int code, struct err *err);

#endif
