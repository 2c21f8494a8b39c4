/* command: rows against command lines, right and wrong; help and manual name every row. */
#include "unit/unit.h"

#include "cmd/command.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_nothing(const struct command *command UNUSED, int argc UNUSED, char **argv UNUSED)
{
	return EXIT_DONE;
}

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "where results lie" },
	{ "quiet", 'q', NULL, "say nothing" },
	{ "small", 's', NULL, "the small form" },
	{ "format", 0, "WORD", "one of text, csv, json" },
	{ 0 },
};

static const struct command sample = {
	.name = "sample",
	.run = run_nothing,
	.options = options,
	.arguments = "STUDY.ini [TRIAL]",
	.summary = "a command for the test",
	.description = "First paragraph.\n\n.Second paragraph with a back\\slash.",
};
static const struct command many = { .name = "many", .run = run_nothing, .arguments = "FILE ..." };
static const struct command none = { .name = "none", .run = run_nothing, .arguments = "" };

const struct command *const commands[] = { &sample, &many, &none, NULL };

/* Parse a line of words parted by spaces; what goes to stderr comes back in ret_said. */
static int parse(const struct command *command, const char *words, struct command_line *ret_line,
	char *ret_said, size_t size)
{
	static char copy[512];
	static char *argv[32];
	int argc = 0, saved = dup(STDERR_FILENO), r;
	FILE *said = tmpfile();
	char *rest;
	size_t length;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	dup2(fileno(said), STDERR_FILENO);
	r = command_parse(command, argc, argv, ret_line);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(said);
	length = fread(ret_said, 1, size - 1, said);
	ret_said[length] = '\0';
	fclose(said);
	return r;
}

static void good_lines(void **state UNUSED)
{
	static const char *const lines[] = {
		"sample --results DIR --quiet a.ini t1",
		"sample --results=DIR -q a.ini t1",
		"sample a.ini -r DIR t1 -q",
		"sample -qrDIR a.ini t1",
		"sample -q -rDIR -- a.ini t1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct command_line line;
		char said[512];

		assert_int_equal(parse(&sample, lines[i], &line, said, sizeof(said)), 0);
		assert_string_equal(said, "");
		assert_string_equal(command_value(&sample, &line, "results"), "DIR");
		assert_true(command_flag(&sample, &line, "quiet"));
		assert_false(command_flag(&sample, &line, "small"));
		assert_null(command_value(&sample, &line, "format"));
		assert_int_equal(line.argument_count, 2);
		assert_string_equal(line.arguments[0], "a.ini");
		assert_string_equal(line.arguments[1], "t1");
	}
}

static void wrong_lines(void **state UNUSED)
{
	static const struct {
		const struct command *command;
		const char *words, *said;
	} cases[] = {
		{ &sample, "sample --reslts x a", "unknown option '--reslts'" },
		{ &sample, "sample --reslts x a", "did you mean --results?" },
		{ &sample, "sample --reslts=x a", "did you mean --results?" },
		{ &sample, "sample --hlep", "did you mean --help?" },
		{ &sample, "sample --quiet=yes a", "option '--quiet' takes no value" },
		{ &sample, "sample a --format", "option '--format' needs a value: WORD" },
		{ &sample, "sample a -r", "option '--results' needs a value: DIR" },
		{ &sample, "sample a -qx", "unknown option '-x'" },
		{ &sample, "sample", "expects STUDY.ini [TRIAL]" },
		{ &sample, "sample a b c", "but got also 'c'" },
		{ &many, "many", "expects FILE ..." },
		{ &none, "none x", "takes no arguments, but got 'x'" },
		{ &none, "none x", "hint: 'plumb none --help' lists what it takes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct command_line line = { .argument_count = 7 };
		char said[512];

		assert_true(parse(cases[i].command, cases[i].words, &line, said, sizeof(said)) < 0);
		assert_non_null(strstr(said, cases[i].said));
		assert_int_equal(line.argument_count, 7);
	}
}

static void repeated_arguments(void **state UNUSED)
{
	struct command_line line;
	char said[512];

	assert_int_equal(parse(&many, "many a b - d", &line, said, sizeof(said)), 0);
	assert_int_equal(line.argument_count, 4);
	assert_string_equal(line.arguments[2], "-");
}

static void pages_name_every_row(void **state UNUSED)
{
	struct strbuf help = STRBUF_INIT, manual = STRBUF_INIT;

	command_help(&sample, &help);
	command_manual(&sample, &manual);
	for (size_t i = 0; options[i].name; i++) {
		assert_non_null(strstr(help.data, options[i].name));
		assert_non_null(strstr(help.data, options[i].help));
		assert_non_null(strstr(manual.data, options[i].name));
		assert_non_null(strstr(manual.data, options[i].help));
	}
	assert_non_null(strstr(help.data, "  -r, --results DIR       where results lie\n"));
	assert_non_null(strstr(help.data, "\n\n.Second paragraph"));
	assert_non_null(strstr(manual.data, "\n.PP\n\\&.Second paragraph with a back\\eslash."));
	strbuf_release(&help);
	strbuf_release(&manual);
}

static void commands_are_found(void **state UNUSED)
{
	assert_ptr_equal(command_find("many"), &many);
	assert_null(command_find("man"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lines),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(repeated_arguments),
		cmocka_unit_test(pages_name_every_row),
		cmocka_unit_test(commands_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
