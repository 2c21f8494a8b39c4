/*
 * plumb-diskd: shows a device (src/device) to the kernel as a loop device, for filesystems that
 * live there. diskd_protocol.h says how it is called and talked to.
 *
 * A program of its own, so that it can be killed like a machine and its memory is locked: it serves
 * the disk that the system may need to write to in order to get memory.
 */
#include "base/err.h"
#include "base/log.h"
#include "base/memory.h"
#include "device/device_spec.h"
#include "diskd/control.h"
#include "diskd/disk_fuse.h"
#include "diskd/diskd_protocol.h"
#include "diskd/path.h"
#include "platform/os.h"
#include "platform/os_disk.h"
#include "platform/os_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One thread answers an immediate device's requests as they come: with a second one each of them
 * waits for a thread to wake up, and a fifth fewer get through. */
#define DEFAULT_THREADS	  2
#define IMMEDIATE_THREADS 1
#define MOST_THREADS	  64
#define WAIT_RELEASE_MS	  100
#define IDLE_LOOKS	  20 /* of PATH_FOLLOW_MS without a request: an idle disk */

enum poll_place {
	POLL_SIGNAL,
	POLL_PARENT,
	POLL_CONTROL,
	POLL_COUNT = POLL_CONTROL + CONTROL_POLLS
};

struct diskd {
	/* as asked */
	const char *socket_path, *spec_text;
	int threads, ready_fd;
	pid_t parent;

	struct device_spec spec;
	struct device *device;
	struct device_limits limits;
	struct disk_fuse *fuse;
	struct control *control;
	char file_name[64], owner[72];
	char loop_path[OS_LOOP_PATH_SIZE];
	uint64_t start_ticks;
	struct path_follower path;
	int signal_fd, parent_fd;
	bool memory_locked, clock;
	int awake_fd; /* keeps processors awake; -1: they may sleep */
	int idle_looks;
	bool releasing; /* asked to end while the loop device was in use */
	bool ended;
};

static int parse_number(const char *text, long min, long max, const char *option)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*text && *end == '\0' && value >= min && value <= max)
		return (int)value;
	fprintf(stderr, DISKD_PROGRAM ": %s '%s': must be a number from %ld to %ld\n", option, text,
		min, max);
	exit(1);
}

static void redirect_log(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0) {
		fprintf(stderr, DISKD_PROGRAM ": cannot open '%s': %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
}

static void parse_arguments(struct diskd *diskd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "spec", required_argument, NULL, 'd' },
		{ "threads", required_argument, NULL, 't' },
		{ "ready-fd", required_argument, NULL, 'r' },
		{ "parent", required_argument, NULL, 'p' },
		{ "log", required_argument, NULL, 'l' },
		{ "version", no_argument, NULL, 'v' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 's')
			diskd->socket_path = optarg;
		else if (option == 'd')
			diskd->spec_text = optarg;
		else if (option == 't')
			diskd->threads = parse_number(optarg, 1, MOST_THREADS, "--threads");
		else if (option == 'r')
			diskd->ready_fd = parse_number(optarg, 0, 1 << 20, "--ready-fd");
		else if (option == 'p')
			diskd->parent = parse_number(optarg, 1, INT32_MAX, "--parent");
		else if (option == 'l')
			redirect_log(optarg);
		else if (option == 'v') {
			printf(DISKD_PROGRAM " " PLUMB_VERSION "\n");
			exit(0);
		} else
			exit(1);
	}
	if (optind < argc || !diskd->socket_path || !diskd->spec_text) {
		fprintf(stderr, "usage: " DISKD_PROGRAM " --socket PATH --spec SPEC [--threads N]\n"
				"       [--ready-fd FD] [--parent PID] [--log FILE]\n");
		exit(1);
	}
}

static json_t *ping(struct diskd *diskd)
{
	struct strbuf text = STRBUF_INIT;
	json_t *result;

	device_spec_format(&diskd->spec, &text);
	result = json_pack("{s:i, s:I, s:s, s:s, s:s, s:i, s:b, s:I}", "pid", (int)getpid(),
		"start_ticks", (json_int_t)diskd->start_ticks, "loop", diskd->loop_path, "owner",
		diskd->owner, "spec", text.data, "threads", diskd->threads, "memory_locked",
		diskd->memory_locked, "path_ns", (json_int_t)diskd->path.least_ns);
	strbuf_release(&text);
	return result;
}

