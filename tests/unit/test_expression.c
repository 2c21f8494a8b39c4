/* Rule conditions: grammar, three-valued logic, kinds, versions. */
#include "unit/unit.h"

#include "doctor/expression.h"

#include <string.h>

static const char facts[] =
	"{\"yes\": true, \"no\": false, \"five\": 5, \"word\": \"lz4\", \"size\": 8192,"
	" \"deep\": {\"er\": {\"value\": \"x\"}}, \"null\": null, \"list\": [1]}";

static enum truth evaluate(const char *text, struct missing *missing)
{
	struct arena arena = ARENA_INIT;
	struct expression *expression;
	struct err err = ERR_INIT;
	json_t *root = json_loads(facts, 0, NULL);
	struct scope scope = { .root = root };

	if (expression_parse(text, &arena, &expression, &err) < 0)
		fail_msg("%s", err.message);
	enum truth truth = expression_evaluate(expression, &scope, missing);
	json_decref(root);
	if (missing && missing->count > 0) /* the names go with the arena */
		missing->names[0] = strcmp(missing->names[0], "none") == 0 ? "none" : "other";
	arena_release(&arena);
	return truth;
}

static void evaluates(void **state UNUSED)
{
	static const struct {
		const char *text;
		enum truth truth;
	} cases[] = {
		{ "yes", TRUTH_YES },
		{ "not yes", TRUTH_NO },
		{ "not not yes", TRUTH_YES },
		{ "yes and no", TRUTH_NO },
		{ "yes or no", TRUTH_YES },
		{ "no or no or yes", TRUTH_YES },
		/* and binds tighter than or */
		{ "yes or yes and no", TRUTH_YES },
		{ "(yes or yes) and no", TRUTH_NO },
		{ "not no and yes", TRUTH_YES },
		/* unknown only where the other side does not decide */
		{ "none", TRUTH_UNKNOWN },
		{ "not none", TRUTH_UNKNOWN },
		{ "none and no", TRUTH_NO },
		{ "no and none", TRUTH_NO },
		{ "none and yes", TRUTH_UNKNOWN },
		{ "none or yes", TRUTH_YES },
		{ "yes or none", TRUTH_YES },
		{ "none or no", TRUTH_UNKNOWN },
		{ "none = 'x' or yes", TRUTH_YES },
		{ "none + 1 > 0", TRUTH_UNKNOWN },
		{ "null = 1", TRUTH_UNKNOWN },
		{ "list = 1", TRUTH_UNKNOWN },
		/* comparison */
		{ "five = 5", TRUTH_YES },
		{ "five != 5", TRUTH_NO },
		{ "five < 5", TRUTH_NO },
		{ "five <= 5", TRUTH_YES },
		{ "five > 4.5", TRUTH_YES },
		{ "five >= 5.5", TRUTH_NO },
		{ "size = 8K", TRUTH_YES },
		{ "1M = 1024K and 1G = 1024M and 1T = 1024G", TRUTH_YES },
		{ "word = 'lz4'", TRUTH_YES },
		{ "word != 'lz4'", TRUTH_NO },
		{ "word in ('gzip', 'lz4')", TRUTH_YES },
		{ "word in ('gzip')", TRUTH_NO },
		{ "none in ('gzip')", TRUTH_UNKNOWN },
		{ "deep.er.value = 'x'", TRUTH_YES },
		{ "deep.er.other = 'x'", TRUTH_UNKNOWN },
		{ "deep.er.value.more = 'x'", TRUTH_UNKNOWN },
		/* kinds that can't be compared are unknown, never equal or unequal */
		{ "word = 5", TRUTH_UNKNOWN },
		{ "word != 5", TRUTH_UNKNOWN },
		{ "yes = 1", TRUTH_UNKNOWN },
		{ "five in ('5')", TRUTH_UNKNOWN },
		{ "five", TRUTH_UNKNOWN },
		/* arithmetic: left to right, products first */
		{ "2 + 3 * 4 = 14", TRUTH_YES },
		{ "10 - 2 - 3 = five", TRUTH_YES },
		{ "12 / 2 / 3 = 2", TRUTH_YES },
		{ "five / 0 > 1", TRUTH_UNKNOWN },
		{ "word * 2 > 1", TRUTH_UNKNOWN },
		/* versions are numbers */
		{ "v2.1.14 = 20114 and v6.12 = 61200", TRUTH_YES },
		{ "v2.1.14 < v2.2", TRUTH_YES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (evaluate(cases[i].text, NULL) != cases[i].truth)
			fail_msg("%s: not %d", cases[i].text, cases[i].truth);
}

static void names_what_is_missing(void **state UNUSED)
{
	struct missing missing = { .count = 0 };

	assert_int_equal(evaluate("none = 5 or none > 6", &missing), TRUTH_UNKNOWN);
	assert_int_equal(missing.count, 1);
	assert_string_equal(missing.names[0], "none");
	missing.count = 0;
	assert_int_equal(evaluate("word = 5", &missing), TRUTH_UNKNOWN);
	assert_int_equal(missing.count, 1); /* there, but not usable */
	missing.count = 0;
	assert_int_equal(evaluate("no and none", &missing), TRUTH_NO);
	assert_int_equal(missing.count, 0); /* not asked for */
}

static void refuses(void **state UNUSED)
{
	static const char *const cases[] = { "", "and", "yes and", "yes yes", "(yes", "yes)",
		"five <", "'open", "word in gzip", "word in ('a' 'b')", "word in ()", "5x = 1",
		"five == 5", "yes or or yes", "not", "?", "-5 = 1",
		("((((((((((((((((((((((((((((((((((((((((((yes))))))))))))))))))))))))))))))))))))"
		 ")"
		 ")))))") };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = ARENA_INIT;
		struct expression *expression = (void *)1;
		struct err err = ERR_INIT;

		if (expression_parse(cases[i], &arena, &expression, &err) == 0)
			fail_msg("'%s' was accepted", cases[i]);
		assert_ptr_equal(expression, (void *)1);
		assert_true(err.message[0] != '\0');
		arena_release(&arena);
	}
}

static void reads_versions(void **state UNUSED)
{
	static const struct {
		const char *text;
		long version;
	} cases[] = {
		{ "2.3.2-2~bpo12+2", 20302 },
		{ "zfs-kmod-2.1.14", 20114 },
		{ "6.12.9-amd64", 61209 },
		{ "6.18", 61800 },
		{ "5.15.167", 51599 }, /* patch levels above 99 count as 99 */
		{ "7", 70000 },
		{ "", -1 },
		{ "none", -1 },
		{ "99999999999999999999.1", 99990100 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(expression_version(cases[i].text), cases[i].version);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evaluates),
		cmocka_unit_test(names_what_is_missing),
		cmocka_unit_test(refuses),
		cmocka_unit_test(reads_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
