/* From set-ups to findings (see finding.h): which metric is compared, the table of set-up values,
 * the effects. Costs and sentences have files of their own. */
#include "analysis/finding_internal.h"

#include "analysis/common_plans.h"
#include "analysis/published.h"
#include "analysis/validity.h"

#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What may be compared, the first that any trial has: a workload records one of them. */
static const struct {
	const char *phase, *name;
} primaries[] = {
	{ "run", "tps_charged" },
	{ "run", "tps" },
	{ "run", "m_time_ns" },
	{ "run", "queries_total_ns" },
	{ "run", "load_s" },
	{ "run", "io_bytes_per_s" },
	{ "run", "write_bytes_per_s" },
	{ "run", "read_bytes_per_s" },
	{ "run", "write_iops" },
	{ "run", "read_iops" },
	{ "load", "load_s" },
};

bool finding_is_usable(const struct results_trial *trial)
{
	return trial->state == TRIAL_DONE && !trial->spoiled;
}

static size_t find_primary(const struct results *results)
{
	for (size_t i = 0; i < ARRAY_SIZE(primaries); i++) {
		size_t metric =
			results_metric_index(results, primaries[i].phase, primaries[i].name);

		for (size_t t = 0; metric < results->metric_count && t < results->trial_count; t++)
			if (finding_is_usable(&results->trials[t]) &&
				isfinite(results_value(&results->trials[t], metric)))
				return metric;
	}
	return results->metric_count;
}

/* The runs of one set-up are one value: their geometric mean. */
static void fill_values(struct findings *findings, const struct results *results, size_t metric)
{
	size_t count = findings->cell_count * findings->block_count;
	size_t *runs = memory_new_array(count, sizeof(*runs));

	for (size_t i = 0; i < count; i++)
		findings->values[i] = NAN;
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		double value = results_value(trial, metric);
		size_t at = trial->cell * findings->block_count + trial->block;

		if (!finding_is_usable(trial) || trial->cell >= findings->cell_count ||
			!(value > 0))
			continue;
		findings->values[at] = (runs[at]++ ? findings->values[at] : 0) + log(value);
	}
	for (size_t i = 0; i < count; i++)
		if (runs[i])
			findings->values[i] = exp(findings->values[i] / (double)runs[i]);
	free(runs);
}

static void count_trials(struct findings *findings, const struct results *results)
{
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		struct cell_finding *cell;

		if (trial->cell >= findings->cell_count)
			continue;
		cell = &findings->cells[trial->cell];
		cell->trials++;
		cell->failed += trial->state == TRIAL_FAILED;
		cell->voided += trial->state == TRIAL_VOID;
		cell->spoiled += trial->state == TRIAL_DONE && trial->spoiled;
		findings->trials_done += trial->state == TRIAL_DONE;
		findings->trials_failed += trial->state == TRIAL_FAILED;
		findings->trials_void += trial->state == TRIAL_VOID;
		findings->trials_spoiled += trial->state == TRIAL_DONE && trial->spoiled;
	}
}

/* Geometric mean of a cell's set-ups, with the t interval of their logarithms: how well this
 * cell's own level is known, block to block differences included. */
static void fill_level(struct findings *findings, size_t index)
{
	struct cell_finding *cell = &findings->cells[index];
	const double *row = findings->values + index * findings->block_count;
	double *logs = memory_new_array(findings->block_count, sizeof(*logs));
	double half;

	for (size_t b = 0; b < findings->block_count; b++)
		if (isfinite(row[b]))
			logs[cell->setups++] = log(row[b]);
	cell->mean = cell->low = cell->high = NAN;
	if (cell->setups > 0)
		cell->mean = exp(summary_mean(logs, cell->setups));
	if (cell->setups >= EFFECT_SETUPS_LEAST) {
		half = t_quantile(0.5 + FINDING_CONFIDENCE / 2, (double)cell->setups - 1) *
		       sqrt(summary_variance(logs, cell->setups) / (double)cell->setups);
		cell->low = cell->mean * exp(-half);
		cell->high = cell->mean * exp(half);
	}
	free(logs);
}

/* All cells against one baseline are Dunnett's family. Several baselines make fewer comparisons
 * than all pairs, whose wider intervals therefore hold too. */
static enum effect_family family_of(const struct findings *findings, size_t *ret_baseline)
{
	bool found = false;

