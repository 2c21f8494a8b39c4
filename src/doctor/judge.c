/* Evaluates every rule on every subject of its scope and collects findings and gaps. */
#include "doctor/judge.h"
#include "doctor/expression.h"
#include "doctor/fact_names.h"
#include "doctor/facts.h"
#include "doctor/template.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include <stdlib.h>
#include <string.h>

/* One rule under judgement: its parsed conditions and what has come of its subjects so far. */
struct hearing {
	const struct check *check;
	struct expression *when, *cost_when, *danger_when;
	const struct view *view;
	size_t fired, unknown;
	enum severity severity;
	struct strbuf subjects, set, why, risk, fix, undo; /* of those it fires on */
	struct strbuf unknown_subjects;
	struct missing missing;
};

static const char *subject_name(const json_t *subject, enum check_scope scope)
{
	switch (scope) {
	case CHECK_LOCATION:
		return facts_text(subject, "location.name", "?");
	case CHECK_POOL:
		return facts_text(subject, "pool.name", "?");
	case CHECK_DEVICE:
		return facts_text(subject, "device.name", "?");
	default:
		return "";
	}
}

static void add_listed(struct strbuf *list, const char *name)
{
	if (!*name)
		return;
	if (list->length > 0)
		strbuf_add_text(list, ", ");
	template_add_clean(list, name);
}

/* Add a line unless the text has it already: several locations often share a dataset. */
static void add_line_once(struct strbuf *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text->data; (at = strstr(at, line)); at++)
		if ((at == text->data || at[-1] == '\n') && at[length] == '\n')
			return;
	strbuf_add(text, line, length);
	strbuf_add_char(text, '\n');
}

static void expand_line(struct strbuf *text, const char *template, const struct scope *scope,
	enum template_quoting quoting)
{
	struct strbuf line = STRBUF_INIT;

	template_expand(&line, template, scope, quoting);
	add_line_once(text, line.data);
	strbuf_release(&line);
}

static enum template_quoting quoting_of(const char *line)
{
	if (strncmp(line, "sh: ", 4) == 0 || strncmp(line, "offline: ", 9) == 0)
		return QUOTE_SHELL;
	if (strncmp(line, "sql: ", 5) == 0 || strncmp(line, "restart: ", 9) == 0)
		return QUOTE_SQL;
	return QUOTE_NONE;
}

static void expand_commands(struct strbuf *text, const char *template, const struct scope *scope)
{
	while (template && *template) {
		size_t length = strcspn(template, "\n");
		char *line = memory_copy_bytes(template, length);
		expand_line(text, line, scope, quoting_of(line));
		free(line);
		template += length;
		template += *template == '\n';
	}
}

static enum severity severity_here(const struct hearing *hearing, const struct scope *scope)
{
	const struct check *check = hearing->check;

	if (hearing->danger_when &&
		expression_evaluate(hearing->danger_when, scope, NULL) == TRUTH_YES)
		return SEVERITY_DANGER;
	if (hearing->cost_when && expression_evaluate(hearing->cost_when, scope, NULL) == TRUTH_YES)
		return MAX(SEVERITY_COST, check->severity);
	return check->severity;
}

/* The condition, and the versions it holds for. */
static enum truth judge_subject(
	const struct hearing *hearing, const struct scope *scope, struct missing *missing)
{
	const struct check *check = hearing->check;
	enum truth truth = expression_evaluate(hearing->when, scope, missing);
	const struct {
		const char *name;
		long from, before;
	} ranges[] = {
		{ "postgres.version", check->postgres_from, check->postgres_before },
		{ "zfs.version", check->zfs_from, check->zfs_before },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges) && truth != TRUTH_NO; i++) {
		const json_t *version = scope_find(scope, ranges[i].name);
		if (!ranges[i].from && !ranges[i].before)
			continue;
		if (!json_is_number(version)) {
			truth = TRUTH_UNKNOWN;
			if (missing->count < MISSING_MAX)
				missing->names[missing->count++] = ranges[i].name;
			continue;
		}
		double number = json_number_value(version);
		if ((ranges[i].from && number < (double)ranges[i].from) ||
			(ranges[i].before && number >= (double)ranges[i].before))
			truth = TRUTH_NO;
	}
	return truth;
}

static void merge_missing(struct missing *into, const struct missing *from)
{
	for (size_t i = 0; i < from->count; i++) {
		bool known = false;
		for (size_t j = 0; j < into->count; j++)
			known = known || strcmp(into->names[j], from->names[i]) == 0;
		if (!known && into->count < MISSING_MAX)
			into->names[into->count++] = from->names[i];
	}
}

