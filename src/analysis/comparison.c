/* Two stored studies beside each other (see comparison.h). */
#include "analysis/comparison.h"

#include "analysis/finding_internal.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* Values of a cell's set-ups, runs of one set-up joined by their geometric mean. */
struct cell_values {
	double *values;
	size_t count;
};

static struct cell_values values_of(const struct comparison_side *side, size_t cell, size_t metric)
{
	const struct results *results = side->results;
	size_t blocks = MAX(side->findings->block_count, (size_t)1);
	double *sums = memory_new_array(blocks, sizeof(*sums));
	size_t *runs = memory_new_array(blocks, sizeof(*runs));
	struct cell_values values = { memory_new_array(blocks, sizeof(double)), 0 };

	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		double value = results_value(trial, metric);

		if (trial->cell != cell || !finding_is_usable(trial) || !(value > 0))
			continue;
		sums[trial->block] += log(value);
		runs[trial->block]++;
	}
	for (size_t block = 0; block < blocks; block++)
		if (runs[block])
			values.values[values.count++] = exp(sums[block] / (double)runs[block]);
	free(runs);
	free(sums);
	return values;
}

static double mean_of(const struct cell_values *values)
{
	double sum = 0;

	for (size_t i = 0; i < values->count; i++)
		sum += log(values->values[i]);
	return values->count ? exp(sum / (double)values->count) : NAN;
}

/* The pair by itself, each side its own variance; blocks of two studies are not the same blocks. */
static void judge(struct cell_change *change, const struct cell_values values[2], size_t pairs)
{
	size_t columns = MAX(MAX(values[0].count, values[1].count), (size_t)1);
	double *table_values = memory_new_array(2 * columns, sizeof(*table_values));
	const struct effect_table table = { 2, columns, table_values, .unblocked = true };
	const size_t pair[2] = { 1, 0 };
	struct effect_fit fit;

	for (size_t i = 0; i < 2 * columns; i++)
		table_values[i] = i % columns < values[i / columns].count
					  ? values[i / columns].values[i % columns]
					  : NAN;
	if (values[0].count && values[1].count && effect_fit_init(&fit, &table, NULL) == 0) {
		effect_fit_pair_alone(&fit, pair, pairs, FINDING_CONFIDENCE, &change->effect);
		effect_fit_release(&fit);
	}
	free(table_values);
}

static bool same_settings(const struct comparison_side sides[2], size_t before, size_t after)
{
	const struct settings *a = &sides[0].matrix->cells[before].settings;
	const struct settings *b = &sides[1].matrix->cells[after].settings;

	for (int side = 0; side < 2; side++) {
		const struct matrix *matrix = sides[side].matrix;

		for (size_t v = 0; v < matrix->varying_count; v++)
			if (strcmp(settings_text(a, matrix->varying[v], ""),
				    settings_text(b, matrix->varying[v], "")) != 0)
				return false;
	}
	return true;
}

static bool is_studied(const struct comparison_side *side, size_t cell)
{
	return side->matrix->cells[cell].role == CELL_STUDIED;
}

static size_t count_studied(const struct comparison_side *side, size_t *ret_last)
{
	size_t count = 0;

	for (size_t i = 0; i < side->matrix->count; i++) {
		if (!is_studied(side, i))
			continue;
		count++;
		*ret_last = i;
	}
	return count;
}

/* The cell of the earlier study that a cell of the later one belongs to, or NOWHERE. */
static size_t find_partner(const struct comparison_side sides[2], size_t after)
{
	const struct matrix *before = sides[0].matrix;
	size_t only_before = NOWHERE, only_after = NOWHERE;

	for (size_t i = 0; i < before->count; i++)
		if (is_studied(&sides[0], i) && before->cells[i].arm &&
			sides[1].matrix->cells[after].arm &&
			strcmp(before->cells[i].label, sides[1].matrix->cells[after].label) == 0)
			return i;
	for (size_t i = 0; i < before->count; i++)
		if (is_studied(&sides[0], i) && !before->cells[i].arm &&
			!sides[1].matrix->cells[after].arm && same_settings(sides, i, after))
			return i;
	if (count_studied(&sides[0], &only_before) == 1 &&
		count_studied(&sides[1], &only_after) == 1)
		return only_before;
	return NOWHERE;
}

