/* Variance components and repeats (see components.h). */
#include "stats/components.h"
#include "stats/distribution.h"
#include "stats/summary.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

#define REPEATS_MOST 100000
#define RUNS_MOST    1000

/* What one pass over the set-ups gathers. */
struct sums {
	double values;
	double runs;
	double squared_runs;
	double within; /* squares of runs around their set-up's mean */
	double setup_means;
	double between_means; /* squares of set-up means around their own mean */
	double between;	      /* squares of set-up means around the grand mean, weighted */
};

static void add_up(const double *values, const size_t *runs, size_t setups, struct sums *sums)
{
	const double *setup = values;

	for (size_t i = 0; i < setups; setup += runs[i++]) {
		double count = (double)runs[i];

		sums->values += summary_mean(setup, runs[i]) * count;
		sums->setup_means += summary_mean(setup, runs[i]);
		sums->runs += count;
		sums->squared_runs += count * count;
		sums->within += summary_variance(setup, runs[i]) * (count - 1);
	}
	double grand = sums->values / sums->runs;
	double middle = sums->setup_means / (double)setups;

	setup = values;
	for (size_t i = 0; i < setups; setup += runs[i++]) {
		double mean = summary_mean(setup, runs[i]);

		sums->between += (double)runs[i] * (mean - grand) * (mean - grand);
		sums->between_means += (mean - middle) * (mean - middle);
	}
}

int components_of(const double *values, const size_t *runs, size_t setups, double confidence,
	struct components *ret_components)
{
	struct sums sums = { 0 };
	double count = (double)setups;

	if (setups < 2)
		return -ENODATA;
	add_up(values, runs, setups, &sums);
	if (!(sums.runs > count))
		return -ENODATA;
	struct components result = {
		.mean = sums.setup_means / count,
		.df_between = count - 1,
		.df_within = sums.runs - count,
		.f = NAN,
		.p = NAN,
	};
	/* Runs a set-up, as unequal numbers count. */
	double runs_typical = (sums.runs - sums.squared_runs / sums.runs) / (count - 1);

	result.mean_square_between = sums.between / result.df_between;
	result.mean_square_within = sums.within / result.df_within;
	result.variance_run = result.mean_square_within;
	result.variance_setup =
		fmax(0, (result.mean_square_between - result.mean_square_within) / runs_typical);
	if (result.mean_square_within > 0) {
		result.f = result.mean_square_between / result.mean_square_within;
		result.p = f_upper_p(result.f, result.df_between, result.df_within);
	}
	if (result.variance_setup + result.variance_run > 0)
		result.correlation =
			result.variance_setup / (result.variance_setup + result.variance_run);
	double pooled = (sums.between + sums.within) / (sums.runs - 1);

	result.half_width = t_quantile(0.5 + confidence / 2, count - 1) *
			    sqrt(sums.between_means / (count - 1) / count);
	result.half_width_naive =
		t_quantile(0.5 + confidence / 2, sums.runs - 1) * sqrt(pooled / sums.runs);
	*ret_components = result;
	return 0;
}

double components_runs_best_raw(const struct components *components, double cost_ratio)
{
	if (!(components->variance_setup > 0))
		return INFINITY;
	return sqrt(cost_ratio * components->variance_run / components->variance_setup);
}

size_t components_runs_best(const struct components *components, double cost_ratio)
{
	double raw = ceil(components_runs_best_raw(components, cost_ratio));

	return raw < 1 ? 1 : raw > RUNS_MOST ? RUNS_MOST : (size_t)raw;
}

static double half_width_at(enum repeats_design design, double sd, double count, double confidence)
{
	if (design == REPEATS_PAIRED)
		return t_quantile(0.5 + confidence / 2, count - 1) * sd / sqrt(count);
	return t_quantile(0.5 + confidence / 2, 2 * count - 2) * sd * sqrt(2 / count);
}

size_t repeats_for_half_width(
	enum repeats_design design, double sd, double half_width, double confidence)
{
	size_t low = 2;
	size_t high = REPEATS_MOST;

	assert(sd >= 0 && half_width > 0 && confidence > 0 && confidence < 1);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (half_width_at(design, sd, (double)middle, confidence) <= half_width)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
