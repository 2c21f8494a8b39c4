/* histogram: bucket borders, three digits everywhere, merging, omitted requests. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/histogram.h"
#include "stats/quantile.h"
#include "stats/summary.h"

static void buckets_tile_the_numbers(void **state UNUSED)
{
	size_t last = histogram_bucket(UINT64_MAX);

	for (size_t bucket = 0; bucket < last; bucket++) {
		uint64_t high = histogram_bucket_high(bucket);

		assert_int_equal(histogram_bucket(histogram_bucket_low(bucket)), bucket);
		assert_int_equal(histogram_bucket(high), bucket);
		assert_true(histogram_bucket_low(bucket + 1) == high + 1);
		assert_true(
			high - histogram_bucket_low(bucket) <= histogram_bucket_low(bucket) / 1024);
	}
	assert_true(histogram_bucket_high(last) == UINT64_MAX);
}

static void quantiles_to_three_digits(void **state UNUSED)
{
	enum { COUNT = 20000 };
	static double values[COUNT];
	struct histogram histogram = HISTOGRAM_INIT;
	double sum = 0;
	struct rng rng;

	rng_init(&rng, 2, 2);
	for (int i = 0; i < COUNT; i++) {
		values[i] = floor(exp(13 + 2 * rng_normal(&rng)));
		histogram_add(&histogram, (uint64_t)values[i], 1);
		sum += values[i];
	}
	summary_sort(values, COUNT);
	for (double p = 0.001; p < 1; p += 0.0097)
		assert_near(
			histogram_quantile(&histogram, p), quantile_step(values, COUNT, p), 0.001);
	assert_true((double)histogram_quantile(&histogram, 1) == values[COUNT - 1]);
	assert_near(histogram_mean(&histogram), sum / COUNT, 1e-12);
	assert_close(histogram_share_above(&histogram, (uint64_t)values[COUNT / 2]), 0.5, 0.001);
	histogram_release(&histogram);
	histogram_release(&histogram);
	assert_int_equal(histogram_quantile(&histogram, 0.5), 0);
	assert_close(histogram_mean(&histogram), 0, 0);
}

static void merging_is_adding(void **state UNUSED)
{
	struct histogram whole = HISTOGRAM_INIT,
			 parts[3] = { HISTOGRAM_INIT, HISTOGRAM_INIT, HISTOGRAM_INIT };
	struct histogram merged = HISTOGRAM_INIT;
	struct rng rng;

	rng_init(&rng, 8, 1);
	for (int i = 0; i < 3000; i++) {
		uint64_t value = rng_next(&rng) >> (rng_below(&rng, 60) + 1);

		histogram_add(&whole, value, 1);
		histogram_add(&parts[i % 2], value, 1); /* the third stays empty */
	}
	for (int i = 0; i < 3; i++)
		histogram_merge(&merged, &parts[i]);
	assert_int_equal(merged.total, 3000);
	assert_true(merged.minimum == whole.minimum && merged.maximum == whole.maximum);
	for (double p = 0; p <= 1; p += 0.01)
		assert_true(histogram_quantile(&merged, p) == histogram_quantile(&whole, p));
	for (int i = 0; i < 3; i++)
		histogram_release(&parts[i]);
	histogram_release(&whole);
	histogram_release(&merged);
}

/* Nine requests of 1 ms and one of 100 ms that should have come every 10 ms. */
static void omitted_requests(void **state UNUSED)
{
	struct histogram seen = HISTOGRAM_INIT, corrected = HISTOGRAM_INIT, direct = HISTOGRAM_INIT;

	histogram_add(&seen, 1, 9);
	histogram_add(&seen, 100, 1);
	assert_int_equal(histogram_quantile(&seen, 0.5), 1);
	assert_int_equal(histogram_quantile(&seen, 0.9), 1);
	histogram_correct(&seen, 10, &corrected);
	assert_int_equal(corrected.total, 19);
	assert_int_equal(histogram_quantile(&corrected, 0.5), 10);
	assert_int_equal(histogram_quantile(&corrected, 0.9), 90);
	assert_close(histogram_mean(&corrected), 29.42105, 5e-6);
	for (int i = 0; i < 9; i++)
		histogram_add_corrected(&direct, 1, 10);
	histogram_add_corrected(&direct, 100, 10);
	assert_int_equal(direct.total, 19);
	histogram_add_corrected(&direct, 1000, 0);
	assert_int_equal(direct.total, 20);
	histogram_release(&seen);
	histogram_release(&corrected);
	histogram_release(&direct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_tile_the_numbers),
		cmocka_unit_test(quantiles_to_three_digits),
		cmocka_unit_test(merging_is_adding),
		cmocka_unit_test(omitted_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
