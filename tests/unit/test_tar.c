/* tar: what is written is read back, names that could leave a folder are refused both ways. */
#include "unit/unit.h"

#include "base/memory.h"
#include "base/tar.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	bool plain;
} names[] = {
	{ "results.sqlite", true },
	{ "raw/study/0a1b/server.log", true },
	{ "a=b,c@d+e:f", true },
	{ "", false },
	{ "/etc/passwd", false },
	{ "../up", false },
	{ "raw/../up", false },
	{ "raw/./here", false },
	{ "raw//double", false },
	{ "raw/", false },
	{ ".hidden", false },
	{ "raw/.hidden", false },
	{ "-option", false },
	{ "with space", false },
	{ "new\nline", false },
	{ "umlaut\xc3\xa4", false },
	{ "back\\slash", false },
	{ "1/2/3/4/5/6/7/8", true },
	{ "1/2/3/4/5/6/7/8/9", false },
};

static void plain_names(void **state UNUSED)
{
	char longest[TAR_NAME_MOST + 2];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(tar_name_is_plain(names[i].name), names[i].plain);
	memset(longest, 'a', sizeof(longest));
	longest[TAR_NAME_MOST] = '\0';
	assert_true(tar_name_is_plain(longest));
	longest[TAR_NAME_MOST] = 'a';
	longest[TAR_NAME_MOST + 1] = '\0';
	assert_false(tar_name_is_plain(longest));
}

struct seen {
	size_t count;
	uint64_t bytes;
	char last[TAR_NAME_MOST + 1];
	char text[64];
};

static int look(void *context, const struct tar_entry *entry, FILE *file, struct err *err)
{
	struct seen *seen = context;

	seen->count++;
	seen->bytes += entry->size;
	snprintf(seen->last, sizeof(seen->last), "%s", entry->name);
	if (entry->size >= sizeof(seen->text))
		return tar_copy(file, NULL, entry->size, err);
	seen->text[entry->size] = '\0';
	return entry->size == 0 || fread(seen->text, entry->size, 1, file) == 1 ? 0 : -EIO;
}

static int read_back(FILE *file, struct seen *seen, struct err *err)
{
	struct tar_reader reader = { file, "memory", look, seen };

	memset(seen, 0, sizeof(*seen));
	rewind(file);
	return tar_read(&reader, err);
}

static void round_trip(void **state UNUSED)
{
	FILE *file = tmpfile();
	struct tar_writer writer = { file, "memory" };
	struct seen seen;
	struct err err = ERR_INIT;
	char folder[161] = { 0 }, name[256], *large = memory_new(100000);

	memset(folder, 'd', 150);
	snprintf(name, sizeof(name), "%s/file", folder);
	memset(large, 'x', 100000);
	assert_int_equal(tar_add_text(&writer, "empty", "", 0, &err), 0);
	assert_int_equal(tar_add_text(&writer, "large", large, 100000, &err), 0);
	assert_int_equal(tar_add_text(&writer, name, "hello", 5, &err), 0);
	assert_int_equal(tar_add_text(&writer, "../up", "", 0, &err), -EINVAL);
	assert_int_equal(tar_finish(&writer, &err), 0);
	err_clear(&err);
	assert_int_equal(read_back(file, &seen, &err), 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.bytes, 100005);
	assert_string_equal(seen.last, name);
	assert_string_equal(seen.text, "hello");
	/* Every byte of a header is under its checksum. */
	for (long at = 0; at < 512; at += 7) {
		int byte;

		fseek(file, at, SEEK_SET);
		byte = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(byte ^ 0x15, file);
		err_clear(&err);
		assert_int_equal(read_back(file, &seen, &err), -EBADMSG);
		assert_true(strncmp(err.message, "'memory': ", 10) == 0);
		fseek(file, at, SEEK_SET);
		fputc(byte, file);
	}
	assert_int_equal(read_back(file, &seen, NULL), 0);
	fclose(file);
	free(large);
}

static void cut_short(void **state UNUSED)
{
	FILE *file = tmpfile();
	struct tar_writer writer = { file, "memory" };
	struct seen seen;
	struct err err = ERR_INIT;

	assert_int_equal(read_back(file, &seen, &err), -EBADMSG);
	assert_string_equal(err.message, "'memory': its end is missing");
	assert_int_equal(tar_add_text(&writer, "file", "hello", 5, NULL), 0);
	err_clear(&err);
	assert_int_equal(read_back(file, &seen, &err), -EBADMSG);
	assert_string_equal(err.message, "'memory': its end is missing");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
