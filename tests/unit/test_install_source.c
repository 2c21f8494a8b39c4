/* Versions of PostgreSQL: read, compared, matched, taken out of a source tree's configure. */
#include "unit.h"

#include "base/macros.h"
#include "postgres/install_internal.h"

#include <errno.h>

static void test_major(void **state UNUSED)
{
	assert_int_equal(pg_version_major("15"), 15);
	assert_int_equal(pg_version_major("15.18"), 15);
	assert_int_equal(pg_version_major("17beta1"), 17);
	assert_int_equal(pg_version_major("9.6.24"), 9);
	assert_int_equal(pg_version_major(""), 0);
	assert_int_equal(pg_version_major("x15"), 0);
	assert_int_equal(pg_version_major("-15"), 0);
	assert_int_equal(pg_version_major(" 15"), 0);
	assert_int_equal(pg_version_major("15/../x"), 0);
}

static void test_order(void **state UNUSED)
{
	static const char *const ordered[] = { "13.22", "15devel", "15alpha1", "15beta1", "15beta2",
		"15rc1", "15.0", "15.9", "15.18", "16.1", "100.1" };

	for (size_t i = 0; i < ARRAY_SIZE(ordered); i++)
		for (size_t k = 0; k < ARRAY_SIZE(ordered); k++)
			assert_int_equal(
				pg_version_compare(ordered[i], ordered[k]), i < k ? -1 : i > k);
}

static void test_tarball_version(void **state UNUSED)
{
	static const char *const names[][2] = {
		{ "/c/source/postgresql-15_15.18.orig.tar.bz2", "15.18" },
		{ "postgresql-17_17~beta1.orig.tar.bz2", "17~beta1" },
		{ "/a_b/postgresql.tar.bz2", "" },
		{ "postgresql-15_15.18.tar", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct strbuf version = STRBUF_INIT;

		pg_source_tarball_version(names[i][0], &version);
		assert_string_equal(version.data, names[i][1]);
		strbuf_release(&version);
	}
}

static void test_matches(void **state UNUSED)
{
	assert_true(pg_version_matches("15", "15.18"));
	assert_true(pg_version_matches("15.18", "15.18"));
	assert_false(pg_version_matches("15.1", "15.18"));
	assert_false(pg_version_matches("1", "15.18"));
	assert_false(pg_version_matches("16", "15.18"));
}

static const struct {
	const char *text, *version;
	int error;
} trees[] = {
	{ "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.18'\n", "15.18", 0 },
	{ "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='12.22'\n", "12.22", 0 },
	{ "PACKAGE_NAME='zlib'\nPACKAGE_VERSION='15.18'\n", "", -EINVAL },
	{ "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='15.18", "", -EINVAL },
	{ "PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='x'\n", "", -EINVAL },
	{ "", "", -EINVAL },
};

static void test_source_version(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct strbuf version = STRBUF_INIT;

		assert_int_equal(pg_source_version(trees[i].text, &version), trees[i].error);
		assert_string_equal(version.data, trees[i].version);
		strbuf_release(&version);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_major),
		cmocka_unit_test(test_order), cmocka_unit_test(test_tarball_version),
		cmocka_unit_test(test_matches), cmocka_unit_test(test_source_version) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