/* A value from the command line wins over ALTER SYSTEM: the fix must be made there. */
static void note_command_line(void *context, const char *name)
{
	struct hearing *hearing = context;
	const json_t *settings = facts_at(hearing->view->facts, "postgres.settings");
	const char *guc = strncmp(name, "setting.", 8) == 0 ? name + 8 : NULL;
	struct strbuf line = STRBUF_INIT;

	if (!guc || strcmp(facts_text(facts_at(settings, guc), "source", ""), "command line") != 0)
		return;
	strbuf_add_format(&line,
		"note: %s comes from the server's command line, which ALTER SYSTEM can't change: "
		"change it where the server is started",
		guc);
	add_line_once(&hearing->fix, line.data);
	strbuf_release(&line);
}

static void hear_subject(struct hearing *hearing, const json_t *subject)
{
	const struct check *check = hearing->check;
	struct scope scope = { .subject = subject, .root = hearing->view->root };
	struct missing missing = { .count = 0 };
	const char *name = subject_name(subject, check->scope);

	switch (judge_subject(hearing, &scope, &missing)) {
	case TRUTH_NO:
		return;
	case TRUTH_UNKNOWN:
		hearing->unknown++;
		add_listed(&hearing->unknown_subjects, name);
		merge_missing(&hearing->missing, &missing);
		return;
	case TRUTH_YES:
		break;
	}
	enum severity severity = severity_here(hearing, &scope);
	hearing->severity = hearing->fired ? MAX(hearing->severity, severity) : severity;
	hearing->fired++;
	add_listed(&hearing->subjects, name);
	expand_line(&hearing->set, check->set, &scope, QUOTE_NONE);
	if (hearing->fired == 1) {
		template_expand(&hearing->why, check->why, &scope, QUOTE_NONE);
		template_expand(&hearing->risk, check->risk, &scope, QUOTE_NONE);
	}
	expand_commands(&hearing->fix, check->fix, &scope);
	expand_commands(&hearing->undo, check->undo, &scope);
	expression_names(hearing->when, note_command_line, hearing);
}

/* Subjects that were not seen at all leave the rule unjudged, unless it is known that there are
 * none: no pools where no location is on ZFS. A disk there always is, here or elsewhere. */
static void hear_nobody(struct hearing *hearing)
{
	const struct view *view = hearing->view;
	static const char *const needed[] = { "", "location.class", "pool.name", "device.name" };
	const json_t *any_zfs = facts_at(view->root, "layout.any_zfs");

	if (hearing->check->scope == CHECK_POOL && json_is_false(any_zfs))
		return;
	hearing->unknown++;
	struct missing missing = { .names = { needed[hearing->check->scope] }, .count = 1 };
	merge_missing(&hearing->missing, &missing);
}

static void hear_scope(struct hearing *hearing)
{
	const struct view *view = hearing->view;
	const json_t *const lists[] = { NULL, view->locations, view->pools, view->devices };
	const json_t *list = lists[hearing->check->scope];
	size_t i;
	json_t *subject;

	if (hearing->check->scope == CHECK_CLUSTER)
		hear_subject(hearing, NULL);
	else if (json_array_size(list) == 0)
		hear_nobody(hearing);
	json_array_foreach(list, i, subject) hear_subject(hearing, subject);
}

static int hearing_parse(struct hearing *hearing, struct arena *arena, struct err *err)
{
	const struct check *check = hearing->check;
	int r = expression_parse(check->when, arena, &hearing->when, err);

	if (r == 0 && check->cost_when)
		r = expression_parse(check->cost_when, arena, &hearing->cost_when, err);
	if (r == 0 && check->danger_when)
		r = expression_parse(check->danger_when, arena, &hearing->danger_when, err);
	return r < 0 ? err_prefix(err, r, "rule %s", check->id) : 0;
}

static void keep_finding(struct diagnosis *diagnosis, const struct hearing *hearing)
{
	struct arena *arena = &diagnosis->arena;

	diagnosis->findings[diagnosis->finding_count++] = (struct finding){
		.check = hearing->check,
		.severity = hearing->severity,
		.subjects = arena_copy_string(arena, hearing->subjects.data),
		.set = arena_copy_string(arena, hearing->set.data),
		.why = arena_copy_string(arena, hearing->why.data),
		.risk = arena_copy_string(arena, hearing->risk.data),
		.fix = arena_copy_string(arena, hearing->fix.data),
		.undo = arena_copy_string(arena, hearing->undo.data),
	};
}

/* Why a name was not seen: what the view or the facts say of it, else of what it hangs on: pools
 * and disks are found through mounts, mounts through the folders of the cluster. */
