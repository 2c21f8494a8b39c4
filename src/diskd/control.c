/* See control.h. One line in, one line out; a client that breaks the rules is dropped. */
#include "diskd/control.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "diskd/diskd_protocol.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define REPLY_TIMEOUT_S 5

struct client {
	int fd; /* -1: free */
	struct strbuf line;
};

struct control {
	int fd;
	char *path;
	control_handler *handler;
	void *context;
	struct client clients[CONTROL_CLIENTS_MOST];
};

static int check_folder(const char *path, struct err *err)
{
	char *folder = memory_copy_string(path);
	char *slash = strrchr(folder, '/');
	struct stat info;
	int r = 0;

	if (!slash || slash == folder) {
		r = err_set(err, -EINVAL, "socket '%s': needs an absolute path in a folder of ours",
			path);
	} else {
		*slash = '\0';
		if (stat(folder, &info) < 0)
			r = err_set_errno(err, -errno, "folder '%s'", folder);
		else if (info.st_uid != geteuid() || (info.st_mode & 077) != 0)
			r = err_set(err, -EPERM, "folder '%s' must belong to us and have mode 0700",
				folder);
	}
	free(folder);
	return r;
}

/* A dead socket is one that nobody listens at. */
static int remove_dead(const struct sockaddr_un *address)
{
	int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (probe < 0)
		return -errno;
	r = connect(probe, (const struct sockaddr *)address, sizeof(*address)) == 0 ? -EADDRINUSE
										    : -errno;
	close(probe);
	if (r == -ECONNREFUSED)
		return unlink(address->sun_path) < 0 ? -errno : 0;
	return r == -ENOENT ? 0 : r;
}

static int bind_socket(int fd, const struct sockaddr_un *address)
{
	mode_t mask;
	int r = remove_dead(address);

	if (r < 0)
		return r;
	mask = umask(0177);
	r = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(fd, CONTROL_CLIENTS_MOST) < 0)
		r = -errno;
	return r;
}

int control_open(const char *path, control_handler *handler, void *context,
	struct control **ret_control, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct control *control;
	int fd, r;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, -ENAMETOOLONG, "socket '%s': at most %zu bytes", path,
			sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path));
	r = check_folder(path, err);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make a socket");
	r = bind_socket(fd, &address);
	if (r < 0) {
		close(fd);
		return err_set_errno(err, r, "cannot listen at '%s'", path);
	}
	control = memory_new(sizeof(*control));
	control->fd = fd;
	control->path = memory_copy_string(path);
	control->handler = handler;
	control->context = context;
	for (int i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		control->clients[i].fd = -1;
		strbuf_init(&control->clients[i].line);
	}
	*ret_control = control;
	return 0;
}

static void drop(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	strbuf_clear(&client->line);
}

static void accept_client(struct control *control)
{
	struct timeval timeout = { .tv_sec = REPLY_TIMEOUT_S };
	int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC);
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ||
		(peer.uid != geteuid() && peer.uid != 0) ||
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0) {
		close(fd);
		return;
	}
	for (int i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		if (control->clients[i].fd < 0) {
			control->clients[i].fd = fd;
			return;
		}
	}
	close(fd);
}

static json_t *carry_out(struct control *control, json_t *request, struct err *err)
{
	json_t *protocol = json_object_get(request, "protocol");
	const char *command = json_string_value(json_object_get(request, "command"));
	json_t *result = NULL;
	int r;

	if (protocol && json_integer_value(protocol) != DISKD_PROTOCOL_VERSION)
		r = err_set(err, -EPROTONOSUPPORT, "this daemon speaks protocol %d",
			DISKD_PROTOCOL_VERSION);
	else if (!command)
		r = err_set(err, -EINVAL, "a request needs a command");
	else
		r = control->handler(control->context, command, request, &result, err);
	if (r < 0)
		return json_pack("{s:b, s:{s:i, s:s}}", "ok", 0, "error", "errno", -r, "message",
			err->message);
	return json_pack("{s:b, s:o}", "ok", 1, "result", result ? result : json_object());
}

static bool reply(const struct client *client, json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT);
	struct strbuf line = STRBUF_INIT;
	size_t sent = 0;

	strbuf_add_text(&line, text ? text : "{\"ok\": false}");
	strbuf_add_char(&line, '\n');
	free(text);
	while (sent < line.length) {
		ssize_t put = send(client->fd, line.data + sent, line.length - sent, MSG_NOSIGNAL);

		if (put <= 0)
			break;
		sent += (size_t)put;
	}
	strbuf_release(&line);
	return sent > 0;
}

/* Answer one line, without its newline. */
static void answer_line(struct control *control, struct client *client, const char *line)
{
	struct err err = ERR_INIT;
	json_error_t where;
	json_t *request = json_loads(line, JSON_REJECT_DUPLICATES, &where), *answer;

	if (!json_is_object(request)) {
		err_set(&err, -EINVAL, "not a JSON object: %s",
			request ? "another type" : where.text);
		answer = json_pack("{s:b, s:{s:i, s:s}}", "ok", 0, "error", "errno", EINVAL,
			"message", err.message);
	} else {
		answer = carry_out(control, request, &err);
	}
	if (!reply(client, answer))
		drop(client);
	json_decref(answer);
	json_decref(request);
}

static void serve_client(struct control *control, struct client *client)
{
	char block[4096];
	ssize_t got = recv(client->fd, block, sizeof(block), MSG_DONTWAIT);
	char *newline;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 || client->line.length + (size_t)got > DISKD_LINE_MAX_BYTES) {
		drop(client);
		return;
	}
	strbuf_add(&client->line, block, (size_t)got);
	while (client->fd >= 0 &&
		(newline = memchr(client->line.data, '\n', client->line.length))) {
		struct strbuf rest = STRBUF_INIT;
		size_t length = (size_t)(newline - client->line.data);

		strbuf_add(&rest, newline + 1, client->line.length - length - 1);
		*newline = '\0';
		answer_line(control, client, client->line.data);
		strbuf_release(&client->line);
		client->line = rest;
	}
}

void control_polls(const struct control *control, struct pollfd *polls)
{
	polls[0] = (struct pollfd){ control->fd, POLLIN, 0 };
	for (int i = 0; i < CONTROL_CLIENTS_MOST; i++)
		polls[i + 1] = (struct pollfd){ control->clients[i].fd, POLLIN, 0 };
}

void control_serve(struct control *control, const struct pollfd *polls)
{
	for (int i = 0; i < CONTROL_CLIENTS_MOST; i++)
		if (polls[i + 1].revents && control->clients[i].fd >= 0)
			serve_client(control, &control->clients[i]);
	if (polls[0].revents)
		accept_client(control);
}

void control_close(struct control *control)
{
	if (!control)
		return;
	for (int i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		drop(&control->clients[i]);
		strbuf_release(&control->clients[i].line);
	}
	close(control->fd);
	unlink(control->path);
	free(control->path);
	free(control);
}
