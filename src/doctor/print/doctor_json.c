/* The doctor's answer as JSON (docs/format.md), and as one line for monitoring. */
#include "doctor/print/doctor_print_internal.h"
#include "doctor/facts.h"
#include "base/strbuf.h"
#include <stdlib.h>
#include <string.h>

#define DOCTOR_SCHEMA 1

static void add_command(void *context, const char *kind, const char *text)
{
	json_t *list = context, *entry = json_object();

	facts_put_text(entry, "kind", kind);
	facts_put_text(entry, "text", text);
	json_array_append_new(list, entry);
}

static json_t *commands_of(const char *lines)
{
	json_t *list = json_array();

	print_commands(lines, add_command, list);
	return list;
}

static json_t *finding_object(const struct finding *finding)
{
	const struct check *check = finding->check;
	json_t *entry = json_object();
	struct strbuf command = STRBUF_INIT, set = STRBUF_INIT;
	char grade[2] = { check->grade, '\0' };

	strbuf_add_text(&set, finding->set);
	strbuf_trim(&set);
	facts_put_text(entry, "id", check->id);
	facts_put_text(entry, "severity", severity_word(finding->severity));
	facts_put_text(entry, "title", check->title);
	facts_put_text(entry, "scope", check_scope_word(check->scope));
	facts_put_text(entry, "subjects", finding->subjects);
	facts_put_text(entry, "condition", check->when);
	facts_put_text(entry, "grade", grade);
	facts_put_text(entry, "set", set.data);
	facts_put_text(entry, "why", finding->why);
	facts_put_text(entry, "risk", finding->risk);
	facts_put(entry, "fix", commands_of(finding->fix));
	facts_put(entry, "undo", commands_of(finding->undo));
	facts_put_text(entry, "source", check->source);
	if (check->study) {
		doctor_measure_command(check, &command);
		facts_put_text(entry, "camp_for", check->camp_for);
		facts_put_text(entry, "camp_against", check->camp_against);
		facts_put_text(entry, "measure", command.data);
	}
	strbuf_release(&command);
	strbuf_release(&set);
	return entry;
}

static json_t *skipped_object(const struct skipped *skipped)
{
	json_t *entry = json_object();

	facts_put_text(entry, "id", skipped->check->id);
	facts_put_text(entry, "worst_severity", severity_word(check_worst(skipped->check)));
	facts_put_text(entry, "subjects", skipped->subjects);
	facts_put_text(entry, "missing", skipped->missing);
	facts_put_text(entry, "reason", skipped->reason);
	return entry;
}

void doctor_json(const struct doctor *doctor, struct strbuf *out)
{
	const struct diagnosis *diagnosis = &doctor->diagnosis;
	json_t *root = json_object(), *findings = json_array(), *skipped = json_array();
	struct strbuf subject = STRBUF_INIT;

	print_subject(doctor, &subject);
	facts_put_number(root, "plumb_doctor", DOCTOR_SCHEMA);
	facts_put_text(root, "program", "plumb " PLUMB_VERSION);
	facts_put_text(root, "subject", subject.data);
	for (size_t i = 0; i < diagnosis->finding_count; i++)
		json_array_append_new(findings, finding_object(&diagnosis->findings[i]));
	for (size_t i = 0; i < diagnosis->skipped_count; i++)
		json_array_append_new(skipped, skipped_object(&diagnosis->skipped[i]));
	facts_put(root, "findings", findings);
	facts_put(root, "skipped", skipped);
	facts_put(root, "unseen", json_incref(facts_at(doctor->facts, "unseen")));
	facts_put_number(root, "quiet_count", (double)diagnosis->quiet_count);
	facts_put(root, "safety", json_incref(doctor->safety));
	facts_put(root, "memory_ledger", json_incref(doctor->memory));
	facts_put(root, "write_ledger", json_incref(doctor->writes));
	facts_put(root, "asked_real", json_incref(doctor->asked_real));
	facts_put(root, "space", json_incref(doctor->space));
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS);
	strbuf_add_text(out, text ? text : "{}");
	strbuf_add_char(out, '\n');
	free(text);
	json_decref(root);
	strbuf_release(&subject);
}

int doctor_nagios(const struct doctor *doctor, struct strbuf *out)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	const struct diagnosis *diagnosis = &doctor->diagnosis;
	size_t danger = diagnosis_count(diagnosis, SEVERITY_DANGER);
	size_t cost = diagnosis_count(diagnosis, SEVERITY_COST) - danger;
	size_t unjudged = diagnosis_count_skipped(diagnosis, SEVERITY_DANGER);
	int code = danger ? 2 : cost ? 1 : unjudged ? 3 : 0;

	strbuf_add_format(out, "DOCTOR %s - ", words[code]);
	print_counts(doctor, out);
	strbuf_add_format(out, ", %zu not judged", diagnosis->skipped_count);
	for (size_t i = 0, shown = 0; i < diagnosis->finding_count && shown < 5; i++) {
		if (diagnosis->findings[i].severity == SEVERITY_HINT)
			continue;
		strbuf_add_format(
			out, "%s %s", shown ? "," : ":", diagnosis->findings[i].check->id);
		shown++;
	}
	strbuf_add_format(out, " | danger=%zu;;0 cost=%zu;0 not_judged=%zu\n", danger, cost,
		diagnosis->skipped_count);
	return code;
}
