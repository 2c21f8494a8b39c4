/* Starting and talking to plumb-diskd (see diskd_client.h). */
#include "device/diskd_client.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/subprocess.h"
#include "device/device_spec.h"
#include "device/model_table.h"
#include "diskd/diskd_protocol.h"
#include "platform/os.h"
#include "platform/os_loop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define START_TIMEOUT_NS (30 * NS_PER_S)
#define REPLY_TIMEOUT_NS (30 * NS_PER_S)
#define STOP_TIMEOUT_NS	 (20 * NS_PER_S)
#define ERROR_TAIL_BYTES 2000

struct diskd {
	int fd;			   /* of the control socket */
	struct subprocess process; /* pid 0: not our child */
	char *loop_path, *owner, *spec;
	pid_t pid;
	uint64_t start_ticks;
	int64_t path_ns;
	struct strbuf line; /* received, not yet used */
};

static int wait_readable(int fd, int64_t deadline_ns)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left_ms = MAX((deadline_ns - os_monotonic_ns()) / NS_PER_MS, 0);
		int ready = poll(&poll_fd, 1, (int)left_ms);

		if (ready > 0)
			return 0;
		if (ready == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int send_line(int fd, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	size_t sent = 0;
	int r = 0;

	strbuf_add_text(&line, text);
	strbuf_add_char(&line, '\n');
	while (r == 0 && sent < line.length) {
		ssize_t put = send(fd, line.data + sent, line.length - sent, MSG_NOSIGNAL);

		if (put > 0)
			sent += (size_t)put;
		else if (errno != EINTR)
			r = errno == ECONNRESET ? -EPIPE : -errno;
	}
	strbuf_release(&line);
	return r;
}

/* Wait for a whole line; it is taken out of diskd->line. */
static int receive_line(struct diskd *diskd, struct strbuf *ret_line)
{
	int64_t deadline_ns = os_monotonic_ns() + REPLY_TIMEOUT_NS;
	char *newline;

	while (!(newline = memchr(diskd->line.data, '\n', diskd->line.length))) {
		char block[4096];
		int r = wait_readable(diskd->fd, deadline_ns);
		ssize_t got;

		if (r < 0)
			return r;
		got = recv(diskd->fd, block, sizeof(block), 0);
		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return -EPIPE;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			strbuf_add(&diskd->line, block, (size_t)got);
		if (diskd->line.length > DISKD_LINE_MAX_BYTES)
			return -EPROTO;
	}
	strbuf_add(ret_line, diskd->line.data, (size_t)(newline - diskd->line.data));
	strbuf_clear(&diskd->line);
	return 0;
}

static int parse_reply(const char *line, json_t **ret_result, struct err *err)
{
	json_t *reply = json_loads(line, 0, NULL), *error;
	int code, r = 0;

	if (!reply)
		return err_set(err, -EPROTO, "plumb-diskd answered '%.200s'", line);
	error = json_object_get(reply, "error");
	code = (int)json_integer_value(json_object_get(error, "errno"));
	if (json_is_true(json_object_get(reply, "ok"))) {
		if (ret_result)
			*ret_result = json_incref(json_object_get(reply, "result"));
	} else {
		const char *message = json_string_value(json_object_get(error, "message"));

		r = err_set(err, code > 0 ? -code : -EPROTO, "plumb-diskd: %s",
			message ? message : "no reason given");
	}
	json_decref(reply);
	return r;
}

/* request is taken over. */
static int call(struct diskd *diskd, json_t *request, json_t **ret_result, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *text;
	int r;

	json_object_set_new(request, "protocol", json_integer(DISKD_PROTOCOL_VERSION));
	text = json_dumps(request, JSON_COMPACT);
	json_decref(request);
	r = text ? send_line(diskd->fd, text) : -ENOMEM;
	free(text);
	if (r == 0)
		r = receive_line(diskd, &line);
	if (r == 0)
		r = parse_reply(line.data, ret_result, err);
	else if (r == -EPIPE)
		err_set(err, r, "plumb-diskd (process %d) has ended", (int)diskd->pid);
	else
		err_set_errno(err, r, "plumb-diskd (process %d) does not answer", (int)diskd->pid);
	strbuf_release(&line);
	return r;
}

static int connect_socket(const char *path, int *ret_fd, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, -ENAMETOOLONG, "socket '%s': at most %zu bytes", path,
			sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make a socket");
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int r = err_set_errno(err, -errno, "cannot talk to plumb-diskd at '%s'", path);

		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static int learn(struct diskd *diskd, struct err *err)
{
	json_t *result = NULL;
	int r = call(diskd, json_pack("{s:s}", "command", "ping"), &result, err);

	if (r < 0)
		return r;
	diskd->pid = (pid_t)json_integer_value(json_object_get(result, "pid"));
	diskd->start_ticks = (uint64_t)json_integer_value(json_object_get(result, "start_ticks"));
	diskd->path_ns = json_integer_value(json_object_get(result, "path_ns"));
	diskd->loop_path = memory_copy_string(json_string_value(json_object_get(result, "loop")));
	diskd->owner = memory_copy_string(json_string_value(json_object_get(result, "owner")));
	diskd->spec = memory_copy_string(json_string_value(json_object_get(result, "spec")));
	json_decref(result);
	if (diskd->pid <= 0 || !diskd->loop_path || !diskd->owner || !diskd->spec)
		return err_set(err, -EPROTO, "plumb-diskd does not say what it is");
	return 0;
}

int diskd_connect(const char *socket_path, struct diskd **ret_diskd, struct err *err)
{
	struct diskd *diskd;
	int fd = -1;
	int r = connect_socket(socket_path, &fd, err);

	if (r < 0)
		return r;
	diskd = memory_new(sizeof(*diskd));
	diskd->fd = fd;
	strbuf_init(&diskd->line);
	r = learn(diskd, err);
	if (r < 0) {
		diskd_close(diskd);
		return r;
	}
	*ret_diskd = diskd;
	return 0;
}

/* Beside our own program, where the build and the installation put it, or in PATH. */
static char *find_program(const struct diskd_options *options)
{
	static const char *const places[] = { DISKD_PROGRAM, "diskd/" DISKD_PROGRAM };
	const char *asked = options->program ? options->program : getenv("PLUMB_DISKD");
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (asked)
		return memory_copy_string(asked);
	self[MAX(length, 0)] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		char *candidate = memory_format("%.*s/%s", (int)(slash - self), self, places[i]);

		if (access(candidate, X_OK) == 0)
			return candidate;
		free(candidate);
	}
	return memory_copy_string(DISKD_PROGRAM);
}

/* READY, or the daemon's last words. */
static int await_ready(int ready_fd, int error_fd, struct err *err)
{
	int64_t deadline_ns = os_monotonic_ns() + START_TIMEOUT_NS;
	char text[ERROR_TAIL_BYTES + 1];
	ssize_t got;
	int r = wait_readable(ready_fd, deadline_ns);

	if (r < 0)
		return err_set_errno(err, r, "plumb-diskd does not become ready");
	got = read(ready_fd, text, sizeof(text) - 1);
	if (got == (ssize_t)strlen(DISKD_READY_LINE) &&
		memcmp(text, DISKD_READY_LINE, (size_t)got) == 0)
		return 0;
	got = pread(error_fd, text, sizeof(text) - 1, 0);
	text[MAX(got, 0)] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return err_set(err, -ECHILD, "%s", got > 0 ? text : "plumb-diskd ended at once");
}

/* Errors go to a file of our own while it starts, so that they can be told, then to output_path:
 * the daemon opens that itself. */
static int launch(const struct diskd_options *options, int ready_fd, int error_fd,
	struct subprocess *ret_process, struct err *err)
{
	char *program = find_program(options);
	char parent[24];
	const char *arguments[] = { program, "--socket", options->socket_path, "--spec",
		options->spec, "--ready-fd", "1", NULL, NULL, NULL };
	struct subprocess_options start = { .arguments = arguments,
		.output_fd = ready_fd,
		.error_fd = error_fd,
		.error_path = options->output_path,
		.cgroup_procs = options->cgroup_procs };
	int r;

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	if (options->die_with_parent) {
		arguments[7] = "--parent";
		arguments[8] = parent;
	}
	r = subprocess_start(&start, ret_process, err);
	ret_process->name = DISKD_PROGRAM;
	free(program);
	return r;
}

static int launch_and_wait(
	const struct diskd_options *options, struct subprocess *ret_process, struct err *err)
{
	int ready[2], r;
	int error_fd = options->output_path
			       ? open(options->output_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
			       : open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (error_fd < 0)
		return err_set_errno(err, -errno, "cannot keep the messages of plumb-diskd");
	if (pipe2(ready, O_CLOEXEC) < 0) {
		close(error_fd);
		return err_set_errno(err, -errno, "cannot make a pipe");
	}
	r = launch(options, ready[1], error_fd, ret_process, err);
	close(ready[1]);
	if (r == 0) {
		r = await_ready(ready[0], error_fd, err);
		if (r < 0)
			subprocess_end(ret_process, NS_PER_S);
	}
	close(ready[0]);
	close(error_fd);
	return r;
}

int diskd_start(const struct diskd_options *options, struct diskd **ret_diskd, struct err *err)
{
	struct subprocess process;
	struct diskd *diskd = NULL;
	int r = launch_and_wait(options, &process, err);

	if (r < 0)
		return err_prefix(err, r, "start the disk '%s'", options->spec);
	r = diskd_connect(options->socket_path, &diskd, err);
	if (r < 0) {
		subprocess_end(&process, NS_PER_S);
		return r;
	}
	diskd->process = process;
	*ret_diskd = diskd;
	return 0;
}

const char *diskd_loop_path(const struct diskd *diskd)
{
	return diskd->loop_path;
}

const char *diskd_loop_owner(const struct diskd *diskd)
{
	return diskd->owner;
}

const char *diskd_spec(const struct diskd *diskd)
{
	return diskd->spec;
}

pid_t diskd_pid(const struct diskd *diskd)
{
	return diskd->pid;
}

uint64_t diskd_start_ticks(const struct diskd *diskd)
{
	return diskd->start_ticks;
}

int64_t diskd_path_ns(const struct diskd *diskd)
{
	return diskd->path_ns;
}

int diskd_check_speed(const struct diskd *diskd, struct err *err)
{
	struct device_spec spec = { 0 };
	struct model_parameters model;
	double read_us, fastest_us, floor_us = (double)diskd->path_ns / 1e3;
	int r = device_spec_parse(diskd->spec, &spec, err);

	if (r == 0)
		r = model_parameters_load(spec.model, spec.model_parameters, &model, err);
	if (r == 0 && model_has_time(&model) && !model_is_disk(&model)) {
		read_us = model_read_ns(&model) * spec.slow / 1e3;
		fastest_us = model_fastest_ns(&model) * spec.slow / 1e3;
		if (read_us < 2 * floor_us)
			r = err_set(err, -ERANGE,
				"model '%s' takes %.0f us for a read, the way to it takes %.0f us "
				"here: it must take twice that at least (slow=%.0f)",
				spec.model, read_us, floor_us,
				ceil(2 * floor_us / read_us * spec.slow));
		else if (fastest_us < floor_us)
			log_warning("model '%s' ends cached writes after %.0f us, the way to it "
				    "takes %.0f us here: they will take that",
				spec.model, fastest_us, floor_us);
	}
	device_spec_release(&spec);
	return r;
}

int diskd_set_clock(struct diskd *diskd, bool running, struct err *err)
{
	return call(
		diskd, json_pack("{s:s, s:b}", "command", "clock", "running", running), NULL, err);
}

int diskd_statistics(struct diskd *diskd, json_t **ret_statistics, struct err *err)
{
	return call(diskd, json_pack("{s:s}", "command", "stats"), ret_statistics, err);
}

int diskd_drop_unflushed(struct diskd *diskd, struct err *err)
{
	return call(diskd, json_pack("{s:s}", "command", "drop"), NULL, err);
}

static bool has_ended(pid_t pid, uint64_t start_ticks)
{
	char path[40], text[512], *state;
	uint64_t ticks;
	ssize_t got;
	int fd;

	if (os_process_start_ticks(pid, &ticks) < 0 || ticks != start_ticks)
		return true;
	/* Killed and not yet reaped is ended, too. */
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[MAX(got, 0)] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] == '\0' || state[2] == 'Z' || state[2] == 'X';
}

bool diskd_is_running(const struct diskd *diskd)
{
	return !has_ended(diskd->pid, diskd->start_ticks);
}

/* After its last answer. */
static int await_end(struct diskd *diskd, struct err *err)
{
	int64_t deadline_ns = os_monotonic_ns() + STOP_TIMEOUT_NS;
	int status, r = 0;

	if (diskd->process.pid > 0)
		r = subprocess_wait(&diskd->process, STOP_TIMEOUT_NS, &status, NULL);
	else
		r = os_wait_process(diskd->pid, MAX(deadline_ns - os_monotonic_ns(), 0));
	if (r == -ESRCH)
		r = 0;
	return r < 0 ? err_set_errno(
			       err, r, "plumb-diskd (process %d) does not end", (int)diskd->pid)
		     : 0;
}

int diskd_stop(struct diskd *diskd, struct err *err)
{
	struct err why = ERR_INIT;
	int r = call(diskd, json_pack("{s:s}", "command", "detach"), NULL, &why);

	if (r == 0)
		return await_end(diskd, err);
	if (r != -EPIPE || diskd_is_running(diskd))
		return err_set(err, r, "%s", why.message);
	if (diskd->process.pid > 0)
		await_end(diskd, err);
	return diskd_clear_loop(diskd->loop_path, diskd->owner, err);
}

struct diskd *diskd_close(struct diskd *diskd)
{
	if (!diskd)
		return NULL;
	close(diskd->fd);
	strbuf_release(&diskd->line);
	free(diskd->loop_path);
	free(diskd->owner);
	free(diskd->spec);
	free(diskd);
	return NULL;
}

/* The backing file that the kernel shows; false: not attached. */
static bool read_owner(const char *loop_path, struct strbuf *owner)
{
	const char *name = strrchr(loop_path, '/');
	char path[80];

	snprintf(
		path, sizeof(path), "/sys/block/%s/loop/backing_file", name ? name + 1 : loop_path);
	if (file_read(path, owner, NULL) < 0)
		return false;
	strbuf_trim(owner);
	return true;
}

int diskd_clear_loop(const char *loop_path, const char *owner, struct err *err)
{
	struct strbuf found = STRBUF_INIT;
	bool ours = read_owner(loop_path, &found) && strcmp(found.data, owner) == 0;

	strbuf_release(&found);
	return ours ? os_loop_detach(loop_path, err) : 0;
}

int diskd_find_leftovers(diskd_leftover *found, void *context, struct err *err)
{
	DIR *folder = opendir("/sys/block");
	struct dirent *entry;

	if (!folder)
		return err_set_errno(err, -errno, "cannot list /sys/block");
	while ((entry = readdir(folder))) {
		struct strbuf owner = STRBUF_INIT;
		unsigned long long ticks;
		char loop_path[300];
		long pid;

		snprintf(loop_path, sizeof(loop_path), "/dev/%s", entry->d_name);
		if (strncmp(entry->d_name, "loop", 4) == 0 && read_owner(loop_path, &owner) &&
			sscanf(owner.data, "/" DISKD_FILE_FORMAT, &pid, &ticks) == 2 &&
			has_ended((pid_t)pid, ticks))
			found(context, loop_path, owner.data);
		strbuf_release(&owner);
	}
	closedir(folder);
	return 0;
}
