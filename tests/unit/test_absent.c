/* absent: cells that can't run, each reason said once. */
#include "unit/unit.h"

#include "base/strbuf.h"
#include "record/absent.h"

static void add_line(void *context, const char *sentence)
{
	strbuf_add_format(context, "%s\n", sentence);
}

static void each_reason_is_said_once(void **state UNUSED)
{
	struct absent_cells absent = { 0 };
	struct strbuf said = STRBUF_INIT;

	absent_cells_say(&absent, add_line, &said);
	assert_int_equal(said.length, 0);
	absent_cells_add(&absent, 3, "xfs", "no mkfs.xfs\nhint: package xfsprogs");
	absent_cells_add(&absent, 5, "a=1", "no compiler; its log:\nnothing");
	absent_cells_add(&absent, 7, "xfs 8K", "no mkfs.xfs\nhint: package xfsprogs");
	absent_cells_say(&absent, add_line, &said);
	assert_string_equal(said.data,
		"2 cells (xfs, xfs 8K): no mkfs.xfs; hint: package xfsprogs\n"
		"1 cell (a=1): no compiler; its log: nothing\n");
	assert_string_equal(absent_cells_reason(&absent, 5), "no compiler; its log: nothing");
	assert_null(absent_cells_reason(&absent, 4));
	strbuf_release(&said);
	absent_cells_release(&absent);
	absent_cells_release(&absent);
}

static void of_many_labels_the_first_are_named(void **state UNUSED)
{
	static const char *const labels[] = { "a", "b", "c", "d", "e", "f" };
	struct absent_cells absent = { 0 };
	struct strbuf said = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		absent_cells_add(&absent, i, labels[i], "why");
	absent_cells_say(&absent, add_line, &said);
	assert_string_equal(said.data, "6 cells (a, b, c, d, and 2 more): why\n");
	strbuf_release(&said);
	absent_cells_release(&absent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_is_said_once),
		cmocka_unit_test(of_many_labels_the_first_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
