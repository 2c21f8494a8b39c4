/* Words for intervals (see verdict.h). */
#include "stats/verdict.h"
#include "stats/dunnett.h"

#include <assert.h>
#include <math.h>

#define SETUPS_MOST 10000

enum verdict verdict_of(const struct effect *effect, double margin, bool lower_is_better)
{
	double low = effect->low;
	double high = effect->high;
	double inner_low = effect->inner_low;
	double inner_high = effect->inner_high;

	assert(margin >= 0);
	if (effect->status != EFFECT_OK || isnan(low) || isnan(high))
		return VERDICT_NONE;
	if (lower_is_better) {
		low = 1 / effect->high;
		high = 1 / effect->low;
		inner_low = 1 / effect->inner_high;
		inner_high = 1 / effect->inner_low;
	}
	if (low > 1 + margin)
		return VERDICT_FASTER;
	if (high < 1 / (1 + margin))
		return VERDICT_SLOWER;
	if (low > 1)
		return VERDICT_SLIGHTLY_FASTER;
	if (high < 1)
		return VERDICT_SLIGHTLY_SLOWER;
	if (inner_low > 1 / (1 + margin) && inner_high < 1 + margin)
		return VERDICT_EQUIVALENT;
	return VERDICT_UNDECIDED;
}

#define AS_WORD(id, word) [VERDICT_##id] = word,
static const char *const words[] = { VERDICTS(AS_WORD) };

const char *verdict_word(enum verdict verdict)
{
	assert(verdict >= 0 && verdict < VERDICT_COUNT);
	return words[verdict];
}

bool verdict_is_better(enum verdict verdict)
{
	return verdict == VERDICT_FASTER || verdict == VERDICT_SLIGHTLY_FASTER;
}

bool verdict_is_difference(enum verdict verdict)
{
	return verdict_is_better(verdict) || verdict == VERDICT_SLOWER ||
	       verdict == VERDICT_SLIGHTLY_SLOWER;
}

const char *verdict_standing(size_t setups)
{
	if (setups < EFFECT_SETUPS_LEAST)
		return "no interval";
	return setups < EFFECT_SETUPS_SETTLED ? "screening" : "";
}

/* Half the width of the interval of a log ratio with n set-ups of each cell. */
static double half_width(double residual_sd, size_t cells, double confidence, size_t setups)
{
	double df = (double)(cells - 1) * (double)(setups - 1);

	return dunnett_critical(cells - 1, df, confidence) * residual_sd *
	       sqrt(2.0 / (double)setups);
}

size_t verdict_setups_needed(double residual_sd, size_t cells, double confidence, double margin)
{
	double target = log1p(margin) / 2;
	size_t low = EFFECT_SETUPS_LEAST;
	size_t high = SETUPS_MOST;

	if (cells < 2 || isnan(residual_sd) || !(margin > 0))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (half_width(residual_sd, cells, confidence, middle) <= target)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
