/*
 * plumb-zfsd: OpenZFS in a process of its own, with FUSE in front and plumb's devices below. This
 * file reads the command line and starts and ends the parts in order; zfsd_protocol.h says what
 * for.
 */
#include "zfsd/crash_report.h"
#include "zfsd/daemon.h"
#include "zfsd/self_test.h"
#include "zfsd/zfsd_options.h"
#include "zfsd/zfsd_protocol.h"

#include "base/clock.h"
#include "base/log.h"
#include "platform/os_fuse_ring.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void write_log_line(void *context, enum log_level level, const char *line)
{
	static const char *const words[] = { "debug", "info", "warning", "error" };
	int64_t now_ns = clock_system()->utc_ns(clock_system());

	(void)context;
	fprintf(stderr, "%lld.%03d %s: %s\n", (long long)(now_ns / NS_PER_S),
		(int)(now_ns % NS_PER_S / NS_PER_MS), words[level], line);
}

/* The library and libfuse write to stderr by themselves: let stderr be the log. */
static int open_log(const char *path, struct err *err)
{
	if (path && !freopen(path, "ae", stderr))
		return err_set_errno(err, -errno, "log file '%s'", path);
	setvbuf(stderr, NULL, _IOLBF, 0);
	log_set_sink(write_log_line, NULL, LOG_LEVEL_INFO);
	return 0;
}

/* Signals that end us are read from a descriptor; no other thread may get them. */
static int block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int follow_parent(const struct daemon_options *options, struct err *err)
{
	pid_t parent = getppid();

	if (!options->die_with_parent)
		return 0;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_set_errno(err, -errno, "ask to end with the parent");
	return getppid() != parent ? err_set(err, -ECANCELED, "the parent is gone already") : 0;
}

static void say_ready(int fd)
{
	if (fd < 0)
		return;
	if (write(fd, ZFSD_READY_LINE, strlen(ZFSD_READY_LINE)) < 0)
		log_warning("nobody listens on the ready descriptor");
	close(fd);
}

static void wait_for_end(const struct zfsd_daemon *daemon, int signal_fd)
{
	struct pollfd waits[] = { { .fd = daemon->stop_fd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN } };

	while (!(waits[0].revents & POLLIN) && !(waits[1].revents & POLLIN)) {
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			return;
	}
}

/* From the first thread of the library on. */
static int run(struct zfsd_daemon *daemon, int signal_fd, struct err *err)
{
	uint64_t one = 1;
	int r = kernel_start(&daemon->options.kernel, err);

	if (r == 0)
		r = watchdog_start(daemon, err);
	if (r == 0)
		r = admin_start(daemon, err);
	if (r < 0)
		return r;
	log_info("%s serves '%s'", ZFSD_PROGRAM, daemon->options.socket_path);
	say_ready(daemon->options.ready_fd);
	wait_for_end(daemon, signal_fd);
	pthread_mutex_lock(&daemon->change_lock);
	r = daemon_stop_all(daemon, true, err);
	pthread_mutex_unlock(&daemon->change_lock);
	if (write(daemon->stop_fd, &one, sizeof(one)) < 0)
		log_warning("stop: %s", strerror(errno));
	admin_stop(daemon);
	if (r == 0)
		kernel_stop();
	log_info("%s ends", ZFSD_PROGRAM);
	return r;
}

/* One that was killed while a mount began may have left it on. */
static void mend_ring_switch(void)
{
	struct os_fuse_ring ring = OS_FUSE_RING_INIT;

	if (os_fuse_ring_mend(&ring))
		log_warning("turned off '%s', left on by one that was killed", ring.path);
}

static int start(struct zfsd_daemon *daemon, struct err *err)
{
	int signal_fd, r = follow_parent(&daemon->options, err);

	if (r == 0)
		r = kernel_check_library(&daemon->library, err);
	if (r == 0)
		r = open_log(daemon->options.log_path, err);
	if (r < 0)
		return r;
	if (!daemon->library.is_as_built)
		log_warning("OpenZFS %s: not the library that this program was built with",
			daemon->library.version);
	if (daemon->options.self_test_folder)
		return self_test_run(daemon->options.self_test_folder, daemon->library.hash,
			&daemon->options.kernel, err);
	r = self_test_ensure(
		daemon->options.proof_folder, daemon->library.hash, &daemon->options.kernel, err);
	if (r < 0)
		return r;
	signal_fd = block_signals();
	if (signal_fd < 0 || daemon->stop_fd < 0)
		return err_set_errno(err, -EMFILE, "descriptors");
	prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0); /* needs a privilege; without it we do without */
	mend_ring_switch();
	crash_report_install();
	return run(daemon, signal_fd, err);
}

void daemon_end_now(int status)
{
	_exit(status);
}

int main(int argc, char **argv)
{
	struct zfsd_daemon daemon = {
		.change_lock = PTHREAD_MUTEX_INITIALIZER,
		.mounts_lock = PTHREAD_MUTEX_INITIALIZER,
		.stop_fd = eventfd(0, EFD_CLOEXEC),
		.start_ns = clock_system()->now_ns(clock_system()),
	};
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int r = zfsd_options_parse(argc, argv, &daemon.options, &text, &err);

	if (r == 0 && text.length > 0)
		printf("%s", text.data);
	else if (r == 0)
		r = start(&daemon, &err);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", ZFSD_PROGRAM, err.message);
	strbuf_release(&text);
	zfsd_options_release(&daemon.options);
	return r < 0 ? 1 : 0;
}