	for (size_t i = 0; i < findings->cell_count; i++) {
		if (findings->cells[i].baseline != i)
			continue;
		if (found)
			return EFFECT_ALL_PAIRS;
		found = true;
		*ret_baseline = i;
	}
	return EFFECT_AGAINST_BASELINE;
}

static void fill_effects(struct findings *findings, const struct effect_fit *fit)
{
	size_t baseline = 0, comparisons = 0;
	enum effect_family family = family_of(findings, &baseline);
	const double multipliers[2] = {
		effect_fit_multiplier(fit, family, baseline, FINDING_CONFIDENCE),
		effect_fit_multiplier(fit, family, baseline, 0.90),
	};

	for (size_t i = 0; i < findings->cell_count; i++)
		comparisons += findings->cells[i].baseline != i;
	for (size_t i = 0; i < findings->cell_count; i++) {
		struct cell_finding *cell = &findings->cells[i];
		const size_t pair[2] = { i, cell->baseline };

		if (fit->unequal && cell->baseline != i)
			effect_fit_pair_alone(
				fit, pair, comparisons, FINDING_CONFIDENCE, &cell->effect);
		else
			effect_fit_compare(fit, i, cell->baseline, multipliers, &cell->effect);
		if (cell->baseline != i)
			cell->verdict = verdict_of(
				&cell->effect, findings->margin, findings->lower_is_better);
	}
}

/* The gates failed: what was measured is shown, what it means is not said. */
static void withdraw_verdicts(struct findings *findings)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		findings->cells[i].verdict = VERDICT_NONE;
		if (findings->cells[i].baseline != i)
			findings->cells[i].reason = "this machine can't tell";
	}
}

static void say_why_not(struct findings *findings)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		struct cell_finding *cell = &findings->cells[i];
		const struct cell_finding *baseline = &findings->cells[cell->baseline];

		if (cell->baseline == i || cell->verdict != VERDICT_NONE || cell->reason)
			continue;
		if (cell->setups == 0 && cell->absent)
			cell->reason = "it can't run here";
		else if (baseline->setups == 0 && baseline->absent)
			cell->reason = "its baseline can't run here";
		else if (cell->setups == 0 || baseline->setups == 0)
			cell->reason = arena_format(&findings->arena, "%s has no valid set-up",
				cell->setups == 0 ? "it" : "its baseline");
		else if (cell->effect.status == EFFECT_NOT_COMPARABLE)
			cell->reason = "no block links it to its baseline";
		else
			cell->reason = arena_format(&findings->arena,
				"fewer than %d set-ups: no interval", EFFECT_SETUPS_LEAST);
	}
}

static int compare_cells(struct findings *findings, const struct results *results,
	const struct matrix *matrix, struct err *err)
{
	const struct effect_table table = {
		.cells = findings->cell_count,
		.blocks = findings->block_count,
		.values = findings->values,
	};
	struct effect_fit fit;
	int r = effect_fit_init(&fit, &table, err);

	if (r < 0)
		return r;
	findings->residual_df = fit.df;
	findings->residual_sd = fit.df > 0 ? fit.residual_sd : NAN;
	findings->unequal = fit.unequal;
	fill_effects(findings, &fit);
	finding_withdraw_cpu_bound(findings, results);
	controls_judge(findings, &fit);
	if (findings->controls.failed)
		withdraw_verdicts(findings);
	else
		findings->setups_needed = verdict_setups_needed(findings->residual_sd,
			findings->cell_count, FINDING_CONFIDENCE, findings->margin);
	factors_analyse(findings, results, matrix);
	physics_analyse(findings, matrix);
	if (!findings->controls.failed)
		robustness_analyse(findings, results,
			results_metric_index(
				results, findings->primary_phase, findings->primary->name));
	recommendation_make(findings, results, matrix, &fit);
	effect_fit_release(&fit);
	return 0;
}

