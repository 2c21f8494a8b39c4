/* libpq with errors told in our way (see conn.h). */
#include "postgres/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* libpq's messages end with a newline. */
static int fail(struct err *err, int code, const char *what, const char *message)
{
	size_t length = strlen(message);

	while (length > 0 && message[length - 1] == '\n')
		length--;
	return err_set(err, code, "%s: %.*s", what, (int)length, message);
}

int pg_conn_open(
	const char *const *keywords, const char *const *values, PGconn **ret_conn, struct err *err)
{
	PGconn *conn = PQconnectdbParams(keywords, values, 0);
	int r;

	if (PQstatus(conn) == CONNECTION_OK) {
		*ret_conn = conn;
		return 0;
	}
	r = fail(err, -ECONNREFUSED, "cannot connect to the server",
		conn ? PQerrorMessage(conn) : "out of memory");
	PQfinish(conn);
	return r;
}

PGconn *pg_conn_close(PGconn *conn)
{
	PQfinish(conn);
	return NULL;
}

int pg_conn_query(PGconn *conn, const char *sql, PGresult **ret_result, struct err *err)
{
	PGresult *result = PQexec(conn, sql);
	ExecStatusType status = PQresultStatus(result);
	char what[160];

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
		*ret_result = result;
		return 0;
	}
	PQclear(result);
	snprintf(what, sizeof(what), "statement '%.120s'", sql);
	return fail(err, -EPROTO, what, PQerrorMessage(conn));
}

int pg_conn_execute(PGconn *conn, const char *sql, struct err *err)
{
	PGresult *result;
	int r = pg_conn_query(conn, sql, &result, err);

	if (r == 0)
		PQclear(result);
	return r;
}

int pg_conn_text(PGconn *conn, const char *sql, struct strbuf *text, struct err *err)
{
	PGresult *result;
	int r = pg_conn_query(conn, sql, &result, err);

	if (r < 0)
		return r;
	if (PQntuples(result) < 1 || PQgetisnull(result, 0, 0))
		r = err_set(err, -ENODATA, "statement '%.120s' gave no value", sql);
	else
		strbuf_add_text(text, PQgetvalue(result, 0, 0));
	PQclear(result);
	return r;
}

int pg_conn_number(PGconn *conn, const char *sql, double *ret_value, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = pg_conn_text(conn, sql, &text, err);

	if (r == 0)
		*ret_value = strtod(text.data, NULL);
	strbuf_release(&text);
	return r;
}
