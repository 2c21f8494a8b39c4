/* The undo journal's file (see journal.h); journal_undo.c does the undoing. */
#include "run/journal.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_MAX_BYTES (16 << 20)

#define UNDO_AS_WORD(id, word, help) [UNDO_##id] = word,
static const char *const kind_words[] = { UNDO_KINDS(UNDO_AS_WORD) };

const char *undo_kind_word(enum undo_kind kind)
{
	return kind_words[kind];
}

int undo_kind_parse(const char *word, enum undo_kind *ret_kind)
{
	for (size_t i = 0; i < UNDO_KIND_COUNT; i++) {
		if (strcmp(kind_words[i], word) == 0) {
			*ret_kind = (enum undo_kind)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* Whole line at once, on the disk when it returns. */
static int write_line(struct journal *journal, json_t *object, struct err *err)
{
	char *text = json_dumps(object, JSON_COMPACT);
	char *line = memory_format("%s\n", text);
	size_t length = strlen(line);
	int r = 0;

	json_decref(object);
	if (write(journal->fd, line, length) != (ssize_t)length)
		r = errno ? -errno : -EIO;
	else if (fdatasync(journal->fd) < 0)
		r = -errno;
	free(text);
	free(line);
	return r < 0 ? err_set_errno(err, r, "cannot write the undo journal '%s'", journal->path)
		     : 0;
}

static json_t *record_json(const char *action, uint64_t id, const struct undo_record *record)
{
	json_t *object = json_object();

	json_object_set_new(object, action, json_integer((json_int_t)id));
	json_object_set_new(object, "kind", json_string(undo_kind_word(record->kind)));
	if (record->path)
		json_object_set_new(object, "path", json_string(record->path));
	if (record->owner)
		json_object_set_new(object, "owner", json_string(record->owner));
	if (record->pid)
		json_object_set_new(object, "pid", json_integer(record->pid));
	if (record->start_ticks)
		json_object_set_new(
			object, "start_ticks", json_integer((json_int_t)record->start_ticks));
	if (record->inode)
		json_object_set_new(object, "inode", json_integer((json_int_t)record->inode));
	if (record->device)
		json_object_set_new(object, "device", json_integer((json_int_t)record->device));
	return object;
}

static void keep(struct journal *journal, uint64_t id, const struct undo_record *record)
{
	struct undo_record *mine;

	if (id == journal->count) {
		if (journal->count == journal->size) {
			journal->size = journal->size ? journal->size * 2 : 16;
			journal->entries = memory_resize(
				journal->entries, journal->size, sizeof(*journal->entries));
		}
		journal->entries[journal->count++] = (struct journal_entry){ 0 };
	}
	mine = &journal->entries[id].record;
	*mine = *record;
	mine->path = arena_copy_string(&journal->arena, record->path);
	mine->owner = arena_copy_string(&journal->arena, record->owner);
}

static int journal_note(
	struct undo_sink *sink, const struct undo_record *record, uint64_t *ret_id, struct err *err)
{
	struct journal *journal = CONTAINER_OF(sink, struct journal, sink);
	uint64_t id = journal->count;
	int r = write_line(journal, record_json("note", id, record), err);

	if (r < 0)
		return r;
	keep(journal, id, record);
	*ret_id = id;
	return 0;
}

static int journal_amend(
	struct undo_sink *sink, uint64_t id, const struct undo_record *record, struct err *err)
{
	struct journal *journal = CONTAINER_OF(sink, struct journal, sink);
	int r;

	if (id >= journal->count)
		return err_set(
			err, -EINVAL, "undo journal: no record %llu", (unsigned long long)id);
	r = write_line(journal, record_json("amend", id, record), err);
	if (r == 0)
		keep(journal, id, record);
	return r;
}

static int journal_forget(struct undo_sink *sink, uint64_t id, struct err *err)
{
	struct journal *journal = CONTAINER_OF(sink, struct journal, sink);
	int r;

	if (id >= journal->count)
		return err_set(
			err, -EINVAL, "undo journal: no record %llu", (unsigned long long)id);
	r = write_line(journal, json_pack("{s:I}", "forget", (json_int_t)id), err);
	if (r == 0)
		journal->entries[id].forgotten = true;
	return r;
}

static struct journal *new_journal(const char *path)
{
	struct journal *journal = memory_new(sizeof(*journal));

	journal->sink = (struct undo_sink){ journal_note, journal_amend, journal_forget };
	journal->path = memory_copy_string(path);
	journal->fd = -1;
	return journal;
}

static void free_journal(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	arena_release(&journal->arena);
	free(journal->entries);
	free(journal->path);
	free(journal);
}

static int sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0)
		r = -errno;
	close(fd);
	return r;
}

static int write_head(struct journal *journal, struct err *err)
{
	return write_line(journal,
		json_pack("{s:i, s:s, s:s, s:i, s:I, s:s}", "plumb_journal", JOURNAL_VERSION, "id",
			journal->id, "study", journal->study, "pid", (int)journal->pid,
			"start_ticks", (json_int_t)journal->start_ticks, "boot", journal->boot),
		err);
}

/* Under another name until the head is in: a journal that can be seen says whose it is. */
static int create_file(struct journal *journal, const char *folder, struct err *err)
{
	char *early = memory_format("%s" JOURNAL_EARLY_SUFFIX, journal->path);
	int r = 0;

	if (file_exists(journal->path))
		r = -EEXIST;
	if (r == 0) {
		journal->fd = open(
			early, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		r = journal->fd < 0 ? -errno : write_head(journal, err);
	}
	if (r == 0 && rename(early, journal->path) < 0)
		r = -errno;
	if (r == 0)
		r = sync_folder(folder);
	free(early);
	return r;
}

int journal_create(const char *folder, const char *id, const char *study,
	struct journal **ret_journal, struct err *err)
{
	char *path = memory_format("%s/%s" JOURNAL_SUFFIX, folder, id);
	struct journal *journal = new_journal(path);
	char boot[OS_BOOT_ID_SIZE];
	int r;

	free(path);
	os_boot_id(boot);
	journal->id = arena_copy_string(&journal->arena, id);
	journal->study = arena_copy_string(&journal->arena, study);
	journal->boot = arena_copy_string(&journal->arena, boot);
	journal->pid = getpid();
	r = os_process_start_ticks(journal->pid, &journal->start_ticks);
	if (r == 0)
		r = create_file(journal, folder, err);
	if (r < 0) {
		if (!err || !err->code)
			err_set_errno(err, r, "cannot make the undo journal '%s'", journal->path);
		free_journal(journal);
		return r;
	}
	*ret_journal = journal;
	return 0;
}

static const char *text_of(struct journal *journal, const json_t *object, const char *key)
{
	return arena_copy_string(&journal->arena, json_string_value(json_object_get(object, key)));
}

static uint64_t number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static int load_head(struct journal *journal, const json_t *object)
{
	if (number_of(object, "plumb_journal") != JOURNAL_VERSION)
		return -EBADMSG;
	journal->id = text_of(journal, object, "id");
	journal->study = text_of(journal, object, "study");
	journal->boot = text_of(journal, object, "boot");
	journal->pid = (pid_t)number_of(object, "pid");
	journal->start_ticks = number_of(object, "start_ticks");
	/* The id becomes a name of folders and control groups: nothing but our own form. */
	if (!journal->id || !journal->boot || strncmp(journal->id, "plumb-", 6) != 0 ||
		strspn(journal->id + 6, "0123456789abcdef") != strlen(journal->id + 6))
		return -EBADMSG;
	return 0;
}

static int load_entry(struct journal *journal, const json_t *object)
{
	const json_t *note = json_object_get(object, "note");
	const json_t *amend = json_object_get(object, "amend");
	const json_t *forget = json_object_get(object, "forget");
	const json_t *action = note ? note : amend ? amend : forget;
	const char *kind = json_string_value(json_object_get(object, "kind"));
	uint64_t id = (uint64_t)json_integer_value(action);
	struct undo_record record;

	if (!json_is_integer(action) || id > journal->count || (!note && id == journal->count) ||
		(note && id != journal->count))
		return -EBADMSG;
	if (forget) {
		journal->entries[id].forgotten = true;
		return 0;
	}
	if (!kind || undo_kind_parse(kind, &record.kind) < 0)
		return -EBADMSG;
	record.path = json_string_value(json_object_get(object, "path"));
	record.owner = json_string_value(json_object_get(object, "owner"));
	record.pid = (pid_t)number_of(object, "pid");
	record.start_ticks = number_of(object, "start_ticks");
	record.inode = number_of(object, "inode");
	record.device = number_of(object, "device");
	keep(journal, id, &record);
	return 0;
}

static int load_lines(struct journal *journal, char *text, struct err *err)
{
	size_t number = 0;
	char *end;

	for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
		json_t *object;
		int r;

		*end = '\0';
		object = json_loads(line, 0, NULL);
		r = !json_is_object(object) ? -EBADMSG
		    : number == 0	    ? load_head(journal, object)
					    : load_entry(journal, object);
		json_decref(object);
		if (r < 0)
			return err_set(err, r,
				"'%s', line %zu: not an undo journal of this plumb: left alone",
				journal->path, number + 1);
		number++;
	}
	if (number == 0 && *text)
		return err_set(
			err, -EBADMSG, "'%s' is not an undo journal: left alone", journal->path);
	return 0;
}

static int open_ours(struct journal *journal, struct err *err)
{
	struct stat info;

	journal->fd = open(journal->path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (journal->fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", journal->path);
	if (fstat(journal->fd, &info) < 0)
		return err_set_errno(err, -errno, "cannot look at '%s'", journal->path);
	if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 0077) ||
		info.st_nlink != 1)
		return err_set(err, -EPERM,
			"'%s' is not a file that plumb of this user made: left alone",
			journal->path);
	return 0;
}

int journal_load(const char *path, struct journal **ret_journal, struct err *err)
{
	struct journal *journal = new_journal(path);
	struct strbuf text = STRBUF_INIT;
	int r = open_ours(journal, err);

	if (r == 0)
		r = file_read_limited(path, JOURNAL_MAX_BYTES, &text, err);
	if (r == 0)
		r = load_lines(journal, text.data, err);
	strbuf_release(&text);
	if (r < 0)
		free_journal(journal);
	else
		*ret_journal = journal;
	return r;
}

bool journal_of_other_boot(const struct journal *journal)
{
	char boot[OS_BOOT_ID_SIZE];

	os_boot_id(boot);
	return journal->boot && strcmp(journal->boot, boot) != 0;
}

bool journal_owner_runs(const struct journal *journal)
{
	uint64_t ticks;

	return journal->pid > 0 && !journal_of_other_boot(journal) &&
	       os_process_start_ticks(journal->pid, &ticks) == 0 && ticks == journal->start_ticks;
}

bool journal_is_done(const struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++)
		if (!journal->entries[i].forgotten)
			return false;
	return true;
}

struct journal *journal_close(struct journal *journal)
{
	if (journal) {
		/* Left behind it would only be read as done by the next clean. */
		if (journal_is_done(journal))
			(void)unlink(journal->path);
		free_journal(journal);
	}
	return NULL;
}

struct journal *journal_drop(struct journal *journal)
{
	if (journal)
		free_journal(journal);
	return NULL;
}
