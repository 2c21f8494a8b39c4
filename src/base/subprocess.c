/* Starting and waiting for programs (see subprocess.h). */
#include "base/subprocess.h"

#include "base/memory.h"
#include "platform/os.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define ERROR_TAIL_BYTES 2000

/* Everything the child needs, made before fork: after it only async-signal-safe calls. */
struct launch {
	const struct subprocess_options *options;
	char *path;
	char **environment;
	int output;
	int error;
	int report[2]; /* the child writes errno here if exec fails; closed by exec */
	pid_t parent;
};

static bool same_variable(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");

	return strncmp(a, b, length) == 0 && b[length] == '=';
}

static char **merge_environment(const char *const *added)
{
	size_t count = 0, used = 0;
	char **result;

	for (char **variable = environ; *variable; variable++)
		count++;
	for (size_t i = 0; added && added[i]; i++)
		count++;
	result = memory_new_array(count + 1, sizeof(*result));
	for (char **variable = environ; *variable; variable++) {
		bool replaced = false;

		for (size_t i = 0; added && added[i]; i++)
			replaced |= same_variable(added[i], *variable);
		if (!replaced)
			result[used++] = *variable;
	}
	for (size_t i = 0; added && added[i]; i++)
		result[used++] = (char *)added[i];
	return result;
}

char *subprocess_find(const char *program)
{
	const char *path = getenv("PATH");
	char *all, *rest, *folder;

	if (strchr(program, '/'))
		return access(program, X_OK) == 0 ? memory_copy_string(program) : NULL;
	all = memory_format("%s:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", path ? path : "");
	rest = all;
	while ((folder = strsep(&rest, ":"))) {
		char *candidate = memory_format("%s/%s", folder, program);

		if (*folder && access(candidate, X_OK) == 0) {
			free(all);
			return candidate;
		}
		free(candidate);
	}
	free(all);
	return NULL;
}

char *subprocess_find_own(const char *program, const char *variable)
{
	static const char *const places[] = { "", "zfsd/", "diskd/", "../", "../libexec/plumb/" };
	const char *chosen = getenv(variable);
	char self[4096];
	char *found = NULL;

	if (chosen && *chosen)
		return subprocess_find(chosen);
	if (os_own_path(self, sizeof(self)) == 0) {
		*strrchr(self, '/') = '\0';
		for (size_t i = 0; !found && i < ARRAY_SIZE(places); i++) {
			char *path = memory_format("%s/%s%s", self, places[i], program);

			found = access(path, X_OK) == 0 ? path : NULL;
			if (!found)
				free(path);
		}
	}
	return found ? found : subprocess_find(program);
}

static int open_stream(const char *path, int fd)
{
	if (path)
		return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd > 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static void join_cgroups(const char *const *procs)
{
	for (size_t i = 0; procs && procs[i]; i++) {
		int fd = open(procs[i], O_WRONLY | O_CLOEXEC);

		/* "0" is the writer itself, in cgroup v1 and v2 alike. */
		if (fd < 0 || write(fd, "0", 1) != 1)
			return;
		close(fd);
	}
}

static int child_prepare(const struct launch *launch)
{
	const struct subprocess_options *options = launch->options;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	if (null < 0 || dup2(null, 0) < 0 || dup2(launch->output, 1) < 0 ||
		dup2(launch->error, 2) < 0)
		return -1;
	errno = 0;
	join_cgroups(options->cgroup_procs);
	if (errno)
		return -1;
	if (options->drop_user && (setgroups(0, NULL) < 0 || setgid(options->group_id) < 0 ||
					  setuid(options->user_id) < 0))
		return -1;
	if (options->die_with_parent && os_die_with_parent(launch->parent) < 0)
		return -1;
	if (options->directory && chdir(options->directory) < 0)
		return -1;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return 0;
}

static void child_run(const struct launch *launch)
{
	int code;

	if (child_prepare(launch) == 0) {
		os_close_descriptors_above(2, launch->report[1]);
		execve(launch->path, (char *const *)launch->options->arguments,
			launch->environment);
	}
	code = errno ? errno : EINVAL;
	(void)!write(launch->report[1], &code, sizeof(code)); /* nobody left to tell */
	_exit(127);
}

static int launch_child(struct launch *launch, struct subprocess *ret_process)
{
	int code = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(launch->report, O_CLOEXEC) < 0)
		return -errno;
	launch->parent = getpid();
	pid = fork();
	if (pid == 0)
		child_run(launch);
	close(launch->report[1]);
	if (pid < 0) {
		code = -errno;
		close(launch->report[0]);
		return code;
	}
	setpgid(pid, pid); /* both sides, so that neither has to wait for the other */
	do {
		got = read(launch->report[0], &code, sizeof(code));
	} while (got < 0 && errno == EINTR);
	close(launch->report[0]);
	if (got == sizeof(code)) {
		waitpid(pid, NULL, 0);
		return -code;
	}
	ret_process->pid = pid;
	ret_process->name = launch->options->arguments[0];
	return 0;
}

int subprocess_start(
	const struct subprocess_options *options, struct subprocess *ret_process, struct err *err)
{
	struct launch launch = { .options = options, .output = -1, .error = -1 };
	int r = 0;

	launch.path = subprocess_find(options->arguments[0]);
	if (!launch.path)
		return err_set(
			err, -ENOENT, "program '%s' is not installed", options->arguments[0]);
	launch.output = open_stream(options->output_path, options->output_fd);
	launch.error = open_stream(options->error_path, options->error_fd);
	if (launch.output < 0 || launch.error < 0)
		r = err_set_errno(
			err, -errno, "cannot open the output of '%s'", options->arguments[0]);
	if (r == 0) {
		launch.environment = merge_environment(options->environment);
		r = launch_child(&launch, ret_process);
		if (r < 0)
			err_set_errno(err, r, "cannot start '%s'", launch.path);
	}
	if (launch.output >= 0)
		close(launch.output);
	if (launch.error >= 0)
		close(launch.error);
	free(launch.environment);
	free(launch.path);
	return r;
}

