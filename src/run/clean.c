/* Finishing what killed plumbs left (see clean.h). */
#include "run/clean.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "platform/os_fuse_ring.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A journal under its early name is being made, or its plumb was killed before it did anything. */
#define EARLY_AGE_S 60

static void say(struct undo_report *report, const char *sentence)
{
	if (report->say)
		report->say(report->context, sentence);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static int check_folder(const char *path, struct err *err)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return err_set_errno(err, -errno, "'%s'", path);
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 0077))
		return err_set(err, -EPERM,
			"'%s' is not a folder of this user that is closed to others: left alone",
			path);
	return 0;
}

static void remove_early(const char *path)
{
	struct stat info;

	if (lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
		time(NULL) - info.st_mtime > EARLY_AGE_S)
		(void)unlink(path); /* holds nothing to undo: the next clean tries again */
}

static int clean_one(const char *path, struct undo_report *report, size_t *running, struct err *err)
{
	struct err load_error = ERR_INIT;
	struct journal *journal;
	int r = journal_load(path, &journal, &load_error);

	if (r == -ENOENT) /* its plumb has just ended */
		return 0;
	if (r < 0) {
		report->left_alone++;
		say(report, load_error.message);
		return 0;
	}
	if (journal_owner_runs(journal)) {
		char text[256];

		snprintf(text, sizeof(text), "left alone: %s is in use by plumb %d (study '%s')",
			journal->id, (int)journal->pid, journal->study);
		say(report, text);
		(*running)++;
		journal_drop(journal);
		return 0;
	}
	r = journal_undo(journal, report, err);
	journal_close(journal);
	return r;
}

/* A plumb-zfsd that was killed while a mount began may have left it on. */
static void clean_ring_switch(struct undo_report *report)
{
	struct os_fuse_ring ring = OS_FUSE_RING_INIT;
	char text[256];

	if (!os_fuse_ring_mend(&ring))
		return;
	snprintf(text, sizeof(text), "turned off: %s", ring.path);
	say(report, text);
	report->undone++;
}

int clean_run(const struct folders *folders, struct undo_report *report, size_t *ret_running,
	struct err *err)
{
	struct dirent **names;
	size_t running = 0;
	int count, first = check_folder(folders->journal, err);

	if (first == -ENOENT) {
		err_clear(err);
		first = 0;
		count = 0;
	} else if (first < 0) {
		return first;
	} else {
		count = scandir(folders->journal, &names, NULL, alphasort);
		if (count < 0)
			return err_set_errno(err, -errno, "cannot read '%s'", folders->journal);
	}
	for (int i = 0; i < count; i++) {
		char *path = memory_format("%s/%s", folders->journal, names[i]->d_name);
		int r = 0;

		if (ends_with(path, JOURNAL_SUFFIX JOURNAL_EARLY_SUFFIX))
			remove_early(path);
		else if (names[i]->d_name[0] != '.')
			r = clean_one(path, report, &running, err);
		if (first == 0)
			first = r;
		free(path);
		free(names[i]);
	}
	if (count > 0)
		free(names);
	clean_ring_switch(report);
	if (ret_running)
		*ret_running = running;
	return first;
}
