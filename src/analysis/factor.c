/* Factor effects of a study (see factor.h). */
#include "analysis/factor.h"

#include "analysis/finding_internal.h"
#include "base/memory.h"
#include "stats/anova.h"
#include "stats/multiple.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MOST 1e9 /* about a second */

/* The table of a study as anova wants it, and what its numbers mean. */
struct layout {
	struct findings *findings;
	const struct results *results;
	const struct matrix *matrix;
	struct anova_factor factors[FACTOR_COUNT_MOST];
	const char **levels[FACTOR_COUNT_MOST]; /* texts; level 0 is the reference */
	const char **words[FACTOR_COUNT_MOST];	/* the same in sentences; made when first wanted */
	size_t factor_count;
	size_t *cell_levels; /* [cell * factor_count + factor] */
	double *response;
	size_t *row_levels, *setups, *blocks;
	size_t rows;
};

static const char *short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static size_t level_of(struct layout *layout, size_t factor, const char *text)
{
	size_t level = 0;

	while (level < layout->factors[factor].levels &&
		strcmp(layout->levels[factor][level], text) != 0)
		level++;
	if (level == layout->factors[factor].levels)
		layout->levels[factor][layout->factors[factor].levels++] = text;
	return level;
}

static bool is_studied(const struct layout *layout, size_t cell)
{
	return layout->findings->cells[cell].role == CELL_STUDIED;
}

static bool has_values(const struct findings *findings, size_t cell)
{
	return findings->cells[cell].setups > 0;
}

/* Levels in the order of the cells, the baseline's first: it is the reference. */
static void list_levels(struct layout *layout)
{
	const struct matrix *matrix = layout->matrix;
	const struct cell *first = &matrix->cells[matrix->cells[0].baseline];

	layout->cell_levels = memory_new_array(
		matrix->count * layout->factor_count, sizeof(*layout->cell_levels));
	for (size_t f = 0; f < layout->factor_count; f++) {
		const char *name = layout->findings->factors.names[f];
		const struct setting_value *value = settings_find(&first->settings, name);

		layout->levels[f] = arena_new_array(
			&layout->findings->arena, matrix->count + 1, sizeof(**layout->levels));
		layout->words[f] = arena_new_array(
			&layout->findings->arena, matrix->count + 1, sizeof(**layout->words));
		layout->factors[f].whole_plot = !value || value->reload;
		level_of(layout, f,
			arena_copy_string(&layout->findings->arena,
				settings_text(&first->settings, name, "")));
		for (size_t cell = 0; cell < matrix->count; cell++)
			if (is_studied(layout, cell) && has_values(layout->findings, cell))
				layout->cell_levels[cell * layout->factor_count + f] =
					level_of(layout, f,
						arena_copy_string(&layout->findings->arena,
							settings_text(&matrix->cells[cell].settings,
								name, "")));
	}
}

static int compare_ids(const void *left, const void *right)
{
	const struct results_trial *const *a = left, *const *b = right;

	return strcmp((*a)->setup_id, (*b)->setup_id);
}

/* Number of the set-up that each cell had in each block, [cell * blocks + block]: cells that differ
 * in run-level settings only share one. Caller frees. */
static size_t *number_setups(const struct findings *findings, const struct results *results)
{
	const struct results_trial **order =
		memory_new_array(results->trial_count + 1, sizeof(*order));
	size_t *numbers = memory_new_array(
		findings->cell_count * findings->block_count + 1, sizeof(*numbers));
	size_t number = 0;

	for (size_t t = 0; t < results->trial_count; t++)
		order[t] = &results->trials[t];
	qsort(order, results->trial_count, sizeof(*order), compare_ids);
	for (size_t t = 0; t < results->trial_count; t++) {
		if (t > 0 && strcmp(order[t]->setup_id, order[t - 1]->setup_id) != 0)
			number++;
		if (order[t]->cell < findings->cell_count && finding_is_usable(order[t]))
			numbers[order[t]->cell * findings->block_count + order[t]->block] = number;
	}
	free(order);
	return numbers;
}

