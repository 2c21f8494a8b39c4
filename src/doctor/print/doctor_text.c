/* The doctor's answer as text: worst first, a screen's worth, or everything with verbose. */
#include "doctor/print/doctor_print_internal.h"
#include "doctor/facts.h"
#include "doctor/template.h"
#include "base/macros.h"
#include <ctype.h>
#include <string.h>

#define WIDTH 100

/* Text wrapped at WIDTH, every line indented; a word is never cut. */
static void add_wrapped(struct strbuf *out, size_t indent, const char *label, const char *text)
{
	size_t column = indent + strlen(label);

	strbuf_add_format(out, "%*s%s", (int)indent, "", label);
	size_t hang = column;
	for (bool first = true; *text; first = false) {
		size_t space = strspn(text, " \n");
		size_t word = strcspn(text + space, " \n");
		if (word == 0)
			break;
		if (!first && column + 1 + word > WIDTH) {
			strbuf_add_format(out, "\n%*s", (int)hang, "");
			column = hang;
		} else if (!first) {
			strbuf_add_char(out, ' ');
			column++;
		}
		strbuf_add(out, text + space, word);
		column += word;
		text += space + word;
	}
	strbuf_add_char(out, '\n');
}

struct labelled {
	struct strbuf *out;
	const char *label; /* "fix", "undo" */
};

static void add_command(void *context, const char *kind, const char *text)
{
	const struct labelled *labelled = context;
	char label[32];

	snprintf(label, sizeof(label), "%-5s %-8s", labelled->label, kind);
	/* A command stays on one line, so that it can be copied. */
	if (strcmp(kind, "note") == 0)
		add_wrapped(labelled->out, 6, label, text);
	else
		strbuf_add_format(labelled->out, "      %s%s\n", label, text);
}

static void add_first_command(void *context, const char *kind, const char *text)
{
	struct labelled *labelled = context;

	if (!labelled->label || strcmp(kind, "note") == 0)
		return;
	add_command(context, kind, text);
	labelled->label = NULL;
}

static void add_sets(struct strbuf *out, const char *set)
{
	while (*set) {
		size_t length = strcspn(set, "\n");
		char line[1200];
		snprintf(line, sizeof(line), "%.*s", (int)length, set);
		add_wrapped(out, 6, "", line);
		set += length;
		set += *set == '\n';
	}
}

static void add_camps(const struct finding *finding, struct strbuf *out)
{
	struct strbuf command = STRBUF_INIT;

	if (!finding->check->study)
		return;
	doctor_measure_command(finding->check, &command);
	add_wrapped(out, 6, "one camp      ", finding->check->camp_for);
	add_wrapped(out, 6, "the other     ", finding->check->camp_against);
	strbuf_add_format(out, "      measure       %s\n", command.data);
	strbuf_release(&command);
}

static void add_finding(const struct finding *finding, bool verbose, struct strbuf *out)
{
	struct labelled fix = { out, "fix" }, undo = { out, "undo" };

	strbuf_add_format(out, "  %-5s %s", finding->check->id, finding->check->title);
	if (*finding->subjects)
		strbuf_add_format(out, " (%s)", finding->subjects);
	strbuf_add_format(out, " [%c]\n", finding->check->grade);
	add_sets(out, finding->set);
	if (!verbose) {
		struct strbuf command = STRBUF_INIT;
		if (finding->check->study) {
			doctor_measure_command(finding->check, &command);
			strbuf_add_format(
				out, "      disputed: measure it here with %s\n", command.data);
		} else {
			print_commands(finding->fix, add_first_command, &fix);
		}
		strbuf_release(&command);
		return;
	}
	add_wrapped(out, 6, "why           ", finding->why);
	add_wrapped(out, 6, "risk          ", finding->risk);
	add_camps(finding, out);
	print_commands(finding->fix, add_command, &fix);
	print_commands(finding->undo, add_command, &undo);
	strbuf_add_format(out, "      evidence      %c: %s\n", finding->check->grade,
		grade_words(finding->check->grade));
	add_wrapped(out, 6, "source        ", finding->check->source);
	strbuf_add_char(out, '\n');
}

