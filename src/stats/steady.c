/* Steady-state tests (see steady.h). */
#include "stats/steady.h"
#include "stats/summary.h"

#include <math.h>

struct steady_cut steady_mser(const double *values, size_t count)
{
	struct steady_cut best = { 0, INFINITY, true };

	if (count < 2)
		return best;
	for (size_t cut = 0; cut <= count / 2; cut++) {
		double kept = (double)(count - cut);
		double squares = summary_variance(values + cut, count - cut) * (kept - 1);
		double z = squares / (kept * kept);

		if (z < best.z) {
			best.cut = cut;
			best.z = z;
		}
	}
	best.too_short = (double)best.cut > (double)count / 2 - 1;
	return best;
}

struct steady_window steady_window_of(const double *values, size_t count)
{
	struct steady_window window = { NAN, NAN, NAN };
	double mean = summary_mean(values, count);
	double middle = ((double)count - 1) / 2;
	double products = 0, squares = 0;

	if (count < 2 || !(mean > 0))
		return window;
	double smallest = values[0];
	double largest = values[0];

	for (size_t i = 0; i < count; i++) {
		products += ((double)i - middle) * (values[i] - mean);
		squares += ((double)i - middle) * ((double)i - middle);
		smallest = fmin(smallest, values[i]);
		largest = fmax(largest, values[i]);
	}
	window.range = (largest - smallest) / mean;
	window.slope = fabs(products / squares) * ((double)count - 1) / mean;
	window.cov = sqrt(summary_variance(values, count)) / mean;
	return window;
}

bool steady_window_passes(const struct steady_window *window, double range, double slope)
{
	return window->range <= range && window->slope <= slope;
}

double steady_drift(const double *values, size_t count)
{
	size_t half = count / 2;

	if (half == 0)
		return NAN;
	double first = summary_mean(values, half);
	double second = summary_mean(values + count - half, half);

	return first > 0 && second > 0 ? log(second / first) : NAN;
}

double steady_effective_count(const double *values, size_t count)
{
	double mean = summary_mean(values, count);
	double products = 0, squares = 0;

	if (count < 3)
		return (double)count;
	for (size_t i = 0; i < count; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
		if (i > 0)
			products += (values[i] - mean) * (values[i - 1] - mean);
	}
	if (!(squares > 0))
		return (double)count;
	double rho = products / squares;
	double effective = (double)count * (1 - rho) / (1 + rho);

	return fmin((double)count, fmax(1, effective));
}
