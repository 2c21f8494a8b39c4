/* The switch for FUSE over io_uring: on and back, two at once, and who is killed between. */
#include "unit/unit.h"

#include "platform/os_fuse_ring.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-test-ring.XXXXXX";
static char path[64], note[64];

static struct os_fuse_ring ring_here(void)
{
	return (struct os_fuse_ring){ .path = path, .note = note, .fd = -1 };
}

static void put(char state)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, (char[]){ state, '\n' }, 2), 2);
	close(fd);
}

static char state(void)
{
	char text[2] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, 2), 2);
	close(fd);
	return text[0];
}

static bool noted(void)
{
	return access(note, F_OK) == 0;
}

static void on_and_back(void **unused UNUSED)
{
	struct os_fuse_ring ring = ring_here();

	put('N');
	assert_true(os_fuse_ring_turn_on(&ring));
	assert_int_equal(state(), 'Y');
	assert_true(noted());
	os_fuse_ring_turn_back(&ring);
	assert_int_equal(state(), 'N');
	assert_false(noted());
	/* One that was on stays on. */
	put('Y');
	assert_true(os_fuse_ring_turn_on(&ring));
	assert_false(noted());
	os_fuse_ring_turn_back(&ring);
	assert_int_equal(state(), 'Y');
	assert_false(os_fuse_ring_mend(&ring));
	assert_int_equal(state(), 'Y');
}

static void kill_one_that_has_it(void)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct os_fuse_ring ring = ring_here();

		if (os_fuse_ring_turn_on(&ring))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(state(), 'Y');
}

static void killed_between(void **unused UNUSED)
{
	struct os_fuse_ring ring = ring_here();

	put('N');
	kill_one_that_has_it();
	assert_true(os_fuse_ring_mend(&ring));
	assert_int_equal(state(), 'N');
	assert_false(noted());
	assert_false(os_fuse_ring_mend(&ring));
	/* The next mount mends it as well. */
	kill_one_that_has_it();
	assert_true(os_fuse_ring_turn_on(&ring));
	os_fuse_ring_turn_back(&ring);
	assert_int_equal(state(), 'N');
	assert_false(noted());
}

/* What another has turned on is not taken from it. */
static void in_use(void **unused UNUSED)
{
	int to_child[2], to_us[2], status;
	char word;
	pid_t pid;

	put('N');
	assert_int_equal(pipe(to_child) | pipe(to_us), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct os_fuse_ring ring = ring_here();
		bool kept = os_fuse_ring_turn_on(&ring) && write(to_us[1], "", 1) == 1 &&
			    read(to_child[0], &word, 1) == 1 && state() == 'Y';

		os_fuse_ring_turn_back(&ring);
		_exit(kept ? 0 : 1);
	}
	assert_int_equal(read(to_us[0], &word, 1), 1);
	pid_t mender = fork();
	assert_true(mender >= 0);
	if (mender == 0) {
		struct os_fuse_ring ring = ring_here();

		_exit(os_fuse_ring_mend(&ring) ? 1 : 0);
	}
	/* It waits: had it not, it would have ended. */
	usleep(100000);
	assert_int_equal(waitpid(mender, &status, WNOHANG), 0);
	assert_int_equal(write(to_child[1], "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(mender, &status, 0), mender);
	assert_int_equal(status, 0);
	assert_int_equal(state(), 'N');
}

static void not_ours(void **unused UNUSED)
{
	struct os_fuse_ring ring = ring_here();

	unlink(path);
	assert_false(os_fuse_ring_turn_on(&ring));
	os_fuse_ring_turn_back(&ring);
	assert_false(os_fuse_ring_mend(&ring));
	assert_false(noted());
}

static int make_folder(void **unused UNUSED)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/switch", folder);
	snprintf(note, sizeof(note), "%s/note", folder);
	return 0;
}

static int remove_folder(void **unused UNUSED)
{
	unlink(path);
	unlink(note);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_and_back),
		cmocka_unit_test(killed_between),
		cmocka_unit_test(in_use),
		cmocka_unit_test(not_ours),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
