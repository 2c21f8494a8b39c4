/* JSON lines over a Unix socket. */
#include "doctor/collect/zfsd_question.h"
#include "base/strbuf.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_MAX_BYTES (1024 * 1024)
#define LIMIT_S		 5
#define PROGRAM		 "plumb-zfsd"

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
	if (strcmp(base ? base + 1 : line, PROGRAM) != 0)
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

int zfsd_open(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = LIMIT_S };

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		int r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

static bool send_line(int socket, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	size_t done = 0;

	strbuf_add_format(&line, "%s\n", text);
	while (done < line.length) {
		ssize_t sent = send(socket, line.data + done, line.length - done, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			break;
		done += sent > 0 ? (size_t)sent : 0;
	}
	bool all = done == line.length;
	strbuf_release(&line);
	return all;
}

static bool receive_line(int socket, struct strbuf *line)
{
	char bytes[65536];

	while (line->length == 0 || line->data[line->length - 1] != '\n') {
		ssize_t got = recv(socket, bytes, sizeof(bytes), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || line->length > ANSWER_MAX_BYTES)
			return false;
		strbuf_add(line, bytes, (size_t)got);
	}
	return true;
}

json_t *zfsd_ask(int socket, json_t *request)
{
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	struct strbuf line = STRBUF_INIT;
	json_t *result = NULL;

	if (text && send_line(socket, text) && receive_line(socket, &line)) {
		json_t *answer = json_loads(line.data, JSON_REJECT_DUPLICATES, NULL);
		if (json_is_true(json_object_get(answer, "ok")))
			result = json_incref(json_object_get(answer, "result"));
		json_decref(answer);
	}
	strbuf_release(&line);
	free(text);
	json_decref(request);
	return result;
}
