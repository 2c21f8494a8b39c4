/* PostgreSQL's configuration files: values, comments, includes, and what is no setting. */
#include "unit/unit.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "doctor/collect/conf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-conf.XXXXXX";

static void write_text(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void note(void *context, const char *file UNUSED, const char *name, const char *value)
{
	strbuf_add_format(context, "%s=%s\n", name, value);
}

static int read_main(struct strbuf *seen, struct err *err)
{
	char path[256];

	strbuf_clear(seen);
	snprintf(path, sizeof(path), "%s/postgresql.conf", folder);
	return conf_file_read(path, note, seen, err);
}

static void reads_values(void **state UNUSED)
{
	static const struct {
		const char *line, *seen;
	} cases[] = {
		{ "fsync = off", "fsync=off\n" },
		{ "  FSYNC  off  # why not", "fsync=off\n" },
		{ "work_mem='64 MB'", "work_mem=64 MB\n" },
		{ "a = 'it''s' # 'x'", "a=it's\n" },
		{ "a = 'it\\'s'", "a=it's\n" },
		{ "a = ''", "a=\n" },
		{ "a.b = 1.5", "a.b=1.5\n" },
		{ "# fsync = off", "" },
		{ "\t\r", "" },
		{ "a = 1\na = 2", "a=1\na=2\n" },
		{ "include_if_exists 'none.conf'", "" },
	};
	struct strbuf seen = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		write_text("postgresql.conf", cases[i].line);
		if (read_main(&seen, &err) < 0)
			fail_msg("%s: %s", cases[i].line, err.message);
		assert_string_equal(seen.data, cases[i].seen);
	}
	strbuf_release(&seen);
}

static void refuses(void **state UNUSED)
{
	static const char *const lines[] = { "fsync", "fsync =", "= off", "a = 'open", "a = b c",
		"a = 'b' c", "a = b'c'", "!x = 1", "include 'none.conf'", "include_dir 'nothing'",
		"include 'postgresql.conf'" };
	struct strbuf seen = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err err = ERR_INIT;
		struct strbuf text = STRBUF_INIT;

		strbuf_add_format(&text, "x = 1\n%s\n", lines[i]);
		write_text("postgresql.conf", text.data);
		if (read_main(&seen, &err) == 0)
			fail_msg("'%s' was accepted", lines[i]);
		assert_non_null(strstr(err.message, "postgresql.conf:2"));
		strbuf_release(&text);
	}
	strbuf_release(&seen);
}

static void secrets_stay_out_of_errors(void **state UNUSED)
{
	struct strbuf seen = STRBUF_INIT;
	struct err err = ERR_INIT;

	write_text("postgresql.conf", "primary_conninfo = 'password=hush\n");
	assert_true(read_main(&seen, &err) < 0);
	assert_null(strstr(err.message, "hush"));
	strbuf_release(&seen);
}

static void includes_in_order(void **state UNUSED)
{
	struct strbuf seen = STRBUF_INIT;
	struct err err = ERR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/conf.d", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	write_text("conf.d/20-b.conf", "b = 2\n");
	write_text("conf.d/10-a.conf", "a = 1\ninclude '../more'\n");
	write_text("conf.d/ignored", "c = 3\n");
	write_text("conf.d/.hidden.conf", "d = 4\n");
	write_text("more", "e = 5\n");
	write_text("postgresql.conf", "include_dir conf.d\nz = 9\n");
	if (read_main(&seen, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(seen.data, "a=1\ne=5\nb=2\nz=9\n");
	strbuf_release(&seen);
}

static int make_folder(void **state UNUSED)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state UNUSED)
{
	return file_remove_tree(folder, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_values),
		cmocka_unit_test(refuses),
		cmocka_unit_test(secrets_stay_out_of_errors),
		cmocka_unit_test(includes_in_order),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
