/* verdict: every word from its interval, both directions, and the set-ups that would decide. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/verdict.h"

static struct effect interval(double low, double high)
{
	/* The 90 % interval: 0.84 of the width in logarithms, as at many degrees of freedom. */
	double middle = sqrt(low * high);
	double inner = pow(high / low, 0.84 / 2);

	return (struct effect){ EFFECT_OK, 5, middle, low, high, middle / inner, middle * inner };
}

static const struct {
	double low, high;
	enum verdict verdict, if_lower_is_better;
} cases[] = {
	{ 1.03, 1.10, VERDICT_FASTER, VERDICT_SLOWER },
	{ 1.01, 1.10, VERDICT_SLIGHTLY_FASTER, VERDICT_SLIGHTLY_SLOWER },
	{ 0.99, 1.01, VERDICT_EQUIVALENT, VERDICT_EQUIVALENT },
	{ 0.90, 0.99, VERDICT_SLIGHTLY_SLOWER, VERDICT_SLIGHTLY_FASTER },
	{ 0.80, 0.95, VERDICT_SLOWER, VERDICT_FASTER },
	{ 0.95, 1.10, VERDICT_UNDECIDED, VERDICT_UNDECIDED },
	{ 1.0205, 1.0206, VERDICT_FASTER, VERDICT_SLOWER },
	{ 0.9801, 1.0199, VERDICT_EQUIVALENT, VERDICT_EQUIVALENT },
	/* The margin is a ratio: 0.981 is less than 2 % slower. */
	{ 0.970, 0.9803, VERDICT_SLOWER, VERDICT_FASTER },
	{ 0.970, 0.9804, VERDICT_SLIGHTLY_SLOWER, VERDICT_SLIGHTLY_FASTER },
};

static void words(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct effect effect = interval(cases[i].low, cases[i].high);

		assert_int_equal(verdict_of(&effect, 0.02, false), cases[i].verdict);
		assert_int_equal(verdict_of(&effect, 0.02, true), cases[i].if_lower_is_better);
	}
	assert_string_equal(verdict_word(VERDICT_SLIGHTLY_SLOWER), "slightly slower");
	assert_true(verdict_is_difference(VERDICT_SLOWER));
	assert_false(verdict_is_difference(VERDICT_UNDECIDED));
	assert_false(verdict_is_difference(VERDICT_EQUIVALENT));
}

static void no_interval_no_verdict(void **state UNUSED)
{
	struct effect effect = { EFFECT_TOO_FEW, 2, 1.5, NAN, NAN, NAN, NAN };

	assert_int_equal(verdict_of(&effect, 0.02, false), VERDICT_NONE);
	assert_string_equal(verdict_standing(2), "no interval");
	assert_string_equal(verdict_standing(4), "screening");
	assert_string_equal(verdict_standing(5), "");
}

/* With the set-ups named, no estimate is left undecided. */
static void needed_setups_decide(void **state UNUSED)
{
	size_t needed = verdict_setups_needed(0.02, 2, 0.95, 0.02);

	assert_in_range(needed, 30, 36);
	assert_int_equal(verdict_setups_needed(NAN, 2, 0.95, 0.02), 0);
	assert_int_equal(verdict_setups_needed(0.0001, 2, 0.95, 0.02), 3);
	assert_int_equal(verdict_setups_needed(0.02, 1, 0.95, 0.02), 0);
	assert_true(verdict_setups_needed(0.02, 6, 0.95, 0.02) > needed);
	for (double d = -0.05; d < 0.05; d += 0.0001) {
		double half = log1p(0.02) / 2;
		struct effect effect = interval(exp(d - half), exp(d + half));

		assert_int_not_equal(verdict_of(&effect, 0.02, false), VERDICT_UNDECIDED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(no_interval_no_verdict),
		cmocka_unit_test(needed_setups_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
