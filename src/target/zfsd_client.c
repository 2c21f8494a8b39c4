/* The client of plumb-zfsd: JSON lines over a Unix socket (see zfsd_client.h). */
#include "target/zfsd_client.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "platform/os.h"
#include "target/zfsd_proof.h"
#include "zfsd/zfsd_protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define START_TIMEOUT_NS (60 * NS_PER_S)
#define STOP_TIMEOUT_NS	 (30 * NS_PER_S)
#define LOG_TAIL_BYTES	 1500

/* A report of the daemon's end may be long; what failed stands just above it. */
#define REPORT_MOST_BYTES  65536
#define REPORT_SHOWN_BYTES 3200
#define REPORT_ABOVE_BYTES 1800

struct zfsd {
	int socket;
	struct subprocess process;
	bool has_ended;
	int status;	/* then */
	char *log_path; /* NULL when connected only */
	struct strbuf reply;
};

static char *find_program(void)
{
	return subprocess_find_own(ZFSD_PROGRAM, "PLUMB_ZFSD");
}

int zfsd_check(struct err *why)
{
	char *program = find_program();
	int r;

	if (!program) {
		err_set(why, -ENOTSUP, "plumb-zfsd was not built: OpenZFS 2.3.x was missing");
		return err_hint(why, -ENOTSUP,
			"Debian packages libzfslinux-dev (contrib; Debian 12: backports) and "
			"libfuse3-dev");
	}
	r = zfsd_proof_check(program, why);
	free(program);
	if (r < 0)
		return r;
	if (access("/dev/fuse", R_OK | W_OK) < 0)
		return err_set(why, -ENOTSUP, "no access to /dev/fuse");
	program = subprocess_find("fusermount3");
	if (!program)
		return err_set(why, -ENOTSUP,
			"program 'fusermount3' is not installed (Debian package fuse3)");
	free(program);
	return 0;
}

/* Every transfer, and the wait for a place in the daemon's queue, takes limit_ns at most. */
static int connect_socket(const char *path, int64_t limit_ns)
{
	struct timeval limit = { .tv_sec = limit_ns / NS_PER_S,
		.tv_usec = limit_ns % NS_PER_S / NS_PER_US };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
		connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int code = -errno;

		close(fd);
		return code;
	}
	return fd;
}

int zfsd_connect(const char *socket_path, int64_t limit_ns, struct zfsd **ret_zfsd, struct err *err)
{
	int fd = connect_socket(socket_path, limit_ns);
	struct zfsd *zfsd;

	if (fd < 0)
		return err_set_errno(err, fd, "no plumb-zfsd answers at '%s'", socket_path);
	zfsd = memory_new(sizeof(*zfsd));
	zfsd->socket = fd;
	strbuf_init(&zfsd->reply);
	*ret_zfsd = zfsd;
	return 0;
}

/* Arguments of the daemon that have a value other than its default. */
struct words {
	const char *list[32];
	size_t count;
	struct arena *arena;
};

static void add_size(struct words *words, const char *option, uint64_t bytes)
{
	if (!bytes)
		return;
	words->list[words->count++] = option;
	words->list[words->count++] = arena_format(words->arena, "%llu", (unsigned long long)bytes);
}

static void add_text(struct words *words, const char *option, const char *text)
{
	if (!text)
		return;
	words->list[words->count++] = option;
	words->list[words->count++] = text;
}

static void fill_words(struct words *words, const struct zfsd_options *options)
{
	add_text(words, "--socket", options->socket_path);
	add_text(words, "--log", options->log_path);
	add_text(words, "--proof", options->proof_folder);
	add_size(words, "--arc-max", options->arc_max_bytes);
	add_size(words, "--arc-min", options->arc_min_bytes);
	add_size(words, "--dirty-data-max", options->dirty_data_max_bytes);
	add_size(words, "--txg-timeout", (uint64_t)options->txg_timeout_s);
	add_size(words, "--workers", (uint64_t)options->workers);
	if (options->die_with_parent)
		words->list[words->count++] = "--die-with-parent";
	words->list[words->count] = NULL;
}

