/* Connections to a server: libpq with errors told in our way. */
#ifndef POSTGRES_CONN_H
#define POSTGRES_CONN_H

#include "base/err.h"
#include "base/strbuf.h"
#include <libpq-fe.h>

/* Connect; keywords as for PQconnectdbParams, NULL-ended. statement_timeout etc. are the caller's.
 * -ECONNREFUSED with libpq's words. */
int pg_conn_open(
	const char *const *keywords, const char *const *values, PGconn **ret_conn, struct err *err);
PGconn *pg_conn_close(PGconn *conn); /* takes NULL, returns NULL */

/* Run one statement whose result is not needed (or commands separated by semicolons). */
int pg_conn_execute(PGconn *conn, const char *sql, struct err *err);

/* Run one query; *ret_result is yours (PQclear). -EPROTO with the server's message. */
int pg_conn_query(PGconn *conn, const char *sql, PGresult **ret_result, struct err *err);

/* First column of the first row. -ENODATA when there is no row or it is null. */
int pg_conn_text(PGconn *conn, const char *sql, struct strbuf *text, struct err *err);
int pg_conn_number(PGconn *conn, const char *sql, double *ret_value, struct err *err);

#endif
