/* plumb document: prints the pages that are made from plumb's own rows, so that man/ and docs/
 * cannot drift from the program. */
#include "cmd/command.h"

#include "doctor/doctor.h"
#include "record/metric.h"
#include "run/catalog.h"
#include "setting/setting.h"
#include "stats/power.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct page {
	const char *name;
	void (*write)(struct strbuf *text);
};

static void write_study_keys(struct strbuf *text)
{
	setting_document(catalog_get(), SETTING_AS_MARKDOWN, text);
}

/* What no row can tell: the grammar of the file. */
static const char study_manual_head[] =
	".TH \"plumb\\-study\" 5 \"\" \"plumb " PLUMB_VERSION "\" \"plumb\"\n"
	".SH NAME\nplumb\\-study \\- the file that says what plumb shall measure\n"
	".SH DESCRIPTION\n"
	"A study is a question and the settings to try, as an INI file: sections in brackets, "
	"lines of \\fIkey\\fR = \\fIvalue\\fR. A setting's full name is "
	"\\fIsection.key\\fR; so arms, exclusions, baselines and all results call it.\n"
	".PP\n"
	"Commas part the levels of a factor: every combination of levels is a cell. "
	"Single quotes keep commas, semicolons and spaces in a value; two of them inside quotes "
	"stand for one. A comment begins with ; or # at a line's start or after white space. "
	"Lines hold up to 4096 bytes.\n"
	".PP\n"
	"Sizes are 8192, 8K, 32MB, 1G (powers of 1024), times are 250us, 5ms, 30s, 15min, 2h, 1d. "
	"Unknown keys, impossible values and impossible cells are errors that name file, line and "
	"the nearest known word; nothing is touched before all of the file is right.\n"
	".PP\n"
	"[arm \\fINAME\\fR] sections list cells one by one instead, each overriding keys as "
	"\\fIsection.key\\fR = \\fIvalue\\fR. A [small] section does the same to the whole study "
	"when it is run with \\-\\-small.\n"
	".SH KEYS\n"
	"\"New set\\-up: yes\" means that a change of the key needs a fresh filesystem and load; "
	"other keys may vary inside one set\\-up, each run from the same start state.\n";

static void write_study_manual(struct strbuf *text)
{
	strbuf_add_text(text, study_manual_head);
	setting_document(catalog_get(), SETTING_AS_ROFF, text);
}

static const struct page pages[] = {
	{ "plumb.1", command_overview_manual },
	{ "plumb-study.5", write_study_manual },
	{ "study-keys.md", write_study_keys },
	{ "metrics.md", metric_document },
	{ "power.md", power_document },
	{ "rules.md", doctor_rules_page },
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
