/* rng: values depend on seed, stream and number alone; draws have the shape they claim. */
#include "unit/unit.h"

#include "base/rng.h"
#include <math.h>

static void any_value_without_those_before(void **state UNUSED)
{
	struct rng rng;

	rng_init(&rng, 42, 7);
	for (uint64_t n = 0; n < 100; n++)
		assert_true(rng_next(&rng) == rng_at(42, 7, n));
	assert_true(rng_at(42, 7, 0) != rng_at(42, 8, 0));
	assert_true(rng_at(42, 7, 0) != rng_at(43, 7, 0));
}

static void mixer_matches_published_splitmix64(void **state UNUSED)
{
	/* First output of SplitMix64 seeded with 0: mix(0 + golden). */
	assert_true(rng_mix(0x9e3779b97f4a7c15ULL) == 0xe220a8397b1dcdafULL);
}

static void moments(void **state UNUSED)
{
	double sum = 0, squares = 0, uniform = 0;
	struct rng rng;
	int n = 100000;

	rng_init(&rng, 1, 0);
	for (int i = 0; i < n; i++) {
		double x = rng_normal(&rng);

		sum += x;
		squares += x * x;
		uniform += rng_uniform(&rng);
	}
	assert_true(fabs(sum / n) < 0.02);
	assert_true(fabs(squares / n - 1) < 0.03);
	assert_true(fabs(uniform / n - 0.5) < 0.005);
}

static void shuffle_is_a_permutation(void **state UNUSED)
{
	int values[50];
	int seen[50] = { 0 };
	int moved = 0;
	struct rng rng;

	for (int i = 0; i < 50; i++)
		values[i] = i;
	rng_init(&rng, 5, 5);
	rng_shuffle(&rng, values, 50, sizeof(values[0]));
	for (int i = 0; i < 50; i++) {
		seen[values[i]]++;
		moved += values[i] != i;
	}
	for (int i = 0; i < 50; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_value_without_those_before),
		cmocka_unit_test(mixer_matches_published_splitmix64),
		cmocka_unit_test(moments),
		cmocka_unit_test(shuffle_is_a_permutation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
