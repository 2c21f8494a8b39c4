/* The facts document: what is refused, and how members are reached. */
#include "unit/unit.h"

#include "doctor/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, json_t **facts, struct err *err)
{
	return facts_parse(text, strlen(text), facts, err);
}

static void refuses(void **state UNUSED)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "line 1" },
		{ "[]", "not a JSON object" },
		{ "{}", "not a facts file" },
		{ "{\"plumb_facts\": \"1\"}", "not a facts file" },
		{ "{\"plumb_facts\": 2}", "schema 2" },
		{ "{\"plumb_facts\": 1, \"plumb_facts\": 1}", "duplicate" },
		{ "{\"plumb_facts\": 1, \"settings\": {}}", "unknown member 'settings'" },
		{ "{\"plumb_facts\": 1, \"host\": []}", "'host' must be an object" },
		{ "{\"plumb_facts\": 1, \"mounts\": {}}", "'mounts' must be a list" },
		{ "{\"plumb_facts\": 1} {}", "line 1" },
		{ "{\"plumb_facts\": 1, \"origin\": \"a\\u0000b\"}", "line 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *facts = (void *)1;
		struct err err = ERR_INIT;

		assert_true(parse(cases[i].text, &facts, &err) < 0);
		assert_ptr_equal(facts, (void *)1);
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s: %s", cases[i].text, err.message);
	}
}

static char *repeated(const char *before, const char *each, size_t times, const char *after)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add_text(&text, before);
	for (size_t i = 0; i < times; i++)
		strbuf_add_text(&text, each);
	strbuf_add_text(&text, after);
	return strbuf_detach(&text);
}

static void refuses_what_is_too_large(void **state UNUSED)
{
	json_t *facts;
	struct err err = ERR_INIT;

	char *text = repeated("{\"plumb_facts\": 1, \"mounts\": [0", ",0", 5000, "]}");
	assert_int_equal(parse(text, &facts, &err), -EINVAL);
	assert_non_null(strstr(err.message, "more than"));
	free(text);
	err_clear(&err);
	text = repeated("{\"plumb_facts\": 1, \"mounts\": ", "[", 100, "");
	assert_int_equal(parse(text, &facts, &err), -EINVAL);
	free(text);
	err_clear(&err);
	char *open = repeated("{\"plumb_facts\": 1, \"mounts\": ", "[", 100, "");
	text = repeated(open, "]", 100, "}");
	assert_int_equal(parse(text, &facts, &err), -EINVAL);
	assert_non_null(strstr(err.message, "nested deeper"));
	free(open);
	free(text);
	err_clear(&err);
	text = repeated("{\"plumb_facts\": 1, \"origin\": \"", "0123456789abcdef", 1 << 20, "\"}");
	assert_int_equal(parse(text, &facts, &err), -EFBIG);
	free(text);
}

static void reaches_members(void **state UNUSED)
{
	json_t *facts = facts_new("test");

	facts_put_number(facts, "a.b.c", 5);
	facts_put_number(facts, "a.b.half", 0.5);
	facts_put_number(facts, "a.b.nothing", 0.0 / 0.0);
	facts_put_text(facts, "a.text", "x");
	facts_put_text(facts, "a.bytes", "caf\xe9");
	facts_put_bool(facts, "a.yes", true);
	assert_true(json_is_integer(facts_at(facts, "a.b.c")));
	assert_true(facts_number(facts, "a.b.half", 0) == 0.5);
	assert_null(facts_at(facts, "a.b.nothing"));
	assert_null(facts_at(facts, "a.text.deeper"));
	assert_string_equal(facts_text(facts, "a.bytes", ""), "caf?");
	assert_true(facts_bool(facts, "a.yes", false));
	assert_true(facts_number(facts, "a.text", -1) == -1);
	assert_string_equal(facts_text(facts, "a.b.c", "other kind"), "other kind");
	facts_put_number(facts, "a.text.deeper", 1); /* an object takes the text's place */
	assert_true(facts_number(facts, "a.text.deeper", 0) == 1);
	json_decref(facts);
}

static void says_why_unseen(void **state UNUSED)
{
	json_t *facts = facts_new("test");

	facts_unseen(facts, "zfs", "no %s", "permission");
	facts_unseen(facts, "zfs.pools", "no zpool");
	assert_string_equal(facts_why_unseen(facts, "zfs.pools.ashift"), "no zpool");
	assert_string_equal(facts_why_unseen(facts, "zfs.datasets"), "no permission");
	assert_null(facts_why_unseen(facts, "zfsd"));
	assert_null(facts_why_unseen(facts, "memory"));
	json_decref(facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_what_is_too_large),
		cmocka_unit_test(reaches_members),
		cmocka_unit_test(says_why_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
