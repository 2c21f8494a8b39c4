/* conf: values are the same whatever their spelling. */
#include "unit/unit.h"

#include "postgres/cluster.h"

static void spellings(void **state UNUSED)
{
	assert_true(pg_values_equal("on", "ON"));
	assert_true(pg_values_equal("true", "on"));
	assert_true(pg_values_equal("1GB", "1024MB"));
	assert_true(pg_values_equal("60s", "1min"));
	assert_true(pg_values_equal("0.90", "0.9"));
	assert_false(pg_values_equal("off", "on"));
	assert_false(pg_values_equal("1GB", "1000MB"));
	assert_false(pg_values_equal("lz4", "zstd"));
}

static void versions(void **state UNUSED)
{
	int version = 7;

	assert_int_equal(pg_version_parse("postgres (PostgreSQL) 15.18 (Debian)", &version), 0);
	assert_int_equal(version, 150018);
	assert_int_equal(pg_version_parse("19devel", &version), 0);
	assert_int_equal(version, 190000);
	assert_true(pg_version_parse("none", &version) < 0);
	assert_int_equal(version, 190000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
