/*
 * commit_ledger run CONNINFO FILE CLIENTS: CLIENTS connections insert rows (client, n) one by one;
 * as soon as the server has acknowledged a commit, n goes to FILE (mapped, on another filesystem).
 * Ends when the server goes away or at SIGTERM.
 * commit_ledger verify CONNINFO FILE: every acknowledged row must be there, and no row that was not
 * sent (at most one more than acknowledged for each client).
 */
#include <fcntl.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CLIENTS_MAX 64

static volatile uint64_t *acknowledged; /* by client; CLIENTS_MAX of them */
static const char *conninfo;
static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static int map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);

	if (fd < 0 || ftruncate(fd, CLIENTS_MAX * sizeof(uint64_t)) < 0)
		return -1;
	acknowledged = mmap(
		NULL, CLIENTS_MAX * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return acknowledged == MAP_FAILED ? -1 : 0;
}

/* One number; -1 if the server does not say. */
static int query_number(PGconn *conn, const char *sql, uint64_t *ret_number)
{
	PGresult *result = PQexec(conn, sql);
	int r = PQntuples(result) == 1 ? 0 : -1;

	if (r == 0)
		*ret_number = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return r;
}

/* The newest row of a client. */
static int query_max(PGconn *conn, long client, uint64_t *ret_newest)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		"SELECT coalesce(max(n), 0) FROM commit_ledger WHERE client = %ld", client);
	return query_number(conn, sql, ret_newest);
}

static void *insert_rows(void *argument)
{
	long client = (long)(intptr_t)argument;
	PGconn *conn = PQconnectdb(conninfo);
	uint64_t n;
	char sql[128];

	/* A row sent before a crash and never acknowledged may be there: the server now says so. */
	if (query_max(conn, client, &n) < 0) {
		PQfinish(conn);
		return NULL;
	}
	acknowledged[client] = n;
	while (!stop && PQstatus(conn) == CONNECTION_OK) {
		PGresult *result;
		ExecStatusType status;

		n++;
		snprintf(sql, sizeof(sql), "INSERT INTO commit_ledger VALUES (%ld, %llu)", client,
			(unsigned long long)n);
		result = PQexec(conn, sql);
		status = PQresultStatus(result);
		PQclear(result);
		if (status != PGRES_COMMAND_OK)
			break;
		acknowledged[client] = n;
	}
	PQfinish(conn);
	return NULL;
}

static int run(int clients)
{
	pthread_t threads[CLIENTS_MAX];
	uint64_t before = 0, after = 0;

	for (int i = 0; i < clients; i++)
		before += acknowledged[i];
	for (long i = 0; i < clients; i++)
		pthread_create(&threads[i], NULL, insert_rows, (void *)(intptr_t)i);
	for (int i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < clients; i++)
		after += acknowledged[i];
	printf("commit_ledger: %llu commits acknowledged\n", (unsigned long long)(after - before));
	return 0;
}

/* Rows of a client are inserted in order, each after the one before was there: none may be missing
 * below its newest. */
static int verify(void)
{
	static const char gaps[] =
		"SELECT count(*) FROM (SELECT client FROM commit_ledger GROUP BY "
		"client HAVING count(DISTINCT n) <> max(n)) AS clients";
	PGconn *conn = PQconnectdb(conninfo);
	uint64_t clients_with_gaps = 1;
	int wrong = 0;

	if (PQstatus(conn) != CONNECTION_OK) {
		fprintf(stderr, "commit_ledger: %s", PQerrorMessage(conn));
		return 1;
	}
	for (int i = 0; i < CLIENTS_MAX; i++) {
		uint64_t found = 0, want = acknowledged[i];

		if (query_max(conn, i, &found) == 0 && found >= want && found <= want + 1)
			continue;
		fprintf(stderr,
			"commit_ledger: client %d: acknowledged up to %llu, found up to %llu\n", i,
			(unsigned long long)want, (unsigned long long)found);
		wrong++;
	}
	if (query_number(conn, gaps, &clients_with_gaps) < 0 || clients_with_gaps > 0) {
		fprintf(stderr, "commit_ledger: rows are missing below the newest of a client\n");
		wrong++;
	}
	PQfinish(conn);
	return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 4 || map_file(argv[3]) < 0) {
		fprintf(stderr, "usage: commit_ledger run|verify CONNINFO FILE [CLIENTS]\n");
		return 2;
	}
	conninfo = argv[2];
	if (strcmp(argv[1], "verify") == 0)
		return verify();
	signal(SIGTERM, on_term);
	return run(argc > 4 ? (int)strtol(argv[4], NULL, 10) : 4);
}