/* From a little above the last report on; without one the end of the text. */
static const char *last_words(const struct strbuf *text)
{
	const char *report = NULL, *start;

	for (const char *next = text->data; (next = strstr(next, ZFSD_REPORT_LINE)); next++)
		report = next;
	if (!report)
		return text->length > LOG_TAIL_BYTES ? text->data + text->length - LOG_TAIL_BYTES
						     : text->data;
	start = report - text->data > REPORT_ABOVE_BYTES ? report - REPORT_ABOVE_BYTES : text->data;
	while (start > text->data && start < report && start[-1] != '\n')
		start++;
	return start;
}

static int log_tail(const struct zfsd *zfsd, struct err *err, int code, const char *what)
{
	struct strbuf tail = STRBUF_INIT;

	if (zfsd->log_path)
		file_read_tail(zfsd->log_path, REPORT_MOST_BYTES, &tail);
	strbuf_trim(&tail);
	err_set(err, code, "%s%s%.*s", what, tail.length ? "; end of its log:\n" : "",
		REPORT_SHOWN_BYTES, tail.length ? last_words(&tail) : "");
	strbuf_release(&tail);
	return code;
}

static int wait_ready(struct zfsd *zfsd, const char *socket_path, struct err *err)
{
	int64_t deadline_ns = os_monotonic_ns() + START_TIMEOUT_NS;
	int status;

	for (;;) {
		zfsd->socket = connect_socket(socket_path, 0);
		if (zfsd->socket >= 0)
			return zfsd_request(zfsd, "ping", NULL, NULL, err);
		/* Sleeps until the daemon ends, at most 20 ms. */
		if (subprocess_wait(&zfsd->process, 20 * NS_PER_MS, &status, NULL) == 0)
			return log_tail(zfsd, err, -ECHILD, "plumb-zfsd did not start");
		if (os_monotonic_ns() > deadline_ns)
			return log_tail(zfsd, err, -ETIMEDOUT, "plumb-zfsd did not answer in 60 s");
	}
}

int zfsd_start(const struct zfsd_options *options, struct zfsd **ret_zfsd, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct words words = { .arena = &arena };
	struct subprocess_options program = { .arguments = words.list,
		.directory = "/",
		.output_path = options->log_path,
		.error_path = options->log_path,
		.cgroup_procs = options->cgroup_procs };
	struct zfsd *zfsd = memory_new(sizeof(*zfsd));
	char *path = find_program();
	int r = 0;

	strbuf_init(&zfsd->reply);
	zfsd->socket = -1;
	zfsd->log_path = memory_copy_string(options->log_path);
	if (!path)
		r = err_set(err, -ENOENT, "program 'plumb-zfsd' is not there");
	if (r == 0)
		r = zfsd_proof_ensure(path, options->proof_folder, err);
	words.list[words.count++] = path;
	fill_words(&words, options);
	if (r == 0)
		r = subprocess_start(&program, &zfsd->process, err);
	if (r == 0)
		r = wait_ready(zfsd, options->socket_path, err);
	free(path);
	arena_release(&arena);
	if (r < 0) {
		subprocess_end(&zfsd->process, 0);
		zfsd_close(zfsd);
		return r;
	}
	*ret_zfsd = zfsd;
	return 0;
}

/* What a transfer that failed means. */
static int transfer_error(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -EPIPE;
}

static int send_line(int fd, json_t *request)
{
	char *text = json_dumps(request, JSON_COMPACT);
	char *line = memory_format("%s\n", text);
	size_t length = strlen(line), sent = 0;
	int r = 0;

	while (r == 0 && sent < length) {
		ssize_t put = send(fd, line + sent, length - sent, MSG_NOSIGNAL);

		if (put < 0 && errno != EINTR)
			r = transfer_error();
		else if (put > 0)
			sent += (size_t)put;
	}
	free(line);
	free(text);
	return r;
}

