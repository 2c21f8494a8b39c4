/* plumb: the table of commands and their dispatch, nothing else. */
#include "cmd/command.h"

#include "base/near.h"

#include <stdio.h>
#include <string.h>

const struct command *const commands[] = {
	&plan_command,
	&run_command,
	&list_command,
	&report_command,
	&compare_command,
	&gate_command,
	&export_command,
	&import_command,
	&show_command,
	&clean_command,
	&check_command,
	&doctor_command,
	&document_command,
	&pg_command,
	&disk_command,
	&zfs_command,
	NULL,
};

static int print_overview(FILE *file, int code)
{
	struct strbuf text = STRBUF_INIT;

	command_overview(&text);
	fputs(text.data, file);
	strbuf_release(&text);
	return code;
}

static int unknown_command(const char *name)
{
	const char *near = NULL;

	for (size_t i = 0; commands[i]; i++)
		near = near_better(name, near, commands[i]->name);
	fprintf(stderr, "plumb: unknown command '%s'\n", name);
	if (near)
		fprintf(stderr, "hint: did you mean 'plumb %s'?\n", near);
	fprintf(stderr, "hint: 'plumb --help' lists the commands\n");
	return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
	static char help_option[] = "--help";
	char *help[] = { NULL, help_option, NULL };
	const struct command *command;

	if (argc < 2)
		return print_overview(stderr, EXIT_USAGE);
	if (strcmp(argv[1], "--version") == 0) {
		printf("plumb %s\n", PLUMB_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		(strcmp(argv[1], "help") == 0 && argc == 2))
		return print_overview(stdout, EXIT_DONE);
	if (strcmp(argv[1], "help") == 0) {
		command = command_find(argv[2]);
		help[0] = argv[2];
		return command ? command->run(command, 2, help) : unknown_command(argv[2]);
	}
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	int code = dispatch(argc, argv);

	/* A report cut short by a full disk must not look complete. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "plumb: cannot write the output\n");
		return code == EXIT_DONE ? EXIT_ERRORS : code;
	}
	return code;
}
