/*
 * Programs that plumb calls (mkfs, initdb, pgbench, ...): never through a shell, stdin from
 * /dev/null, own process group, no inherited descriptors.
 */
#ifndef BASE_SUBPROCESS_H
#define BASE_SUBPROCESS_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct subprocess_options {
	const char *const *arguments;	/* NULL-ended; [0] is looked up in PATH */
	const char *directory;		/* working directory; NULL: the caller's */
	const char *const *environment; /* "NAME=VALUE" added to the caller's; NULL-ended or NULL */
	const char *output_path;	/* stdout appended here; NULL: see output_fd */
	const char *error_path;		/* stderr appended here; NULL: see error_fd */
	int output_fd;			/* used when output_path is NULL; 0 means /dev/null */
	int error_fd;
	bool drop_user; /* run as user_id, group_id and that user's groups only */
	uid_t user_id;
	gid_t group_id;
	const char *const *cgroup_procs; /* files that the child writes its pid to; NULL-ended */
	bool die_with_parent;		 /* SIGKILL when the starting thread's process ends */
};

struct subprocess {
	pid_t pid;	  /* also its process group; 0 when not running */
	const char *name; /* lent: arguments[0] of the start */
};

/* Resources one program used, from wait4. */
struct subprocess_usage {
	int64_t user_ns;
	int64_t system_ns;
	int64_t max_rss_bytes;
};

/* Start. A program that can't be executed is an error here (-ENOENT names it), not an exit code. */
int subprocess_start(
	const struct subprocess_options *options, struct subprocess *ret_process, struct err *err);

/* Wait at most timeout_ns (negative: for ever). 0 and *ret_status as from waitpid, or
 * -ETIMEDOUT and the program still runs. ret_usage may be NULL. */
int subprocess_wait(struct subprocess *process, int64_t timeout_ns, int *ret_status,
	struct subprocess_usage *ret_usage);

/* Signal the whole process group. A program that has ended is fine. */
void subprocess_signal(const struct subprocess *process, int signal);

/* SIGTERM, wait grace_ns, SIGKILL, wait. Afterwards nothing of the group that we started runs. */
void subprocess_end(struct subprocess *process, int64_t grace_ns);

/* Start, collect stdout and stderr (each may be NULL: dropped), wait. 0 only for exit code 0;
 * otherwise err tells program, exit code or signal, and the tail of stderr (-ECHILD), or
 * -ETIMEDOUT after killing it. */
int subprocess_run(const struct subprocess_options *options, int64_t timeout_ns,
	struct strbuf *output, struct strbuf *errors, struct err *err);

/* The simplest form: run argv, collect stdout. output may be NULL. */
int subprocess_capture(const char *const *arguments, struct strbuf *output, struct err *err);

/* Full path of program in PATH (or in /usr/sbin, /sbin); NULL if not there. Caller frees. */
char *subprocess_find(const char *program);

/* Full path of a program of plumb's own: $variable, else beside the running program (also in the
 * build folder's places), else as subprocess_find(). NULL if not there. Caller frees. */
char *subprocess_find_own(const char *program, const char *variable);

/* "exit code 3" or "signal 9 (Killed)". */
void subprocess_describe_status(int status, char *text, size_t size);

#endif
