/* ratio: the published vectors of two seeds, and that the interval follows its values. */
#include "unit/close.h"

#include "stats/ratio.h"
#include "stats/summary.h"
#include <errno.h>

/* tps of three runs each: 8 K pages on 8 K records, 32 K on 32 K. */
static const double small_pages[] = { 865.137263, 902.449933, 920.148011 };
static const double large_pages[] = { 1071.697122, 1162.073678, 1182.126126 };
static const double blocks_a[] = { 100, 96, 104, 90, 99, 101 };
static const double blocks_b[] = { 105, 100, 111, 93, 104, 108 };
static const struct ratio_sample set_a = { blocks_a, 6 };
static const struct ratio_sample set_b = { blocks_b, 6 };

static void welch_of_three(void **state UNUSED)
{
	struct ratio ratio;

	assert_int_equal(ratio_welch((struct ratio_sample){ small_pages, 3 },
				 (struct ratio_sample){ large_pages, 3 }, 0.95, &ratio, NULL),
		0);
	assert_close(ratio.ratio, 1.2701877, 5e-8);
	assert_close(ratio.df, 3.280212, 5e-7);
	assert_close(ratio.t, 6.7757501, 5e-8);
	assert_close(ratio.p, 0.0049187632, 5e-11);
	assert_close(ratio.low, 1.14119, 5e-6);
	assert_close(ratio.high, 1.413767, 5e-7);
	assert_close(summary_mean(small_pages, 3), 895.911736, 5e-7);
	assert_close(summary_mean(large_pages, 3), 1138.632309, 5e-7);
	assert_close(summary_cliff_delta(small_pages, 3, large_pages, 3), 1, 0);
	assert_close(summary_standardised(small_pages, 3, large_pages, 3), 5.2657381, 5e-8);
}

static void paired_blocks(void **state UNUSED)
{
	struct ratio ratio;

	assert_int_equal(ratio_paired(set_a, set_b, 0.95, &ratio, NULL), 0);
	assert_close(ratio.ratio, 1.0519412, 5e-8);
	assert_close(ratio.low, 1.0372457, 5e-8);
	assert_close(ratio.high, 1.0668448, 5e-8);
	assert_close(ratio.t, 9.2525083, 5e-8);
	assert_close(ratio.p, 0.00024781814, 5e-12);
	assert_int_equal(ratio_welch((struct ratio_sample){ blocks_a, 6 },
				 (struct ratio_sample){ blocks_b, 6 }, 0.95, &ratio, NULL),
		0);
	assert_close(ratio.low, 0.97749721, 5e-9);
	assert_close(ratio.high, 1.1320546, 5e-8);
	assert_close(ratio.p, 0.15431738, 5e-9);
}

static void equivalence(void **state UNUSED)
{
	struct tost tost = ratio_tost(0.004, 0.006, 10, log(1.02));

	assert_close(tost.p_lower, 0.001327874, 5e-10);
	assert_close(tost.p_upper, 0.012499908, 5e-10);
}

static void swapping_inverts(void **state UNUSED)
{
	struct ratio forth, back;

	ratio_paired(set_a, set_b, 0.9, &forth, NULL);
	ratio_paired(set_b, set_a, 0.9, &back, NULL);
	assert_near(forth.ratio * back.ratio, 1, 1e-14);
	assert_near(forth.low * back.high, 1, 1e-14);
	assert_near(forth.p, back.p, 1e-12);
}

static void pooled_of_equal_sizes_has_welch_width(void **state UNUSED)
{
	struct ratio welch, pooled;
	struct ratio_sample a = { blocks_a, 6 };
	struct ratio_sample b = { blocks_b, 6 };

	ratio_welch(a, b, 0.95, &welch, NULL);
	ratio_pooled(a, b, 0.95, &pooled, NULL);
	assert_near(pooled.standard_error, welch.standard_error, 1e-13);
	assert_close(pooled.df, 10, 0);
}

static void bad_values_are_named(void **state UNUSED)
{
	const double bad[] = { 100, 0, 3 };
	struct ratio ratio = { .ratio = 7 };
	struct err err = ERR_INIT;

	assert_int_equal(ratio_paired((struct ratio_sample){ bad, 3 },
				 (struct ratio_sample){ blocks_b, 3 }, 0.95, &ratio, &err),
		-EDOM);
	assert_string_equal(err.message, "value 2 is 0: a ratio needs values above zero");
	err_clear(&err);
	assert_int_equal(ratio_paired((struct ratio_sample){ bad, 1 },
				 (struct ratio_sample){ blocks_b, 1 }, 0.95, &ratio, &err),
		-ENODATA);
	assert_string_equal(err.message, "1 pairs: an interval needs at least two");
	assert_int_equal(
		ratio_paired(set_a, (struct ratio_sample){ bad, 3 }, 0.95, &ratio, NULL), -EINVAL);
	assert_int_equal(ratio_welch((struct ratio_sample){ bad, 1 },
				 (struct ratio_sample){ blocks_b, 6 }, 0.95, &ratio, NULL),
		-ENODATA);
	assert_close(ratio.ratio, 7, 0);
}

static void no_spread_is_no_division(void **state UNUSED)
{
	const double same[] = { 5, 5, 5 };
	const double twice[] = { 10, 10, 10 };
	struct ratio ratio;

	assert_int_equal(ratio_welch((struct ratio_sample){ same, 3 },
				 (struct ratio_sample){ twice, 3 }, 0.95, &ratio, NULL),
		0);
	assert_close(ratio.low, 2, 1e-12);
	assert_close(ratio.high, 2, 1e-12);
	assert_close(ratio.p, 0, 0);
	ratio_paired((struct ratio_sample){ same, 3 }, (struct ratio_sample){ same, 3 }, 0.95,
		&ratio, NULL);
	assert_close(ratio.p, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(welch_of_three),
		cmocka_unit_test(paired_blocks),
		cmocka_unit_test(equivalence),
		cmocka_unit_test(swapping_inverts),
		cmocka_unit_test(pooled_of_equal_sizes_has_welch_width),
		cmocka_unit_test(bad_values_are_named),
		cmocka_unit_test(no_spread_is_no_division),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
