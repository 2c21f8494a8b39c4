/*
 * The fixes as one shell script, to be read before it is run. Order: what makes the cluster safer
 * first, settings before filesystems; then what saves; then settings that wait for a restart. What
 * needs a stopped server, a rebuild or a measurement is there as a comment only.
 */
#include "doctor/print/doctor_print_internal.h"
#include "base/macros.h"
#include <string.h>

struct phase {
	const char *title;
	enum severity least, most; /* of the findings it takes from */
	const char *kind;
	bool active;   /* commands as they are, else behind '#' */
	bool measured; /* only rules that must be measured, or only the others */
};

static const struct phase phases[] = {
	{ "protect the data: server settings", SEVERITY_DANGER, SEVERITY_DANGER, "sql", true,
		false },
	{ "protect the data: machine", SEVERITY_DANGER, SEVERITY_DANGER, "sh", true, false },
	{ "save: server settings", SEVERITY_HINT, SEVERITY_COST, "sql", true, false },
	{ "save: machine", SEVERITY_HINT, SEVERITY_COST, "sh", true, false },
	{ "settings that act after a restart", SEVERITY_HINT, SEVERITY_DANGER, "restart", true,
		false },
	{ "disputed: measure first, then decide", SEVERITY_HINT, SEVERITY_DANGER, "sql", false,
		true },
	{ "disputed: measure first, then decide", SEVERITY_HINT, SEVERITY_DANGER, "sh", false,
		true },
	{ "needs a stopped server or a rebuild", SEVERITY_HINT, SEVERITY_DANGER, "offline", false,
		false },
};

struct writer {
	struct strbuf *out;
	const struct phase *phase;
	const struct finding *finding;
	bool titled;  /* the phase's heading is printed */
	bool named;   /* the finding's heading is printed */
	bool comment; /* print as comment: undo lines */
};

static bool is_sql(const char *kind)
{
	return strcmp(kind, "sql") == 0 || strcmp(kind, "restart") == 0;
}

static void add_comment(struct strbuf *out, const char *label, const char *text)
{
	strbuf_add_format(out, "# %s", label);
	for (; *text; text++) {
		strbuf_add_char(out, *text);
		if (*text == '\n' && text[1])
			strbuf_add_text(out, "#   ");
	}
	if (out->data[out->length - 1] != '\n')
		strbuf_add_char(out, '\n');
}

static void add_heading(struct writer *writer)
{
	struct strbuf command = STRBUF_INIT;

	if (!writer->titled)
		strbuf_add_format(writer->out, "\n### %s\n", writer->phase->title);
	writer->titled = true;
	if (!writer->named) {
		strbuf_add_format(writer->out, "\n# %s (%s): %s\n", writer->finding->check->id,
			severity_word(writer->finding->severity), writer->finding->check->title);
		add_comment(writer->out, "  now: ", writer->finding->set);
		if (writer->finding->check->study) {
			doctor_measure_command(writer->finding->check, &command);
			add_comment(writer->out, "  measure: ", command.data);
		}
	}
	writer->named = true;
	strbuf_release(&command);
}

static void add_undo(void *context, const char *kind, const char *text)
{
	struct writer *writer = context;

	if (strcmp(kind, "note") != 0)
		strbuf_add_format(writer->out, "#   undo (%s): %s\n", kind, text);
}

static void add_note(void *context, const char *kind, const char *text)
{
	struct writer *writer = context;

	if (strcmp(kind, "note") == 0)
		add_comment(writer->out, "  note: ", text);
}

/* Several rules may ask for the same command. */
static bool printed_before(const struct strbuf *out, const char *command)
{
	size_t length = strlen(command);

	for (const char *at = out->data; (at = strstr(at, command)); at++)
		if (at > out->data && at[-1] == '\n' && at[length] == '\n')
			return true;
	return false;
}

static void add_fix(void *context, const char *kind, const char *text)
{
	struct writer *writer = context;

	if (strcmp(kind, writer->phase->kind) != 0)
		return;
	bool named = writer->named;
	add_heading(writer);
	if (!named)
		print_commands(writer->finding->fix, add_note, writer);
	const char *off = writer->phase->active ? "" : "# ";
	if (*off == '\0' && printed_before(writer->out, text)) {
		strbuf_add_text(writer->out, "# (done above)\n");
		return;
	}
	if (is_sql(kind))
		strbuf_add_format(writer->out, "%ssql <<'END_OF_SQL'\n%s%s\n%sEND_OF_SQL\n", off,
			off, text, off);
	else
		strbuf_add_format(writer->out, "%s%s\n", off, text);
}

static void add_phase(const struct doctor *doctor, const struct phase *phase, struct writer *writer)
{
	writer->phase = phase;
	writer->titled = false;
	for (size_t i = 0; i < doctor->diagnosis.finding_count; i++) {
		const struct finding *finding = &doctor->diagnosis.findings[i];
		bool disputed = finding->check->study != NULL;

		if (finding->severity < phase->least || finding->severity > phase->most)
			continue;
		if (strcmp(phase->kind, "offline") != 0 && disputed != phase->measured)
			continue;
		writer->finding = finding;
		writer->named = false;
		print_commands(finding->fix, add_fix, writer);
		if (writer->named)
			print_commands(finding->undo, add_undo, writer);
	}
}

void doctor_fix_script(const struct doctor *doctor, struct strbuf *out)
{
	struct writer writer = { .out = out };

	strbuf_add_text(out, "#!/bin/sh\n# Made by plumb doctor; it ran none of this.\n# ");
	print_subject(doctor, out);
	strbuf_add_text(out,
		"\n# Read it, delete what you do not want, take a backup, then run it as root.\n"
		"# Each step says what was set and how to undo it.\nset -eu\n"
		"# How to reach the server as a superuser:\n"
		"sql() { runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 -d postgres; }\n");
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
		add_phase(doctor, &phases[i], &writer);
	if (doctor->diagnosis.finding_count == 0)
		strbuf_add_text(out, "\n# nothing to fix\n");
}
