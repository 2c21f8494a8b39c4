/* Undoing (see journal_undo.h): one function a kind of record. */
#include "run/journal_undo.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "device/diskd_client.h"
#include "platform/os.h"
#include "platform/os_cgroup.h"
#include "platform/os_loop.h"
#include "platform/os_mount.h"
#include "record/marker.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TERM_WAIT_NS	(5 * NS_PER_S)
#define SERVER_WAIT_NS	(20 * NS_PER_S)
#define UNMOUNT_WAIT_NS (5 * NS_PER_S)
#define POOL_WAIT_NS	(60 * NS_PER_S)

/* What one undo found. */
enum outcome { NOT_THERE, UNDONE, LEFT_ALONE };

/* One thing to undo. */
struct undoing {
	const struct journal *journal;
	const struct undo_record *record;
	enum outcome outcome;
	char why[1024]; /* LEFT_ALONE: what it is and why */
};

/* 0 and undoing->outcome, or a negative errno and err. */
typedef int undo_function(struct undoing *undoing, struct err *err);

static void leave_alone(struct undoing *undoing, const char *format, ...) PRINTF_LIKE(2, 3);
static void leave_alone(struct undoing *undoing, const char *format, ...)
{
	va_list args;

	undoing->outcome = LEFT_ALONE;
	va_start(args, format);
	vsnprintf(undoing->why, sizeof(undoing->why), format, args);
	va_end(args);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]) &&
	       !strstr(path, "/../");
}

/* Is path inside a folder that this journal made? */
static bool in_our_folder(const struct journal *journal, const char *path)
{
	for (size_t i = 0; i < journal->count; i++) {
		const struct undo_record *record = &journal->entries[i].record;

		if (record->kind == UNDO_FOLDER && record->path && is_below(path, record->path))
			return true;
	}
	return false;
}

static int undo_folder(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	struct err marker = ERR_INIT;
	int r;

	if (!file_exists(record->path))
		return 0;
	r = marker_remove_folder(record->path, undoing->journal->id, NULL, 0, &marker);
	if (r == -EPERM) {
		leave_alone(undoing, "%s", marker.message);
		return 0;
	}
	undoing->outcome = UNDONE;
	return r < 0 ? err_set(err, r, "%s", marker.message) : 0;
}

static int undo_file(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	struct stat info;

	if (lstat(record->path, &info) < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, -errno, "'%s'", record->path);
	if (!S_ISREG(info.st_mode) || !in_our_folder(undoing->journal, record->path) ||
		(record->inode && record->inode != info.st_ino)) {
		leave_alone(undoing, "'%s' is not the file that plumb made", record->path);
		return 0;
	}
	undoing->outcome = UNDONE;
	return unlink(record->path) < 0
		       ? err_set_errno(err, -errno, "cannot remove '%s'", record->path)
		       : 0;
}

/* A daemon's loop device has no file of a filesystem behind it; its name is its identity. */
static int undo_daemon_loop(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	struct os_loop loop;

	if (!record->path || os_loop_read(record->path, &loop) < 0 ||
		strcmp(loop.backing, record->owner) != 0)
		return 0;
	undoing->outcome = UNDONE;
	return diskd_clear_loop(record->path, record->owner, err);
}

static void clear_leftover(void *context, const char *loop_path, const char *owner)
{
	struct undoing *undoing = context;

	if (diskd_clear_loop(loop_path, owner, NULL) == 0)
		undoing->outcome = UNDONE;
}

static int undo_loop(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	char path[OS_LOOP_PATH_SIZE];
	struct os_loop loop;

	if (!record->inode && record->owner)
		return undo_daemon_loop(undoing, err);
	/* Killed while a daemon was starting: whatever ended daemons left is nobody's. */
	if (!record->inode)
		return diskd_find_leftovers(clear_leftover, undoing, err);
	if (os_loop_find(record->inode, record->device, path) == 0) {
		undoing->outcome = UNDONE;
		return os_loop_detach(path, err);
	}
	if (record->path && os_loop_read(record->path, &loop) == 0) {
		leave_alone(undoing, "'%s' is attached to '%s' now, which is not ours",
			record->path, loop.backing);
	}
	return 0;
}