/* The numbers that are used, counted from 0 without gaps: each is a column of the model. */
static void close_gaps(size_t *numbers, size_t count)
{
	size_t largest = 0, next = 0;

	for (size_t i = 0; i < count; i++)
		largest = MAX(largest, numbers[i]);
	size_t *renamed = memory_new_array(largest + 1, sizeof(*renamed));

	for (size_t i = 0; i < count; i++) {
		if (renamed[numbers[i]] == 0)
			renamed[numbers[i]] = ++next;
		numbers[i] = renamed[numbers[i]] - 1;
	}
	free(renamed);
}

static void fill_rows(struct layout *layout, const struct results *results)
{
	const struct findings *findings = layout->findings;
	size_t most = findings->cell_count * findings->block_count;
	size_t *numbers = number_setups(findings, results);

	layout->response = memory_new_array(most, sizeof(*layout->response));
	layout->setups = memory_new_array(most, sizeof(*layout->setups));
	layout->blocks = memory_new_array(most, sizeof(*layout->blocks));
	layout->row_levels =
		memory_new_array(most * layout->factor_count, sizeof(*layout->row_levels));
	for (size_t at = 0; at < most; at++) {
		size_t cell = at / findings->block_count;
		size_t row = layout->rows;

		if (!is_studied(layout, cell) || !isfinite(findings->values[at]))
			continue;
		layout->response[row] = log(findings->values[at]);
		layout->setups[row] = numbers[at];
		layout->blocks[row] = at % findings->block_count;
		memcpy(layout->row_levels + row * layout->factor_count,
			layout->cell_levels + cell * layout->factor_count,
			layout->factor_count * sizeof(*layout->row_levels));
		layout->rows++;
	}
	close_gaps(layout->setups, layout->rows);
	free(numbers);
}

/* Factors that still have two levels with values. */
static void choose_factors(struct layout *layout)
{
	struct factor_findings *factors = &layout->findings->factors;
	const struct matrix *matrix = layout->matrix;

	factors->names = arena_new_array(
		&layout->findings->arena, matrix->varying_count + 1, sizeof(*factors->names));
	for (size_t v = 0; v < matrix->varying_count; v++) {
		const char *first = NULL;
		bool varies = false;

		for (size_t cell = 0; cell < matrix->count; cell++) {
			if (!is_studied(layout, cell) || !has_values(layout->findings, cell))
				continue;
			const char *text = settings_text(
				&matrix->cells[cell].settings, matrix->varying[v], "");

			varies = varies || (first && strcmp(first, text) != 0);
			first = first ? first : text;
		}
		if (varies && factors->name_count < FACTOR_COUNT_MOST)
			factors->names[factors->name_count++] =
				arena_copy_string(&layout->findings->arena, matrix->varying[v]);
	}
	layout->factor_count = factors->name_count;
}

static const char *term_name(struct layout *layout, unsigned factors)
{
	const char *name = NULL;

	for (size_t f = 0; f < layout->factor_count; f++) {
		if (!(factors >> f & 1))
			continue;
		const char *part = short_name(layout->findings->factors.names[f]);

		name = name ? arena_format(&layout->findings->arena, "%s x %s", name, part)
			    : arena_copy_string(&layout->findings->arena, part);
	}
	return name;
}

