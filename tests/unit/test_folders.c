/* folders: where things lie, for root and for a user; what is refused, with what to change. */
#include "unit/unit.h"

#include "base/file.h"
#include "run/folders.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_given_folder_wins(void **state UNUSED)
{
	struct folders folders;
	struct err err = ERR_INIT;

	setenv("PLUMB_SCRATCH", "/tmp/from-environment", 1);
	assert_int_equal(folders_init(&folders, "/tmp/given", &err), 0);
	assert_string_equal(folders.scratch, "/tmp/given");
	assert_string_equal(folders.journal, "/tmp/given/journal");
	folders_release(&folders);
	assert_int_equal(folders_init(&folders, NULL, &err), 0);
	assert_string_equal(folders.scratch, "/tmp/from-environment");
	folders_release(&folders);
	folders_release(&folders);
	unsetenv("PLUMB_SCRATCH");
	assert_int_equal(folders_init(&folders, "relative/path", &err), -EINVAL);
}

static void sockets_fit(void **state UNUSED)
{
	struct folders folders;
	struct err err = ERR_INIT;

	assert_int_equal(folders_init(&folders, NULL, &err), 0);
	assert_true(strlen(folders.runtime) + strlen("/plumb-01234567/s") +
			    strlen(FOLDERS_SOCKET_NAME) <=
		    FOLDERS_SOCKET_MAX);
	folders_release(&folders);
}

static void made_closed_and_checked(void **state UNUSED)
{
	char folder[64] = "/tmp/plumb-folders-XXXXXX";
	struct folders folders;
	struct err err = ERR_INIT;
	struct stat info;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(folders_init(&folders, folder, &err), 0);
	free(folders.runtime);
	folders.runtime = strdup(folder);
	if (folders_make(&folders, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(stat(folders.journal, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(chmod(folders.rigs, 0777), 0);
	assert_int_equal(folders_make(&folders, &err), -EPERM);
	assert_non_null(strstr(err.message, "can be written by others"));
	folders_release(&folders);
	assert_int_equal(file_remove_tree(folder, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_given_folder_wins),
		cmocka_unit_test(sockets_fit),
		cmocka_unit_test(made_closed_and_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
