/* raw_files: a trial's files move to the results folder under names that are relative to it. */
#include "unit/unit.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/raw_files.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state UNUSED)
{
	snprintf(folder, sizeof(folder), "/tmp/plumb-raw-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state UNUSED)
{
	return file_remove_tree(folder, NULL);
}

static void put(const char *name, const char *text)
{
	char *path = memory_format("%s/%s", folder, name);

	assert_int_equal(file_write_atomic(path, text, strlen(text), 0600, NULL), 0);
	free(path);
}

static void files_move(void **state UNUSED)
{
	struct raw_place place = { folder, "s", "0123456789abcdef0123456789abcdef" };
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *log = memory_format("%s/server.log", folder), *kept;

	for (int attempt = 1; attempt <= 2; attempt++) {
		struct raw_log part = { log, 4, "server-log", "server.log" };
		struct trial_record record;

		trial_record_init(&record);
		put("server.log", "old\nnew\n");
		put("pgbench_log.1", "1 2 3\n");
		trial_record_file(&record, "pgbench-log", "pgbench_log.1");
		assert_int_equal(raw_files_add_log(&record, &part, folder, &err), 0);
		assert_int_equal(raw_files_keep(&record, folder, &place, &err), 0);
		assert_int_equal(record.file_count, 2);
		/* A repeated trial does not overwrite the files of its void attempt. */
		assert_string_equal(record.files[0].path,
			attempt == 1 ? "raw/s/0123456789abcdef/pgbench_log.1"
				     : "raw/s/0123456789abcdef-2/pgbench_log.1");
		kept = memory_format("%s/%s", folder, record.files[0].path);
		strbuf_clear(&text);
		assert_int_equal(file_read(kept, &text, &err), 0);
		assert_string_equal(text.data, "1 2 3\n");
		free(kept);
		trial_record_release(&record);
	}
	strbuf_release(&text);
	free(log);
}

static void only_what_a_log_gained(void **state UNUSED)
{
	char *log = memory_format("%s/all.log", folder), *copy = memory_format("%s/part", folder);
	struct raw_log part = { log, 4, "server-log", "part" };
	struct strbuf text = STRBUF_INIT;
	struct trial_record record;
	struct err err = ERR_INIT;

	trial_record_init(&record);
	put("all.log", "old\n");
	assert_int_equal(raw_files_add_log(&record, &part, folder, &err), 0);
	assert_int_equal(record.file_count, 0); /* it gained nothing */
	put("all.log", "old\nnew\n");
	assert_int_equal(raw_files_length(log), 8);
	assert_int_equal(raw_files_add_log(&record, &part, folder, &err), 0);
	assert_int_equal(file_read(copy, &text, &err), 0);
	assert_string_equal(text.data, "new\n");
	trial_record_release(&record);
	strbuf_release(&text);
	free(log);
	free(copy);
}

/* The workload's user could put a link there: root must not follow it. */
static void links_are_not_followed(void **state UNUSED)
{
	struct raw_place place = { folder, "s", "0123456789abcdef0123456789abcdef" };
	char *link = memory_format("%s/evil", folder);
	struct trial_record record;
	struct err err = ERR_INIT;

	assert_int_equal(symlink("/etc/passwd", link), 0);
	trial_record_init(&record);
	trial_record_file(&record, "pgbench-log", "evil");
	assert_int_equal(raw_files_keep(&record, folder, &place, &err), -ELOOP);
	trial_record_release(&record);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_move, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(only_what_a_log_gained, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(links_are_not_followed, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
