/* journal_undo: what is ours is undone in reverse order, what is not is left alone and named. No
 * root needed: folders, files and processes. */
#include "unit/unit.h"

#include "base/file.h"
#include "platform/os.h"
#include "record/marker.h"
#include "run/journal_undo.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "plumb-0123abcd"

struct world {
	char folder[64];
	char rig[128];
	struct journal *journal;
	struct undo_report report;
	char said[2048];
	struct err err;
};

static struct world world;

static void say(void *context UNUSED, const char *sentence)
{
	size_t length = strlen(world.said);

	snprintf(world.said + length, sizeof(world.said) - length, "%s\n", sentence);
}

static int make_world(void **state UNUSED)
{
	memset(&world, 0, sizeof(world));
	snprintf(world.folder, sizeof(world.folder), "/tmp/plumb-undo-XXXXXX");
	if (!mkdtemp(world.folder))
		return -1;
	snprintf(world.rig, sizeof(world.rig), "%s/rig", world.folder);
	world.report.say = say;
	return journal_create(world.folder, ID, "s", &world.journal, &world.err);
}

static int remove_world(void **state UNUSED)
{
	world.journal = journal_drop(world.journal);
	return file_remove_tree(world.folder, NULL);
}

static void note(const struct undo_record *record)
{
	uint64_t id;

	assert_int_equal(
		world.journal->sink.note(&world.journal->sink, record, &id, &world.err), 0);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static void a_marked_folder_goes(void **state UNUSED)
{
	char path[192];
	uint64_t id;

	assert_int_equal(
		marker_make_folder(world.rig, ID, &world.journal->sink, &id, &world.err), 0);
	snprintf(path, sizeof(path), "%s/below", world.rig);
	make_file(path);
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_false(file_exists(world.rig));
	assert_int_equal(world.report.undone, 1);
	assert_true(journal_is_done(world.journal));
	/* Nothing is there any more: undone once, not twice. */
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_int_equal(world.report.undone, 1);
}

static void an_unmarked_one_stays(void **state UNUSED)
{
	char path[192];

	note(&(struct undo_record){ .kind = UNDO_FOLDER, .path = world.rig });
	assert_int_equal(mkdir(world.rig, 0755), 0);
	snprintf(path, sizeof(path), "%s/precious", world.rig);
	make_file(path);
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_true(file_exists(path));
	assert_int_equal(world.report.left_alone, 1);
	assert_non_null(strstr(world.said, world.rig));
}

/* Killed between mkdir and marker: it is empty, and goes. */
static void a_half_made_one_goes(void **state UNUSED)
{
	note(&(struct undo_record){ .kind = UNDO_FOLDER, .path = world.rig });
	assert_int_equal(mkdir(world.rig, 0755), 0);
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_false(file_exists(world.rig));
}

/* What cannot be removed now keeps its marker, so that the next undo takes it up again. */
static void a_failed_removal_can_be_taken_up(void **state UNUSED)
{
	char path[192], marker[192], file[256];
	uint64_t id;

	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0); /* root may remove anything */
	snprintf(world.rig, sizeof(world.rig), "/tmp/plumb-undo-half-%d", (int)getpid());
	assert_int_equal(
		marker_make_folder(world.rig, ID, &world.journal->sink, &id, &world.err), 0);
	snprintf(path, sizeof(path), "%s/closed", world.rig);
	snprintf(marker, sizeof(marker), "%s/%s", world.rig, MARKER_FILE);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(file, sizeof(file), "%s/file", path);
	make_file(file);
	assert_int_equal(chmod(path, 0500), 0);
	assert_true(journal_undo(world.journal, &world.report, &world.err) < 0);
	assert_true(file_exists(marker));
	assert_false(journal_is_done(world.journal));
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(journal_undo(world.journal, &world.report, NULL), 0);
	assert_false(file_exists(world.rig));
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

static void another_rigs_marker_protects(void **state UNUSED)
{
	uint64_t id;

	assert_int_equal(marker_make_folder(world.rig, "plumb-99999999", &world.journal->sink, &id,
				 &world.err),
		0);
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_true(file_exists(world.rig));
	assert_int_equal(world.report.left_alone, 1);
}

static void files_only_in_our_folders(void **state UNUSED)
{
	char outside[192];

	snprintf(outside, sizeof(outside), "%s/outside", world.folder);
	make_file(outside);
	note(&(struct undo_record){ .kind = UNDO_FOLDER, .path = world.rig });
	note(&(struct undo_record){ .kind = UNDO_FILE, .path = outside });
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_true(file_exists(outside));
	assert_int_equal(world.report.left_alone, 1);
}

static pid_t start_sleeper(uint64_t *ret_ticks)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		pause();
		_exit(0);
	}
	setpgid(pid, pid);
	assert_int_equal(os_process_start_ticks(pid, ret_ticks), 0);
	return pid;
}

static void our_process_ends(void **state UNUSED)
{
	uint64_t ticks;
	pid_t pid = start_sleeper(&ticks);
	int status;

	note(&(struct undo_record){ .kind = UNDO_PROCESS, .pid = pid, .start_ticks = ticks });
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(world.report.undone, 1);
}

static void a_reused_pid_is_left_alone(void **state UNUSED)
{
	uint64_t ticks;
	pid_t pid = start_sleeper(&ticks);
	int status;

	note(&(struct undo_record){ .kind = UNDO_PROCESS, .pid = pid, .start_ticks = ticks + 1 });
	note(&(struct undo_record){ .kind = UNDO_CLUSTER,
		.path = world.folder,
		.pid = pid,
		.start_ticks = ticks }); /* does not work in that folder: no server of it */
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_int_equal(world.report.left_alone, 2);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_non_null(strstr(world.said, "is another one now"));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void a_foreign_group_is_left_alone(void **state UNUSED)
{
	note(&(struct undo_record){ .kind = UNDO_CGROUP, .path = world.folder });
	note(&(struct undo_record){ .kind = UNDO_MOUNT, .path = "/proc" });
	assert_int_equal(journal_undo(world.journal, &world.report, &world.err), 0);
	assert_int_equal(world.report.left_alone, 2);
	assert_true(file_exists("/proc/self"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_world, remove_world)
	const struct CMUnitTest tests[] = {
		CASE(a_marked_folder_goes),
		CASE(an_unmarked_one_stays),
		CASE(a_half_made_one_goes),
		CASE(a_failed_removal_can_be_taken_up),
		CASE(another_rigs_marker_protects),
		CASE(files_only_in_our_folders),
		CASE(our_process_ends),
		CASE(a_reused_pid_is_left_alone),
		CASE(a_foreign_group_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
