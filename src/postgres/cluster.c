/* Life of a private cluster (see cluster.h); its configuration and reading back are in conf.c. */
#include "postgres/cluster.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define START_TIMEOUT_NS  (600 * NS_PER_S)
#define INITDB_TIMEOUT_NS (600 * NS_PER_S)
#define SOCKET_PORT	  5432 /* in a folder of its own, so the number never collides */
#define LOG_TAIL_BYTES	  1500

static int check_socket_path(const struct pg_cluster_options *options, struct err *err)
{
	struct sockaddr_un address;
	size_t length = strlen(options->socket_directory) + strlen("/.s.PGSQL.65535.lock");

	if (length < sizeof(address.sun_path))
		return 0;
	err_set(err, -ENAMETOOLONG,
		"socket folder '%s' is too long for a Unix socket (%zu of %zu bytes)",
		options->socket_directory, length, sizeof(address.sun_path) - 1);
	return err_hint(err, -ENAMETOOLONG, "set XDG_RUNTIME_DIR to a shorter folder");
}

int pg_cluster_open(
	const struct pg_cluster_options *options, struct pg_cluster **ret_cluster, struct err *err)
{
	struct pg_cluster *cluster;
	int r = check_socket_path(options, err);

	if (r < 0)
		return r;
	cluster = memory_new(sizeof(*cluster));
	cluster->options = *options;
	cluster->options.data_directory =
		arena_copy_string(&cluster->arena, options->data_directory);
	cluster->options.socket_directory =
		arena_copy_string(&cluster->arena, options->socket_directory);
	cluster->options.log_path = arena_copy_string(&cluster->arena, options->log_path);
	cluster->port = SOCKET_PORT;
	r = pg_binaries_find(options->settings, &cluster->binaries, err);
	if (r < 0) {
		pg_cluster_close(cluster);
		return r;
	}
	*ret_cluster = cluster;
	return 0;
}

struct pg_cluster *pg_cluster_close(struct pg_cluster *cluster)
{
	if (!cluster)
		return NULL;
	pg_binaries_release(&cluster->binaries);
	arena_release(&cluster->arena);
	free(cluster);
	return NULL;
}

const char *pg_cluster_program(struct pg_cluster *cluster, const char *name)
{
	return arena_format(&cluster->arena, "%s/%s", cluster->binaries.bindir, name);
}

static void as_user(const struct pg_cluster *cluster, struct subprocess_options *options)
{
	options->drop_user = cluster->options.drop_user;
	options->user_id = cluster->options.user_id;
	options->group_id = cluster->options.group_id;
	options->cgroup_procs = cluster->options.cgroup_procs;
	options->directory = "/";
	/* An initdb that outlived a killed plumb would hold what the undo must let go. */
	options->die_with_parent = true;
}

int pg_cluster_init(struct pg_cluster *cluster, struct err *err)
{
	const struct settings *settings = cluster->options.settings;
	uint64_t wal_segment = settings_size(settings, "postgres.wal_segment_size", 0);
	const char *arguments[16] = { pg_cluster_program(cluster, "initdb"), "-D",
		cluster->options.data_directory, "-U", PG_CLUSTER_USER, "-A", "trust",
		"--encoding=UTF8", "--no-sync", "--no-instructions" };
	struct subprocess_options options = { .arguments = arguments };
	size_t count = 10; /* no sync: the caller syncs the whole filesystem at once */
	int r;

	if (cluster->binaries.version < 140000)
		count--; /* --no-instructions came with 14 */
	arguments[count++] = arena_format(
		&cluster->arena, "--locale=%s", settings_text(settings, "postgres.locale", "C"));
	if (wal_segment)
		arguments[count++] = arena_format(&cluster->arena, "--wal-segsize=%llu",
			(unsigned long long)(wal_segment >> 20));
	/* From 18 on checksums are the default: say it either way. */
	if (settings_boolean(settings, "postgres.data_checksums", false))
		arguments[count++] = "--data-checksums";
	else if (cluster->binaries.version >= 180000)
		arguments[count++] = "--no-data-checksums";
	arguments[count] = NULL;
	as_user(cluster, &options);
	r = subprocess_run(&options, INITDB_TIMEOUT_NS, NULL, NULL, err);
	return r < 0 ? err_prefix(err, r, "initdb in '%s'", cluster->options.data_directory) : 0;
}

