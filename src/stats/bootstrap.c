/* Resampling (see bootstrap.h). */
#include "stats/bootstrap.h"
#include "stats/quantile.h"
#include "stats/summary.h"

#include "base/memory.h"
#include "base/rng.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Where picks come from: random numbers, or every combination in turn. */
struct picker {
	struct rng rng;
	uint64_t spare; /* the unused half of the last random value */
	bool has_spare;
	/* In turn: the digits of a number whose digits have bounds of their own. */
	size_t *digits;
	size_t *bounds;
	size_t at;
};

/* [0, bound). Multiply and shift: off by less than bound / 2^32, far below what a draw can show. */
static size_t pick_random(struct picker *picker, size_t bound)
{
	uint64_t half;

	if (picker->has_spare) {
		half = picker->spare;
	} else {
		uint64_t whole = rng_next(&picker->rng);

		half = whole >> 32;
		picker->spare = whole & 0xffffffff;
	}
	picker->has_spare = !picker->has_spare;
	return (size_t)(half * bound >> 32);
}

static size_t pick(struct picker *picker, size_t bound)
{
	if (!picker->digits)
		return pick_random(picker, bound);
	picker->bounds[picker->at] = bound;
	return picker->digits[picker->at++];
}

/* The next combination; false after the last. Digits after the one raised start again at 0. */
static bool picker_next(struct picker *picker)
{
	size_t used = picker->at;

	picker->at = 0;
	while (used > 0) {
		used--;
		if (++picker->digits[used] < picker->bounds[used])
			return true;
		picker->digits[used] = 0;
	}
	return false;
}

/* Where each set-up's values start; caller frees. ret_picks: picks a draw takes at most. */
static size_t *starts_of(const struct bootstrap_cell *cell, size_t *ret_picks)
{
	size_t *starts = memory_new_array(cell->setups + 1, sizeof(*starts));
	size_t most = 1;

	for (size_t i = 0; i < cell->setups; i++) {
		size_t runs = cell->runs ? cell->runs[i] : 1;

		assert(runs > 0);
		most = MAX(most, runs);
		starts[i + 1] = starts[i] + runs;
	}
	*ret_picks = cell->setups * (1 + most);
	return starts;
}

static double draw_mean(
	const struct bootstrap_cell *cell, const size_t *starts, struct picker *picker)
{
	double sum = 0;

	for (size_t i = 0; i < cell->setups; i++) {
		size_t setup = pick(picker, cell->setups);
		size_t runs = starts[setup + 1] - starts[setup];
		const double *values = cell->values + starts[setup];
		double within = 0;

		if (runs == 1) {
			sum += values[0];
			continue;
		}
		for (size_t run = 0; run < runs; run++)
			within += values[pick(picker, runs)];
		sum += within / (double)runs;
	}
	return sum / (double)cell->setups;
}

static double point_mean(const struct bootstrap_cell *cell, const size_t *starts)
{
	double sum = 0;

	for (size_t i = 0; i < cell->setups; i++)
		sum += summary_mean(cell->values + starts[i], starts[i + 1] - starts[i]);
	return sum / (double)cell->setups;
}

void bootstrap_means(const struct bootstrap_cell *cell, const struct bootstrap_options *options,
	uint64_t stream, double *ret_means)
{
	size_t picks;
	size_t *starts = starts_of(cell, &picks);

	for (size_t draw = 0; draw < options->draws; draw++) {
		struct picker picker = { .has_spare = false };

		rng_init(&picker.rng, rng_at(options->seed, stream, draw), stream);
		ret_means[draw] = draw_mean(cell, starts, &picker);
	}
	free(starts);
}

double *bootstrap_means_all(const struct bootstrap_cell *cell, size_t limit, size_t *ret_count)
{
	size_t picks;
	size_t *starts = starts_of(cell, &picks);
	double *means = memory_new_array(limit, sizeof(*means));
	struct picker picker = {
		.digits = memory_new_array(picks, sizeof(size_t)),
		.bounds = memory_new_array(picks, sizeof(size_t)),
	};
	size_t count = 0;
	bool more = true;

	while (more && count < limit) {
		means[count++] = draw_mean(cell, starts, &picker);
		more = picker_next(&picker);
	}
	free(picker.digits);
	free(picker.bounds);
	free(starts);
	if (more) {
		free(means);
		return NULL;
	}
	*ret_count = count;
	return means;
}

void bootstrap_describe(double *draws, size_t count, double point, double confidence,
	struct bootstrap_result *ret_result)
{
	summary_sort(draws, count);
	*ret_result = (struct bootstrap_result){
		.point = point,
		.low = quantile_step(draws, count, (1 - confidence) / 2),
		.median = quantile_step(draws, count, 0.5),
		.high = quantile_step(draws, count, (1 + confidence) / 2),
		.mean = summary_mean(draws, count),
		.sd = sqrt(summary_variance(draws, count)),
	};
}

int bootstrap_ratios(const struct bootstrap_cell *cells, size_t count,
	const struct bootstrap_options *options, size_t baseline,
	struct bootstrap_result *ret_results)
{
	double *below = memory_new_array(options->draws, sizeof(*below));
	double *draws = memory_new_array(options->draws, sizeof(*draws));
	double below_point = 0;
	int r = 0;

	assert(baseline < count && options->draws > 0);
	for (size_t i = 0; i < count && r == 0; i++)
		if (cells[i].setups < BOOTSTRAP_SETUPS_LEAST)
			r = -ENODATA;
	if (r == 0) {
		size_t picks;
		size_t *starts = starts_of(&cells[baseline], &picks);

		below_point = point_mean(&cells[baseline], starts);
		free(starts);
		bootstrap_means(&cells[baseline], options, baseline, below);
		for (size_t draw = 0; draw < options->draws && r == 0; draw++)
			if (!(below[draw] > 0))
				r = -EDOM;
	}
	for (size_t i = 0; i < count && r == 0; i++) {
		size_t picks;
		size_t *starts = starts_of(&cells[i], &picks);

		bootstrap_means(&cells[i], options, i, draws);
		for (size_t draw = 0; draw < options->draws; draw++)
			draws[draw] /= below[draw];
		bootstrap_describe(draws, options->draws,
			point_mean(&cells[i], starts) / below_point, options->confidence,
			&ret_results[i]);
		free(starts);
	}
	free(draws);
	free(below);
	return r;
}

int bootstrap_series(const double *values, size_t count, size_t length,
	const struct bootstrap_options *options, struct bootstrap_result *ret_result)
{
	if (length < 1 || length > count)
		return -EINVAL;
	double *draws = memory_new_array(options->draws, sizeof(*draws));

	for (size_t draw = 0; draw < options->draws; draw++) {
		struct picker picker = { .has_spare = false };
		double sum = 0;
		size_t taken = 0;

		rng_init(&picker.rng, options->seed, draw);
		while (taken < count) {
			size_t start = pick_random(&picker, count - length + 1);

			for (size_t i = 0; i < length && taken < count; i++, taken++)
				sum += values[start + i];
		}
		draws[draw] = sum / (double)count;
	}
	bootstrap_describe(draws, options->draws, summary_mean(values, count), options->confidence,
		ret_result);
	free(draws);
	return 0;
}