static int compare_shares(const void *left, const void *right)
{
	const struct factor_share *a = left, *b = right;
	double x = isnan(a->share) ? -INFINITY : a->share;
	double y = isnan(b->share) ? -INFINITY : b->share;

	return x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

static void fill_shares(struct layout *layout, const struct anova *anova)
{
	struct factor_findings *factors = &layout->findings->factors;
	double *p = memory_new_array(anova->term_count + 1, sizeof(*p));

	factors->shares = arena_new_array(
		&layout->findings->arena, anova->term_count, sizeof(*factors->shares));
	for (size_t t = 0; t < anova->term_count; t++) {
		const struct anova_term *term = &anova->terms[t];

		if (!(term->df > 0) || isnan(term->f))
			continue;
		p[factors->share_count] = term->p;
		factors->shares[factors->share_count++] = (struct factor_share){
			.name = term_name(layout, term->factors),
			.share = term->omega_squared,
			.f = term->f,
			.df = term->df,
			.error_df = term->whole_plot ? anova->whole_plot.df : anova->residual.df,
		};
	}
	multiple_benjamini_hochberg(p, factors->share_count, p);
	for (size_t i = 0; i < factors->share_count; i++)
		factors->shares[i].p_adjusted = p[i];
	free(p);
	qsort(factors->shares, factors->share_count, sizeof(*factors->shares), compare_shares);
}

/* "scale = 200 (data 3.1 times the memory)": what such a level means is that ratio. Looking for it
 * goes through all trials, and a level stands in many sentences. */
static const char *level_words(struct layout *layout, size_t factor, const char *level)
{
	struct arena *arena = &layout->findings->arena;
	const char *name = layout->findings->factors.names[factor];
	const char **words = &layout->words[factor][level_of(layout, factor, level)];
	double share = NAN;

	if (*words)
		return *words;
	if (strcmp(name, "workload.scale") == 0 || strcmp(name, "machine.memory") == 0)
		share = physics_data_to_memory(layout->results, layout->matrix, name, level);
	*words = isfinite(share)
			 ? arena_format(arena, "%s (data %.2g times the memory)", level, share)
			 : level;
	return *words;
}

static const char *main_sentence(struct layout *layout, const struct factor_level_effect *effect)
{
	const struct findings *findings = layout->findings;
	const char *name = short_name(findings->factors.names[effect->factor]);
	const char *level = level_words(layout, effect->factor, effect->level);
	const char *reference = level_words(layout, effect->factor, effect->reference);
	const char *others = layout->factor_count > 1 ? " on average over the other settings" : "";

	if (!effect->differs)
		return arena_format(&layout->findings->arena,
			"%s = %s instead of %s: no difference shown%s (%.3f times, 95 %% interval "
			"%.3f "
			"to %.3f).",
			name, level, reference, others, effect->ratio, effect->low, effect->high);
	return arena_format(&layout->findings->arena,
		"%s = %s instead of %s is %s%s: %.3f times the %s, 95 %% interval %.3f to %.3f.",
		name, level, reference, verdict_word(effect->verdict), others, effect->ratio,
		findings->primary->name, effect->low, effect->high);
}

static const char *interaction_sentence(
	struct layout *layout, const struct factor_level_effect *effect)
{
	const struct factor_findings *factors = &layout->findings->factors;
	const char *name = short_name(factors->names[effect->factor]);
	const char *by = short_name(factors->names[effect->by_factor]);

	return arena_format(&layout->findings->arena,
		"What %s = %s instead of %s does depends on %s: at %s the ratio is %.3f times the "
		"one "
		"at %s, 95 %% interval %.3f to %.3f.",
		name, level_words(layout, effect->factor, effect->level),
		level_words(layout, effect->factor, effect->reference), by,
		level_words(layout, effect->by_factor, effect->by_level), effect->ratio,
		level_words(layout, effect->by_factor, effect->by_reference), effect->low,
		effect->high);
}

/* Number of main effects and two-factor interactions, all levels against the references. */
static size_t count_effects(const struct layout *layout)
{
	size_t count = 0;

	for (size_t f = 0; f < layout->factor_count; f++) {
		count += layout->factors[f].levels - 1;
		for (size_t g = f + 1; g < layout->factor_count; g++)
			count += (layout->factors[f].levels - 1) * (layout->factors[g].levels - 1);
	}
	return count;
}

static void add_effect(struct layout *layout, const struct anova *anova,
	const struct anova_corner *corners, size_t corner_count, double confidence)
{
	struct findings *findings = layout->findings;
	struct factor_findings *factors = &findings->factors;
	struct anova_effect estimate;
	const struct anova_corner *by = &corners[corner_count - 1];

	if (!anova_effect(anova, corners, corner_count, confidence, &estimate))
		return;
	struct factor_level_effect *effect = &factors->effects[factors->effect_count++];
	struct effect interval = { .status = EFFECT_OK,
		.ratio = estimate.ratio,
		.low = estimate.low,
		.high = estimate.high,
		.inner_low = NAN,
		.inner_high = NAN };

	*effect = (struct factor_level_effect){
		.factor = corners[0].factor,
		.level = layout->levels[corners[0].factor][corners[0].level],
		.reference = layout->levels[corners[0].factor][0],
		.by_factor = by->factor,
		.by_level = layout->levels[by->factor][by->level],
		.by_reference = layout->levels[by->factor][0],
		.ratio = estimate.ratio,
		.low = estimate.low,
		.high = estimate.high,
		.differs = estimate.low > 1 || estimate.high < 1,
	};
	if (corner_count == 1)
		effect->verdict =
			verdict_of(&interval, findings->margin, findings->lower_is_better);
	effect->sentence = corner_count == 1 ? main_sentence(layout, effect)
					     : interaction_sentence(layout, effect);
}

static void fill_effects(struct layout *layout, const struct anova *anova)
{
	size_t count = count_effects(layout);
	/* Bonferroni over the table, so that all of its intervals hold together. */
	double confidence = 1 - (1 - FINDING_CONFIDENCE) / (double)MAX(count, (size_t)1);

	layout->findings->factors.effects = arena_new_array(
		&layout->findings->arena, count, sizeof(struct factor_level_effect));
	for (size_t f = 0; f < layout->factor_count; f++) {
		for (size_t a = 1; a < layout->factors[f].levels; a++)
			add_effect(layout, anova, &(struct anova_corner){ f, a, 0 }, 1, confidence);
	}
	for (size_t f = 0; f < layout->factor_count; f++)
		for (size_t g = f + 1; g < layout->factor_count; g++)
			for (size_t a = 1; a < layout->factors[f].levels; a++)
				for (size_t b = 1; b < layout->factors[g].levels; b++) {
					const struct anova_corner corners[] = { { f, a, 0 },
						{ g, b, 0 } };

					add_effect(layout, anova, corners, 2, confidence);
				}
}

/* Multiplications that a fit of all terms up to order may take: rows x columns^2, twice a term. */
static bool is_affordable(const struct layout *layout, unsigned order)
{
	double columns = 1 + (double)layout->findings->block_count, terms = 0;

	for (size_t f = 0; f < layout->factor_count; f++) {
		columns += (double)layout->factors[f].levels - 1;
		terms++;
		for (size_t g = f + 1; order > 1 && g < layout->factor_count; g++, terms++)
			columns += ((double)layout->factors[f].levels - 1) *
				   ((double)layout->factors[g].levels - 1);
	}
	for (size_t row = 0; row < layout->rows; row++)
		if (layout->setups[row] != row) {
			columns += (double)layout->setups[layout->rows - 1] + 1;
			break;
		}
	return (double)layout->rows * columns * columns * 2 * terms < WORK_MOST;
}

/* With interactions where the data allow it, else main effects alone. */
static int fit(struct layout *layout, struct anova *anova, struct err *err)
{
	const struct anova_data data = {
		.factors = layout->factors,
		.factor_count = layout->factor_count,
		.rows = layout->rows,
		.levels = layout->row_levels,
		.response = layout->response,
		.setups = layout->setups,
		.blocks = layout->blocks,
	};

	if (layout->factor_count > 1 && is_affordable(layout, 2) &&
		anova_init(anova, &data, 2, NULL) == 0)
		return 0;
	if (!is_affordable(layout, 1))
		return err_set(err, -E2BIG, "%zu values of %zu settings are too many to take apart",
			layout->rows, layout->factor_count);
	return anova_init(anova, &data, 1, err);
}

void factors_analyse(
	struct findings *findings, const struct results *results, const struct matrix *matrix)
{
	struct layout layout = { .findings = findings, .results = results, .matrix = matrix };
	struct err err = ERR_INIT;
	struct anova anova;

	if (matrix->cells[0].arm) {
		findings->factors.reason =
			"the study lists arms, which differ in several settings at "
			"once";
		return;
	}
	choose_factors(&layout);
	if (layout.factor_count == 0) {
		findings->factors.reason = "no setting has values at two levels";
		return;
	}
	list_levels(&layout);
	fill_rows(&layout, results);
	if (fit(&layout, &anova, &err) == 0) {
		fill_shares(&layout, &anova);
		fill_effects(&layout, &anova);
		anova_release(&anova);
	} else {
		findings->factors.reason = arena_copy_string(&findings->arena, err.message);
	}
	free(layout.cell_levels);
	free(layout.response);
	free(layout.row_levels);
	free(layout.setups);
	free(layout.blocks);
}