static const char *why_missing(const struct view *view, const char *name)
{
	static const char *const chain[] = { "mounts", "locations" };
	const struct fact_name *row = fact_name_find(name);
	const char *reason;
	const json_t *own = json_object_get(view->reasons, name);

	if (json_is_string(own))
		return json_string_value(own);
	if (!row)
		return NULL;
	reason = facts_why_unseen(view->facts, row->from);
	bool hangs = strncmp(row->from, "zfs", 3) == 0 || strncmp(row->from, "devices", 7) == 0 ||
		     strncmp(row->from, "mounts", 6) == 0 ||
		     strncmp(row->from, "locations", 9) == 0;
	for (size_t i = 0; hangs && !reason && i < ARRAY_SIZE(chain); i++)
		reason = facts_why_unseen(view->facts, chain[i]);
	return reason;
}

static void keep_skipped(struct diagnosis *diagnosis, const struct hearing *hearing)
{
	struct strbuf names = STRBUF_INIT;
	const char *reason = NULL;

	for (size_t i = 0; i < hearing->missing.count; i++) {
		const char *name = hearing->missing.names[i];

		strbuf_add_format(&names, "%s%s", i > 0 ? ", " : "", name);
		if (!reason)
			reason = why_missing(hearing->view, name);
	}
	diagnosis->skipped[diagnosis->skipped_count++] = (struct skipped){
		.check = hearing->check,
		.subjects = arena_copy_string(&diagnosis->arena, hearing->unknown_subjects.data),
		.missing = arena_copy_string(&diagnosis->arena, names.data),
		.reason = reason ? arena_copy_string(&diagnosis->arena, reason)
				 : "not among the facts",
	};
	strbuf_release(&names);
}

static void hearing_release(struct hearing *hearing)
{
	strbuf_release(&hearing->subjects);
	strbuf_release(&hearing->set);
	strbuf_release(&hearing->why);
	strbuf_release(&hearing->risk);
	strbuf_release(&hearing->fix);
	strbuf_release(&hearing->undo);
	strbuf_release(&hearing->unknown_subjects);
}

static int judge_check(struct diagnosis *diagnosis, const struct check *check,
	const struct view *view, struct err *err)
{
	struct hearing hearing = { .check = check, .view = view };
	int r = hearing_parse(&hearing, &diagnosis->arena, err);

	if (r < 0)
		return r;
	strbuf_init(&hearing.subjects);
	strbuf_init(&hearing.set);
	strbuf_init(&hearing.why);
	strbuf_init(&hearing.risk);
	strbuf_init(&hearing.fix);
	strbuf_init(&hearing.undo);
	strbuf_init(&hearing.unknown_subjects);
	hear_scope(&hearing);
	if (hearing.fired > 0)
		keep_finding(diagnosis, &hearing);
	if (hearing.unknown > 0)
		keep_skipped(diagnosis, &hearing);
	if (hearing.fired == 0 && hearing.unknown == 0)
		diagnosis->quiet_count++;
	hearing_release(&hearing);
	return 0;
}

/* Worst first, then better evidence, then the order of the rules (the rows' addresses within a
 * group say nothing across groups, so their ids stand in). */
static int compare_findings(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->check->grade != b->check->grade)
		return a->check->grade < b->check->grade ? -1 : 1;
	return strcmp(a->check->id, b->check->id);
}

int diagnosis_make(struct diagnosis *ret_diagnosis, const struct view *view, struct err *err)
{
	struct diagnosis diagnosis = { .arena = ARENA_INIT };
	size_t count = check_count();
	int r = 0;

	diagnosis.findings = arena_new_array(&diagnosis.arena, count, sizeof(struct finding));
	diagnosis.skipped = arena_new_array(&diagnosis.arena, count, sizeof(struct skipped));
	for (size_t g = 0; g < CHECK_GROUP_COUNT && r == 0; g++)
		for (const struct check *check = check_groups[g].checks; check->id && r == 0;
			check++)
			r = judge_check(&diagnosis, check, view, err);
	if (r < 0) {
		arena_release(&diagnosis.arena);
		return r;
	}
	qsort(diagnosis.findings, diagnosis.finding_count, sizeof(struct finding),
		compare_findings);
	*ret_diagnosis = diagnosis;
	return 0;
}

void diagnosis_release(struct diagnosis *diagnosis)
{
	arena_release(&diagnosis->arena);
	memset(diagnosis, 0, sizeof(*diagnosis));
}

size_t check_count(void)
{
	size_t count = 0;

	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++)
		for (const struct check *check = check_groups[g].checks; check->id; check++)
			count++;
	return count;
}

enum severity check_worst(const struct check *check)
{
	if (check->danger_when)
		return SEVERITY_DANGER;
	return check->cost_when ? MAX(SEVERITY_COST, check->severity) : check->severity;
}

size_t diagnosis_count(const struct diagnosis *diagnosis, enum severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < diagnosis->finding_count; i++)
		count += diagnosis->findings[i].severity >= severity;
	return count;
}

size_t diagnosis_count_skipped(const struct diagnosis *diagnosis, enum severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < diagnosis->skipped_count; i++)
		count += check_worst(diagnosis->skipped[i].check) >= severity;
	return count;
}
