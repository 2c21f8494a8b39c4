/* What a load does, from its settings: the programs in order, and settings that can't be. */
#include "unit.h"

#include "workload/load/load_steps.h"

#include <errno.h>
#include <string.h>

struct pair {
	const char *name, *text;
};

static int make(const struct pair *pairs, struct arena *arena, struct load_steps *steps)
{
	struct settings settings = { 0 };
	struct err err = ERR_INIT;
	int r;

	for (size_t i = 0; pairs[i].name; i++)
		settings_set(&settings,
			&(struct setting_value){ .name = pairs[i].name, .text = pairs[i].text });
	r = load_steps_make(&settings, arena, steps, &err);
	assert_int_equal(err.message[0] != '\0', r < 0);
	settings_release(&settings);
	return r;
}

/* "program part: last argument" of each step, a line a step. */
static void check(const struct pair *pairs, const char *expected)
{
	struct load_steps steps = { .count = 0 };
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(make(pairs, &arena, &steps), 0);
	for (size_t i = 0; i < steps.count; i++) {
		const struct load_step *step = &steps.steps[i];
		size_t last = 0;

		while (step->arguments[last + 1])
			last++;
		assert_true(last < LOAD_ARGUMENTS_MAX - 1);
		strbuf_add_format(&text, "%s %s: %s\n", step->program,
			step->part ? step->part : "-", step->arguments[last]);
	}
	assert_string_equal(text.data, expected);
	strbuf_release(&text);
	arena_release(&arena);
}

#define FRESH "psql -: CREATE DATABASE plumb_load\n"
#define AFTER "psql vacuum: VACUUM\npsql analyze: ANALYZE\n"

static void test_steps(void **state UNUSED)
{
	static const struct pair plain[] = { { 0 } };
	static const struct pair bare[] = { { "workload.index", "off" },
		{ "workload.vacuum", "off" }, { "workload.analyze", "off" }, { 0 } };
	static const struct pair copy[] = { { "workload.schema", "s.sql" },
		{ "workload.copy", "a=/x/a.csv  b=/x/b" }, { 0 } };
	static const struct pair dump[] = { { "workload.dump", "/x/d" },
		{ "workload.index_script", "i.sql" }, { 0 } };

	check(plain, FRESH "pgbench pgbench: plumb_load\n"
			   "psql index: CREATE INDEX load_accounts_branch ON pgbench_accounts "
			   "(bid, abalance)\n" AFTER);
	check(bare, FRESH "pgbench pgbench: plumb_load\n");
	check(copy, FRESH "psql schema: s.sql\n"
			  "psql copy: \\copy a from '/x/a.csv' with (format csv, header)\n"
			  "psql copy: \\copy b from '/x/b'\n" AFTER);
	check(dump, FRESH "pg_restore restore: /x/d\npsql index: i.sql\n" AFTER);
}

static void test_refused(void **state UNUSED)
{
	static const struct pair cases[][3] = {
		{ { "workload.copy", "a" }, { 0 } },
		{ { "workload.copy", "=file" }, { 0 } },
		{ { "workload.copy", "a=" }, { 0 } },
		{ { "workload.copy", "a='; DROP" }, { 0 } },
		{ { "workload.copy", "a=b" }, { "workload.dump", "c" }, { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct load_steps steps = { .count = 77 };
		struct arena arena = ARENA_INIT;

		assert_int_equal(make(cases[i], &arena, &steps), -EINVAL);
		assert_int_equal(steps.count, 77);
		arena_release(&arena);
	}
}

static void test_too_many(void **state UNUSED)
{
	struct strbuf list = STRBUF_INIT;
	struct load_steps steps = { .count = 77 };
	struct arena arena = ARENA_INIT;
	struct pair pairs[] = { { "workload.copy", NULL }, { 0 } };

	for (int i = 0; i < LOAD_STEPS_MAX; i++)
		strbuf_add_format(&list, "t%d=f ", i);
	pairs[0].text = list.data;
	assert_int_equal(make(pairs, &arena, &steps), -EINVAL);
	strbuf_release(&list);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_too_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
