/* CHECKPOINT from outside (see checkpoint.h). */
#include "run/checkpoint.h"

#include <errno.h>
#include <poll.h>

#define POLL_MS 100

static int wait_result(PGconn *conn, bool (*stop)(void *context), void *context, struct err *err)
{
	struct pollfd poll_fd = { .fd = PQsocket(conn), .events = POLLIN };
	PGresult *result;
	int r = 0;

	while (PQisBusy(conn)) {
		if (stop && stop(context))
			return err_set(err, -EINTR, "stopped by the user");
		(void)poll(&poll_fd, 1, POLL_MS); /* a signal or nothing yet: asked again */
		if (!PQconsumeInput(conn))
			return err_set(err, -EPIPE, "CHECKPOINT: %s", PQerrorMessage(conn));
	}
	while ((result = PQgetResult(conn))) {
		if (PQresultStatus(result) != PGRES_COMMAND_OK && r == 0)
			r = err_set(err, -EIO, "CHECKPOINT: %s", PQresultErrorMessage(result));
		PQclear(result);
	}
	return r;
}

int checkpoint_run(
	struct pg_cluster *cluster, bool (*stop)(void *context), void *context, struct err *err)
{
	PGconn *conn;
	int r = pg_cluster_connect(cluster, "postgres", &conn, err);

	if (r < 0)
		return r;
	if (!PQsendQuery(conn, "CHECKPOINT"))
		r = err_set(err, -EPIPE, "CHECKPOINT: %s", PQerrorMessage(conn));
	else
		r = wait_result(conn, stop, context, err);
	pg_conn_close(conn);
	return r;
}

void checkpoint_align(int64_t timeout_ns, int64_t since_ns, int64_t *warmup_ns, int64_t *measure_ns)
{
	int64_t cycles = (since_ns + *warmup_ns + timeout_ns - 1) / timeout_ns;

	*warmup_ns = MAX(cycles, 1) * timeout_ns - since_ns;
	cycles = (*measure_ns + timeout_ns - 1) / timeout_ns;
	*measure_ns = MAX(cycles, 1) * timeout_ns;
}