static int unmount(const char *path, struct err *err)
{
	struct clock *clock = clock_system();
	int64_t deadline = clock->now_ns(clock) + UNMOUNT_WAIT_NS;
	int r;

	if (geteuid() != 0) { /* FUSE of a plain user */
		const char *const arguments[] = { "fusermount3", "-u", "-z", path, NULL };

		return subprocess_capture(arguments, NULL, err);
	}
	while ((r = os_unmount(path, false)) == -EBUSY && clock->now_ns(clock) < deadline)
		clock->sleep_until(clock, clock->now_ns(clock) + 100 * NS_PER_MS);
	if (r == -EBUSY)
		r = os_unmount(path, true);
	return r < 0 ? err_set_errno(err, r, "cannot unmount '%s'", path) : 0;
}

static int undo_mount(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	const struct os_mount *mount;
	struct os_mount_table table;
	int r = os_mount_table_read(&table, err);

	if (r < 0)
		return r;
	mount = os_mount_table_at(&table, record->path);
	if (mount && (!in_our_folder(undoing->journal, record->path) ||
			     (record->owner && strcmp(mount->source, record->owner) != 0))) {
		leave_alone(undoing, "'%s' has '%s' mounted now, which is not ours", record->path,
			mount->source);
		mount = NULL;
	} else if (mount) {
		undoing->outcome = UNDONE;
	}
	os_mount_table_release(&table);
	return mount ? unmount(record->path, err) : 0;
}

/* End a process group whose leader is proved to be ours. */
static int end_group(pid_t pid, int first_signal, int64_t wait_ns, struct err *err)
{
	int r;

	if (kill(-pid, first_signal) < 0 && errno == ESRCH)
		kill(pid, first_signal); /* a leader that is in no group of its own */
	r = os_wait_process(pid, wait_ns);
	if (r == -ETIMEDOUT) {
		if (kill(-pid, SIGKILL) < 0)
			kill(pid, SIGKILL);
		r = os_wait_process(pid, TERM_WAIT_NS);
	}
	(void)kill(-pid, SIGKILL); /* what is left of the group; mostly nothing */
	if (r < 0 && r != -ESRCH)
		return err_set_errno(err, r, "cannot end process %d", (int)pid);
	return 0;
}

static int undo_process(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	uint64_t ticks;

	if (record->pid <= 1 || os_process_start_ticks(record->pid, &ticks) < 0)
		return 0;
	if (ticks != record->start_ticks) {
		leave_alone(undoing,
			"process %d is another one now (ours began at tick %llu, "
			"this one at %llu)",
			(int)record->pid, (unsigned long long)record->start_ticks,
			(unsigned long long)ticks);
		return 0;
	}
	undoing->outcome = UNDONE;
	return end_group(record->pid, SIGTERM, TERM_WAIT_NS, err);
}

/* The server's own note of its pid, for a plumb that died before it could note it. */
static pid_t postmaster_pid(const char *data_folder)
{
	char *path = memory_format("%s/postmaster.pid", data_folder);
	struct strbuf text = STRBUF_INIT;
	pid_t pid = 0;

	if (file_read_limited(path, 4096, &text, NULL) == 0)
		pid = (pid_t)strtol(text.data, NULL, 10);
	strbuf_release(&text);
	free(path);
	return pid;
}

static int undo_cluster(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	pid_t pid = record->pid;
	uint64_t ticks;

	if (pid <= 1 || os_process_start_ticks(pid, &ticks) < 0 || ticks != record->start_ticks)
		pid = postmaster_pid(record->path);
	if (pid <= 1 || os_process_start_ticks(pid, &ticks) < 0)
		return 0;
	/* A postmaster works in its data folder: a pid that was used again does not. */
	if (!os_process_works_in(pid, record->path)) {
		leave_alone(
			undoing, "process %d is not the server of '%s'", (int)pid, record->path);
		return 0;
	}
	undoing->outcome = UNDONE;
	return end_group(pid, SIGQUIT, SERVER_WAIT_NS, err);
}

