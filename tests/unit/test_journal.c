/* journal: what was noted is there after a kill at any byte; files that are not ours are refused.
 */
#include "unit/unit.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/journal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "plumb-0123abcd"

static char folder[64];

static char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state UNUSED)
{
	snprintf(folder, sizeof(folder), "/tmp/plumb-journal-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state UNUSED)
{
	return file_remove_tree(folder, NULL);
}

static struct journal *create(void)
{
	struct journal *journal;
	struct err err = ERR_INIT;

	if (journal_create(folder, ID, "study \"x\"", &journal, &err) < 0)
		fail_msg("%s", err.message);
	return journal;
}

static void note_three(struct journal *journal)
{
	struct undo_sink *sink = &journal->sink;
	struct undo_record folder_record = { .kind = UNDO_FOLDER, .path = "/a b/\"c\"" };
	struct undo_record loop = {
		.kind = UNDO_LOOP, .owner = "/i", .inode = UINT64_MAX >> 1, .device = 65024
	};
	struct undo_record process = { .kind = UNDO_PROCESS };
	uint64_t id;

	assert_int_equal(sink->note(sink, &folder_record, &id, NULL), 0);
	assert_int_equal(id, 0);
	assert_int_equal(sink->note(sink, &loop, &id, NULL), 0);
	assert_int_equal(sink->note(sink, &process, &id, NULL), 0);
	assert_int_equal(id, 2);
	process.pid = 4711;
	process.start_ticks = 99;
	assert_int_equal(sink->amend(sink, 2, &process, NULL), 0);
	assert_int_equal(sink->forget(sink, 1, NULL), 0);
	assert_int_equal(sink->forget(sink, 3, NULL), -EINVAL);
}

static void comes_back_as_noted(void **state UNUSED)
{
	struct journal *journal = create(), *loaded;
	struct err err = ERR_INIT;
	struct stat info;

	note_three(journal);
	assert_int_equal(journal_load(path_of(ID ".journal"), &loaded, &err), 0);
	assert_string_equal(loaded->id, ID);
	assert_string_equal(loaded->study, "study \"x\"");
	assert_int_equal(loaded->count, 3);
	assert_string_equal(loaded->entries[0].record.path, "/a b/\"c\"");
	assert_true(loaded->entries[1].forgotten);
	assert_true(loaded->entries[1].record.inode == UINT64_MAX >> 1);
	assert_int_equal(loaded->entries[2].record.pid, 4711);
	assert_int_equal(loaded->entries[2].record.start_ticks, 99);
	assert_false(journal_is_done(loaded));
	assert_true(journal_owner_runs(loaded)); /* that is us */
	assert_false(journal_of_other_boot(loaded));
	journal_drop(loaded);
	assert_int_equal(stat(path_of(ID ".journal"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	/* Nobody else's: a second one of the same name is refused. */
	assert_int_equal(journal_create(folder, ID, "s", &loaded, &err), -EEXIST);
	journal_close(journal);
	assert_true(file_exists(path_of(ID ".journal")));
}

static void done_removes_the_file(void **state UNUSED)
{
	struct journal *journal = create();
	struct undo_sink *sink = &journal->sink;
	struct undo_record record = { .kind = UNDO_MOUNT, .path = "/m" };
	uint64_t id;

	assert_int_equal(sink->note(sink, &record, &id, NULL), 0);
	assert_int_equal(sink->forget(sink, id, NULL), 0);
	assert_true(journal_is_done(journal));
	journal_close(journal);
	assert_false(file_exists(path_of(ID ".journal")));
}

/* Cut the file at every byte: it loads, and holds exactly the lines that were whole. */
static void any_cut_loads(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct journal *journal = create();

	note_three(journal);
	journal_drop(journal);
	assert_int_equal(file_read(path_of(ID ".journal"), &text, NULL), 0);
	for (size_t cut = 0; cut <= text.length; cut++) {
		size_t lines = 0, expected;
		struct journal *loaded;
		struct err err = ERR_INIT;
		int fd = open(path_of("plumb-cut.journal"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_int_equal(write(fd, text.data, cut), cut);
		close(fd);
		for (size_t i = 0; i < cut; i++)
			lines += text.data[i] == '\n';
		if (lines == 0 && cut > 0) { /* not even a head: it says so, and is left alone */
			assert_int_equal(journal_load(path_of("plumb-cut.journal"), &loaded, &err),
				-EBADMSG);
			continue;
		}
		assert_int_equal(journal_load(path_of("plumb-cut.journal"), &loaded, &err), 0);
		expected = lines == 0 ? 0 : MIN(lines - 1, 3);
		assert_int_equal(loaded->count, expected);
		journal_drop(loaded);
	}
	strbuf_release(&text);
}

static void refused(void **state UNUSED)
{
	static const char *const texts[] = {
		"hello\n",
		"{}\n",
		"{\"plumb_journal\":2,\"id\":\"" ID "\",\"boot\":\"b\"}\n",
		"{\"plumb_journal\":1,\"id\":\"../../etc\",\"boot\":\"b\"}\n",
		"{\"plumb_journal\":1,\"id\":\"plumb-zz\",\"boot\":\"b\"}\n",
		"{\"plumb_journal\":1,\"id\":\"" ID
		"\",\"boot\":\"b\"}\n{\"note\":1,\"kind\":\"file\"}\n",
		"{\"plumb_journal\":1,\"id\":\"" ID
		"\",\"boot\":\"b\"}\n{\"note\":0,\"kind\":\"shell\"}\n",
		"{\"plumb_journal\":1,\"id\":\"" ID "\",\"boot\":\"b\"}\n{\"forget\":7}\n",
		"{\"plumb_journal\":1,\"id\":\"" ID
		"\",\"boot\":\"b\"}\n{\"amend\":-1,\"kind\":\"file\"}\n",
	};
	struct journal *journal;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = ERR_INIT;
		int fd = open(path_of("plumb-x.journal"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_true(write(fd, texts[i], strlen(texts[i])) > 0);
		close(fd);
		assert_int_equal(
			journal_load(path_of("plumb-x.journal"), &journal, &err), -EBADMSG);
		assert_non_null(strstr(err.message, "plumb-x.journal"));
	}
}

static void files_of_others(void **state UNUSED)
{
	struct journal *journal = create();
	struct err err = ERR_INIT;

	note_three(journal);
	journal_drop(journal);
	assert_int_equal(chmod(path_of(ID ".journal"), 0644), 0);
	assert_int_equal(journal_load(path_of(ID ".journal"), &journal, &err), -EPERM);
	assert_int_equal(chmod(path_of(ID ".journal"), 0600), 0);
	assert_int_equal(symlink(ID ".journal", path_of("link")), 0);
	assert_int_equal(journal_load(path_of("link"), &journal, &err), -ELOOP);
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_int_equal(journal_load(path_of("fifo"), &journal, &err), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(comes_back_as_noted, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(done_removes_the_file, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(any_cut_loads, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(refused, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(files_of_others, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
