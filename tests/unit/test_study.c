/* study: the reader's grammar and each of its errors, with file:line and near miss. */
#include "unit/unit.h"

#include "lib/example_catalog.h"
#include <errno.h>
#include <string.h>

#define HEAD "[study]\nname = t\n[filesystem]\ntype = ext4\n"

static int parse(struct study *study, const char *text, struct err *err)
{
	return study_parse(
		study, &(struct study_options){ "t.ini", &example_catalog, false }, text, err);
}

static void factors_quotes_comments(void **state UNUSED)
{
	static const char text[] = "# head\n[study]\nname = t ; comment\n"
				   "question = Does it pay, really?\n[filesystem]\n"
				   "type = ext4\n[postgresql.conf]\n"
				   "shared_buffers = 32MB, 64MB\n"
				   "search_path = 'a, b; c', 'it''s'\n";
	struct err err = ERR_INIT;
	struct study study;

	assert_int_equal(parse(&study, text, &err), 0);
	assert_string_equal(study.name, "t");
	assert_string_equal(study.question, "Does it pay, really?");
	assert_int_equal(study.factor_count, 5);
	assert_string_equal(study.factors[3].name, "postgresql.conf.shared_buffers");
	assert_int_equal(study.factors[3].level_count, 2);
	assert_string_equal(study.factors[3].levels[1], "64MB");
	assert_string_equal(study.factors[4].levels[0], "a, b; c");
	assert_string_equal(study.factors[4].levels[1], "it's");
	assert_int_equal(study_integer(&study, "design.repeats"), 5);
	study_release(&study);
}

static const struct {
	const char *text;
	const char *message;
} errors[] = {
	{ "[study]\nname = t\n", "t.ini: [filesystem] type is missing" },
	{ "[filesystem]\ntype = ext4\n", "t.ini: [study] name is missing" },
	{ HEAD "[filesytem]\n",
		"t.ini:5: unknown section [filesytem]; did you mean [filesystem]?" },
	{ HEAD "recordsise = 8K\n",
		"t.ini:5: [filesystem] has no key 'recordsise'; did you mean 'recordsize'?" },
	{ HEAD "type = xfs\n", "t.ini:5: filesystem.type is set already, at line 4" },
	{ HEAD "[study]\n", "t.ini:5: section [study] is there already" },
	{ HEAD "nonsense\n", "t.ini:5: neither [section] nor key = value: 'nonsense'" },
	{ HEAD "[design]\nwarmup = soon\n",
		"t.ini:6: design.warmup = 'soon': must be a time such" },
	{ HEAD "[design]\nmeasure = 10s, 20s\n", "t.ini:6: design.measure takes one value, not 2" },
	{ HEAD "[design]\nrepeats = 0\n", "t.ini:6: design.repeats = '0': must be from 1 to" },
	{ HEAD "fs_block_size = 4K, , 8K\n",
		"t.ini:5: filesystem.fs_block_size: an empty value between commas" },
	{ HEAD "fs_block_size = 4K, 4K\n", "t.ini:5: filesystem.fs_block_size has the value" },
	{ HEAD "[postgresql.conf]\nx = 'open\n",
		"t.ini:6: postgresql.conf.x: a quote is not closed" },
	{ HEAD "[arm a]\nrecordsize = 8K\n", "t.ini:6: 'recordsize' is no full name of a setting" },
	{ HEAD "[arm a]\n[arm a]\n", "t.ini:6: arm 'a' is there already, at line 5" },
	{ HEAD "[bad\n", "t.ini:5: a section is written [name]: '[bad'" },
	{ HEAD "[postgresql.conf]\na b = 1\n", "t.ini:6: 'a b' can't be the name of a setting" },
	{ HEAD "[small]\narms =\n", "t.ini:6: no value; write '' for an empty one" },
	{ "name = t\n", "t.ini:1: 'name' stands before any [section]" },
	{ "[study]\nname = a b\n[filesystem]\ntype = ext4\n",
		"t.ini:2: study.name = 'a b': must be 1" },
};

