/* Facts in texts: hostile values stay values, in a shell line and in SQL too. */
#include "unit/unit.h"

#include "base/subprocess.h"
#include "doctor/template.h"

#include <string.h>

static const char facts_text_json[] =
	"{\"name\": \"tank/pg\", \"bad\": \"x'; rm -rf / #\", \"lines\": \"a\\nEND_OF_SQL\\n`id`\","
	" \"option\": \"-rf\", \"empty\": \"\", \"size\": 131072, \"odd\": 1536, \"share\": 0.25,"
	" \"yes\": true, \"escape\": \"\\u001b[31m\\u009b\", \"command\": \"plumb zfs\","
	" \"settings_as_set\": {\"a\": {\"value\": \"5\", \"file\": \"/x/postgresql.auto.conf\"},"
	" \"b\": {\"value\": \"5\", \"file\": \"/x/postgresql.conf\"},"
	" \"c\": {\"value\": \"o'k\", \"file\": \"postgresql.auto.conf\"}},"
	" \"location\": {\"zfs_command\": \"zfs\"},"
	" \"dataset\": {\"name\": \"tank/my data\", \"sync\": \"disabled\", \"recordsize\": 8192,"
	" \"from\": {\"sync\": \"local\", \"recordsize\": \"inherited\"}}}";

static void expands(void **state UNUSED)
{
	static const struct {
		const char *text;
		enum template_quoting quoting;
		const char *expected;
	} cases[] = {
		{ "on {name}.", QUOTE_NONE, "on tank/pg." },
		{ "{size} {size:bytes} {odd:bytes} {share}", QUOTE_NONE, "131072 128K 1.5K 0.25" },
		{ "{yes} {none} {none:bytes}", QUOTE_NONE, "yes (not seen) (not seen)" },
		{ "{not a field and {name}", QUOTE_NONE, "{not a field and tank/pg" },
		{ "{other:name}", QUOTE_NONE, "{other:name}" },
		{ "zfs set a=b {name}", QUOTE_SHELL, "zfs set a=b tank/pg" },
		{ "zfs set a=b {bad}", QUOTE_SHELL, "zfs set a=b 'x'\\''; rm -rf / #'" },
		{ "cat {lines}", QUOTE_SHELL, "cat 'a?END_OF_SQL?`id`'" },
		{ "cat {option} {empty}", QUOTE_SHELL, "cat ./'-rf' ''" },
		{ "{raw:command} set", QUOTE_SHELL, "plumb zfs set" },
		{ "SET a = '{bad}'", QUOTE_SQL, "SET a = 'x''; rm -rf / #'" },
		{ "{escape}", QUOTE_NONE, "?[31m?\xc2\x9b" },
		{ "{reset:a}", QUOTE_SQL, "ALTER SYSTEM SET a = '5'; SELECT pg_reload_conf();" },
		{ "{reset:b}", QUOTE_SQL, "ALTER SYSTEM RESET b; SELECT pg_reload_conf();" },
		{ "{reset:c}", QUOTE_SQL, "ALTER SYSTEM SET c = 'o''k'; SELECT pg_reload_conf();" },
		{ "{undo_property:sync}", QUOTE_SHELL, "zfs set sync=disabled 'tank/my data'" },
		{ "{undo_property:recordsize}", QUOTE_SHELL,
			"zfs inherit recordsize 'tank/my data'" },
	};
	json_t *root = json_loads(facts_text_json, 0, NULL);
	struct scope scope = { .subject = root, .root = root };
	struct strbuf text = STRBUF_INIT;

	assert_non_null(root);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&text);
		template_expand(&text, cases[i].text, &scope, cases[i].quoting);
		if (strcmp(cases[i].text, "{escape}") == 0) {
			assert_null(strchr(text.data, 0x1b));
			assert_string_equal(text.data, "?[31m?\x9b");
			continue;
		}
		assert_string_equal(text.data, cases[i].expected);
	}
	strbuf_release(&text);
	json_decref(root);
}

/* What a real shell makes of a quoted word is the word itself. */
static void shell_agrees(void **state UNUSED)
{
	static const char *const words[] = { "plain", "two words", "$HOME", "`id`", "a'b", "''",
		"\\", "*", "~", "a;b", "$(id)", "\"", "!x", "#c", "a&&b", "" };
	struct strbuf line = STRBUF_INIT, output = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *arguments[] = { "sh", "-c", NULL, NULL };

		strbuf_clear(&line);
		strbuf_clear(&output);
		strbuf_add_text(&line, "printf %s ");
		template_add_shell_word(&line, words[i]);
		arguments[2] = line.data;
		assert_int_equal(subprocess_capture(arguments, &output, NULL), 0);
		assert_string_equal(output.data, words[i]);
	}
	strbuf_release(&line);
	strbuf_release(&output);
}

static void cuts_long_values(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	char longer[1000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	template_add_clean(&text, longer);
	assert_int_equal(text.length, 403);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),
		cmocka_unit_test(shell_agrees),
		cmocka_unit_test(cuts_long_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
