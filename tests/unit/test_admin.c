/* admin: the socket itself: who may have it, what was left by a kill, lines in pieces. */
#include "unit/unit.h"
#include "lib/fake_zfsd.h"

#include "zfsd/zfsd_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct zfsd_daemon served;
static char folder[] = "/tmp/plumb-admin.XXXXXX";
static char path[64];

static int make_folder(void **state UNUSED)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/s", folder);
	return 0;
}

static int remove_folder(void **state UNUSED)
{
	unlink(path);
	return rmdir(folder);
}

static int begin(void **state UNUSED)
{
	fake_zfsd_init(&served);
	served.options.socket_path = path;
	return 0;
}

static int end(void **state UNUSED)
{
	fake_zfsd_release(&served);
	return 0;
}

static void stop(void)
{
	uint64_t one = 1;

	assert_int_equal(write(served.stop_fd, &one, sizeof(one)), sizeof(one));
	admin_stop(&served);
	assert_int_equal(access(path, F_OK), -1);
}

static int connect_to(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Read until so many lines came; the test's own time limit is the limit. */
static void receive(int fd, unsigned lines, char *text, size_t size)
{
	size_t used = 0;

	while (lines > 0) {
		assert_true(used + 1 < size);
		assert_int_equal(recv(fd, text + used, 1, 0), 1);
		lines -= text[used++] == '\n';
	}
	text[used] = '\0';
}

static void lines_in_pieces(void **state UNUSED)
{
	static const char two[] =
		"{\"command\":\"sync\",\"name\":\"tank\"}\n{\"command\":\"pong\"}\n";
	struct err err = ERR_INIT;
	char text[1024];
	int fd;

	assert_int_equal(admin_start(&served, &err), 0);
	fd = connect_to();
	for (size_t i = 0; i < strlen(two); i++)
		assert_int_equal(send(fd, &two[i], 1, 0), 1);
	receive(fd, 2, text, sizeof(text));
	assert_string_equal(strchr(text, '{'), text);
	assert_non_null(strstr(text, "{\"ok\":true,\"result\":{\"txg\":42}}\n"));
	assert_non_null(strstr(text, "'pong'"));
	assert_int_equal(send(fd, two, strlen(two), 0), strlen(two));
	receive(fd, 2, text, sizeof(text));
	close(fd);
	stop();
}

static void too_long_a_line_ends_the_connection(void **state UNUSED)
{
	struct err err = ERR_INIT;
	char block[65536];
	ssize_t sent = 1;
	int fd;

	memset(block, ' ', sizeof(block));
	assert_int_equal(admin_start(&served, &err), 0);
	fd = connect_to();
	for (size_t all = 0; sent > 0 && all < 4 * ZFSD_LINE_MAX_BYTES; all += (size_t)sent)
		sent = send(fd, block, sizeof(block), MSG_NOSIGNAL);
	assert_int_equal(sent, -1);
	close(fd);
	stop();
}

static void the_folder_is_ours_alone(void **state UNUSED)
{
	struct err err = ERR_INIT;

	chmod(folder, 0750);
	assert_int_equal(admin_start(&served, &err), -EPERM);
	assert_non_null(strstr(err.message, "0700"));
	chmod(folder, 0700);
	served.options.socket_path = (char *)"/s";
	assert_int_equal(admin_start(&served, NULL), -EINVAL);
	served.options.socket_path = (char *)"/nonexistent/folder/s";
	assert_int_equal(admin_start(&served, NULL), -ENOENT);
}

static void the_socket_is_ours_alone(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct stat info;

	assert_int_equal(admin_start(&served, &err), 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(admin_start(&served, &err), -EADDRINUSE);
	stop();
}

static void a_dead_socket_is_taken_over(void **state UNUSED)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct err err = ERR_INIT;

	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(admin_start(&served, &err), 0);
	stop();
	fd = creat(path, 0600);
	close(fd);
	assert_int_equal(admin_start(&served, &err), -EEXIST); /* somebody's file stays */
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_in_pieces, begin, end),
		cmocka_unit_test_setup_teardown(too_long_a_line_ends_the_connection, begin, end),
		cmocka_unit_test_setup_teardown(the_folder_is_ours_alone, begin, end),
		cmocka_unit_test_setup_teardown(the_socket_is_ours_alone, begin, end),
		cmocka_unit_test_setup_teardown(a_dead_socket_is_taken_over, begin, end),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
