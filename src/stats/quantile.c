/* Quantiles (see quantile.h). */
#include "stats/quantile.h"
#include "stats/distribution.h"

#include <assert.h>
#include <math.h>

double quantile_of(const double *sorted, size_t count, double p)
{
	assert(count > 0 && p >= 0 && p <= 1);
	double place = p * (double)(count - 1);
	size_t below = (size_t)place;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile_step(const double *sorted, size_t count, double p)
{
	assert(count > 0 && p >= 0 && p <= 1);
	/* p * count that is whole but for rounding must not step over a value. */
	double place = ceil(p * (double)count * (1 - 1e-14));

	return sorted[place < 1 ? 0 : (size_t)place - 1];
}

/* Ranks from 1; false if one lies outside of the sample. */
static bool ranks(size_t count, double p, double confidence, size_t ret_ranks[2])
{
	size_t low = binomial_quantile((1 - confidence) / 2, count, p);
	size_t high = binomial_quantile((1 + confidence) / 2, count, p) + 1;

	if (low < 1 || high > count)
		return false;
	ret_ranks[0] = low;
	ret_ranks[1] = high;
	return true;
}

bool quantile_interval(
	const double *sorted, size_t count, double p, double confidence, double ret_bounds[2])
{
	size_t rank[2];

	if (count == 0 || !(p > 0 && p < 1) || !ranks(count, p, confidence, rank))
		return false;
	ret_bounds[0] = sorted[rank[0] - 1];
	ret_bounds[1] = sorted[rank[1] - 1];
	return true;
}

size_t quantile_count_needed(double p, double confidence)
{
	size_t rank[2];
	size_t low = 1;
	size_t high = 2;

	assert(p > 0 && p < 1 && confidence > 0 && confidence < 1);
	while (!ranks(high, p, confidence, rank))
		high *= 2;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranks(middle, p, confidence, rank))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
