/* One request to plumb-zfsd for shell tests: SOCKET REQUEST. Prints the reply line; exit status 0
 * if it says ok, 1 if not, 2 if there is no reply. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int ask(const char *path, const char *request, FILE **ret_stream)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		write(fd, request, strlen(request)) < 0 || write(fd, "\n", 1) < 0) {
		close(fd);
		return -1;
	}
	*ret_stream = fdopen(fd, "r");
	return *ret_stream ? 0 : -1;
}

int main(int argc, char **argv)
{
	FILE *stream;
	json_t *reply;
	int ok;

	if (argc != 3 || ask(argv[1], argv[2], &stream) < 0)
		return 2;
	reply = json_loadf(stream, JSON_DISABLE_EOF_CHECK, NULL);
	fclose(stream);
	if (!reply)
		return 2;
	json_dumpf(reply, stdout, JSON_COMPACT);
	putchar('\n');
	ok = json_is_true(json_object_get(reply, "ok"));
	json_decref(reply);
	return ok ? 0 : 1;
}
