/*
 * posix_conformance FOLDER: every call that PostgreSQL, cp, tar, rsync, mv, find and df make,
 * errors included, tried in FOLDER. Prints one line a call without anything that differs between
 * two runs on one filesystem, so that `diff` between two filesystems is the comparison.
 */
#include "posix_say.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *group = "";
static const char *top;

void say(const char *name, const char *format, ...)
{
	va_list args;

	printf("%s.%s: ", group, name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

const char *errno_name(int code)
{
	const char *name = strerrorname_np(code);

	if (code == EOPNOTSUPP) /* the same number as ENOTSUP */
		return "EOPNOTSUPP";
	return name ? name : "?";
}

void say_result(const char *name, long result)
{
	if (result < 0)
		say(name, "%s", errno_name(errno));
	else
		say(name, "%ld", result);
}

void begin_group(const char *name)
{
	group = name;
	if (chdir(top) < 0 || mkdir(name, 0777) < 0 || chmod(name, 0777) < 0 || chdir(name) < 0) {
		fprintf(stderr, "cannot use folder '%s/%s': %s\n", top, name, strerror(errno));
		exit(2);
	}
}

int make_file(const char *name, size_t size)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	char block[4096];
	size_t done = 0;

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 7 + 1);
	while (fd >= 0 && done < size) {
		size_t part = size - done < sizeof(block) ? size - done : sizeof(block);

		if (pwrite(fd, block, part, (off_t)done) != (ssize_t)part)
			return -1;
		done += part;
	}
	return fd;
}

unsigned long file_sum(const char *name)
{
	unsigned long sum = 5381;
	unsigned char block[4096];
	int fd = open(name, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return 0;
	while ((got = read(fd, block, sizeof(block))) > 0)
		for (ssize_t i = 0; i < got; i++)
			sum = sum * 33 + block[i];
	close(fd);
	return sum;
}

void as_other_user(void (*function)(void))
{
	const struct passwd *nobody = getpwnam("nobody");
	pid_t pid;

	fflush(stdout);
	if (getuid() != 0 || !nobody)
		return;
	pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setgid(nobody->pw_gid) < 0 ||
			setuid(nobody->pw_uid) < 0)
			_exit(1);
		function();
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: posix_conformance FOLDER\n");
		return 2;
	}
	top = realpath(argv[1], NULL);
	umask(022);
	if (!top) {
		perror(argv[1]);
		return 2;
	}
	posix_data_cases();
	posix_namespace_cases();
	posix_attribute_cases();
	return 0;
}