static void add_findings(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	static const char *const headings[] = { "HINT", "COST", "DANGER" };
	const struct diagnosis *diagnosis = &doctor->diagnosis;
	int last = -1;

	for (size_t i = 0; i < diagnosis->finding_count; i++) {
		const struct finding *finding = &diagnosis->findings[i];
		/* One screen: hints by name only. */
		if ((int)finding->severity != last)
			strbuf_add_format(out, "%s\n", headings[finding->severity]);
		last = (int)finding->severity;
		if (verbose || finding->severity > SEVERITY_HINT)
			add_finding(finding, verbose, out);
		else
			strbuf_add_format(out, "  %-5s %s [%c]\n", finding->check->id,
				finding->check->title, finding->check->grade);
	}
	if (diagnosis->finding_count > 0 && !verbose)
		strbuf_add_char(out, '\n');
}

static void add_list(struct strbuf *out, size_t indent, const char *label, const json_t *list)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
		add_wrapped(out, indent, i == 0 ? label : "", json_string_value(item));
}

static void add_safety(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	size_t i;
	json_t *entry;

	json_array_foreach(doctor->safety, i, entry)
	{
		struct strbuf line = STRBUF_INIT;
		template_add_clean(&line, facts_text(entry, "location", "?"));
		strbuf_add_text(&line, " on ");
		template_add_clean(&line, facts_text(entry, "class", "(not seen)"));
		strbuf_add_format(&line, ": %s; commits: %s", facts_text(entry, "verdict", "?"),
			facts_text(entry, "commits", "?"));
		add_wrapped(out, 0, i == 0 ? "safety  " : "        ", line.data);
		if (verbose)
			add_list(out, 8, "", json_object_get(entry, "because"));
		strbuf_clear(&line);
		size_t j;
		json_t *name;
		json_array_foreach(json_object_get(entry, "missing"), j, name)
			strbuf_add_format(&line, "%s%s", j ? ", " : "", json_string_value(name));
		if (line.length > 0)
			add_wrapped(out, 8, "not seen: ", line.data);
		strbuf_release(&line);
	}
}

static void add_memory(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	size_t i;
	json_t *line;

	if (!doctor->memory)
		return;
	strbuf_add_text(out, "memory  ");
	template_add_bytes(out, facts_number(doctor->memory, "sum_bytes", 0));
	strbuf_add_text(out, " promised of ");
	template_add_bytes(out, facts_number(doctor->memory, "limit_bytes", 0));
	strbuf_add_format(out, " (%s)", facts_text(doctor->memory, "limit_name", ""));
	if (json_array_size(json_object_get(doctor->memory, "missing")) > 0)
		strbuf_add_text(out, ", at least: not all lines seen");
	strbuf_add_char(out, '\n');
	json_array_foreach(json_object_get(doctor->memory, "lines"), i, line)
	{
		bool over = facts_bool(line, "overflows", false);
		if (!verbose && !over)
			continue;
		strbuf_add_text(out, "        ");
		template_add_bytes(out, facts_number(line, "bytes", 0));
		strbuf_add_format(out, "  %s%s\n", facts_text(line, "name", ""),
			over ? "  <- here it overflows" : "");
	}
}

static void add_writes(const struct doctor *doctor, struct strbuf *out)
{
	size_t i;
	json_t *step;

	if (!doctor->writes)
		return;
	strbuf_add_format(out, "writes  in %.0f s: %.0f rows changed, %.0f commits",
		facts_number(doctor->writes, "seconds", 0),
		facts_number(doctor->writes, "rows_changed", 0),
		facts_number(doctor->writes, "commits", 0));
	json_array_foreach(json_object_get(doctor->writes, "steps"), i, step)
	{
		strbuf_add_format(
			out, "%s%s ", i == 0 ? "; " : " -> ", facts_text(step, "name", ""));
		template_add_bytes(out, facts_number(step, "bytes", 0));
		if (facts_at(step, "factor"))
			strbuf_add_format(out, " (x%.2f)", facts_number(step, "factor", 0));
	}
	const char *multiplies = facts_text(doctor->writes, "multiplies", NULL);
	if (multiplies)
		strbuf_add_format(out, "; most is added at: %s", multiplies);
	strbuf_add_char(out, '\n');
}

