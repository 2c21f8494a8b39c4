/* zfsd_client: a daemon that is ill, and one that refuses. */
#include "unit/unit.h"

#include "base/clock.h"
#include "target/zfsd_client.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIMIT_NS (100 * NS_PER_MS)

/* A daemon of one connection. */
struct ill_daemon {
	char folder[32];
	struct sockaddr_un address;
	int listener;
	int peer;
};

static int set_up(void **state)
{
	struct ill_daemon *ill = calloc(1, sizeof(*ill));

	memcpy(ill->folder, "/tmp/plumb-test-XXXXXX", sizeof("/tmp/plumb-test-XXXXXX"));
	assert_non_null(mkdtemp(ill->folder));
	ill->address.sun_family = AF_UNIX;
	(void)snprintf(ill->address.sun_path, sizeof(ill->address.sun_path), "%s/s", ill->folder);
	ill->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(
		bind(ill->listener, (struct sockaddr *)&ill->address, sizeof(ill->address)), 0);
	assert_int_equal(listen(ill->listener, 1), 0);
	ill->peer = -1;
	*state = ill;
	return 0;
}

static int tear_down(void **state)
{
	struct ill_daemon *ill = *state;

	if (ill->peer >= 0)
		close(ill->peer);
	close(ill->listener);
	unlink(ill->address.sun_path);
	rmdir(ill->folder);
	free(ill);
	return 0;
}

static struct zfsd *connect_to(struct ill_daemon *ill, int64_t limit_ns)
{
	struct zfsd *zfsd;

	assert_int_equal(zfsd_connect(ill->address.sun_path, limit_ns, &zfsd, NULL), 0);
	ill->peer = accept(ill->listener, NULL, NULL);
	assert_true(ill->peer >= 0);
	return zfsd;
}

static void put(struct ill_daemon *ill, const char *text)
{
	assert_int_equal(send(ill->peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void silence_ends(void **state)
{
	struct ill_daemon *ill = *state;
	struct zfsd *zfsd = connect_to(ill, LIMIT_NS);
	struct err err = ERR_INIT;
	int64_t start_ns = clock_system()->now_ns(clock_system());
	json_t *result = NULL;

	assert_int_equal(zfsd_request(zfsd, "ping", NULL, &result, &err), -ETIMEDOUT);
	assert_true(clock_system()->now_ns(clock_system()) - start_ns >= LIMIT_NS / 2);
	assert_non_null(strstr(err.message, "does not answer"));
	/* What comes too late is nobody's answer. */
	(void)send(ill->peer, "{\"ok\": true, \"result\": {\"a\": 1}}\n", 33, MSG_NOSIGNAL);
	assert_true(zfsd_request(zfsd, "stats", NULL, &result, NULL) < 0);
	assert_null(result);
	zfsd_close(zfsd);
}

static void half_a_line_is_silence_too(void **state)
{
	struct ill_daemon *ill = *state;
	struct zfsd *zfsd = connect_to(ill, LIMIT_NS);

	put(ill, "{\"ok\": true,");
	assert_int_equal(zfsd_request(zfsd, "ping", NULL, NULL, NULL), -ETIMEDOUT);
	zfsd_close(zfsd);
}

static void answers_are_told_apart(void **state)
{
	struct ill_daemon *ill = *state;
	struct zfsd *zfsd = connect_to(ill, 0);
	struct err err = ERR_INIT;
	json_t *result = NULL;

	put(ill, "{\"ok\": true, \"result\": {\"pid\": 7}}\n");
	assert_int_equal(zfsd_request(zfsd, "ping", NULL, &result, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(result, "pid")), 7);
	json_decref(result);
	put(ill, "{\"ok\": false, \"error\": {\"errno\": 17, \"message\": \"pool 'a' "
		 "exists\"}}\n");
	assert_int_equal(zfsd_request(zfsd, "create", NULL, NULL, &err), -EEXIST);
	assert_non_null(strstr(err.message, "pool 'a' exists"));
	put(ill, "nonsense\n");
	assert_int_equal(zfsd_request(zfsd, "ping", NULL, NULL, &err), -EPROTO);
	close(ill->peer);
	ill->peer = -1;
	assert_int_equal(zfsd_request(zfsd, "ping", NULL, NULL, &err), -EPIPE);
	zfsd_close(zfsd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(silence_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(half_a_line_is_silence_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(answers_are_told_apart, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
