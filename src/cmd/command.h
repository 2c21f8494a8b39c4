/* Subcommands: one row each in main.c's table, one file each here. A command reads its arguments,
 * calls one engine, prints, and returns the exit code (DESIGN: 0 done, 1 wrong use or could not
 * start, 2 errors during the run, 3 findings or a failed gate). */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>

#define EXIT_DONE     0
#define EXIT_USAGE    1
#define EXIT_ERRORS   2
#define EXIT_FINDINGS 3

/* One option of a command: the same row feeds getopt_long, --help and the manual page. */
struct option_row {
	const char *name;  /* "results": --results */
	char letter;	   /* 'r' or 0 */
	const char *value; /* "DIR": takes a value; NULL: a flag */
	const char *help;
};

struct command {
	const char *name;
	int (*run)(const struct command *command, int argc, char **argv);
	const struct option_row *options; /* ends with {0} */
	const char *arguments;		  /* "STUDY.ini", "[TRIAL]"; for the usage line */
	const char *summary;		  /* one line */
	const char *description;	  /* paragraphs for --help and the manual page */
};

/* Values of a parsed command line: given[i] belongs to command->options[i]. */
#define COMMAND_OPTIONS_MAX 40
struct command_line {
	const char *values[COMMAND_OPTIONS_MAX]; /* NULL: not given; flags: "" */
	const char **arguments;			 /* lent, into argv */
	int argument_count;
};
/* Handles --help (prints it; returns 1: leave with EXIT_DONE). Negative: wrong use, already
 * printed with a near miss. 0: go on. */
int command_parse(
	const struct command *command, int argc, char **argv, struct command_line *ret_line);
const char *command_value(
	const struct command *command, const struct command_line *line, const char *option);
bool command_flag(
	const struct command *command, const struct command_line *line, const char *option);
/* Print "plumb NAME: message" (hint lines as they are) to stderr and return code. */
int command_fail(const struct command *command, const struct err *err, int code);

extern const struct command commands[]; /* main.c; ends with a row without name */
const struct command *command_find(const char *name);
void command_help(const struct command *command, struct strbuf *text);
void command_manual(const struct command *command, struct strbuf *text); /* roff */

/* Each defined in its file; main.c's table names them. */
int cmd_plan(const struct command *command, int argc, char **argv);
int cmd_run(const struct command *command, int argc, char **argv);
int cmd_list(const struct command *command, int argc, char **argv);
int cmd_report(const struct command *command, int argc, char **argv);
int cmd_show(const struct command *command, int argc, char **argv);
int cmd_clean(const struct command *command, int argc, char **argv);
int cmd_check(const struct command *command, int argc, char **argv);

#endif