static int detach(struct diskd *diskd, struct err *err)
{
	int r;

	if (os_block_is_held(diskd->loop_path))
		return err_set(err, -EBUSY, "%s is mounted or in use", diskd->loop_path);
	device_set_clock(diskd->device, false);
	r = os_loop_detach(diskd->loop_path, err);
	diskd->ended = r == 0;
	return r;
}

/* While the disk keeps time, its host's processors stay awake: what they take to wake up would be
 * longer than many a request of a fast model. An idle disk lets them sleep. */
static void keep_awake(struct diskd *diskd, bool awake)
{
	if (awake && diskd->awake_fd < 0)
		diskd->awake_fd = os_keep_processors_awake();
	if (!awake && diskd->awake_fd >= 0) {
		close(diskd->awake_fd);
		diskd->awake_fd = -1;
	}
}

static void follow_path(struct diskd *diskd)
{
	bool busy = path_follow(&diskd->path);

	diskd->idle_looks = busy ? 0 : diskd->idle_looks + 1;
	keep_awake(diskd, diskd->idle_looks < IDLE_LOOKS);
}

static int handle(
	void *context, const char *command, json_t *request, json_t **ret_result, struct err *err)
{
	struct diskd *diskd = context;
	json_t *running = json_object_get(request, "running");

	if (strcmp(command, "ping") == 0) {
		*ret_result = ping(diskd);
		return 0;
	}
	if (strcmp(command, "clock") == 0) {
		if (!json_is_boolean(running))
			return err_set(err, -EINVAL, "clock needs running: true or false");
		diskd->clock = json_is_true(running);
		device_set_clock(diskd->device, diskd->clock);
		diskd->path.begun = false; /* what came before had other times */
		diskd->idle_looks = 0;
		keep_awake(diskd, diskd->clock);
		return 0;
	}
	if (strcmp(command, "stats") == 0) {
		*ret_result = json_pack("{s:I, s:b, s:o}", "time_ns", (json_int_t)os_monotonic_ns(),
			"clock", diskd->clock, "device", device_statistics(diskd->device));
		return 0;
	}
	if (strcmp(command, "drop") == 0) {
		device_drop_unflushed(diskd->device);
		return 0;
	}
	if (strcmp(command, "detach") == 0)
		return detach(diskd, err);
	return err_set(err, -EINVAL, "unknown command '%s'", command);
}

static int open_device(struct diskd *diskd, struct err *err)
{
	int r = device_spec_parse(diskd->spec_text, &diskd->spec, err);

	/* The model measures its sleeps when it is opened. */
	keep_awake(diskd, true);
	if (r == 0)
		r = device_spec_open(&diskd->spec, &diskd->device, err);
	if (r == 0)
		device_limits(diskd->device, &diskd->limits);
	if (r == 0 && diskd->threads == 0)
		diskd->threads = diskd->limits.immediate ? IMMEDIATE_THREADS : DEFAULT_THREADS;
	return r;
}

static int attach_loop(struct diskd *diskd, struct err *err)
{
	int file = -1;
	int r = disk_fuse_open_file(diskd->fuse, &file, err);

	if (r == 0) {
		r = os_loop_attach_file(file, diskd->owner, diskd->limits.logical_sector_bytes,
			diskd->loop_path, err);
		close(file);
	}
	if (r < 0)
		return r;
	/* Refused by some kernels; the word is a hint to the scheduler only. */
	(void)os_block_set_rotational(diskd->loop_path, diskd->limits.rotational);
	path_measure(&diskd->path, diskd->device, diskd->fuse, diskd->loop_path);
	keep_awake(diskd, false);
	return 0;
}

static int open_events(struct diskd *diskd, struct err *err)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	diskd->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (diskd->signal_fd < 0)
		return err_set_errno(err, -errno, "cannot take signals");
	if (diskd->parent > 0) {
		diskd->parent_fd = (int)syscall(SYS_pidfd_open, diskd->parent, 0);
		if (diskd->parent_fd < 0)
			return err_set_errno(
				err, -errno, "process %d, the parent", (int)diskd->parent);
	}
	return control_open(diskd->socket_path, handle, diskd, &diskd->control, err);
}

static int start(struct diskd *diskd, struct err *err)
{
	int r = open_device(diskd, err);

	if (r < 0)
		return r;
	r = os_process_start_ticks(getpid(), &diskd->start_ticks);
	if (r < 0)
		return err_set_errno(err, r, "cannot read our start time");
	snprintf(diskd->file_name, sizeof(diskd->file_name), DISKD_FILE_FORMAT, (long)getpid(),
		(unsigned long long)diskd->start_ticks);
	snprintf(diskd->owner, sizeof(diskd->owner), "/%s", diskd->file_name);
	r = open_events(diskd, err);
	if (r == 0)
		r = disk_fuse_start(
			diskd->device, diskd->file_name, diskd->threads, &diskd->fuse, err);
	if (r == 0)
		r = attach_loop(diskd, err);
	return r;
}

