/* The gates that a study must pass before it says anything (see controls.h). */
#include "analysis/finding_internal.h"

#include <math.h>

_Static_assert(MATRIX_HEADLINE_REPEATS == EFFECT_SETUPS_SETTLED,
	"a study has its control from the number of set-ups on that verdicts are no screening");

static bool find_role(const struct findings *findings, int role, size_t *ret_index)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		if (findings->cells[i].role == role) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* A comparison on its own: the family's wider interval would let a bad machine pass. */
static struct effect compare_alone(
	const struct effect_fit *fit, size_t cell, size_t baseline, double confidence)
{
	const double multiplier = effect_fit_multiplier(fit, EFFECT_SINGLE, baseline, confidence);
	const double multipliers[2] = { multiplier, multiplier };
	const size_t pair[2] = { cell, baseline };
	struct effect effect;

	if (fit->unequal)
		effect_fit_pair_alone(fit, pair, 1, confidence, &effect);
	else
		effect_fit_compare(fit, cell, baseline, multipliers, &effect);
	return effect;
}

static struct control control_of(const struct effect *effect)
{
	return (struct control){
		.state = effect->status == EFFECT_OK ? CONTROL_PASSED : CONTROL_TOO_FEW,
		.ratio = effect->ratio,
		.low = effect->low,
		.high = effect->high,
	};
}

static void judge_aa(struct findings *findings, const struct effect_fit *fit)
{
	struct control *control = &findings->controls.aa;
	size_t cell;

	if (!find_role(findings, CELL_CONTROL_AA, &cell))
		return;
	struct effect effect =
		compare_alone(fit, cell, findings->cells[cell].baseline, CONTROL_AA_CONFIDENCE);

	*control = control_of(&effect);
	if (control->state == CONTROL_TOO_FEW) {
		control->text = arena_format(&findings->arena,
			"A/A control: %zu set-ups, too few to check (%d are needed).",
			effect.setups, EFFECT_SETUPS_LEAST);
		return;
	}
	if (effect.low > 1 || effect.high < 1)
		control->state = CONTROL_FAILED;
	control->text = arena_format(&findings->arena,
		"A/A control %s: a hidden copy of the baseline measured %.3f times the baseline, "
		"99 %% interval %.3f to %.3f.",
		control->state == CONTROL_PASSED ? "passed" : "failed", effect.ratio, effect.low,
		effect.high);
}

static void judge_planted(struct findings *findings, const struct effect_fit *fit)
{
	struct control *control = &findings->controls.planted;
	size_t cell;

	if (!find_role(findings, CELL_CONTROL_PLANTED, &cell))
		return;
	struct effect effect =
		compare_alone(fit, cell, findings->cells[cell].baseline, FINDING_CONFIDENCE);

	*control = control_of(&effect);
	if (control->state == CONTROL_TOO_FEW) {
		control->text = arena_format(&findings->arena,
			"Planted effect: %zu set-ups, too few to check (%d are needed).",
			effect.setups, EFFECT_SETUPS_LEAST);
		return;
	}
	if (findings->lower_is_better ? !(effect.low > 1) : !(effect.high < 1))
		control->state = CONTROL_FAILED;
	control->text = arena_format(&findings->arena,
		"Planted effect %s: a copy of the baseline slowed by %.3g %% measured %.3f times "
		"the "
		"baseline, 95 %% interval %.3f to %.3f.",
		control->state == CONTROL_PASSED ? "found" : "missed",
		100 * findings->controls.planted_share, effect.ratio, effect.low, effect.high);
}

static void judge_canary(struct findings *findings)
{
	struct controls *controls = &findings->controls;

	if (controls->canary_runs == 0)
		return;
	double share = (double)controls->canary_alarms / (double)controls->canary_runs;

	/* One alarm in a small study is a spoiled trial, not an unsuitable host. */
	controls->canary.state = controls->canary_alarms > 1 && share > CONTROL_CANARY_SHARE
					 ? CONTROL_FAILED
					 : CONTROL_PASSED;
	controls->canary.ratio = controls->canary.low = controls->canary.high = NAN;
	controls->canary.text = arena_format(&findings->arena,
		"Canary %s: %zu of %zu trials had fixed tests around them outside of their "
		"limits%s.",
		controls->canary.state == CONTROL_PASSED ? "passed" : "failed",
		controls->canary_alarms, controls->canary_runs,
		controls->canary.state == CONTROL_PASSED ? "" : ": host unsuitable");
}

void controls_judge(struct findings *findings, const struct effect_fit *fit)
{
	struct controls *controls = &findings->controls;

	judge_aa(findings, fit);
	judge_planted(findings, fit);
	judge_canary(findings);
	controls->failed = controls->aa.state == CONTROL_FAILED ||
			   controls->planted.state == CONTROL_FAILED ||
			   controls->canary.state == CONTROL_FAILED;
}
