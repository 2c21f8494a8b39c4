/*
 * Subcommands. To add one: src/cmd/NAME_command.c that defines `const struct command NAME_command`,
 * and one entry in commands[] (main.c). Help, manual page and the parser follow from the struct.
 * A command reads its arguments, calls one engine, prints, and returns the exit code.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>

#define EXIT_DONE     0
#define EXIT_USAGE    1 /* wrong use, or could not start: nothing was touched */
#define EXIT_ERRORS   2 /* errors during the run */
#define EXIT_FINDINGS 3 /* findings at or above the asked-for severity, or a failed gate */

/* Where results lie when --results does not say. */
#define RESULTS_FOLDER "plumb-results"

/* One option of a command: the same row feeds the parser, --help and the manual page. */
struct option_row {
	const char *name;  /* "results": --results */
	char letter;	   /* 'r' or 0 */
	const char *value; /* "DIR": takes a value; NULL: a flag */
	const char *help;
};

struct command {
	const char *name;
	/* argv[0] is the command's name. Returns the exit code. */
	int (*run)(const struct command *command, int argc, char **argv);
	const struct option_row *options; /* ends with {0}; NULL: none */
	/* "STUDY.ini", "[TRIAL]", "FILE ...": the usage line, and how many the parser accepts
	 * (words in brackets may be missing, "..." repeats the one before). "": none. */
	const char *arguments;
	const char *summary;	 /* one line, no full stop */
	const char *description; /* paragraphs, an empty line between them */
};

/* Values of a parsed command line: values[i] belongs to command->options[i]. */
#define COMMAND_OPTIONS_MAX 40
struct command_line {
	const char *values[COMMAND_OPTIONS_MAX]; /* NULL: not given; flags: "" */
	char **arguments;			 /* lent: the rest of argv, in order */
	int argument_count;
};
/* Accepts --name VALUE, --name=VALUE, -n VALUE, -nVALUE, anywhere; "--" ends options. Handles
 * --help (prints it; returns 1: leave with EXIT_DONE). Negative: wrong use, already printed, with
 * a near miss: leave with EXIT_USAGE. 0: go on. Reorders argv. */
int command_parse(
	const struct command *command, int argc, char **argv, struct command_line *ret_line);
/* Value of --option, NULL when it was not given. The option must be one of the command's rows. */
const char *command_value(
	const struct command *command, const struct command_line *line, const char *option);
bool command_flag(
	const struct command *command, const struct command_line *line, const char *option);
/* Print "plumb NAME: message" (hint lines as they are) to stderr and return code. */
int command_fail(const struct command *command, const struct err *err, int code);

/* Each in its file. */
extern const struct command check_command, clean_command, document_command, list_command,
	plan_command, report_command, run_command, show_command;
extern const struct command compare_command, export_command, gate_command, import_command;
extern const struct command doctor_command;
extern const struct command pg_command;
extern const struct command disk_command;
extern const struct command zfs_command;

extern const struct command *const commands[];	      /* main.c; NULL-ended */
const struct command *command_find(const char *name); /* NULL: no such command */
void command_help(const struct command *command, struct strbuf *text);
void command_manual(const struct command *command, struct strbuf *text); /* roff */
/* The list of all commands: `plumb --help` and plumb(1). */
void command_overview(struct strbuf *text);
void command_overview_manual(struct strbuf *text);

#endif