static void say_ready(const struct diskd *diskd)
{
	if (diskd->ready_fd < 0)
		return;
	/* The starter may have gone: --parent notices. */
	(void)!write(diskd->ready_fd, DISKD_READY_LINE, strlen(DISKD_READY_LINE));
	close(diskd->ready_fd);
}

/* Asked to end by a signal: at once if the loop device is free, else when it becomes free. */
static void end_when_free(struct diskd *diskd)
{
	struct err err = ERR_INIT;

	device_set_clock(diskd->device, false);
	if (detach(diskd, &err) == 0 || diskd->releasing)
		return;
	log_warning(DISKD_PROGRAM ": %s; ending when it is free", err.message);
	diskd->releasing = true;
}

/* The parent has gone. What is mounted gets errors; the loop device clears itself at the unmount.
 */
static void end_now(struct diskd *diskd)
{
	device_set_clock(diskd->device, false);
	if (os_block_is_held(diskd->loop_path)) {
		(void)os_loop_release(diskd->loop_path); /* all that is left to do */
		unlink(diskd->socket_path);
		_exit(1);
	}
	(void)detach(diskd, NULL); /* the same */
	diskd->ended = true;
}

static void serve(struct diskd *diskd)
{
	struct pollfd polls[POLL_COUNT];
	struct signalfd_siginfo info;
	int wait_ms;

	while (!diskd->ended) {
		polls[POLL_SIGNAL] = (struct pollfd){ diskd->signal_fd, POLLIN, 0 };
		polls[POLL_PARENT] = (struct pollfd){ diskd->parent_fd, POLLIN, 0 };
		control_polls(diskd->control, &polls[POLL_CONTROL]);
		wait_ms = diskd->releasing ? WAIT_RELEASE_MS : diskd->clock ? PATH_FOLLOW_MS : -1;
		if (poll(polls, POLL_COUNT, wait_ms) < 0)
			continue; /* EINTR */
		if (diskd->clock)
			follow_path(diskd);
		control_serve(diskd->control, &polls[POLL_CONTROL]);
		if (polls[POLL_PARENT].revents && !diskd->ended)
			end_now(diskd);
		if ((polls[POLL_SIGNAL].revents &&
			    read(diskd->signal_fd, &info, sizeof(info)) > 0) ||
			diskd->releasing)
			end_when_free(diskd);
	}
}

static void stop(struct diskd *diskd)
{
	control_close(diskd->control);
	disk_fuse_stop(diskd->fuse);
	device_close(diskd->device);
	device_spec_release(&diskd->spec);
}

/* Against waiting for memory that only our own disk could give, and for a processor that the host's
 * work holds. Without the rights for it the disk works all the same, only less exactly. */
static void protect(struct diskd *diskd)
{
	int locked = os_lock_memory();
	int flusher = os_become_io_flusher();
	int urgent = os_become_urgent();

	diskd->memory_locked = locked == 0;
	if (locked < 0)
		log_warning(DISKD_PROGRAM ": cannot lock memory: %s", strerror(-locked));
	if (flusher < 0)
		log_info(DISKD_PROGRAM ": cannot become an I/O flusher: %s", strerror(-flusher));
	if (urgent < 0)
		log_info(DISKD_PROGRAM ": cannot run before others: %s", strerror(-urgent));
}

int main(int argc, char **argv)
{
	struct diskd diskd = { .ready_fd = -1, .parent_fd = -1, .awake_fd = -1 };
	struct err err = ERR_INIT;
	sigset_t signals;
	int r;

	parse_arguments(&diskd, argc, argv);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGPIPE);
	sigprocmask(SIG_BLOCK, &signals, NULL); /* before threads, which inherit it */
	protect(&diskd);
	r = start(&diskd, &err);
	if (r < 0) {
		fprintf(stderr, DISKD_PROGRAM ": %s\n", err.message);
		if (diskd.control)
			unlink(diskd.socket_path);
		_exit(1); /* threads of a half-made session may be waiting: nothing to save */
	}
	say_ready(&diskd);
	serve(&diskd);
	stop(&diskd);
	return 0;
}