static int note_cluster(struct pg_cluster *cluster, struct err *err)
{
	struct undo_record record = { .kind = UNDO_CLUSTER,
		.path = cluster->options.data_directory };
	int r;

	if (!cluster->options.undo)
		return 0;
	r = cluster->options.undo->note(cluster->options.undo, &record, &cluster->undo_id, err);
	cluster->noted = r == 0;
	return r;
}

static int amend_cluster(struct pg_cluster *cluster, struct err *err)
{
	struct undo_record record = { .kind = UNDO_CLUSTER,
		.path = cluster->options.data_directory,
		.pid = cluster->postmaster.pid };

	if (!cluster->noted)
		return 0;
	os_process_start_ticks(record.pid, &record.start_ticks);
	return cluster->options.undo->amend(cluster->options.undo, cluster->undo_id, &record, err);
}

static void forget_cluster(struct pg_cluster *cluster, struct err *err)
{
	if (cluster->noted)
		cluster->options.undo->forget(cluster->options.undo, cluster->undo_id, err);
	cluster->noted = false;
}

/* A loopback port that is free now; the server complains itself if somebody takes it meanwhile. */
static int free_port(int *ret_port, struct err *err)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r = 0;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		r = err_set_errno(err, -errno, "cannot find a free TCP port");
	else
		*ret_port = ntohs(address.sin_port);
	if (fd >= 0)
		close(fd);
	return r;
}

static int log_tail(struct pg_cluster *cluster, struct err *err, int code, const char *what)
{
	struct strbuf tail = STRBUF_INIT;

	file_read_tail(cluster->options.log_path, LOG_TAIL_BYTES, &tail);
	strbuf_trim(&tail);
	err_set(err, code, "%s; end of the server log '%s':\n%s", what, cluster->options.log_path,
		tail.data);
	strbuf_release(&tail);
	return code;
}

static int wait_ready(struct pg_cluster *cluster, struct err *err)
{
	const char *const keywords[] = { "host", "port", "dbname", "user", NULL };
	const char *values[] = { pg_cluster_host(cluster),
		arena_format(&cluster->arena, "%d", cluster->port), "postgres", PG_CLUSTER_USER,
		NULL };
	int64_t deadline_ns = os_monotonic_ns() + START_TIMEOUT_NS;
	int status;

	while (PQpingParams(keywords, values, 0) != PQPING_OK) {
		/* Sleeps until the postmaster ends, at most 50 ms. */
		if (subprocess_wait(&cluster->postmaster, 50 * NS_PER_MS, &status, NULL) == 0)
			return log_tail(cluster, err, -ECHILD, "the server did not start");
		if (os_monotonic_ns() > deadline_ns)
			return log_tail(cluster, err, -ETIMEDOUT,
				"the server took no connections within 10 minutes");
	}
	return 0;
}

int pg_cluster_start(struct pg_cluster *cluster, struct err *err)
{
	bool tcp = settings_boolean(cluster->options.settings, "postgres.tcp", false);
	struct subprocess_options options = { .output_path = cluster->options.log_path,
		.error_path = cluster->options.log_path,
		.die_with_parent = true };
	const char *arguments[] = { pg_cluster_program(cluster, "postgres"), "-D",
		cluster->options.data_directory, "-c", NULL, NULL };
	int r = note_cluster(cluster, err);

	if (r == 0 && tcp)
		r = free_port(&cluster->port, err);
	arguments[4] = arena_format(&cluster->arena, "port=%d", cluster->port);
	options.arguments = arguments;
	as_user(cluster, &options);
	if (r == 0)
		r = subprocess_start(&options, &cluster->postmaster, err);
	if (r < 0) {
		forget_cluster(cluster, err);
		return r;
	}
	r = amend_cluster(cluster, err);
	if (r == 0)
		r = wait_ready(cluster, err);
	if (r < 0)
		pg_cluster_stop(cluster, PG_STOP_IMMEDIATE, 10 * NS_PER_S, err);
	return r;
}

