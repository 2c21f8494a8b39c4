/* Which cells ask for a server of our own building, and versions as servers print them. */
#include "unit/unit.h"

#include "postgres/binaries.h"

#include <errno.h>

static const struct {
	const char *name, *text, *second, *second_text;
	bool built;
	uint64_t block_bytes;
} cases[] = {
	{ NULL, NULL, NULL, NULL, false, 0 },
	{ "postgres.version", "15", NULL, NULL, false, 0 },
	{ "postgres.block_size", "8K", NULL, NULL, true, 8192 },
	{ "postgres.block_size", "32K", NULL, NULL, true, 32768 },
	{ "postgres.wal_block_size", "16K", NULL, NULL, true, 0 },
	{ "postgres.segment_size", "2G", NULL, NULL, true, 0 },
	{ "postgres.build", "source", NULL, NULL, true, 0 },
	{ "postgres.build", "installed", "postgres.block_size", "8K", false, 8192 },
	{ "postgres.bindir", "/x", "postgres.block_size", "8K", false, 8192 },
};

static void from_source(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct settings settings = { 0 };
		struct pg_build_spec spec;

		if (cases[i].name)
			settings_set(&settings, &(struct setting_value){ .name = cases[i].name,
							.text = cases[i].text });
		if (cases[i].second)
			settings_set(&settings, &(struct setting_value){ .name = cases[i].second,
							.text = cases[i].second_text });
		if (pg_binaries_from_source(&settings, &spec) != cases[i].built)
			fail_msg("case %zu", i);
		assert_int_equal(spec.block_bytes, cases[i].block_bytes);
		settings_release(&settings);
	}
}

static void versions(void **state UNUSED)
{
	static const struct {
		const char *text;
		int version, error;
	} texts[] = { { "15.18 (Debian 15.18-0+deb12u1)", 150018, 0 }, { "13beta1", 130000, 0 },
		{ "PostgreSQL 17.1", 170001, 0 }, { "none", 7, -EINVAL }, { "", 7, -EINVAL } };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int version = 7;

		assert_int_equal(pg_version_parse(texts[i].text, &version), texts[i].error);
		assert_int_equal(version, texts[i].version);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(from_source),
		cmocka_unit_test(versions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
