/* Pieces that several printed forms share. */
#include "doctor/print/doctor_print_internal.h"
#include "doctor/facts.h"
#include "doctor/template.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

void print_commands(const char *lines,
	void (*visit)(void *context, const char *kind, const char *text), void *context)
{
	char *copy = memory_copy_string(lines), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *text = strstr(line, ": ");
		if (!text)
			continue;
		*text = '\0';
		visit(context, line, text + 2);
	}
	free(copy);
}

void print_subject(const struct doctor *doctor, struct strbuf *out)
{
	const json_t *facts = doctor->facts;

	strbuf_add_text(out, "PostgreSQL ");
	template_add_clean(out, facts_text(facts, "postgres.version_text", "(not seen)"));
	strbuf_add_text(out, ", ");
	template_add_clean(out, facts_text(facts, "host.system", "machine not seen"));
	strbuf_add_char(out, ' ');
	template_add_clean(out, facts_text(facts, "host.release", ""));
	strbuf_add_text(out, ", facts ");
	template_add_clean(out, facts_text(facts, "origin", "of unknown origin"));
	strbuf_add_char(out, ' ');
	template_add_clean(out, facts_text(facts, "collected_utc", ""));
	strbuf_trim(out);
}

void print_counts(const struct doctor *doctor, struct strbuf *out)
{
	size_t counts[3] = { 0 };

	for (size_t i = 0; i < doctor->diagnosis.finding_count; i++)
		counts[doctor->diagnosis.findings[i].severity]++;
	strbuf_add_format(out, "%zu danger, %zu cost, %zu hint", counts[SEVERITY_DANGER],
		counts[SEVERITY_COST], counts[SEVERITY_HINT]);
}

/* Names that a later rule of the same reason adds. */
static void add_once(struct strbuf *list, const char *names)
{
	char *copy = memory_copy_string(names), *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		name += strspn(name, " ");
		const char *found = strstr(list->data, name);
		size_t length = strlen(name);
		while (found && !(found[length] == ',' || found[length] == '\0'))
			found = strstr(found + 1, name);
		if (!found)
			strbuf_add_format(list, "%s%s", list->length ? ", " : "", name);
	}
	free(copy);
}

void print_skipped(const struct doctor *doctor,
	void (*visit)(void *context, const char *reason, const char *ids, const char *missing),
	void *context)
{
	const struct diagnosis *diagnosis = &doctor->diagnosis;
	struct strbuf ids = STRBUF_INIT, missing = STRBUF_INIT;

	for (size_t i = 0; i < diagnosis->skipped_count; i++) {
		const char *reason = diagnosis->skipped[i].reason;
		bool earlier = false;

		for (size_t j = 0; j < i; j++)
			earlier = earlier || strcmp(diagnosis->skipped[j].reason, reason) == 0;
		if (earlier)
			continue;
		strbuf_clear(&ids);
		strbuf_clear(&missing);
		for (size_t j = i; j < diagnosis->skipped_count; j++) {
			if (strcmp(diagnosis->skipped[j].reason, reason) != 0)
				continue;
			strbuf_add_format(&ids, "%s%s", ids.length ? ", " : "",
				diagnosis->skipped[j].check->id);
			add_once(&missing, diagnosis->skipped[j].missing);
		}
		visit(context, reason, ids.data, missing.data);
	}
	strbuf_release(&ids);
	strbuf_release(&missing);
}

void doctor_measure_command(const struct check *check, struct strbuf *out)
{
	if (strcmp(check->study, "torture") == 0)
		strbuf_add_text(out, "plumb torture");
	else
		strbuf_add_format(out, "plumb run studies/%s.ini", check->study);
}
