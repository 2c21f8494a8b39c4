/* Published pairs: parsed, looked up, judged. */
#include "unit/unit.h"

#include "analysis/published.h"
#include "lib/example_results.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void pairs(void **state UNUSED)
{
	struct arena arena = ARENA_INIT;
	struct published_pair pair;
	struct err err = ERR_INIT;

	assert_int_equal(published_pair_parse("tps rows 25 27 29 / 1 5 cells arm=a x.y=1 / arm=b",
				 &arena, &pair, &err),
		0);
	assert_string_equal(pair.metric, "tps");
	assert_false(pair.is_ratio);
	assert_int_equal(pair.over_count, 3);
	assert_int_equal(pair.over_ids[2], 29);
	assert_int_equal(pair.under_count, 2);
	assert_string_equal(pair.over_cells, "arm=a x.y=1");
	assert_string_equal(pair.under_cells, "arm=b");
	assert_int_equal(published_pair_parse("load_s ratio 48 49 cells a.b='x / y' / c.d=1",
				 &arena, &pair, &err),
		0);
	assert_true(pair.is_ratio);
	assert_int_equal(pair.over_count, 2);
	arena_release(&arena);
}

static void bad_pairs(void **state UNUSED)
{
	static const char *const texts[] = { "", "tps", "tps rows 1 / 2", "tps rows 1 cells a / b",
		"tps rows 1 / 2 cells a", "tps rows x / 2 cells a / b", "tps rows / 2 cells a / b",
		"tps rows 1 / 0 cells a / b", "tps lines 1 / 2 cells a / b",
		"tps rows 1 / -2 cells a / b",
		"tps rows 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 / 1 cells a / b" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct published_pair pair = { .metric = "untouched" };
		struct arena arena = ARENA_INIT;
		struct err err = ERR_INIT;

		if (published_pair_parse(texts[i], &arena, &pair, &err) != -EINVAL)
			fail_msg("accepted: '%s'", texts[i]);
		assert_string_equal(pair.metric, "untouched");
		arena_release(&arena);
	}
}

static void rows(void **state UNUSED)
{
	struct arena arena = ARENA_INIT;
	struct published_row row;
	struct err err = ERR_INIT;

	assert_int_equal(published_row_find(NULL, 1, &arena, &row, &err), 0);
	assert_true(row.value == 865.137263);
	assert_string_equal(row.unit, "1/s");
	assert_int_equal(published_row_find(NULL, 142, &arena, &row, &err), 0);
	assert_true(row.value == 30);
	assert_string_equal(row.unit, "%");
	/* The last row of the table, and one that is not in it. */
	assert_int_equal(published_row_find(NULL, 149, &arena, &row, &err), 0);
	assert_int_equal(published_row_find(NULL, 39, &arena, &row, &err), -ENOENT);
	arena_release(&arena);
}

static const struct {
	double published_low, published_high, low, high;
	enum agreement agreement;
} cases[] = {
	{ 1.27, 1.27, 1.20, 1.35, AGREEMENT_AGREE },
	{ 1.27, 1.27, 1.05, 1.15, AGREEMENT_DISAGREE },
	{ 1.27, 1.27, 0.80, 0.95, AGREEMENT_DISAGREE },
	{ 1.27, 1.27, 0.90, 1.50, AGREEMENT_CANT_TELL },
	{ 1.10, 1.40, 1.05, 1.15, AGREEMENT_AGREE },
	{ 1.00, 1.00, 0.99, 1.01, AGREEMENT_AGREE },
	{ 1.00, 1.00, 0.80, 1.20, AGREEMENT_CANT_TELL },
	{ 1.27, 1.27, NAN, NAN, AGREEMENT_CANT_TELL },
	/* Within the margin of the interval's end. */
	{ 1.27, 1.27, 1.10, 1.26, AGREEMENT_AGREE },
};

static void agreement(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (published_agreement(cases[i].published_low, cases[i].published_high,
			    cases[i].low, cases[i].high, 0.02) != cases[i].agreement)
			fail_msg("case %zu", i);
}

static void run_trial(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record)
{
	bool large = strcmp(example_setting(example, trial, "filesystem.recordsize"), "32K") == 0;

	example_sample(record, "run", "tps", 1000 * (large ? 1.27 : 1) * exp(example_luck(trial)));
}

#define TEXT(published)                                                                           \
	"[study]\nname = p\n[filesystem]\ntype = zfs\nrecordsize = 8K, 32K\n[design]\nrepeats = " \
	"5\n"                                                                                     \
	"[published]\n" published "\n"

static void whole_study(void **state UNUSED)
{
	struct example example;

	example_make(&example,
		TEXT("both = tps rows 25 27 29 / 1 5 9 cells filesystem.recordsize=32kB / "
		     "filesystem.recordsize=8192\n"
		     "other = tps ratio 42 cells filesystem.recordsize=32K / "
		     "filesystem.recordsize=8K\n"
		     "gone = tps ratio 42 cells filesystem.recordsize=64K / "
		     "filesystem.recordsize=8K"),
		5, run_trial);
	assert_int_equal(example.findings.published_count, 3);
	/* Vector E1 of the method's page: geometric ratio and Welch interval on logarithms. */
	assert_true(fabs(example.findings.published[0].published - 1.2701877) < 1e-6);
	assert_true(fabs(example.findings.published[0].published_low - 1.14119) < 1e-5);
	assert_true(fabs(example.findings.published[0].published_high - 1.413767) < 1e-5);
	assert_int_equal(example.findings.published[0].setups, 5);
	assert_int_equal(example.findings.published[0].agreement, AGREEMENT_AGREE);
	assert_int_equal(example.findings.published[1].agreement, AGREEMENT_DISAGREE);
	assert_string_equal(example.findings.published[1].why, "same direction, another size");
	assert_int_equal(example.findings.published[2].agreement, AGREEMENT_CANT_TELL);
	assert_string_equal(
		example.findings.published[2].why, "these cells are not in this form of the study");
	example_release(&example);
}

static void too_few_setups(void **state UNUSED)
{
	struct example example;

	example_make(&example,
		TEXT("both = tps rows 25 27 29 / 1 5 9 cells filesystem.recordsize=32K / "
		     "filesystem.recordsize=8K"),
		2, run_trial);
	assert_true(isfinite(example.findings.published[0].measured));
	assert_false(isfinite(example.findings.published[0].low));
	assert_int_equal(example.findings.published[0].agreement, AGREEMENT_CANT_TELL);
	example_release(&example);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pairs), cmocka_unit_test(bad_pairs),
		cmocka_unit_test(rows), cmocka_unit_test(agreement), cmocka_unit_test(whole_study),
		cmocka_unit_test(too_few_setups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
