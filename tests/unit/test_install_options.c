/* Sizes within PostgreSQL's limits, and names of builds that tell every option apart. */
#include "unit.h"

#include "base/macros.h"
#include "postgres/install_internal.h"

#include <errno.h>
#include <string.h>

static const struct {
	struct pg_build_spec spec;
	int error;
} specs[] = {
	{ { NULL, 0, 0, 0 }, 0 },
	{ { "15", 1 << 10, 1 << 10, 1 << 30 }, 0 },
	{ { "15.18", 32 << 10, 64 << 10, 2ULL << 30 }, 0 },
	{ { "15", 64 << 10, 0, 0 }, -EINVAL },
	{ { "15", 512, 0, 0 }, -EINVAL },
	{ { "15", 3 << 10, 0, 0 }, -EINVAL },
	{ { "15", 0, 128 << 10, 0 }, -EINVAL },
	{ { "15", 0, 0, 1000 }, -EINVAL },
	{ { "fifteen", 0, 0, 0 }, -EINVAL },
};

static void test_spec(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(pg_build_spec_check(&specs[i].spec, &err), specs[i].error);
		assert_int_equal(err.message[0] != '\0', specs[i].error != 0);
	}
}

static bool has_option(char *const *options, const char *wanted)
{
	for (size_t i = 0; options[i]; i++)
		if (strcmp(options[i], wanted) == 0)
			return true;
	return false;
}

static void test_options(void **state UNUSED)
{
	struct pg_build_spec spec = { "15", 16 << 10, 4 << 10, 2ULL << 30 };
	char **options = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(pg_build_options(&spec, 15, &options, &err), 0);
	assert_true(has_option(options, "--with-blocksize=16"));
	assert_true(has_option(options, "--with-wal-blocksize=4"));
	assert_true(has_option(options, "--with-segsize=2"));
	assert_false(has_option(options, "CFLAGS=-g"));
	pg_options_free(options);

	spec.segment_bytes = 128 << 20;
	options = NULL;
	assert_int_equal(pg_build_options(&spec, 15, &options, &err), -EINVAL);
	assert_null(options);
	assert_int_equal(pg_build_options(&spec, 16, &options, &err), 0);
	assert_true(has_option(options, "--with-segsize-blocks=8192"));
	pg_options_free(options);
}

static void test_name(void **state UNUSED)
{
	struct pg_build_spec spec = { "15", 32 << 10, 0, 0 };
	char plain[] = "--with-lz4", flags[] = "CFLAGS=-O2";
	char *one[] = { plain, NULL }, *two[] = { plain, flags, NULL };
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT, again = STRBUF_INIT;

	pg_build_name(&spec, "15.18", one, &first);
	pg_build_name(&spec, "15.18", two, &second);
	pg_build_name(&spec, "15.18", one, &again);
	assert_memory_equal(first.data, "15.18-b32K-w8K-s1G-", 19);
	assert_string_equal(first.data, again.data);
	assert_string_not_equal(first.data, second.data);
	strbuf_release(&first);
	strbuf_release(&second);
	strbuf_release(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_spec),
		cmocka_unit_test(test_options), cmocka_unit_test(test_name) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
