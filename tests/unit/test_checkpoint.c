/* checkpoint: windows made of whole timed cycles. */
#include "unit/unit.h"

#include "run/checkpoint.h"

#define S NS_PER_S

static void windows_are_whole_cycles(void **state UNUSED)
{
	static const struct {
		int64_t timeout, since, warmup, measure, want_warmup, want_measure;
	} cases[] = {
		{ 300 * S, 0, 60 * S, 900 * S, 300 * S, 900 * S },
		{ 300 * S, 10 * S, 60 * S, 900 * S, 290 * S, 900 * S },
		{ 300 * S, 10 * S, 290 * S, 900 * S, 290 * S, 900 * S },
		{ 300 * S, 10 * S, 291 * S, 901 * S, 590 * S, 1200 * S },
		{ 30 * S, 1 * S, 0, 1 * S, 29 * S, 30 * S },
		{ 30 * S, 31 * S, 0, 60 * S, 29 * S, 60 * S },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t warmup = cases[i].warmup, measure = cases[i].measure;

		checkpoint_align(cases[i].timeout, cases[i].since, &warmup, &measure);
		assert_int_equal(warmup, cases[i].want_warmup);
		assert_int_equal(measure, cases[i].want_measure);
		/* It begins with a timed one, never earlier than asked. */
		assert_int_equal((warmup + cases[i].since) % cases[i].timeout, 0);
		assert_true(warmup >= cases[i].warmup && measure >= cases[i].measure);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_whole_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