static void add_asked_real(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	size_t i;
	json_t *row;

	json_array_foreach(doctor->asked_real, i, row)
	{
		struct strbuf line = STRBUF_INIT;
		bool differs = facts_bool(row, "differs", false);
		if (!differs && !verbose)
			continue;
		template_add_clean(&line, facts_text(row, "what", "?"));
		strbuf_add_text(&line, ": asked for ");
		template_add_clean(&line, facts_text(row, "asked", "?"));
		strbuf_add_text(&line, ", real: ");
		template_add_clean(&line, facts_text(row, "real", "?"));
		add_wrapped(out, 0, differs ? "differs " : "same    ", line.data);
		strbuf_release(&line);
	}
}

static void add_space(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	size_t i, j;
	json_t *table, *row;

	json_array_foreach(doctor->space, i, table)
	{
		strbuf_add_text(out, "space   ");
		template_add_clean(out, facts_text(table, "location", "?"));
		strbuf_add_format(out,
			" (%s), raw bytes for a byte of data:", facts_text(table, "pool_kind", ""));
		json_array_foreach(json_object_get(table, "rows"), j, row)
		{
			bool current = facts_bool(row, "current", false);
			if (!verbose && !current && !facts_bool(row, "suggested", false))
				continue;
			strbuf_add_char(out, ' ');
			template_add_bytes(out, facts_number(row, "record_bytes", 0));
			strbuf_add_format(out, "%s %.2f", current ? " (now)" : "",
				facts_number(row, "raw_per_byte", 0));
		}
		strbuf_add_text(out, " (predicted)\n");
	}
}

static void add_reason(void *context, const char *reason, const char *ids, const char *missing)
{
	struct strbuf *out = context, line = STRBUF_INIT;

	template_add_clean(&line, reason);
	strbuf_add_format(&line, " (%s): rules %s skipped", missing, ids);
	add_wrapped(out, 0, "unseen  ", line.data);
	strbuf_release(&line);
}

static void add_brief_reason(
	void *context, const char *reason, const char *ids, const char *missing)
{
	(void)missing;
	struct strbuf *out = context, line = STRBUF_INIT;

	template_add_clean(&line, reason);
	strbuf_add_format(&line, ": rules %s skipped", ids);
	add_wrapped(out, 0, "unseen  ", line.data);
	strbuf_release(&line);
}

/* Everything that was not seen, also where no rule needed it. */
static void add_unseen(const struct doctor *doctor, struct strbuf *out)
{
	size_t i;
	json_t *entry;

	json_array_foreach(facts_at(doctor->facts, "unseen"), i, entry)
	{
		struct strbuf line = STRBUF_INIT;
		template_add_clean(&line, facts_text(entry, "what", "?"));
		strbuf_add_text(&line, ": ");
		template_add_clean(&line, facts_text(entry, "why", "?"));
		add_wrapped(out, 0, "unread  ", line.data);
		strbuf_release(&line);
	}
}

void doctor_text(const struct doctor *doctor, bool verbose, struct strbuf *out)
{
	print_subject(doctor, out);
	strbuf_add_char(out, '\n');
	print_counts(doctor, out);
	strbuf_add_format(out, "; %zu rules found nothing, %zu could not be judged\n\n",
		doctor->diagnosis.quiet_count, doctor->diagnosis.skipped_count);
	add_findings(doctor, verbose, out);
	add_safety(doctor, verbose, out);
	add_memory(doctor, verbose, out);
	add_writes(doctor, out);
	add_asked_real(doctor, verbose, out);
	add_space(doctor, verbose, out);
	print_skipped(doctor, verbose ? add_reason : add_brief_reason, out);
	if (verbose)
		add_unseen(doctor, out);
	if (!verbose && doctor->diagnosis.finding_count > 0)
		strbuf_add_text(out, "\nmore: --verbose, --explain ID, --fix-script\n");
}