static void errors_name_the_place(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct err err = ERR_INIT;
		struct study study;

		assert_true(parse(&study, errors[i].text, &err) < 0);
		if (strncmp(err.message, errors[i].message, strlen(errors[i].message)) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, err.message, errors[i].message);
	}
}

static void long_lines(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct study study;

	strbuf_add_text(&text, HEAD "[postgresql.conf]\nx = ");
	for (int i = 0; i < 4096 - 4; i++)
		strbuf_add_char(&text, 'a');
	assert_int_equal(parse(&study, text.data, &err), 0);
	study_release(&study);
	strbuf_add_char(&text, 'a');
	assert_int_equal(parse(&study, text.data, &err), -EINVAL);
	assert_non_null(strstr(err.message, "t.ini:6: line of 4097 bytes"));
	strbuf_release(&text);
}

static void small_form(void **state UNUSED)
{
	static const char text[] = HEAD "[design]\nmeasure = 900s\n[workload]\nscale = 1000\n"
					"[arm a]\n[arm b]\n[small]\narms = b\n"
					"design.measure = 15s\nworkload.scale = 20\n";
	const struct study_options small = { "t.ini", &example_catalog, true };
	struct err err = ERR_INIT;
	struct study study;

	assert_int_equal(study_parse(&study, &small, text, &err), 0);
	assert_int_equal(study_duration(&study, "design.measure"), 15 * NS_PER_S);
	assert_int_equal(study.arm_count, 1);
	assert_string_equal(study.arms[0].label, "b");
	study_release(&study);
	assert_int_equal(parse(&study, text, &err), 0);
	assert_int_equal(study_duration(&study, "design.measure"), 900 * NS_PER_S);
	assert_int_equal(study.arm_count, 2);
	study_release(&study);
	assert_int_equal(study_parse(&study, &small, HEAD, &err), -EINVAL);
}

static void small_form_of_an_arm(void **state UNUSED)
{
	static const char text[] = HEAD "[arm a]\nworkload.scale = 10\n[small]\n[small a]\n"
					"workload.scale = 2\nworkload.clients = 3\n";
	const struct study_options small = { "t.ini", &example_catalog, true };
	struct err err = ERR_INIT;
	struct study study;

	assert_int_equal(study_parse(&study, &small, text, &err), 0);
	assert_int_equal(study.arms[0].override_count, 2);
	assert_string_equal(study.arms[0].overrides[0].text, "2");
	assert_string_equal(study.arms[0].overrides[1].name, "workload.clients");
	study_release(&study);
	assert_int_equal(parse(&study, text, &err), 0);
	assert_string_equal(study.arms[0].overrides[0].text, "10");
	assert_int_equal(study.arms[0].override_count, 1);
	study_release(&study);
	assert_int_equal(
		study_parse(&study, &small, HEAD "[small]\n[small b]\nworkload.scale = 2\n", &err),
		-EINVAL);
	assert_non_null(strstr(err.message, "[small b]: no such arm"));
}

static void given_beside_the_file(void **state UNUSED)
{
	static const struct override good[] = { { "design.seed", "77", 0 },
		{ "postgres.bindir", "/opt/pg/bin", 0 } };
	static const struct override bad[] = { { "design.seed", "many", 0 } };
	struct study_options options = { "t.ini", &example_catalog, false, good, 2 };
	struct err err = ERR_INIT;
	struct study study;

	assert_int_equal(study_parse(&study, &options, HEAD "[design]\nseed = 5\n", &err), 0);
	assert_int_equal(study_integer(&study, "design.seed"), 77);
	assert_string_equal(study_text(&study, "postgres.bindir"), "/opt/pg/bin");
	assert_non_null(strstr(study.text, "; given beside the file: postgres.bindir = /opt"));
	assert_null(strstr(study.text, "77"));
	study_release(&study);
	options.overrides = bad;
	options.override_count = 1;
	assert_int_equal(study_parse(&study, &options, HEAD, &err), -EINVAL);
	assert_non_null(strstr(err.message, "on the command line: design.seed = 'many'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_beside_the_file),
		cmocka_unit_test(factors_quotes_comments),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(small_form),
		cmocka_unit_test(small_form_of_an_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
