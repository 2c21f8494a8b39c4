/* The recommended cell and the Pareto set (see recommendation.h). */
#include "analysis/recommendation.h"

#include "analysis/finding_internal.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define PARETO_CELLS_MOST 500 /* beyond, the table is for machines anyway */

enum goal { GOAL_SLOWNESS, GOAL_SPACE, GOAL_WRITES, GOAL_SAFETY, GOAL_COUNT };

static double slowness(const struct findings *findings, size_t index)
{
	double mean = findings->cells[index].mean;

	return findings->lower_is_better ? mean : 1 / mean;
}

static bool is_candidate(const struct findings *findings, size_t index)
{
	return findings->cells[index].role == CELL_STUDIED && findings->cells[index].mean > 0;
}

/* One goal of all cells: its fit, with what errors are multiplied by for all pairs together. */
struct weighed {
	const struct effect_fit *fit; /* NULL: not known */
	double multipliers[2];
	bool lower_is_better;
};

struct pairs {
	struct weighed goals[GOAL_SAFETY]; /* safety has no numbers */
	struct effect_fit costs[GOAL_SAFETY];
};

static void weigh(struct weighed *goal, const struct effect_fit *fit, bool lower_is_better)
{
	goal->fit = fit;
	goal->lower_is_better = lower_is_better;
	goal->multipliers[0] = effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, FINDING_CONFIDENCE);
	goal->multipliers[1] = effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, 0.90);
}

static void weigh_cost(struct pairs *pairs, enum goal goal, const struct findings *findings,
	const struct results *results)
{
	double *values =
		memory_new_array(findings->cell_count * findings->block_count + 1, sizeof(*values));
	const struct effect_table table = {
		.cells = findings->cell_count,
		.blocks = findings->block_count,
		.values = values,
	};

	finding_setup_costs(findings, results,
		goal == GOAL_SPACE ? SETUP_COST_SIZE : SETUP_COST_DEVICE_WRITES, values);
	/* Zero bytes written, or nothing known: then this goal decides nothing. */
	if (effect_fit_init(&pairs->costs[goal], &table, NULL) == 0)
		weigh(&pairs->goals[goal], &pairs->costs[goal], true);
	free(values);
}

static void pairs_release(struct pairs *pairs)
{
	for (size_t goal = 0; goal < GOAL_SAFETY; goal++)
		effect_fit_release(&pairs->costs[goal]);
}

/* -1: a is shown to be better than b; 1: worse; 0: neither is shown. */
static int compare_goal(const struct findings *findings, const struct pairs *pairs, enum goal goal,
	const size_t ab[2])
{
	const struct weighed *weighed = &pairs->goals[goal];
	const struct cell_choice *choices = findings->recommendation.cells;
	struct effect effect;

	if (goal == GOAL_SAFETY)
		return (choices[ab[0]].safety > choices[ab[1]].safety) -
		       (choices[ab[0]].safety < choices[ab[1]].safety);
	if (!weighed->fit)
		return 0;
	effect_fit_compare(weighed->fit, ab[0], ab[1], weighed->multipliers, &effect);
	/* Bytes are nearly exact, so that tiny differences of them are shown: the margin counts. */
	enum verdict verdict = verdict_of(&effect, findings->margin, weighed->lower_is_better);

	if (goal != GOAL_SLOWNESS)
		return (verdict == VERDICT_SLOWER) - (verdict == VERDICT_FASTER);
	return verdict_is_difference(verdict) - 2 * verdict_is_better(verdict);
}

static bool dominates(
	const struct findings *findings, const struct pairs *pairs, size_t a, size_t b)
{
	bool better = false;

	for (enum goal goal = GOAL_COUNT; goal-- > 0;) {
		int order = compare_goal(findings, pairs, goal, (const size_t[2]){ a, b });

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
		if (!pairs->goals[GOAL_SLOWNESS].fit || findings->cell_count > PARETO_CELLS_MOST ||
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
				slowness(findings, i) < slowness(findings, fastest)))
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
				i == fastest || compare_goal(findings, pairs, GOAL_SLOWNESS,
							(const size_t[2]){ i, fastest }) == 0;
}

/* Of those that keep up with the fastest one that is shown to write less, or to be smaller; where
 * nothing speaks for a change, the baseline. */
static size_t cheapest_of(
	const struct findings *findings, const struct pairs *pairs, size_t fastest)
{
	static const enum goal order[] = { GOAL_WRITES, GOAL_SPACE };
	size_t baseline = findings->cells[0].baseline;
	size_t best = findings->recommendation.cells[baseline].with_fastest ? baseline : fastest;

	for (size_t i = 0; i < findings->cell_count; i++) {
		int cheaper = 0;

		if (i == best || !findings->recommendation.cells[i].with_fastest)
			continue;
		for (size_t g = 0; g < ARRAY_SIZE(order) && cheaper == 0; g++)
			cheaper = compare_goal(
				findings, pairs, order[g], (const size_t[2]){ i, best });
		if (cheaper < 0)
			best = i;
	}
	return best;
}

static const char *why_text(struct findings *findings, size_t fastest, size_t level)
{
	struct arena *arena = &findings->arena;
	size_t chosen = findings->recommendation.cell;

	if (chosen == findings->cells[0].baseline && level > 1)
		return "the baseline: no other cell is shown to be faster, and none that keeps up "
		       "is shown to write or store less";
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

static void choose(struct findings *findings, const struct pairs *pairs)
{
	struct recommendation *recommendation = &findings->recommendation;
	size_t fastest = fastest_of(findings);

	if (findings->controls.failed)
		recommendation->sentence = "No recommendation: this machine can't tell.";
	else if (!pairs->goals[GOAL_SLOWNESS].fit || fastest == findings->cell_count ||
		 findings->cell_count < 2)
		recommendation->sentence = "No recommendation: there is nothing to choose between.";
	else if (findings->setups_least < EFFECT_SETUPS_LEAST)
		recommendation->sentence = arena_format(&findings->arena,
			"No recommendation: some cells have fewer than %d valid set-ups.",
			EFFECT_SETUPS_LEAST);
	if (recommendation->sentence)
		return;
	mark_with_fastest(findings, pairs, fastest);
	recommendation->found = true;
	recommendation->cell = cheapest_of(findings, pairs, fastest);
	say(findings, fastest);
}

void recommendation_make(struct findings *findings, const struct results *results,
	const struct matrix *matrix, const struct effect_fit *fit)
{
	struct recommendation *recommendation = &findings->recommendation;
	struct pairs pairs = { .goals = { { .fit = NULL } } };

	recommendation->cells = arena_new_array(
		&findings->arena, findings->cell_count, sizeof(*recommendation->cells));
	for (size_t i = 0; i < findings->cell_count; i++)
		recommendation->cells[i].safety = safety_of(&matrix->cells[i].settings,
			&findings->arena, &recommendation->cells[i].safety_reason);
	if (fit) {
		weigh(&pairs.goals[GOAL_SLOWNESS], fit, findings->lower_is_better);
		weigh_cost(&pairs, GOAL_SPACE, findings, results);
		weigh_cost(&pairs, GOAL_WRITES, findings, results);
	}
	mark_beaten(findings, &pairs);
	choose(findings, &pairs);
	pairs_release(&pairs);
}
