/* Help texts and manual pages, made from the same rows that the parser reads (see command.h). */
#include "cmd/command.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMNS 80

/* Add text wrapped at HELP_COLUMNS, each line indented; empty lines part paragraphs. The first
 * line begins at column `at`. */
static void add_wrapped(struct strbuf *out, const char *text, size_t indent, size_t at)
{
	while (*text) {
		size_t length = strcspn(text, " \n");

		if (at > indent && at + 1 + length > HELP_COLUMNS) {
			strbuf_add_char(out, '\n');
			at = 0;
		}
		if (at < indent) {
			strbuf_add_format(out, "%*s", (int)(indent - at), "");
			at = indent;
		} else if (at > indent) {
			strbuf_add_char(out, ' ');
			at++;
		}
		strbuf_add(out, text, length);
		at += length;
		text += length;
		if (strncmp(text, "\n\n", 2) == 0) {
			strbuf_add_text(out, "\n\n");
			at = 0;
		}
		text += strspn(text, " \n");
	}
	strbuf_add_char(out, '\n');
}

static const struct option_row help_row = { "help", 'h', NULL, "show this text and exit" };

static void add_option_help(struct strbuf *out, const struct option_row *row)
{
	size_t start = out->length;
	size_t column = 26, width;

	if (row->letter)
		strbuf_add_format(out, "  -%c, --%s", row->letter, row->name);
	else
		strbuf_add_format(out, "      --%s", row->name);
	if (row->value)
		strbuf_add_format(out, " %s", row->value);
	width = out->length - start;
	if (width + 2 > column) {
		strbuf_add_char(out, '\n');
		width = 0;
	}
	add_wrapped(out, row->help, column, width);
}

void command_help(const struct command *command, struct strbuf *text)
{
	strbuf_add_format(text, "usage: plumb %s [OPTIONS]%s%s\n\n%s\n", command->name,
		*command->arguments ? " " : "", command->arguments, command->summary);
	if (command->description) {
		strbuf_add_char(text, '\n');
		add_wrapped(text, command->description, 0, 0);
	}
	strbuf_add_text(text, "\noptions:\n");
	for (const struct option_row *row = command->options; row && row->name; row++)
		add_option_help(text, row);
	add_option_help(text, &help_row);
}

void command_overview(struct strbuf *text)
{
	strbuf_add_text(text,
		"usage: plumb COMMAND [OPTIONS] [ARGUMENTS]\n\n"
		"A storage lab for PostgreSQL: measures block sizes, filesystems and settings\n"
		"with the real parts, and says what the numbers support.\n\ncommands:\n");
	for (size_t i = 0; commands[i]; i++)
		strbuf_add_format(text, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
	strbuf_add_text(text, "\n'plumb COMMAND --help' tells more; so do the manual pages.\n");
}

/* Add text so that roff prints it as it is: no line starts a request, no escape works. */
static void add_roff(struct strbuf *out, const char *text)
{
	bool line_start = out->length == 0 || out->data[out->length - 1] == '\n';

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			strbuf_add_text(out, "\\&");
		line_start = false;
		if (*text == '\\') {
			strbuf_add_text(out, "\\e");
		} else if (*text == '-') {
			strbuf_add_text(out, "\\-");
		} else if (strncmp(text, "\n\n", 2) == 0) {
			strbuf_add_text(out, "\n.PP\n");
			text++;
			line_start = true;
		} else {
			strbuf_add_char(out, *text);
			line_start = *text == '\n';
		}
	}
}

static void add_option_roff(struct strbuf *out, const struct option_row *row)
{
	strbuf_add_text(out, ".TP\n");
	if (row->letter)
		strbuf_add_format(out, "\\fB\\-%c\\fR, ", row->letter);
	strbuf_add_text(out, "\\fB\\-\\-");
	add_roff(out, row->name);
	strbuf_add_text(out, "\\fR");
	if (row->value) {
		strbuf_add_text(out, " \\fI");
		add_roff(out, row->value);
		strbuf_add_text(out, "\\fR");
	}
	strbuf_add_char(out, '\n');
	add_roff(out, row->help);
	strbuf_add_char(out, '\n');
}

static void add_roff_header(struct strbuf *out, const char *title, const char *summary)
{
	strbuf_add_format(
		out, ".TH \"%s\" 1 \"\" \"plumb %s\" \"plumb\"\n.SH NAME\n", title, PLUMB_VERSION);
	add_roff(out, title);
	strbuf_add_text(out, " \\- ");
	add_roff(out, summary);
	strbuf_add_char(out, '\n');
}

static void add_exit_codes(struct strbuf *out)
{
	strbuf_add_text(out,
		".SH EXIT STATUS\n"
		".TP\n0\ndone\n"
		".TP\n1\nwrong use, or it could not start; nothing was touched\n"
		".TP\n2\nerrors during the run\n"
		".TP\n3\nfindings at or above the asked\\-for severity, or a failed gate\n");
}

void command_manual(const struct command *command, struct strbuf *text)
{
	char title[64];

	snprintf(title, sizeof(title), "plumb-%s", command->name);
	add_roff_header(text, title, command->summary);
	strbuf_add_format(text, ".SH SYNOPSIS\n\\fBplumb %s\\fR [\\fIOPTIONS\\fR] ", command->name);
	add_roff(text, command->arguments);
	strbuf_add_text(text, "\n.SH DESCRIPTION\n");
	add_roff(text, command->description ? command->description : command->summary);
	strbuf_add_text(text, "\n.SH OPTIONS\n");
	for (const struct option_row *row = command->options; row && row->name; row++)
		add_option_roff(text, row);
	add_option_roff(text, &help_row);
	add_exit_codes(text);
	strbuf_add_text(text, ".SH SEE ALSO\n\\fBplumb\\fR(1), \\fBplumb\\-study\\fR(5)\n");
}

void command_overview_manual(struct strbuf *text)
{
	add_roff_header(text, "plumb", "a storage lab for PostgreSQL");
	strbuf_add_text(text,
		".SH SYNOPSIS\n\\fBplumb\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] "
		"[\\fIARGUMENTS\\fR]\n"
		".SH DESCRIPTION\n"
		"Measures block sizes, filesystems and storage settings of PostgreSQL with the "
		"real parts, on this machine and this workload, and says what the numbers "
		"support.\n"
		".SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++) {
		strbuf_add_format(text, ".TP\n\\fBplumb\\-%s\\fR(1)\n", commands[i]->name);
		add_roff(text, commands[i]->summary);
		strbuf_add_char(text, '\n');
	}
	add_exit_codes(text);
	strbuf_add_text(text, ".SH SEE ALSO\n\\fBplumb\\-study\\fR(5)\n");
}