static int undo_cgroup(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	const char *name = strrchr(record->path, '/');

	if (!file_exists(record->path))
		return 0;
	if (!name || strcmp(name + 1, undoing->journal->id) != 0) {
		leave_alone(undoing, "control group '%s' is not named %s", record->path,
			undoing->journal->id);
		return 0;
	}
	undoing->outcome = UNDONE;
	return os_cgroup_remove(record->path, err);
}

static int undo_pool(struct undoing *undoing, struct err *err)
{
	const struct undo_record *record = undoing->record;
	const char *const get[] = { "zpool", "get", "-H", "-o", "value", "guid", record->path,
		NULL };
	const char *const destroy[] = { "zpool", "destroy", "-f", record->path, NULL };
	struct subprocess_options options = { .arguments = destroy };
	struct strbuf guid = STRBUF_INIT;
	int r = 0;

	if (subprocess_capture(get, &guid, NULL) == 0) { /* else it is not imported */
		strbuf_trim(&guid);
		if (strcmp(record->path, undoing->journal->id) != 0 ||
			(record->owner && strcmp(record->owner, guid.data) != 0)) {
			leave_alone(undoing, "pool '%s' with GUID %s is not ours", record->path,
				guid.data);
		} else {
			undoing->outcome = UNDONE;
			r = subprocess_run(&options, POOL_WAIT_NS, NULL, NULL, err);
		}
	}
	strbuf_release(&guid);
	return r;
}

static undo_function *const functions[] = {
	[UNDO_FOLDER] = undo_folder,
	[UNDO_FILE] = undo_file,
	[UNDO_LOOP] = undo_loop,
	[UNDO_MOUNT] = undo_mount,
	[UNDO_PROCESS] = undo_process,
	[UNDO_CLUSTER] = undo_cluster,
	[UNDO_CGROUP] = undo_cgroup,
	[UNDO_POOL] = undo_pool,
};

static void say(struct undo_report *report, const char *verb, const struct undo_record *record,
	const char *why)
{
	char text[1024];

	if (!report->say)
		return;
	if (*why)
		snprintf(text, sizeof(text), "%s: %s", verb, why);
	else if (record->pid && !record->path)
		snprintf(text, sizeof(text), "%s %s %d", verb, undo_kind_word(record->kind),
			(int)record->pid);
	else
		snprintf(text, sizeof(text), "%s %s %s", verb, undo_kind_word(record->kind),
			record->path	? record->path
			: record->owner ? record->owner
					: "");
	report->say(report->context, text);
}

/* After the machine was started anew only files are left; a pid or device of the same number is
 * somebody else's. */
static bool lives_across_boots(enum undo_kind kind)
{
	return kind == UNDO_FOLDER || kind == UNDO_FILE;
}

static int undo_one(
	struct journal *journal, size_t index, struct undo_report *report, struct err *err)
{
	const struct undo_record *record = &journal->entries[index].record;
	struct undoing undoing = { .journal = journal, .record = record };
	int r = 0;

	if (lives_across_boots(record->kind) || !journal_of_other_boot(journal))
		r = functions[record->kind](&undoing, err);
	if (r < 0) {
		report->failed++;
		return r;
	}
	if (undoing.outcome == UNDONE)
		report->undone++;
	else if (undoing.outcome == LEFT_ALONE)
		report->left_alone++;
	if (undoing.outcome != NOT_THERE)
		say(report, undoing.outcome == UNDONE ? "removed" : "left alone", record,
			undoing.why);
	return journal->sink.forget(&journal->sink, index, err);
}

int journal_undo(struct journal *journal, struct undo_report *report, struct err *err)
{
	int first = 0;

	for (size_t i = journal->count; i > 0; i--) {
		int r = 0;

		if (!journal->entries[i - 1].forgotten)
			r = undo_one(journal, i - 1, report, err);
		if (first == 0)
			first = r;
	}
	return first;
}
