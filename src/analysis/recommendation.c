/* The recommended cell and the Pareto set (see recommendation.h). */
#include "analysis/recommendation.h"

#include "analysis/finding_internal.h"

#include <math.h>

#define PARETO_CELLS_MOST 500 /* beyond, the table is for machines anyway */

/* Smaller is better in each; NAN: not known, and never a reason to prefer. */
enum goal { GOAL_SLOWNESS, GOAL_SPACE, GOAL_WRITES, GOAL_SAFETY, GOAL_COUNT };

static double goal_of(const struct findings *findings, size_t index, enum goal goal)
{
	const struct cell_finding *cell = &findings->cells[index];

	switch (goal) {
	case GOAL_SLOWNESS:
		return findings->lower_is_better ? cell->mean : 1 / cell->mean;
	case GOAL_SPACE:
		return cell->costs.size_bytes;
	case GOAL_WRITES:
		return cell->costs.device_write_bytes_per_transaction;
	case GOAL_SAFETY:
		return (double)findings->recommendation.cells[index].safety + 1;
	case GOAL_COUNT:
		break;
	}
	return NAN;
}

static bool is_candidate(const struct findings *findings, size_t index)
{
	return findings->cells[index].role == CELL_STUDIED && findings->cells[index].mean > 0;
}

/* How two cells compare: the fit of all, with what its errors are multiplied by for all pairs. */
struct pairs {
	const struct effect_fit *fit;
	double multipliers[2];
};

/* -1: a is shown to be faster than b; 1: slower; 0: neither is shown. */
static int compare_speed(
	const struct findings *findings, const struct pairs *pairs, size_t a, size_t b)
{
	struct effect effect;

	effect_fit_compare(pairs->fit, a, b, pairs->multipliers, &effect);
	if (effect.status != EFFECT_OK || (effect.low <= 1 && effect.high >= 1))
		return 0;
	return (effect.low > 1) == findings->lower_is_better ? 1 : -1;
}

/* Of costs without intervals, differences below the margin are none. */
static int compare_cost(const struct findings *findings, enum goal goal, size_t a, size_t b)
{
	double x = goal_of(findings, a, goal);
	double y = goal_of(findings, b, goal);

	if (isnan(x) || isnan(y))
		return 0;
	if (x * (1 + findings->margin) < y)
		return -1;
	return x > y * (1 + findings->margin);
}

static bool dominates(
	const struct findings *findings, const struct pairs *pairs, size_t a, size_t b)
{
	bool better = false;

	for (enum goal goal = GOAL_COUNT; goal-- > 0;) {
		int order = goal == GOAL_SLOWNESS ? compare_speed(findings, pairs, a, b)
						  : compare_cost(findings, goal, a, b);

		if (order > 0)
			return false;
		better = better || order < 0;
	}
	return better;
}

/* The Pareto set: cells that no other beats. */
static void mark_beaten(struct findings *findings, const struct pairs *pairs)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		struct cell_choice *choice = &findings->recommendation.cells[i];

		choice->beaten_by = i;
		if (!pairs->fit || findings->cell_count > PARETO_CELLS_MOST ||
			!is_candidate(findings, i))
			continue;
		for (size_t j = 0; j < findings->cell_count && choice->beaten_by == i; j++)
			if (j != i && is_candidate(findings, j) && dominates(findings, pairs, j, i))
				choice->beaten_by = j;
	}
}

/* The safety that the baseline has is what the user lives with today. */
static enum safety safety_wanted(const struct findings *findings)
{
	return findings->recommendation.cells[findings->cells[0].baseline].safety;
}

static bool is_acceptable(const struct findings *findings, size_t index)
{
	return is_candidate(findings, index) &&
	       findings->recommendation.cells[index].safety <= safety_wanted(findings);
}

static size_t fastest_of(const struct findings *findings)
{
	size_t fastest = findings->cell_count;

	for (size_t i = 0; i < findings->cell_count; i++)
		if (is_acceptable(findings, i) &&
			(fastest == findings->cell_count ||
				goal_of(findings, i, GOAL_SLOWNESS) <
					goal_of(findings, fastest, GOAL_SLOWNESS)))
			fastest = i;
	return fastest;
}

/* Cells that are not shown to be slower than the fastest, by intervals for all pairs: the fastest
 * of many is partly the luckiest. */
