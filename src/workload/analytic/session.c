/* libpq with our errors (see session.h). */
#include "workload/analytic/session.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static void drop_notice(void *context, const PGresult *result)
{
	(void)context;
	(void)result;
}

int session_open(const char *connection, PGconn **ret_session, struct err *err)
{
	PGconn *session = PQconnectdb(connection);

	if (PQstatus(session) != CONNECTION_OK) {
		err_set(err, -ECONNREFUSED, "cannot connect: %s", PQerrorMessage(session));
		PQfinish(session);
		return -ECONNREFUSED;
	}
	PQsetNoticeReceiver(session, drop_notice, NULL);
	*ret_session = session;
	return 0;
}

void session_close(PGconn *session)
{
	if (session)
		PQfinish(session);
}

/* SQLSTATE classes: PostgreSQL documentation, appendix "PostgreSQL Error Codes". */
static int code_of(const char *state)
{
	if (state && strcmp(state, "57014") == 0)
		return -ETIMEDOUT;
	if (state && strcmp(state, "53100") == 0)
		return -ENOSPC;
	return -EPROTO;
}

int session_error(PGconn *session, const char *what, struct err *err)
{
	return err_set(err, -EPROTO, "%.200s: %s", what, PQerrorMessage(session));
}

static int result_error(const PGresult *result, const char *what, struct err *err)
{
	return err_set(err, code_of(PQresultErrorField(result, PG_DIAG_SQLSTATE)), "%.200s: %s",
		what, PQresultErrorMessage(result));
}

static bool good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

int session_run(PGconn *session, const char *statement, struct err *err)
{
	return session_query(session, statement, NULL, NULL, err);
}

int session_query(
	PGconn *session, const char *query, struct strbuf *ret_text, int *ret_rows, struct err *err)
{
	PGresult *result = PQexec(session, query);
	int r = good(result) ? 0 : result_error(result, query, err);

	for (int row = 0; r == 0 && ret_text && row < PQntuples(result); row++)
		for (int field = 0; field < PQnfields(result); field++)
			strbuf_add_format(ret_text, "%s%c",
				PQgetisnull(result, row, field) ? "\\N"
								: PQgetvalue(result, row, field),
				field + 1 < PQnfields(result) ? '|' : '\n');
	if (r == 0 && ret_rows)
		*ret_rows = PQntuples(result);
	PQclear(result);
	return r;
}

int session_copy_begin(PGconn *session, const char *command, struct err *err)
{
	PGresult *result = PQexec(session, command);
	int r = PQresultStatus(result) == PGRES_COPY_IN ? 0 : result_error(result, command, err);

	PQclear(result);
	return r;
}

int session_copy_end(PGconn *session, const char *reason, int code, struct err *err)
{
	PGresult *result;
	int r = code;

	if (PQputCopyEnd(session, reason) != 1 && r == 0)
		r = session_error(session, "COPY", err);
	while ((result = PQgetResult(session))) {
		if (r == 0 && !good(result))
			r = result_error(result, "COPY", err);
		PQclear(result);
	}
	return r;
}
