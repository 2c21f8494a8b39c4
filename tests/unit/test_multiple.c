/* multiple: the reference vector in any order, and the bounds that hold for all p. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/multiple.h"

static const double p[] = { 0.04, 0.001, 0.30, 0.012, 0.021 };

static void reference(void **state UNUSED)
{
	const double holm[] = { 0.08, 0.005, 0.3, 0.048, 0.063 };
	const double bh[] = { 0.05, 0.005, 0.3, 0.03, 0.035 };
	double adjusted[5];

	multiple_holm(p, 5, adjusted);
	for (int i = 0; i < 5; i++)
		assert_close(adjusted[i], holm[i], 1e-15);
	multiple_benjamini_hochberg(p, 5, adjusted);
	for (int i = 0; i < 5; i++)
		assert_close(adjusted[i], bh[i], 1e-15);
}

static void bounds(void **state UNUSED)
{
	struct rng rng;

	rng_init(&rng, 1, 1);
	for (int round = 0; round < 200; round++) {
		double raw[12], holm[12], bh[12];

		for (int i = 0; i < 12; i++)
			raw[i] = pow(rng_uniform(&rng), 3);
		multiple_holm(raw, 12, holm);
		multiple_benjamini_hochberg(raw, 12, bh);
		for (int i = 0; i < 12; i++) {
			/* 12 p / 12 may be off by a rounding. */
			assert_true(raw[i] <= bh[i] + 1e-15 && bh[i] <= holm[i] + 1e-15 &&
				    holm[i] <= 1);
			assert_true(holm[i] <= 12 * raw[i] + 1e-15);
			for (int j = 0; j < 12; j++)
				if (raw[i] < raw[j])
					assert_true(holm[i] <= holm[j] && bh[i] <= bh[j]);
		}
		multiple_holm(raw, 12, raw);
		assert_memory_equal(raw, holm, sizeof(raw));
	}
	multiple_holm(NULL, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
