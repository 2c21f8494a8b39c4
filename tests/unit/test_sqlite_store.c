/* sqlite_store: what can be wrong with a results folder, each refused with what to do. */
#include "unit/unit.h"

#include "base/file.h"
#include "base/memory.h"
#include "store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_folder(void **state)
{
	char *folder = memory_copy_string("/tmp/plumb sqlite?#%-XXXXXX");

	assert_non_null(mkdtemp(folder));
	*state = folder;
	return 0;
}

static int remove_folder(void **state)
{
	assert_int_equal(file_remove_tree(*state, NULL), 0);
	free(*state);
	return 0;
}

static char *database_of(const char *folder)
{
	return memory_format("%s/%s", folder, STORE_DATABASE);
}

static void make_store(const char *folder)
{
	static const struct store_study study = { "s", "text", false, 1, 2, "9" };
	struct store *store;
	struct err err = ERR_INIT;

	if (store_open(&sqlite_store, folder, STORE_WRITE, &store, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(store_put_study(store, &study, &err), 0);
	for (int i = 0; i < 12; i++) {
		char name[2000];

		/* Long names: a few rows, each of them synced, fill several pages. */
		snprintf(name, sizeof(name), "%d %-1900s", i, "number");
		assert_int_equal(store_put_number(store, name, i, &err), 0);
	}
	store_close(store);
}

static void run_sql(const char *folder, const char *sql)
{
	char *path = database_of(folder);
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(path);
}

static void expect_refusal(const char *folder, enum store_mode mode, int error, const char *said)
{
	struct store *store = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(store_open(&sqlite_store, folder, mode, &store, &err), error);
	assert_null(store);
	if (!strstr(err.message, said))
		fail_msg("'%s' does not say '%s'", err.message, said);
	assert_non_null(strstr(err.message, "\nhint: "));
}

static void nothing_there(void **state)
{
	char *below = memory_format("%s/a/b", (char *)*state);

	expect_refusal(*state, STORE_READ, -ENOENT, "there are no results in");
	expect_refusal(below, STORE_READ, -ENOENT, "there are no results in");
	make_store(below); /* folders are made for writing */
	free(below);
}

static void a_newer_schema(void **state)
{
	make_store(*state);
	run_sql(*state, "PRAGMA user_version = 99");
	expect_refusal(*state, STORE_READ, -EPROTONOSUPPORT, "schema version 99");
	expect_refusal(*state, STORE_WRITE, -EPROTONOSUPPORT, "written by a newer plumb");
}

static void somebody_elses_database(void **state)
{
	run_sql(*state, "CREATE TABLE theirs(x)");
	expect_refusal(*state, STORE_WRITE, -EEXIST, "not one of plumb's");
	expect_refusal(*state, STORE_READ, -EEXIST, "not one of plumb's");
}

static void overwrite(const char *folder, off_t offset, size_t length)
{
	char *path = database_of(folder), *junk = memory_new(length);
	int fd = open(path, O_WRONLY);

	memset(junk, 0x5a, length);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, junk, length, offset), (ssize_t)length);
	close(fd);
	free(junk);
	free(path);
}

static void a_damaged_header(void **state)
{
	make_store(*state);
	overwrite(*state, 0, 64);
	expect_refusal(*state, STORE_READ, -EUCLEAN, "not a database");
	expect_refusal(*state, STORE_WRITE, -EUCLEAN, "not a database");
}

static void a_damaged_page(void **state)
{
	struct stat info;
	char *path = database_of(*state);

	make_store(*state);
	assert_int_equal(stat(path, &info), 0);
	/* The last pages hold the numbers' rows. */
	overwrite(*state, info.st_size - 8192, 8192);
	expect_refusal(*state, STORE_READ, -EUCLEAN, "is damaged, table number");
	expect_refusal(*state, STORE_WRITE, -EUCLEAN, "is damaged, table number");
	free(path);
}

static void cut_short(void **state)
{
	char *path = database_of(*state);
	struct stat info;

	make_store(*state);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size / 2), 0);
	expect_refusal(*state, STORE_READ, -EUCLEAN, "damaged");
	free(path);
}

/* Hold the folder in another process, as another plumb would. */
static void second_writer(void **state)
{
	int ready[2], done[2];
	char byte = 0;
	pid_t other;
	char said[64];

	make_store(*state);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	other = fork();
	if (other == 0) {
		static const struct store_study study = { "s", "text", false, 1, 2, "9" };
		struct store *store;
		bool fine = store_open(&sqlite_store, *state, STORE_WRITE, &store, NULL) == 0 &&
			    store_put_study(store, &study, NULL) == 0 &&
			    write(ready[1], "x", 1) == 1;

		close(done[1]);
		_exit(fine && read(done[0], &byte, 1) == 0 ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	snprintf(said, sizeof(said), "in use by plumb, process %ld,", (long)other);
	expect_refusal(*state, STORE_WRITE, -EBUSY, said);
	expect_refusal(*state, STORE_WRITE, -EBUSY, ", study s");
	struct store *reader = NULL;

	assert_int_equal(store_open(&sqlite_store, *state, STORE_READ, &reader, NULL), 0);
	store_close(reader);
	close(done[0]);
	close(done[1]);
	assert_int_equal(waitpid(other, NULL, 0), other);
	make_store(*state); /* free again */
}

/* As a user whom the folder does not belong to; root may write everywhere. */
static void a_folder_for_reading_only(void **state)
{
	char *path = database_of(*state);
	pid_t other;
	int status;

	make_store(*state);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(*state, 0555), 0);
	other = fork();
	if (other == 0) {
		struct store *store = NULL;
		struct err err = ERR_INIT;
		double value = 0;
		bool refused, read_back;
		char name[2000];

		snprintf(name, sizeof(name), "7 %-1900s", "number");
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(3);
		refused = store_open(&sqlite_store, *state, STORE_WRITE, &store, &err) == -EACCES &&
			  strstr(err.message, "cannot write in results folder") != NULL;
		read_back = store_open(&sqlite_store, *state, STORE_READ, &store, NULL) == 0 &&
			    store_get_number(store, name, &value, NULL) == 0 && value == 7;
		_exit(refused ? (read_back ? 0 : 1) : 2);
	}
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(chmod(*state, 0755), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
		CASE(nothing_there),
		CASE(a_newer_schema),
		CASE(somebody_elses_database),
		CASE(a_damaged_header),
		CASE(a_damaged_page),
		CASE(cut_short),
		CASE(second_writer),
		CASE(a_folder_for_reading_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
