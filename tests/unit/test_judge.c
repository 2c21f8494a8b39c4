/*
 * Every rule on golden facts: cases.json holds, for each, facts with which it fires, with which it
 * does not, on both sides of its boundary, and without which it can't be judged. Also what every
 * row must have.
 */
#include "unit/unit.h"

#include "base/file.h"
#include "doctor/doctor.h"
#include "doctor/expression.h"
#include "doctor/fact_names.h"
#include "doctor/facts.h"
#include "doctor/template.h"

#include <stdlib.h>
#include <string.h>

static json_t *load(const char *name)
{
	char path[4096];
	json_error_t where;

	snprintf(path, sizeof(path), "%s/golden/doctor/%s", TESTS_FOLDER, name);
	json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
	if (!value)
		fail_msg("%s:%d: %s", path, where.line, where.text);
	return value;
}

/* Put value at a path whose numbers are places in lists; null takes it away. */
static void patch(json_t *at, const char *path, const json_t *value)
{
	char step[256];

	for (;;) {
		size_t length = strcspn(path, ".");
		char *end;

		snprintf(step, sizeof(step), "%.*s", (int)length, path);
		size_t place = strtoul(step, &end, 10);
		bool last = path[length] == '\0';
		if (json_is_array(at)) {
			assert_true(*end == '\0' && place < json_array_size(at));
			if (last) {
				json_array_set_new(at, place, json_deep_copy(value));
				return;
			}
			at = json_array_get(at, place);
		} else if (last) {
			if (json_is_null(value))
				json_object_del(at, step);
			else
				json_object_set_new(at, step, json_deep_copy(value));
			return;
		} else {
			json_t *next = json_object_get(at, step);
			if (!next) {
				next = json_object();
				json_object_set_new(at, step, next);
			}
			at = next;
		}
		path += length + 1;
	}
}

static void patch_all(json_t *facts, const json_t *set)
{
	const char *path;
	json_t *value;

	json_object_foreach((json_t *)set, path, value) patch(facts, path, value);
}

static json_t *facts_of_case(const json_t *base, const json_t *bases, const json_t *test)
{
	json_t *facts = json_deep_copy(base);
	const char *name = facts_text(test, "base", NULL);

	if (name)
		patch_all(facts, json_object_get(bases, name));
	patch_all(facts, json_object_get(test, "set"));
	return facts;
}

static const char *verdict_of(const struct diagnosis *diagnosis, const char *id)
{
	for (size_t i = 0; i < diagnosis->finding_count; i++)
		if (strcmp(diagnosis->findings[i].check->id, id) == 0)
			return severity_word(diagnosis->findings[i].severity);
	for (size_t i = 0; i < diagnosis->skipped_count; i++)
		if (strcmp(diagnosis->skipped[i].check->id, id) == 0)
			return "unknown";
	return "quiet";
}

static void judges_every_case(void **state UNUSED)
{
	json_t *cases = load("cases.json"), *base = load("zfs.json"), *test;
	size_t i, wrong = 0;

	json_array_foreach(json_object_get(cases, "cases"), i, test)
	{
		struct doctor doctor;
		struct err err = ERR_INIT;
		json_t *facts = facts_of_case(base, json_object_get(cases, "bases"), test);
		const char *id = facts_text(test, "rule", "");
		const char *expected = facts_text(test, "expect", "");

		assert_non_null(check_find(id));
		assert_int_equal(doctor_init(&doctor, facts, &err), 0);
		const char *verdict = verdict_of(&doctor.diagnosis, id);
		if (strcmp(verdict, expected) != 0) {
			char *text = json_dumps(test, JSON_COMPACT);
			print_error("case %zu: %s says %s: %s\n", i, id, verdict, text);
			free(text);
			wrong++;
		}
		doctor_release(&doctor);
		json_decref(facts);
	}
	json_decref(cases);
	json_decref(base);
	assert_int_equal(wrong, 0);
}

/* A rule needs a case that fires and one that does not. */
static void every_rule_has_cases(void **state UNUSED)
{
	json_t *cases = load("cases.json"), *test;
	size_t i, gaps = 0;

	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++) {
		for (const struct check *check = check_groups[g].checks; check->id; check++) {
			size_t fires = 0, quiet = 0, worst = 0;

			json_array_foreach(json_object_get(cases, "cases"), i, test)
			{
				const char *expect = facts_text(test, "expect", "");
				if (strcmp(facts_text(test, "rule", ""), check->id) != 0)
					continue;
				quiet += strcmp(expect, "quiet") == 0;
				fires += strcmp(expect, "quiet") != 0 &&
					 strcmp(expect, "unknown") != 0;
				worst += strcmp(expect, severity_word(check_worst(check))) == 0;
			}
			/* the unpatched base is a quiet case of every rule, see below */
			if (fires == 0 || worst == 0) {
				print_error("%s: %zu firing, %zu at its worst, %zu quiet\n",
					check->id, fires, worst, quiet);
				gaps++;
			}
		}
	}
	json_decref(cases);
	assert_int_equal(gaps, 0);
}

