/* The words of a report: what an interval says about a ratio, given the margin that the user calls
 * too small to matter. */
#ifndef STATS_VERDICT_H
#define STATS_VERDICT_H

#include "stats/effect.h"

#include <stdbool.h>
#include <stddef.h>

#define VERDICT_MARGIN 0.02 /* default; the user's to change, it does not grow with the noise */

#define VERDICTS(X)                           \
	X(NONE, "no verdict")                 \
	X(FASTER, "faster")                   \
	X(SLIGHTLY_FASTER, "slightly faster") \
	X(EQUIVALENT, "equivalent")           \
	X(SLIGHTLY_SLOWER, "slightly slower") \
	X(SLOWER, "slower")                   \
	X(UNDECIDED, "undecided")
#define VERDICT_AS_ENUM(id, word) VERDICT_##id,
enum verdict { VERDICTS(VERDICT_AS_ENUM) VERDICT_COUNT };

/*
 * Read off the interval [low, high], margin m >= 0 (0.02 is 2 %):
 *   faster            low > 1 + m
 *   slower            high < 1 / (1 + m)
 *   slightly faster   low > 1, or slightly slower high < 1, but not by the margin
 *   equivalent        the 90 % interval lies inside (1 / (1 + m), 1 + m): the two one-sided tests
 *                     at 5 % (ratio.h)
 *   undecided         none of these
 *   no verdict        the effect has no interval (effect.h)
 * A ratio above 1 is taken as better; with lower_is_better (seconds, bytes) below 1.
 */
enum verdict verdict_of(const struct effect *effect, double margin, bool lower_is_better);

const char *verdict_word(enum verdict verdict); /* "slightly faster" */
bool verdict_is_difference(enum verdict verdict);
bool verdict_is_better(enum verdict verdict); /* faster or slightly faster */

/* The words a number of set-ups earns beside the verdict: "no interval" below 3, "screening" below
 * 5, else "". */
const char *verdict_standing(size_t setups);

/*
 * Set-ups of each cell at which the interval would be at most half the margin to each side, with
 * the noise seen so far: then any ratio gets a verdict. (If |d| <= h the 90 % interval ends below
 * 2 h = margin; if |d| > h, 1 is excluded.) cells and confidence as in the table that the effect
 * came from, residual_sd of effect_fit. 0 if there is no noise estimate or no margin; at most
 * 10000.
 */
size_t verdict_setups_needed(double residual_sd, size_t cells, double confidence, double margin);

#endif