static void add_change(struct comparison *comparison, const struct comparison_side sides[2],
	const size_t cells[2], const size_t metrics[2])
{
	struct cell_change *change = &comparison->changes[comparison->change_count++];
	struct cell_values values[2];

	*change = (struct cell_change){
		.label = arena_copy_string(
			&comparison->arena, sides[1].matrix->cells[cells[1]].label),
		.effect = { .status = EFFECT_NOT_COMPARABLE,
			.ratio = NAN,
			.low = NAN,
			.high = NAN,
			.inner_low = NAN,
			.inner_high = NAN },
	};
	for (int side = 0; side < 2; side++)
		values[side] = values_of(&sides[side], cells[side], metrics[side]);
	change->before = mean_of(&values[0]);
	change->after = mean_of(&values[1]);
	change->setups_before = values[0].count;
	change->setups_after = values[1].count;
	judge(change, values, MIN(sides[0].matrix->count, sides[1].matrix->count));
	change->verdict =
		verdict_of(&change->effect, comparison->margin, comparison->lower_is_better);
	if (change->verdict == VERDICT_NONE)
		change->reason = arena_format(&comparison->arena,
			"%zu and %zu set-ups: no interval below %d", values[0].count,
			values[1].count, EFFECT_SETUPS_LEAST);
	free(values[0].values);
	free(values[1].values);
}

static void pair_cells(struct comparison *comparison, const struct comparison_side sides[2],
	const size_t metrics[2])
{
	const struct matrix *before = sides[0].matrix, *after = sides[1].matrix;
	struct arena *arena = &comparison->arena;
	bool *taken = memory_new_array(before->count + 1, sizeof(*taken));

	comparison->changes = arena_new_array(arena, after->count, sizeof(struct cell_change));
	comparison->only_after = arena_new_array(arena, after->count, sizeof(char *));
	comparison->only_before = arena_new_array(arena, before->count, sizeof(char *));
	for (size_t i = 0; i < after->count; i++) {
		size_t partner = is_studied(&sides[1], i) ? find_partner(sides, i) : NOWHERE;

		if (partner != NOWHERE && !taken[partner]) {
			taken[partner] = true;
			add_change(comparison, sides, (const size_t[2]){ partner, i }, metrics);
		} else if (is_studied(&sides[1], i)) {
			comparison->only_after[comparison->only_after_count++] =
				arena_copy_string(arena, after->cells[i].label);
		}
	}
	for (size_t i = 0; i < before->count; i++)
		if (is_studied(&sides[0], i) && !taken[i])
			comparison->only_before[comparison->only_before_count++] =
				arena_copy_string(arena, before->cells[i].label);
	free(taken);
}

static void add_difference(
	struct comparison *comparison, const char *name, const char *before, const char *after)
{
	if (before == after || (before && after && strcmp(before, after) == 0))
		return;
	comparison->differences[comparison->difference_count++] = (struct comparison_difference){
		arena_copy_string(&comparison->arena, name),
		arena_copy_string(&comparison->arena, before),
		arena_copy_string(&comparison->arena, after),
	};
}