static void take_cells(struct findings *findings, const struct matrix *matrix, size_t setups)
{
	findings->cell_count = matrix->count;
	findings->cells =
		arena_new_array(&findings->arena, matrix->count, sizeof(*findings->cells));
	for (size_t i = 0; i < matrix->count; i++) {
		findings->cells[i] = (struct cell_finding){
			.label = arena_copy_string(&findings->arena, matrix->cells[i].label),
			.role = matrix->cells[i].role,
			.baseline = matrix->cells[i].baseline,
			.copy_of = matrix->cells[i].copy_of,
			.setups_planned = setups,
			.effect = { .status = EFFECT_NOT_COMPARABLE,
				.ratio = NAN,
				.low = NAN,
				.high = NAN,
				.inner_low = NAN,
				.inner_high = NAN },
		};
		findings->has_baseline = findings->has_baseline || matrix->cells[i].baseline != i;
	}
}

static void count_blocks(struct findings *findings, const struct results *results)
{
	for (size_t t = 0; t < results->trial_count; t++)
		findings->block_count = MAX(findings->block_count, results->trials[t].block + 1);
	findings->values = arena_new_array(&findings->arena,
		findings->cell_count * findings->block_count, sizeof(*findings->values));
}

/* Cells that could not run: theirs are no trials to wait for, unless an earlier run has some. */
static void take_absent(
	struct findings *findings, const struct results *results, size_t trials_a_cell)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		struct cell_finding *cell = &findings->cells[i];
		size_t original = cell->role == CELL_STUDIED ? i : cell->copy_of;

		cell->absent = arena_copy_string(
			&findings->arena, absent_cells_reason(&results->absent, original));
		if (cell->absent && cell->trials == 0)
			findings->trials_planned -= trials_a_cell;
		findings->cells_absent += cell->absent && cell->role == CELL_STUDIED;
	}
	findings->absent = finding_absent_text(findings, results);
}

static void count_setups(struct findings *findings)
{
	findings->setups_least = SIZE_MAX;
	for (size_t i = 0; i < findings->cell_count; i++) {
		const struct cell_finding *cell = &findings->cells[i];

		if (cell->role != CELL_STUDIED || (cell->absent && cell->setups == 0))
			continue;
		findings->setups_least = MIN(findings->setups_least, cell->setups);
		findings->setups_most = MAX(findings->setups_most, cell->setups);
	}
}

/* What the trials hold, gates applied. Returns the index of the metric to compare. */
static size_t judge_trials(struct findings *findings, struct results *results)
{
	struct validity validity;
	size_t metric = find_primary(results);

	validity_judge(results, metric, &validity);
	findings->controls.canary_runs = validity.canary_runs;
	findings->controls.canary_alarms = validity.canary_alarms;
	return find_primary(results);
}

int findings_build(struct findings *findings, struct results *results, const struct study *study,
	const struct matrix *matrix, struct err *err)
{
	size_t repeats = (size_t)study_integer(study, "design.repeats");
	size_t metric;
	int r = 0;

	*findings = (struct findings){
		.margin = study_percent(study, "design.margin"),
		.residual_sd = NAN,
		.trials_planned =
			matrix->count * repeats * (size_t)study_integer(study, "design.runs"),
	};
	findings->controls.planted_share = study_percent(study, "design.planted");
	common_plans_make(findings, results, matrix);
	metric = judge_trials(findings, results);
	findings->study = arena_copy_string(&findings->arena, study->name);
	findings->question = arena_copy_string(&findings->arena, study->question);
	take_cells(findings, matrix, repeats);
	count_blocks(findings, results);
	count_trials(findings, results);
	take_absent(findings, results, findings->trials_planned / matrix->count);
	if (metric < results->metric_count) {
		findings->primary = results->metrics[metric].row;
		findings->primary_phase =
			arena_copy_string(&findings->arena, results->metrics[metric].phase);
		findings->lower_is_better = findings->primary->better == METRIC_LOWER;
	}
	fill_values(findings, results, metric);
	for (size_t i = 0; i < findings->cell_count; i++)
		fill_level(findings, i);
	finding_fill_costs(findings, results);
	count_setups(findings);
	if (findings->primary)
		r = compare_cells(findings, results, matrix, err);
	else
		recommendation_make(findings, results, matrix, NULL);
	say_why_not(findings);
	if (r == 0)
		r = published_build(findings, results, study, matrix, err);
	if (r < 0) {
		findings_release(findings);
		return err_prefix(err, r, "compare the cells of study '%s'", study->name);
	}
	findings->verdict = finding_verdict_text(findings);
	return 0;
}

void findings_release(struct findings *findings)
{
	arena_release(&findings->arena);
	*findings = (struct findings){ 0 };
}
