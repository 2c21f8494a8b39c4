/* The command line of a daemon, from /proc. */
#include "doctor/collect/zfsd_process.h"
#include "zfsd/zfsd_protocol.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool zfsd_socket_of(const char *process, char *ret_path, size_t size)
{
	char path[64], line[4096];
	int fd;

	if (process[0] < '1' || process[0] > '9')
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", process);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	ssize_t length = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (length <= 0)
		return false;
	line[length] = '\0';
	const char *base = strrchr(line, '/');
	if (strcmp(base ? base + 1 : line, ZFSD_PROGRAM) != 0)
		return false;
	for (const char *word = line; word < line + length; word += strlen(word) + 1) {
		const char *value = NULL;
		if (strncmp(word, "--socket=", 9) == 0)
			value = word + 9;
		else if (strcmp(word, "--socket") == 0 && word + 9 < line + length)
			value = word + 9;
		if (value && strlen(value) < size) {
			snprintf(ret_path, size, "%s", value);
			return true;
		}
	}
	return false;
}