static void base_is_quiet_and_whole(void **state UNUSED)
{
	json_t *base = load("zfs.json");
	struct doctor doctor;
	struct err err = ERR_INIT;

	assert_int_equal(doctor_init(&doctor, base, &err), 0);
	assert_int_equal(doctor.diagnosis.finding_count, 0);
	assert_int_equal(doctor.diagnosis.skipped_count, 0);
	assert_int_equal(doctor.diagnosis.quiet_count, check_count());
	doctor_release(&doctor);
	json_decref(base);
}

/* With nothing known no rule fires, none is fine, and each says what it lacks. */
static void empty_facts_are_never_fine(void **state UNUSED)
{
	json_t *facts = facts_new("test");
	struct doctor doctor;
	struct err err = ERR_INIT;
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(doctor_init(&doctor, facts, &err), 0);
	assert_int_equal(doctor.diagnosis.finding_count, 0);
	assert_int_equal(doctor.diagnosis.quiet_count, 0);
	assert_int_equal(doctor.diagnosis.skipped_count, check_count());
	for (size_t i = 0; i < doctor.diagnosis.skipped_count; i++)
		assert_true(doctor.diagnosis.skipped[i].missing[0] != '\0');
	assert_int_equal(doctor_nagios(&doctor, &text), 3);
	strbuf_release(&text);
	doctor_release(&doctor);
	json_decref(facts);
}

static void check_name(void *context, const char *name)
{
	if (!fact_name_find(name))
		fail_msg("%s uses '%s', which fact_names.c does not have", (char *)context, name);
}

static void check_template_name(void *context, const char *kind, const char *name)
{
	if (strcmp(kind, "raw") == 0 && !strstr(name, "_command"))
		fail_msg("%s puts '%s' in unquoted", (char *)context, name);
	if (strcmp(kind, "reset") != 0 && strcmp(kind, "undo_property") != 0)
		check_name(context, name);
}

static void check_lines(const char *id, const char *lines)
{
	static const char *const kinds[] = { "sql: ", "restart: ", "sh: ", "offline: ", "note: " };

	assert_non_null(lines);
	for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
		bool known = false;
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			known = known || strncmp(line, kinds[i], strlen(kinds[i])) == 0;
		if (!known || !strchr(line, '\n'))
			fail_msg("%s: a command line of no kind: %s", id, line);
	}
}

static void check_row(const struct check *check)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	char *id = (char *)check->id;
	const char *const conditions[] = { check->when, check->cost_when, check->danger_when };
	const char *const texts[] = { check->set, check->why, check->risk, check->fix,
		check->undo };

	assert_true(check->title && check->why && check->risk && check->source);
	assert_true(strchr("ABCD", check->grade) && check->grade);
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
		struct expression *expression;
		if (!conditions[i])
			continue;
		if (expression_parse(conditions[i], &arena, &expression, &err) < 0)
			fail_msg("%s: %s", id, err.message);
		expression_names(expression, check_name, id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		template_names(texts[i], check_template_name, id);
	check_lines(id, check->fix);
	check_lines(id, check->undo);
	/* both camps and the study, or none of the three */
	assert_true(!check->study == !check->camp_for && !check->study == !check->camp_against);
	arena_release(&arena);
}

static void rows_are_whole(void **state UNUSED)
{
	assert_true(check_count() >= 70);
	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++)
		for (const struct check *check = check_groups[g].checks; check->id; check++) {
			check_row(check);
			assert_ptr_equal(check_find(check->id), check);
		}
}

/* Rules whose answer must be measured hand out an experiment, and every study named is there. */
static void disputed_rules_name_a_study(void **state UNUSED)
{
	static const char *const ids[] = { "LAY02", "LAY03", "LAY07", "LAY09", "LAY12", "LAY13",
		"LAY20", "LAY24", "LAY25", "SYN01", "SYN02", "SYN05", "SYN06", "SYN08", "SYN09",
		"SYN10", "SYN11", "SYN12", "SYN13", "MEM05", "MEM06", "MEM12", "IO02", "IO04",
		"IO08", "DUR06" };
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_non_null(check_find(ids[i]));
		assert_non_null(check_find(ids[i])->study);
	}
	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++) {
		for (const struct check *check = check_groups[g].checks; check->id; check++) {
			if (!check->study || strcmp(check->study, "torture") == 0)
				continue;
			snprintf(path, sizeof(path), "%s/../studies/%s.ini", TESTS_FOLDER,
				check->study);
			if (!file_exists(path))
				fail_msg("%s names studies/%s.ini, which is not there", check->id,
					check->study);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(every_rule_has_cases),
		cmocka_unit_test(base_is_quiet_and_whole),
		cmocka_unit_test(judges_every_case),
		cmocka_unit_test(empty_facts_are_never_fine),
		cmocka_unit_test(disputed_rules_name_a_study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
