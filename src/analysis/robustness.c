/* Checks that need no distribution, and components of the noise (see robustness.h). */
#include "analysis/robustness.h"

#include "analysis/finding_internal.h"
#include "base/memory.h"
#include "stats/bootstrap.h"
#include "stats/components.h"
#include "stats/permutation.h"

#include <math.h>
#include <stdlib.h>

#define BOOTSTRAP_DRAWS 10000
#define BOOTSTRAP_SEED	1

static void check_cell(struct findings *findings, size_t index, struct cell_check *check)
{
	size_t blocks = findings->block_count, baseline = findings->cells[index].baseline;
	double *differences = memory_new_array(blocks + 1, sizeof(*differences));
	double *sides[2] = { memory_new_array(blocks + 1, sizeof(double)),
		memory_new_array(blocks + 1, sizeof(double)) };
	const struct bootstrap_options options = { BOOTSTRAP_DRAWS, BOOTSTRAP_SEED,
		FINDING_CONFIDENCE };
	struct bootstrap_result results[2];

	*check = (struct cell_check){ 0, NAN, NAN, NAN };
	for (size_t b = 0; baseline != index && b < blocks; b++) {
		double of_baseline = findings->values[baseline * blocks + b];
		double value = findings->values[index * blocks + b];

		if (!isfinite(of_baseline) || !isfinite(value))
			continue;
		differences[check->blocks] = log(value / of_baseline);
		sides[0][check->blocks] = of_baseline;
		sides[1][check->blocks++] = value;
	}
	const struct bootstrap_cell cells[2] = {
		{ .values = sides[0], .setups = check->blocks },
		{ .values = sides[1], .setups = check->blocks },
	};

	if (check->blocks <= ROBUSTNESS_BLOCKS_MOST)
		check->permutation_p = permutation_blocks(differences, check->blocks);
	if (bootstrap_ratios(cells, 2, &options, 0, results) == 0) {
		check->bootstrap_low = results[1].low;
		check->bootstrap_high = results[1].high;
	}
	free(differences);
	free(sides[0]);
	free(sides[1]);
}

/* One run of one set-up. */
struct run_value {
	size_t setup; /* cell * blocks + block */
	double value;
};

static int compare_setups(const void *left, const void *right)
{
	const struct run_value *a = left, *b = right;

	return (a->setup > b->setup) - (a->setup < b->setup);
}

/* Deviations from the cell's mean, set-up by set-up: one family of equal noise over all cells. */
static size_t list_runs(const struct findings *findings, const struct results *results,
	size_t metric, struct run_value *runs)
{
	size_t count = 0;

	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		double value = results_value(trial, metric);

		if (!finding_is_usable(trial) || trial->cell >= findings->cell_count ||
			!(value > 0) || !(findings->cells[trial->cell].mean > 0))
			continue;
		runs[count++] = (struct run_value){
			.setup = trial->cell * findings->block_count + trial->block,
			.value = log(value / findings->cells[trial->cell].mean),
		};
	}
	qsort(runs, count, sizeof(*runs), compare_setups);
	return count;
}

static const char *components_text(
	struct findings *findings, const struct results *results, size_t metric)
{
	struct run_value *runs = memory_new_array(results->trial_count + 1, sizeof(*runs));
	size_t count = list_runs(findings, results, metric, runs), setups = 0;
	double *values = memory_new_array(count + 1, sizeof(*values));
	size_t *in_setup = memory_new_array(count + 1, sizeof(*in_setup));
	struct components components;
	const char *text = NULL;

	for (size_t i = 0; i < count; i++) {
		values[i] = runs[i].value;
		setups += i == 0 || runs[i].setup != runs[i - 1].setup;
		in_setup[setups - 1]++;
	}
	if (components_of(values, in_setup, setups, FINDING_CONFIDENCE, &components) == 0)
		text = arena_format(&findings->arena,
			"Set-ups differ by %.2f %%, runs of one set-up by %.2f %% (SD): %s.",
			100 * sqrt(components.variance_setup), 100 * sqrt(components.variance_run),
			components.variance_setup >= components.variance_run
				? "more set-ups narrow the intervals, more runs hardly do"
				: "runs are the larger part, so more runs a set-up narrow the "
				  "intervals too");
	free(runs);
	free(values);
	free(in_setup);
	return text;
}

void robustness_analyse(struct findings *findings, const struct results *results, size_t metric)
{
	struct robustness *robustness = &findings->robustness;

	if (findings->cell_count <= ROBUSTNESS_CELLS_MOST)
		robustness->cells = arena_new_array(
			&findings->arena, findings->cell_count, sizeof(*robustness->cells));
	for (size_t i = 0; robustness->cells && i < findings->cell_count; i++)
		check_cell(findings, i, &robustness->cells[i]);
	robustness->components = components_text(findings, results, metric);
}