static int64_t timeval_ns(struct timeval value)
{
	return value.tv_sec * NS_PER_S + value.tv_usec * NS_PER_US;
}

int subprocess_wait(struct subprocess *process, int64_t timeout_ns, int *ret_status,
	struct subprocess_usage *ret_usage)
{
	struct rusage usage;
	int status;
	int r = os_wait_process(process->pid, timeout_ns);

	if (r < 0)
		return r;
	while (wait4(process->pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	process->pid = 0;
	*ret_status = status;
	if (ret_usage) {
		ret_usage->user_ns = timeval_ns(usage.ru_utime);
		ret_usage->system_ns = timeval_ns(usage.ru_stime);
		ret_usage->max_rss_bytes = usage.ru_maxrss * 1024L;
	}
	return 0;
}

void subprocess_signal(const struct subprocess *process, int signal)
{
	if (process->pid > 0)
		kill(-process->pid, signal);
}

void subprocess_end(struct subprocess *process, int64_t grace_ns)
{
	pid_t group = process->pid;
	int status;

	if (group <= 0)
		return;
	kill(-group, SIGTERM);
	if (subprocess_wait(process, grace_ns, &status, NULL) == -ETIMEDOUT) {
		kill(-group, SIGKILL);
		subprocess_wait(process, -1, &status, NULL);
	}
	kill(-group, SIGKILL); /* what it left in its group */
	process->pid = 0;
}

void subprocess_describe_status(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "exit code %d", WEXITSTATUS(status));
}

/* Read both pipes until both end or time is up. */
static int collect(int pipes[2], struct strbuf *texts[2], int64_t deadline_ns)
{
	struct pollfd polls[2] = { { pipes[0], POLLIN, 0 }, { pipes[1], POLLIN, 0 } };
	char block[8192];

	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		int64_t left_ms = deadline_ns < 0
					  ? -1
					  : MAX(0, (deadline_ns - os_monotonic_ns()) / NS_PER_MS);
		int ready = poll(polls, 2, (int)MIN(left_ms, 3600000));

		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0 && deadline_ns >= 0 && os_monotonic_ns() >= deadline_ns)
			return -ETIMEDOUT;
		for (int i = 0; ready > 0 && i < 2; i++) {
			ssize_t got;

			if (polls[i].fd < 0 || !polls[i].revents)
				continue;
			got = read(polls[i].fd, block, sizeof(block));
			if (got > 0)
				strbuf_add(texts[i], block, (size_t)got);
			else if (got == 0 || errno != EINTR)
				polls[i].fd = -1;
		}
	}
	return 0;
}

static int check_status(const struct subprocess_options *options, int status,
	const struct strbuf *errors, struct err *err)
{
	size_t skip = errors->length > ERROR_TAIL_BYTES ? errors->length - ERROR_TAIL_BYTES : 0;
	char text[64];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	subprocess_describe_status(status, text, sizeof(text));
	return err_set(err, -ECHILD, "'%s' ended with %s%s%s", options->arguments[0], text,
		errors->length ? ": " : "", errors->data + skip);
}

static int run_collecting(const struct subprocess_options *options, int64_t timeout_ns,
	struct strbuf *texts[2], struct err *err)
{
	struct subprocess_options with_pipes = *options;
	int out[2], error[2], status, r;
	struct subprocess process;

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_set_errno(err, -errno, "cannot make a pipe");
	if (pipe2(error, O_CLOEXEC) < 0) {
		r = err_set_errno(err, -errno, "cannot make a pipe");
		close(out[0]);
		close(out[1]);
		return r;
	}
	with_pipes.output_fd = out[1];
	with_pipes.error_fd = error[1];
	r = subprocess_start(&with_pipes, &process, err);
	close(out[1]);
	close(error[1]);
	if (r == 0) {
		int pipes[2] = { out[0], error[0] };

		r = collect(pipes, texts, timeout_ns < 0 ? -1 : os_monotonic_ns() + timeout_ns);
		if (r < 0) {
			subprocess_end(&process, NS_PER_S);
			err_set_errno(err, r, "'%s'", options->arguments[0]);
		} else {
			r = subprocess_wait(&process, -1, &status, NULL);
			if (r == 0)
				r = check_status(options, status, texts[1], err);
		}
	}
	close(out[0]);
	close(error[0]);
	return r;
}

int subprocess_run(const struct subprocess_options *options, int64_t timeout_ns,
	struct strbuf *output, struct strbuf *errors, struct err *err)
{
	struct strbuf own_output = STRBUF_INIT, own_errors = STRBUF_INIT;
	struct strbuf *texts[2] = { output ? output : &own_output, errors ? errors : &own_errors };
	int r = run_collecting(options, timeout_ns, texts, err);

	strbuf_release(&own_output);
	strbuf_release(&own_errors);
	return r;
}

int subprocess_capture(const char *const *arguments, struct strbuf *output, struct err *err)
{
	struct subprocess_options options = { .arguments = arguments };

	return subprocess_run(&options, -1, output, NULL, err);
}
