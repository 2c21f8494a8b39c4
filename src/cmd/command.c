/* Reading a command line against a command's rows (see command.h). Not getopt_long: that can name
 * neither the near miss nor the command, and wants a second copy of the rows. */
#include "cmd/command.h"

#include "base/near.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct option_row no_options[] = { { 0 } };

static const struct option_row *rows_of(const struct command *command)
{
	return command->options ? command->options : no_options;
}

/* Where the row's value lies in command_line.values; -1: no row of that name. */
static int index_of(const struct command *command, const char *name, size_t length)
{
	const struct option_row *rows = rows_of(command);

	for (int i = 0; rows[i].name; i++)
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
			return i;
	return -1;
}

static int index_of_letter(const struct command *command, char letter)
{
	const struct option_row *rows = rows_of(command);

	for (int i = 0; rows[i].name; i++)
		if (rows[i].letter == letter)
			return i;
	return -1;
}

static int wrong_use(const struct command *command, struct err *err)
{
	err_hint(err, -EINVAL, "'plumb %s --help' lists what it takes", command->name);
	command_fail(command, err, EXIT_USAGE);
	return -EINVAL;
}

static int unknown_option(const struct command *command, const char *name, size_t length)
{
	const struct option_row *rows = rows_of(command);
	struct err err = ERR_INIT;
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	near = near_better(word, NULL, "help");
	for (int i = 0; rows[i].name; i++)
		near = near_better(word, near, rows[i].name);
	err_set(&err, -EINVAL, "unknown option '--%s'", word);
	if (near)
		err_hint(&err, -EINVAL, "did you mean --%s?", near);
	return wrong_use(command, &err);
}

struct parser {
	const struct command *command;
	char **argv;
	int argc;
	int at;
	struct command_line line;
};

static int take_value(struct parser *parser, int row, const char *attached)
{
	const struct option_row *option = &rows_of(parser->command)[row];
	struct err err = ERR_INIT;

	if (!option->value) {
		if (attached) {
			err_set(&err, -EINVAL, "option '--%s' takes no value", option->name);
			return wrong_use(parser->command, &err);
		}
		parser->line.values[row] = "";
		return 0;
	}
	if (!attached && parser->at + 1 >= parser->argc) {
		err_set(&err, -EINVAL, "option '--%s' needs a value: %s", option->name,
			option->value);
		return wrong_use(parser->command, &err);
	}
	parser->line.values[row] = attached ? attached : parser->argv[++parser->at];
	return 0;
}

static int parse_long(struct parser *parser, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);
	int row = index_of(parser->command, text, length);

	if (row < 0)
		return unknown_option(parser->command, text, length);
	return take_value(parser, row, equals ? equals + 1 : NULL);
}

/* "-r DIR", "-rDIR", "-qs" (flags together). */
static int parse_letters(struct parser *parser, const char *text)
{
	for (; *text; text++) {
		int row = index_of_letter(parser->command, *text);
		struct err err = ERR_INIT;

		if (row < 0) {
			err_set(&err, -EINVAL, "unknown option '-%c'", *text);
			return wrong_use(parser->command, &err);
		}
		if (rows_of(parser->command)[row].value)
			return take_value(parser, row, text[1] ? text + 1 : NULL);
		parser->line.values[row] = "";
	}
	return 0;
}

/* How many arguments the text "A [B]" or "FILE ..." stands for; *ret_max -1: no limit. */
static void argument_bounds(const char *text, int *ret_min, int *ret_max)
{
	*ret_min = *ret_max = 0;
	for (const char *word = text; *word;) {
		size_t length = strcspn(word, " ");

		if (strncmp(word, "...", 3) == 0 || strncmp(word, "[...", 4) == 0) {
			*ret_max = -1;
		} else {
			*ret_min += *word != '[';
			*ret_max += 1;
		}
		word += length;
		word += strspn(word, " ");
	}
}

static int check_arguments(const struct command *command, const struct command_line *line)
{
	struct err err = ERR_INIT;
	int min, max;

	argument_bounds(command->arguments, &min, &max);
	if (line->argument_count >= min && (max < 0 || line->argument_count <= max))
		return 0;
	if (max == 0)
		err_set(&err, -EINVAL, "takes no arguments, but got '%s'", line->arguments[0]);
	else if (line->argument_count < min)
		err_set(&err, -EINVAL, "expects %s", command->arguments);
	else
		err_set(&err, -EINVAL, "expects %s, but got also '%s'", command->arguments,
			line->arguments[max]);
	return wrong_use(command, &err);
}

static int print_help(const struct command *command)
{
	struct strbuf text = STRBUF_INIT;

	command_help(command, &text);
	fputs(text.data, stdout);
	strbuf_release(&text);
	return 1;
}

int command_parse(
	const struct command *command, int argc, char **argv, struct command_line *ret_line)
{
	struct parser parser = { .command = command, .argv = argv, .argc = argc, .at = 1 };
	bool only_arguments = false;

	parser.line.arguments = argv + 1;
	for (; parser.at < argc; parser.at++) {
		char *word = argv[parser.at];
		int r = 0;

		if (only_arguments || word[0] != '-' || word[1] == '\0')
			parser.line.arguments[parser.line.argument_count++] = word;
		else if (strcmp(word, "--") == 0)
			only_arguments = true;
		else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
			return print_help(command);
		else if (word[1] == '-')
			r = parse_long(&parser, word + 2);
		else
			r = parse_letters(&parser, word + 1);
		if (r < 0)
			return r;
	}
	if (check_arguments(command, &parser.line) < 0)
		return -EINVAL;
	*ret_line = parser.line;
	return 0;
}

const char *command_value(
	const struct command *command, const struct command_line *line, const char *option)
{
	int row = index_of(command, option, strlen(option));

	assert(row >= 0 && row < COMMAND_OPTIONS_MAX);
	return line->values[row];
}

bool command_flag(
	const struct command *command, const struct command_line *line, const char *option)
{
	return command_value(command, line, option) != NULL;
}

int command_fail(const struct command *command, const struct err *err, int code)
{
	fflush(stdout); /* keeps the order where both go to one file */
	fprintf(stderr, "plumb %s: %s\n", command->name, err->message);
	return code;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