/* One line; more than one never comes without a request. */
static int receive_line(struct zfsd *zfsd)
{
	char block[16384];

	strbuf_clear(&zfsd->reply);
	for (;;) {
		ssize_t got = recv(zfsd->socket, block, sizeof(block), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? transfer_error() : -EPIPE;
		strbuf_add(&zfsd->reply, block, (size_t)got);
		if (block[got - 1] == '\n')
			return 0;
		if (zfsd->reply.length > ZFSD_LINE_MAX_BYTES)
			return -EPROTO;
	}
}

static int refused(const json_t *reply, const char *command, struct err *err)
{
	const json_t *error = json_object_get(reply, "error");
	int code = (int)json_integer_value(json_object_get(error, "errno"));
	const char *message = json_string_value(json_object_get(error, "message"));

	return err_set(err, code > 0 ? -code : -EPROTO, "%s", message ? message : command);
}

int zfsd_request(struct zfsd *zfsd, const char *command, json_t *arguments, json_t **ret_result,
	struct err *err)
{
	json_t *request = arguments ? arguments : json_object();
	json_t *reply = NULL;
	int r;

	json_object_set_new(request, "protocol", json_integer(ZFSD_PROTOCOL_VERSION));
	json_object_set_new(request, "command", json_string(command));
	r = send_line(zfsd->socket, request);
	json_decref(request);
	if (r == 0)
		r = receive_line(zfsd);
	if (r == -ETIMEDOUT) {
		/* A late answer must not be taken for the next one's. */
		shutdown(zfsd->socket, SHUT_RDWR);
		return err_set(err, r, "plumb-zfsd does not answer");
	}
	if (r < 0)
		return log_tail(zfsd, err, r, "plumb-zfsd has ended");
	reply = json_loadb(zfsd->reply.data, zfsd->reply.length, 0, NULL);
	if (!json_is_object(reply))
		r = err_set(err, -EPROTO, "plumb-zfsd answered '%.100s'", zfsd->reply.data);
	else if (!json_is_true(json_object_get(reply, "ok")))
		r = refused(reply, command, err);
	else if (ret_result)
		*ret_result = json_incref(json_object_get(reply, "result"));
	json_decref(reply);
	return r;
}

int zfsd_alive(struct zfsd *zfsd, struct err *err)
{
	char how[64], *what;
	int r;

	if (!zfsd->has_ended && zfsd->process.pid > 0)
		zfsd->has_ended = subprocess_wait(&zfsd->process, 0, &zfsd->status, NULL) == 0;
	if (!zfsd->has_ended)
		return 0;
	subprocess_describe_status(zfsd->status, how, sizeof(how));
	what = memory_format("plumb-zfsd has ended with %s", how);
	r = log_tail(zfsd, err, -EPIPE, what);
	free(what);
	return r;
}

pid_t zfsd_pid(const struct zfsd *zfsd)
{
	return zfsd->process.pid;
}

int zfsd_stop(struct zfsd *zfsd, struct err *err)
{
	int status, r;

	if (zfsd_alive(zfsd, NULL) < 0)
		return 0;
	r = zfsd_request(zfsd, "shutdown", NULL, NULL, err);
	if (zfsd->process.pid <= 0) {
		/* Not our child: it has ended when it closes the connection. */
		while (r == 0 && receive_line(zfsd) == 0)
			;
		return r;
	}
	if (r < 0 || subprocess_wait(&zfsd->process, STOP_TIMEOUT_NS, &status, NULL) < 0)
		subprocess_end(&zfsd->process, 5 * NS_PER_S);
	return r;
}

struct zfsd *zfsd_close(struct zfsd *zfsd)
{
	if (!zfsd)
		return NULL;
	if (zfsd->socket >= 0)
		close(zfsd->socket);
	free(zfsd->log_path);
	strbuf_release(&zfsd->reply);
	free(zfsd);
	return NULL;
}
