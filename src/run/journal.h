/*
 * The undo journal: one file a rig, JSON lines, made durable before the thing is tried. What it
 * holds is undone in reverse order, each undo after it has made sure that the thing is still ours
 * (undo.h). A plumb that was killed leaves its journal; `plumb clean` finishes it.
 *
 * Lines: first {"plumb_journal": 1, "id": ID, "study": NAME, "pid": N, "start_ticks": N, "boot":
 * TEXT}; then {"note": N, "kind": WORD, "path": TEXT, ...}, {"amend": N, ...} and {"forget": N}. A
 * last line without its newline was cut short by the kill, and is as if never written.
 */
#ifndef RUN_JOURNAL_H
#define RUN_JOURNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "record/undo.h"
#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_VERSION 1
#define JOURNAL_SUFFIX	".journal"
/* Added while the first line is not in yet. */
#define JOURNAL_EARLY_SUFFIX ".new"

struct journal_entry {
	struct undo_record record; /* strings in the journal's arena */
	bool forgotten;
};

struct journal {
	struct undo_sink sink; /* hand out &journal->sink */
	struct arena arena;
	char *path;
	const char *id;
	const char *study;
	pid_t pid; /* who wrote it */
	uint64_t start_ticks;
	const char *boot;
	int fd;
	struct journal_entry *entries;
	size_t count, size;
};

/* A fresh journal folder/ID.journal, ours and 0600; -EEXIST. */
int journal_create(const char *folder, const char *id, const char *study,
	struct journal **ret_journal, struct err *err);
/* One that a killed plumb left. -EPERM: not ours (owner, mode, no regular file); -EBADMSG: not a
 * journal. Both name it. Changes nothing. */
int journal_load(const char *path, struct journal **ret_journal, struct err *err);
/* The plumb that wrote it still runs. */
bool journal_owner_runs(const struct journal *journal);
/* Written before the machine's last start: its processes, mounts and devices are gone. */
bool journal_of_other_boot(const struct journal *journal);
/* Nothing is left to undo. */
bool journal_is_done(const struct journal *journal);
/* Close; the file is removed when nothing is left to undo. Takes NULL, returns NULL. */
struct journal *journal_close(struct journal *journal);
/* Close and leave the file as it is: another plumb's. */
struct journal *journal_drop(struct journal *journal);

const char *undo_kind_word(enum undo_kind kind);
int undo_kind_parse(const char *word, enum undo_kind *ret_kind); /* -EINVAL */

#endif
