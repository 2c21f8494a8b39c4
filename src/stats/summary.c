/* Short descriptions of a set of numbers (see summary.h). */
#include "stats/summary.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

void summary_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
}

double summary_mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : NAN;
}

double summary_variance(const double *values, size_t count)
{
	double mean = summary_mean(values, count);
	double sum = 0;

	if (count < 2)
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum / (double)(count - 1);
}

static double median_of_sorted(const double *sorted, size_t count)
{
	return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double summary_median(const double *values, size_t count)
{
	if (count == 0)
		return NAN;
	double *sorted = memory_new_array(count, sizeof(*sorted));

	memcpy(sorted, values, count * sizeof(*sorted));
	summary_sort(sorted, count);
	double median = median_of_sorted(sorted, count);

	free(sorted);
	return median;
}

double summary_mad(const double *values, size_t count)
{
	if (count == 0)
		return NAN;
	double *distances = memory_new_array(count, sizeof(*distances));
	double median = summary_median(values, count);

	for (size_t i = 0; i < count; i++)
		distances[i] = fabs(values[i] - median);
	double mad = 1.4826 * summary_median(distances, count);

	free(distances);
	return mad;
}

void summary_of(const double *values, size_t count, struct summary *ret_summary)
{
	assert(count > 0);
	struct summary summary = {
		.count = count,
		.mean = summary_mean(values, count),
		.sd = sqrt(summary_variance(values, count)),
		.minimum = values[0],
		.median = summary_median(values, count),
		.maximum = values[0],
	};

	for (size_t i = 1; i < count; i++) {
		summary.minimum = fmin(summary.minimum, values[i]);
		summary.maximum = fmax(summary.maximum, values[i]);
	}
	*ret_summary = summary;
}

double summary_geometric_mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			return NAN;
		sum += log(values[i]);
	}
	return count ? exp(sum / (double)count) : NAN;
}

double summary_cliff_delta(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double balance = 0;

	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++)
			balance += (b[j] > a[i]) - (b[j] < a[i]);
	return a_count && b_count ? balance / ((double)a_count * (double)b_count) : NAN;
}

double summary_standardised(const double *a, size_t a_count, const double *b, size_t b_count)
{
	if (a_count < 2 || b_count < 2)
		return NAN;
	double squares = summary_variance(a, a_count) * (double)(a_count - 1) +
			 summary_variance(b, b_count) * (double)(b_count - 1);
	double pooled = sqrt(squares / (double)(a_count + b_count - 2));

	return pooled > 0 ? (summary_mean(b, b_count) - summary_mean(a, a_count)) / pooled : NAN;
}

double summary_hedges_g(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double df = (double)(a_count + b_count) - 2;

	return (1 - 3 / (4 * df - 1)) * summary_standardised(a, a_count, b, b_count);
}