int pg_cluster_stop(
	struct pg_cluster *cluster, enum pg_stop_mode mode, int64_t timeout_ns, struct err *err)
{
	pid_t pid = cluster->postmaster.pid;
	int status, r = 0;

	if (pid > 0) {
		/* SIGINT: fast, SIGQUIT: immediate shutdown (postgres(1)). To the postmaster alone:
		 * it tells its children. */
		kill(pid, mode == PG_STOP_FAST ? SIGINT : SIGQUIT);
		r = subprocess_wait(&cluster->postmaster, timeout_ns, &status, NULL);
		if (r == -ETIMEDOUT && mode == PG_STOP_FAST) {
			kill(pid, SIGQUIT);
			r = subprocess_wait(&cluster->postmaster, 10 * NS_PER_S, &status, NULL);
		}
		if (r == -ETIMEDOUT) {
			subprocess_end(&cluster->postmaster, 0);
			r = log_tail(cluster, err, -ETIMEDOUT, "the server did not stop: killed");
		}
	}
	forget_cluster(cluster, err);
	return r;
}

bool pg_cluster_alive(struct pg_cluster *cluster, struct err *err)
{
	char text[64], what[96];
	int status;

	if (cluster->postmaster.pid > 0 &&
		subprocess_wait(&cluster->postmaster, 0, &status, NULL) == -ETIMEDOUT)
		return true;
	if (cluster->postmaster.pid == 0 && err) {
		subprocess_describe_status(status, text, sizeof(text));
		snprintf(what, sizeof(what), "the server ended with %s", text);
		log_tail(cluster, err, -ECHILD, what);
	}
	return false;
}

const char *pg_cluster_host(const struct pg_cluster *cluster)
{
	if (settings_boolean(cluster->options.settings, "postgres.tcp", false))
		return "127.0.0.1";
	return cluster->options.socket_directory;
}

int pg_cluster_connect(
	const struct pg_cluster *cluster, const char *database, PGconn **ret_conn, struct err *err)
{
	const char *const keywords[] = { "host", "port", "dbname", "user", "application_name",
		"client_encoding", NULL };
	char port[16];
	const char *values[] = { pg_cluster_host(cluster), port, database, PG_CLUSTER_USER, "plumb",
		"UTF8", NULL };

	snprintf(port, sizeof(port), "%d", cluster->port);
	return pg_conn_open(keywords, values, ret_conn, err);
}

const char *const *pg_cluster_client_environment(struct pg_cluster *cluster)
{
	const char **environment = arena_new_array(&cluster->arena, 8, sizeof(*environment));

	environment[0] = arena_format(&cluster->arena, "PGHOST=%s", pg_cluster_host(cluster));
	environment[1] = arena_format(&cluster->arena, "PGPORT=%d", cluster->port);
	environment[2] = "PGUSER=" PG_CLUSTER_USER;
	environment[3] = "PGDATABASE=postgres";
	environment[4] = "LC_ALL=C"; /* numbers and words as we parse them */
	environment[5] = "PGAPPNAME=plumb";
	environment[6] = "PGOPTIONS=";
	return environment;
}

int pg_cluster_run_client(struct pg_cluster *cluster, const char *const *arguments,
	struct strbuf *output, struct strbuf *errors, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments,
		.environment = pg_cluster_client_environment(cluster) };

	as_user(cluster, &options);
	return subprocess_run(&options, -1, output, errors, err);
}
