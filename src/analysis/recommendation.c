/* The recommended cell and the Pareto set (see recommendation.h). */
#include "analysis/recommendation.h"

#include "analysis/finding_internal.h"

#include <math.h>

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

/* Differences below the margin are none. */
static bool dominates(const struct findings *findings, size_t a, size_t b)
{
	bool better = false;

	for (enum goal goal = 0; goal < GOAL_COUNT; goal++) {
		double x = goal_of(findings, a, goal);
		double y = goal_of(findings, b, goal);

		if (isnan(x) || isnan(y))
			continue;
		if (x > y * (1 + findings->margin))
			return false;
		better = better || x * (1 + findings->margin) < y;
	}
	return better;
}

static void mark_pareto(struct findings *findings)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		bool beaten = !is_candidate(findings, i);

		for (size_t j = 0; j < findings->cell_count && !beaten; j++)
			beaten = j != i && is_candidate(findings, j) && dominates(findings, j, i);
		findings->recommendation.cells[i].pareto = !beaten;
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
static void mark_with_fastest(
	struct findings *findings, const struct effect_fit *fit, size_t fastest)
{
	const double multipliers[2] = {
		effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, FINDING_CONFIDENCE),
		effect_fit_multiplier(fit, EFFECT_ALL_PAIRS, 0, 0.90),
	};

	for (size_t i = 0; i < findings->cell_count; i++) {
		struct effect effect;

		if (!is_acceptable(findings, i))
			continue;
		effect_fit_compare(fit, i, fastest, multipliers, &effect);
		findings->recommendation.cells[i].with_fastest =
			i == fastest ||
			(effect.status == EFFECT_OK && effect.low <= 1 && effect.high >= 1);
	}
}

static double or_infinity(double value)
{
	return isnan(value) ? INFINITY : value;
}

/* Of those that keep up with the fastest the one that writes least, then the smallest, then the
 * baseline itself, then the fastest. */
static size_t cheapest_of(const struct findings *findings, size_t fastest)
{
	size_t best = fastest;

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

static void say(struct findings *findings, size_t fastest)
{
	struct recommendation *recommendation = &findings->recommendation;
	struct arena *arena = &findings->arena;
	const struct cell_finding *cell = &findings->cells[recommendation->cell];
	size_t level = 0;

	for (size_t i = 0; i < findings->cell_count; i++)
		level += recommendation->cells[i].with_fastest;
	const char *standing = verdict_standing(findings->setups_least);
	const char *why =
		recommendation->cell != fastest ? arena_format(arena,
							  "it is not shown to be slower than the "
							  "fastest, %s, and costs less "
							  "to write or store",
							  findings->cells[fastest].label)
		: level > 1
			? arena_format(arena, "%zu cells are not shown to differ from it in speed",
				  level - 1)
			: "every other acceptable cell is shown to be slower";

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

	recommendation->cells = arena_new_array(
		&findings->arena, findings->cell_count, sizeof(*recommendation->cells));
	for (size_t i = 0; i < findings->cell_count; i++)
		recommendation->cells[i].safety = safety_of(&matrix->cells[i].settings,
			&findings->arena, &recommendation->cells[i].safety_reason);
	mark_pareto(findings);
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
	mark_with_fastest(findings, fit, fastest);
	recommendation->found = true;
	recommendation->cell = cheapest_of(findings, fastest);
	say(findings, fastest);
}
