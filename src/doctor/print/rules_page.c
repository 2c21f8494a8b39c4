/* The rules for readers: docs/rules.md and the long form of one rule, both from the rows. */
#include "doctor/print/doctor_print_internal.h"
#include "doctor/expression.h"
#include "doctor/fact_names.h"
#include "doctor/template.h"
#include "base/macros.h"
#include <string.h>

struct names {
	struct strbuf *out;
	size_t count;
	const char *seen[64];
	const char *format; /* of one new name: name, meaning */
};

static void add_name(void *context, const char *name)
{
	struct names *names = context;
	const struct fact_name *row = fact_name_find(name);

	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->seen[i], name) == 0)
			return;
	if (names->count == ARRAY_SIZE(names->seen))
		return;
	names->seen[names->count++] = name;
	if (names->out)
		strbuf_add_format(names->out, "    %-32s %s\n", name, row ? row->meaning : "?");
}

static void add_reads(const struct check *check, struct strbuf *out)
{
	const char *const texts[] = { check->when, check->cost_when, check->danger_when };
	struct names names = { .out = out };
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct expression *expression;
		if (texts[i] && expression_parse(texts[i], &arena, &expression, NULL) == 0)
			expression_names(expression, add_name, &names);
	}
	arena_release(&arena);
}

static void add_version(struct strbuf *out, const char *product, long from, long before)
{
	bool postgres = strcmp(product, "PostgreSQL") == 0;
	long limits[] = { from, before };
	static const char *const words[] = { "from", "before" };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		if (limits[i] == 0)
			continue;
		if (postgres)
			strbuf_add_format(out, " %s %s %ld", product, words[i], limits[i] / 10000);
		else
			strbuf_add_format(out, " %s %s %ld.%ld.%ld", product, words[i],
				limits[i] / 10000, limits[i] / 100 % 100, limits[i] % 100);
	}
}

static void add_versions(const struct check *check, struct strbuf *out)
{
	if (!check->postgres_from && !check->postgres_before && !check->zfs_from &&
		!check->zfs_before)
		strbuf_add_text(out, " all");
	add_version(out, "PostgreSQL", check->postgres_from, check->postgres_before);
	add_version(out, "OpenZFS", check->zfs_from, check->zfs_before);
}

static void add_severity(const struct check *check, struct strbuf *out)
{
	strbuf_add_text(out, severity_word(check->severity));
	if (check->cost_when)
		strbuf_add_format(out, "; cost if %s", check->cost_when);
	if (check->danger_when)
		strbuf_add_format(out, "; danger if %s", check->danger_when);
}

struct listing {
	struct strbuf *out;
	const char *start;
};

static void add_command(void *context, const char *kind, const char *text)
{
	const struct listing *listing = context;

	strbuf_add_format(listing->out, "%s%-8s %s\n", listing->start, kind, text);
}

void doctor_explain(const struct check *check, struct strbuf *out)
{
	struct listing listing = { out, "    " };

	strbuf_add_format(out, "%s: %s\n\nseverity  ", check->id, check->title);
	add_severity(check, out);
	strbuf_add_format(out, "\nevidence  %c: %s\nsource    %s\nlooks at  each %s\nversions ",
		check->grade, grade_words(check->grade), check->source,
		check_scope_word(check->scope));
	add_versions(check, out);
	strbuf_add_format(out, "\n\nfires when\n    %s\n\nreads\n", check->when);
	add_reads(check, out);
	strbuf_add_format(out, "\nwhat is set   %s\nwhy           %s\nrisk          %s\n",
		check->set, check->why, check->risk);
	if (check->study) {
		strbuf_add_format(out,
			"\ndisputed: measure, do not guess\n    one camp: %s\n"
			"    the other: %s\n    measure: ",
			check->camp_for, check->camp_against);
		doctor_measure_command(check, out);
		strbuf_add_char(out, '\n');
	}
	strbuf_add_text(out, "\nfix\n");
	print_commands(check->fix, add_command, &listing);
	strbuf_add_text(out, "undo\n");
	print_commands(check->undo, add_command, &listing);
	strbuf_add_text(out, "\nWords in {braces} are replaced by what is seen.\n");
}

static void add_row(const struct check *check, struct strbuf *out)
{
	struct listing listing = { out, "  - " };

	strbuf_add_format(out, "### %s: %s\n\n- severity: ", check->id, check->title);
	add_severity(check, out);
	strbuf_add_format(out, "\n- evidence: %c, %s\n- source: %s\n- versions:", check->grade,
		grade_words(check->grade), check->source);
	add_versions(check, out);
	strbuf_add_format(out, "\n- each %s, when: `%s`\n- why: %s\n- risk: %s\n",
		check_scope_word(check->scope), check->when, check->why, check->risk);
	if (check->study) {
		strbuf_add_format(out, "- one camp: %s\n- the other: %s\n- measure: `",
			check->camp_for, check->camp_against);
		doctor_measure_command(check, out);
		strbuf_add_text(out, "`\n");
	}
	strbuf_add_text(out, "- fix:\n");
	print_commands(check->fix, add_command, &listing);
	strbuf_add_text(out, "- undo:\n");
	print_commands(check->undo, add_command, &listing);
	strbuf_add_char(out, '\n');
}

static void add_names(struct strbuf *out)
{
	strbuf_add_text(out,
		"## Names in conditions\n\n"
		"Sizes are bytes, times ms, versions `vA.B.C`. A name that could not be "
		"read makes a rule *not judged*, never fine.\n\n"
		"| name | meaning |\n| --- | --- |\n");
	for (const struct fact_name *row = fact_names; row->name; row++) {
		size_t length = strlen(row->name);
		strbuf_add_format(out, "| `%s%s` | %s |\n", row->name,
			row->name[length - 1] == '.' ? "*" : "", row->meaning);
	}
}

void doctor_rules_page(struct strbuf *out)
{
	strbuf_add_format(out,
		"# The rules of plumb doctor\n\nPrinted by `plumb document rules.md` from the rows "
		"in "
		"src/doctor/checks; do not edit.\n%zu rules. Severity: **danger** can lose or "
		"corrupt "
		"data or take the machine down, **cost** is measurable waste, **hint** is worth a "
		"look. Evidence: A %s; B %s; C %s; D %s. Where a rule says *measure*, no value is "
		"recommended: both camps are named, and the study that decides on your machine.\n\n"
		"Kinds of commands: `sql` acts at once or by the reload in it; `restart` is SQL "
		"that "
		"waits for a restart; `sh` runs as root beside the running server; `offline` needs "
		"it "
		"stopped, or a new load; `note` is advice.\n\n",
		check_count(), grade_words('A'), grade_words('B'), grade_words('C'),
		grade_words('D'));
	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++) {
		strbuf_add_format(out, "## %s\n\n", check_groups[g].title);
		for (const struct check *check = check_groups[g].checks; check->id; check++)
			add_row(check, out);
	}
	add_names(out);
}
