/*
 * The admin socket: listens, checks who is there, one thread a connection, one line a request. The
 * lines themselves are admin_commands.c's.
 */
#include "zfsd/admin_internal.h"
#include "zfsd/zfsd_protocol.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/strbuf.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

struct connection {
	struct zfsd_daemon *daemon;
	int fd;
};

static pthread_t listener;
static int listen_fd = -1;

static bool peer_is_allowed(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

static bool send_all(void *connection, const char *text)
{
	int fd = ((const struct connection *)connection)->fd;
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		text += sent;
		left -= (size_t)sent;
	}
	return true;
}

bool admin_answer_lines(struct zfsd_daemon *daemon, struct strbuf *pending,
	bool (*reply_with)(void *context, const char *reply), void *context)
{
	char *start = pending->data, *end;
	bool good = true;

	while (good &&
		(end = memchr(start, '\n', pending->length - (size_t)(start - pending->data)))) {
		char *reply;

		admin_handle(daemon, start, (size_t)(end - start), &reply);
		good = reply_with(context, reply);
		free(reply);
		start = end + 1;
	}
	if (start > pending->data) {
		struct strbuf rest = STRBUF_INIT;

		strbuf_add(&rest, start, pending->length - (size_t)(start - pending->data));
		strbuf_release(pending);
		*pending = rest;
	}
	return good && pending->length < ZFSD_LINE_MAX_BYTES;
}

static void *serve(void *argument)
{
	struct connection *connection = argument;
	struct strbuf pending = STRBUF_INIT;
	char piece[16384];
	ssize_t got;

	for (;;) {
		got = recv(connection->fd, piece, sizeof(piece), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		strbuf_add(&pending, piece, (size_t)got);
		if (!admin_answer_lines(connection->daemon, &pending, send_all, connection))
			break;
	}
	strbuf_release(&pending);
	close(connection->fd);
	free(connection);
	return NULL;
}

static void accept_one(struct zfsd_daemon *daemon)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct connection *connection;
	pthread_t thread;

	if (fd < 0)
		return;
	if (!peer_is_allowed(fd)) {
		log_warning("admin socket: a stranger was turned away");
		close(fd);
		return;
	}
	connection = memory_new(sizeof(*connection));
	connection->daemon = daemon;
	connection->fd = fd;
	if (pthread_create(&thread, NULL, serve, connection) != 0) {
		close(fd);
		free(connection);
		return;
	}
	pthread_detach(thread);
}

static void *listen_for_clients(void *argument)
{
	struct zfsd_daemon *daemon = argument;
	struct pollfd waits[] = { { .fd = listen_fd, .events = POLLIN },
		{ .fd = daemon->stop_fd, .events = POLLIN } };

	while (!(waits[1].revents & POLLIN)) {
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			break;
		if (waits[0].revents & POLLIN)
			accept_one(daemon);
	}
	return NULL;
}

static int check_folder(const char *socket_path, struct err *err)
{
	char *folder = memory_copy_string(socket_path);
	char *slash = strrchr(folder, '/');
	struct stat info;
	int r = 0;

	if (!slash || slash == folder) {
		r = err_set(err, -EINVAL, "socket path '%s' is not in a folder of its own",
			socket_path);
	} else {
		*slash = '\0';
		if (stat(folder, &info) < 0)
			r = err_set_errno(err, -errno, "socket folder '%s'", folder);
		else if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077))
			r = err_set(err, -EPERM, "socket folder '%s' must be ours alone (0700)",
				folder);
	}
	free(folder);
	return r;
}

/* A socket that nobody listens on is left over from a kill. */
static int remove_dead_socket(const struct sockaddr_un *address, struct err *err)
{
	struct stat info;
	int fd, r = 0;

	if (lstat(address->sun_path, &info) < 0)
		return 0;
	if (!S_ISSOCK(info.st_mode))
		return err_set(err, -EEXIST, "'%s' exists and is no socket", address->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		r = err_set(err, -EADDRINUSE, "a daemon serves '%s'", address->sun_path);
	else
		unlink(address->sun_path);
	if (fd >= 0)
		close(fd);
	return r;
}

static int open_socket(const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, -ENAMETOOLONG, "socket path '%s' is longer than %zu bytes",
			path, sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	r = remove_dead_socket(&address, err);
	if (r < 0)
		return r;
	listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listen_fd < 0)
		return err_set_errno(err, -errno, "make a socket");
	mask = umask(0177);
	r = bind(listen_fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(listen_fd, BACKLOG) < 0)
		r = -errno;
	return r < 0 ? err_set_errno(err, r, "listen on '%s'", path) : 0;
}

int admin_start(struct zfsd_daemon *daemon, struct err *err)
{
	int r = check_folder(daemon->options.socket_path, err);

	if (r == 0)
		r = open_socket(daemon->options.socket_path, err);
	if (r == 0)
		r = -pthread_create(&listener, NULL, listen_for_clients, daemon);
	return r;
}

void admin_stop(struct zfsd_daemon *daemon)
{
	pthread_join(listener, NULL);
	close(listen_fd);
	unlink(daemon->options.socket_path);
}
