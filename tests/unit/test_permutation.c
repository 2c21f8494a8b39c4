/* permutation: counts that can be done by hand. */
#include "unit/close.h"

#include "stats/permutation.h"

static void blocks(void **state UNUSED)
{
	const double all_up[] = { 5, 4, 7, 3, 5, 7 };
	const double mixed[] = { 1, -1 };
	const double zeros[] = { 0, 0, 0 };

	assert_close(permutation_blocks(all_up, 6), 2.0 / 64, 1e-15);
	assert_close(permutation_blocks(mixed, 2), 1, 0);
	assert_close(permutation_blocks(zeros, 3), 1, 0);
	assert_true(isnan(permutation_blocks(all_up, 0)));
	assert_true(isnan(permutation_blocks(all_up, 21)));
}

static void sets(void **state UNUSED)
{
	const double a[] = { 865.137263, 902.449933, 920.148011 };
	const double b[] = { 1071.697122, 1162.073678, 1182.126126 };

	assert_close(permutation_sets(a, 3, b, 3), 0.1, 1e-15);
	assert_close(permutation_sets(a, 3, a, 3), 1, 1e-15);
	assert_close(permutation_sets(b, 2, a, 1), 1.0 / 3, 1e-15);
	assert_true(isnan(permutation_sets(a, 0, b, 3)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),
		cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