/* Facts change from trial to trial too (pids, paths of one set-up): those are left out. */
static bool is_passing(const char *name)
{
	static const char *const parts[] = { "pid", "lsn", "folder", "path", "uuid", "guid" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static void list_differences(struct comparison *comparison, const struct comparison_side sides[2])
{
	const struct results *before = sides[0].results, *after = sides[1].results;

	comparison->differences = arena_new_array(&comparison->arena,
		before->environment_count + after->environment_count + 1,
		sizeof(struct comparison_difference));
	add_difference(
		comparison, "plumb.version", before->program_version, after->program_version);
	for (size_t i = 0; i < before->environment_count; i++)
		if (!is_passing(before->environment[i].name))
			add_difference(comparison, before->environment[i].name,
				before->environment[i].value,
				results_fact(after, before->environment[i].name));
	for (size_t i = 0; i < after->environment_count; i++)
		if (!is_passing(after->environment[i].name) &&
			!results_fact(before, after->environment[i].name))
			add_difference(comparison, after->environment[i].name, NULL,
				after->environment[i].value);
}

/* "closing.wal_bytes", or a name of phase run. */
static size_t find_named(const struct results *results, const char *name)
{
	const char *dot = strchr(name, '.');
	char phase[32] = "run";

	if (dot && (size_t)(dot - name) < sizeof(phase)) {
		memcpy(phase, name, (size_t)(dot - name));
		phase[dot - name] = '\0';
		name = dot + 1;
	}
	return results_metric_index(results, phase, name);
}

static int find_metrics(struct comparison *comparison, const struct comparison_side sides[2],
	const struct comparison_options *options, size_t ret_metrics[2], struct err *err)
{
	const struct findings *after = sides[1].findings;

	for (int side = 0; side < 2; side++) {
		const struct results *results = sides[side].results;

		ret_metrics[side] = options->metric ? find_named(results, options->metric)
				    : after->primary
					    ? results_metric_index(results, after->primary_phase,
						      after->primary->name)
					    : results->metric_count;
		if (ret_metrics[side] == results->metric_count)
			return err_set(err, -ENOENT, "the %s study has no %s",
				side ? "later" : "earlier",
				options->metric	 ? options->metric
				: after->primary ? after->primary->name
						 : "usable trial");
	}
	const struct results_metric *metric = &sides[1].results->metrics[ret_metrics[1]];

	if (!metric->row)
		return err_set(
			err, -ENOENT, "'%s' is no metric that this plumb knows", metric->name);
	comparison->metric = metric->row;
	comparison->phase = arena_copy_string(&comparison->arena, metric->phase);
	comparison->lower_is_better = metric->row->better == METRIC_LOWER;
	return 0;
}

static const char *sentence_of(struct comparison *comparison)
{
	size_t better = 0, worse = 0, equal = 0, open = 0, none = 0;

	for (size_t i = 0; i < comparison->change_count; i++) {
		enum verdict verdict = comparison->changes[i].verdict;

		better += verdict_is_better(verdict);
		worse += verdict_is_difference(verdict) && !verdict_is_better(verdict);
		equal += verdict == VERDICT_EQUIVALENT;
		open += verdict == VERDICT_UNDECIDED;
		none += verdict == VERDICT_NONE;
	}
	return arena_format(&comparison->arena,
		"%zu cells compared by %s: %zu better, %zu worse, %zu equivalent, %zu undecided, "
		"%zu "
		"without an interval. What the machine did between the two studies is in these "
		"changes.",
		comparison->change_count, comparison->metric->name, better, worse, equal, open,
		none);
}

int comparison_build(struct comparison *comparison, const struct comparison_side sides[2],
	const struct comparison_options *options, struct err *err)
{
	size_t metrics[2];
	int r;

	*comparison = (struct comparison){
		.margin = options->margin > 0 ? options->margin : sides[1].findings->margin,
	};
	r = find_metrics(comparison, sides, options, metrics, err);
	if (r == 0) {
		pair_cells(comparison, sides, metrics);
		list_differences(comparison, sides);
		if (comparison->change_count == 0)
			r = err_set(err, -ENOENT,
				"no cell of the later study is one of the earlier study's");
	}
	if (r < 0) {
		comparison_release(comparison);
		return r;
	}
	comparison->sentence = sentence_of(comparison);
	return 0;
}

void comparison_release(struct comparison *comparison)
{
	arena_release(&comparison->arena);
	*comparison = (struct comparison){ 0 };
}