static void mark_with_fastest(struct findings *findings, const struct pairs *pairs, size_t fastest)
{
	for (size_t i = 0; i < findings->cell_count; i++)
		if (is_acceptable(findings, i))
			findings->recommendation.cells[i].with_fastest =
				i == fastest || compare_speed(findings, pairs, i, fastest) == 0;
}

static double or_infinity(double value)
{
	return isnan(value) ? INFINITY : value;
}

/* Of those that keep up with the fastest the one that writes least, then the smallest; where
 * nothing speaks for a change, the baseline. */
static size_t cheapest_of(const struct findings *findings, size_t fastest)
{
	size_t baseline = findings->cells[0].baseline;
	size_t best = findings->recommendation.cells[baseline].with_fastest ? baseline : fastest;

	for (size_t i = 0; i < findings->cell_count; i++) {
		static const enum goal order[] = { GOAL_WRITES, GOAL_SPACE };

		if (i == best || !findings->recommendation.cells[i].with_fastest)
			continue;
		for (size_t g = 0; g < ARRAY_SIZE(order); g++) {
			double x = or_infinity(goal_of(findings, i, order[g]));
			double y = or_infinity(goal_of(findings, best, order[g]));

			if (x * (1 + findings->margin) < y) {
				best = i;
				break;
			}
			if (x > y * (1 + findings->margin))
				break;
		}
	}
	return best;
}

static const char *why_text(struct findings *findings, size_t fastest, size_t level)
{
	struct arena *arena = &findings->arena;
	size_t chosen = findings->recommendation.cell;

	if (chosen == findings->cells[0].baseline && level > 1)
		return "the baseline: no other cell is shown to be faster, and none that keeps up "
		       "writes or stores clearly less";
	if (chosen != fastest)
		return arena_format(arena,
			"it is not shown to be slower than the fastest, %s, and writes or stores "
			"less",
			findings->cells[fastest].label);
	if (level > 1)
		return arena_format(arena, "%zu other %s not shown to differ from it in speed",
			level - 1, level == 2 ? "cell is" : "cells are");
	return "every other acceptable cell is shown to be slower";
}

static void say(struct findings *findings, size_t fastest)
{
	struct recommendation *recommendation = &findings->recommendation;
	struct arena *arena = &findings->arena;
	const struct cell_finding *cell = &findings->cells[recommendation->cell];
	size_t level = 0;

	for (size_t i = 0; i < findings->cell_count; i++)
		level += recommendation->cells[i].with_fastest;
	const char *standing = verdict_standing(findings->setups_least);
	const char *why = why_text(findings, fastest, level);

	recommendation->sentence = arena_format(arena,
		"%sRecommended: %s (%s; %s). It was chosen on these same numbers: confirm it on "
		"fresh "
		"blocks before you rely on its lead.",
		*standing ? "Screening only. " : "", cell->label, why,
		safety_word(recommendation->cells[recommendation->cell].safety));
}

void recommendation_make(
	struct findings *findings, const struct matrix *matrix, const struct effect_fit *fit)
{
	struct recommendation *recommendation = &findings->recommendation;
	struct pairs pairs = { .fit = fit };

	recommendation->cells = arena_new_array(
		&findings->arena, findings->cell_count, sizeof(*recommendation->cells));
	for (size_t i = 0; i < findings->cell_count; i++)
		recommendation->cells[i].safety = safety_of(&matrix->cells[i].settings,
			&findings->arena, &recommendation->cells[i].safety_reason);
	if (fit) {
		pairs.multipliers[0] =
			effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, FINDING_CONFIDENCE);
		pairs.multipliers[1] = effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, 0.90);
	}
	mark_beaten(findings, &pairs);
	size_t fastest = fastest_of(findings);

	if (findings->controls.failed)
		recommendation->sentence = "No recommendation: this machine can't tell.";
	else if (!fit || fastest == findings->cell_count || findings->cell_count < 2)
		recommendation->sentence = "No recommendation: there is nothing to choose between.";
	else if (!(findings->setups_least >= EFFECT_SETUPS_LEAST))
		recommendation->sentence = arena_format(&findings->arena,
			"No recommendation: some cells have fewer than %d valid set-ups.",
			EFFECT_SETUPS_LEAST);
	if (recommendation->sentence)
		return;
	mark_with_fastest(findings, &pairs, fastest);
	recommendation->found = true;
	recommendation->cell = cheapest_of(findings, fastest);
	say(findings, fastest);
}
