/* plumb document: prints the pages that are made from plumb's own rows, so that man/ and docs/
 * cannot drift from the program. */
#include "cmd/command.h"
#include "stats/power.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct page {
	const char *name;
	void (*write)(struct strbuf *text);
};

static const struct page pages[] = {
	{ "plumb.1", command_overview_manual },
	{ "power.md", power_document },
	{ NULL, NULL },
};

/* The command of "plumb-NAME.1". */
static const struct command *command_of_page(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		char page[64];

		snprintf(page, sizeof(page), "plumb-%s.1", commands[i]->name);
		if (strcmp(page, name) == 0)
			return commands[i];
	}
	return NULL;
}

static void list_pages(void)
{
	for (const struct page *page = pages; page->name; page++)
		printf("%s\n", page->name);
	for (size_t i = 0; commands[i]; i++)
		printf("plumb-%s.1\n", commands[i]->name);
}

static int print_page(const char *name)
{
	const struct command *about = command_of_page(name);
	struct strbuf text = STRBUF_INIT;

	if (about)
		command_manual(about, &text);
	for (const struct page *page = pages; page->name; page++)
		if (strcmp(page->name, name) == 0)
			page->write(&text);
	if (text.length == 0)
		return -ENOENT;
	fputs(text.data, stdout);
	strbuf_release(&text);
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	if (line.argument_count == 0) {
		list_pages();
		return EXIT_DONE;
	}
	if (print_page(line.arguments[0]) == 0)
		return EXIT_DONE;
	err_set(&err, -ENOENT, "no page '%s'", line.arguments[0]);
	err_hint(&err, -ENOENT, "'plumb document' lists the pages");
	return command_fail(command, &err, EXIT_USAGE);
}

const struct command document_command = {
	.name = "document",
	.run = run,
	.arguments = "[PAGE]",
	.summary = "print a manual or reference page made from the program's own tables",
	.description = "Without PAGE, lists the pages: manual pages of the commands and of study "
		       "files, the keys of a study (study-keys.md), the metrics (metrics.md).",
};
