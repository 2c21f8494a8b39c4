/* Alignment of records and pages, data by memory (see physics.h). */
#include "analysis/physics.h"

#include "analysis/finding.h"
#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_FALLBACK 8192

/* What of a cell the model sees. */
struct sizes {
	size_t cell;
	uint64_t page, record;
	size_t page_level, record_level, others; /* numbers of the distinct ones, from 0 */
};

struct model {
	struct findings *findings;
	const struct matrix *matrix;
	struct sizes *sizes;
	size_t count;
	size_t pages, records, others; /* how many distinct ones */
	size_t columns;
	double *design, *response;
	size_t rows;
};

static bool is_size(const char *name)
{
	return strcmp(name, "postgres.block_size") == 0 ||
	       strcmp(name, "filesystem.recordsize") == 0;
}

static bool same_others(const struct model *model, size_t a, size_t b)
{
	for (size_t v = 0; v < model->matrix->varying_count; v++) {
		const char *name = model->matrix->varying[v];

		if (!is_size(name) &&
			strcmp(settings_text(&model->matrix->cells[a].settings, name, ""),
				settings_text(&model->matrix->cells[b].settings, name, "")) != 0)
			return false;
	}
	return true;
}

static void number_levels(struct model *model)
{
	for (size_t i = 0; i < model->count; i++) {
		struct sizes *mine = &model->sizes[i];

		mine->page_level = model->pages;
		mine->record_level = model->records;
		mine->others = model->others;
		for (size_t k = 0; k < i; k++) {
			const struct sizes *earlier = &model->sizes[k];

			if (earlier->page == mine->page)
				mine->page_level = earlier->page_level;
			if (earlier->record == mine->record)
				mine->record_level = earlier->record_level;
			if (same_others(model, earlier->cell, mine->cell))
				mine->others = earlier->others;
		}
		model->pages += mine->page_level == model->pages;
		model->records += mine->record_level == model->records;
		model->others += mine->others == model->others;
	}
}

static void list_cells(struct model *model)
{
	const struct matrix *matrix = model->matrix;

	model->sizes = memory_new_array(matrix->count + 1, sizeof(*model->sizes));
	for (size_t i = 0; i < matrix->count; i++) {
		const struct settings *settings = &matrix->cells[i].settings;
		uint64_t record = settings_size(settings, "filesystem.recordsize", 0);

		if (matrix->cells[i].role != CELL_STUDIED || !record ||
			model->findings->cells[i].setups == 0)
			continue;
		model->sizes[model->count++] = (struct sizes){
			.cell = i,
			.page = settings_size(settings, "postgres.block_size", PAGE_FALLBACK),
			.record = record,
		};
	}
	number_levels(model);
}

/* Columns: records below and above the page, then one each for every block, page size, record size
 * and combination of the others. Too many by design: the fit finds out which are redundant. */
static void fill_row(struct model *model, const struct sizes *sizes, size_t block, double value)
{
	double *row = model->design + model->rows * model->columns;
	size_t at = PHYSICS_ALIGNMENTS;

	row[PHYSICS_RECORD_BELOW_PAGE] = sizes->record < sizes->page;
	row[PHYSICS_RECORD_ABOVE_PAGE] = sizes->record > sizes->page;
	row[at + block] = 1;
	at += model->findings->block_count;
	row[at + sizes->page_level] = 1;
	at += model->pages;
	row[at + sizes->record_level] = 1;
	at += model->records;
	row[at + sizes->others] = 1;
	model->response[model->rows++] = log(value);
}

static void fill(struct model *model)
{
	const struct findings *findings = model->findings;

	model->columns = PHYSICS_ALIGNMENTS + findings->block_count + model->pages +
			 model->records + model->others;
	model->design = memory_new_array(
		model->count * findings->block_count * model->columns, sizeof(*model->design));
	model->response =
		memory_new_array(model->count * findings->block_count, sizeof(*model->response));
	for (size_t i = 0; i < model->count; i++)
		for (size_t block = 0; block < findings->block_count; block++) {
			double value =
				findings->values[model->sizes[i].cell * findings->block_count +
						 block];

			if (isfinite(value))
				fill_row(model, &model->sizes[i], block, value);
		}
}

static void estimate(struct model *model, const struct linear_fit *fit,
	enum physics_alignment alignment, struct physics_effect *effect)
{
	static const char *const words[] = {
		[PHYSICS_RECORD_BELOW_PAGE] = "Records smaller than the page",
		[PHYSICS_RECORD_ABOVE_PAGE] = "Records larger than the page",
	};
	struct findings *findings = model->findings;
	double *weights = memory_new_array(model->columns, sizeof(*weights));
	double *vector = memory_new_array(model->columns, sizeof(*vector));
	double value, squares = 0, half;
	bool determined;

	weights[alignment] = 1;
	determined = linear_contrast(fit, weights, &value, vector);
	for (size_t c = 0; c < model->columns; c++)
		squares += vector[c] * vector[c];
	free(weights);
	free(vector);
	if (!determined || !(squares > 0))
		return;
	/* Two sentences: Bonferroni, so that both intervals hold together. */
	half = t_quantile(1 - (1 - FINDING_CONFIDENCE) / 2 / PHYSICS_ALIGNMENTS,
		       findings->residual_df) *
	       findings->residual_sd * sqrt(squares);
	effect->ratio = exp(value);
	effect->low = exp(value - half);
	effect->high = exp(value + half);
	effect->differs = effect->low > 1 || effect->high < 1;
	effect->sentence = arena_format(&findings->arena,
		"%s instead of equal to it: %s%.3f times the %s beyond what the two sizes do on "
		"their "
		"own, 95 %% interval %.3f to %.3f.",
		words[alignment], effect->differs ? "" : "no difference shown, ", effect->ratio,
		findings->primary->name, effect->low, effect->high);
}

void physics_analyse(struct findings *findings, const struct matrix *matrix)
{
	struct model model = { .findings = findings, .matrix = matrix };
	struct linear_fit fit;

	if (matrix->cells[0].arm || !(findings->residual_df > 0) || !findings->primary)
		return;
	list_cells(&model);
	if (model.pages > 1 && model.records > 1) {
		fill(&model);
		linear_fit_init(&fit, model.design, model.rows, model.columns, model.response);
		for (enum physics_alignment a = 0; a < PHYSICS_ALIGNMENTS; a++)
			estimate(&model, &fit, a, &findings->physics.alignment[a]);
		linear_fit_release(&fit);
		free(model.design);
		free(model.response);
	}
	free(model.sizes);
}

/* "24059112 kB" of /proc/meminfo. */
static double machine_bytes(const struct results *results)
{
	const char *total = results_fact(results, "machine.memory_total");

	return total ? strtod(total, NULL) * 1024 : NAN;
}

double physics_data_to_memory(const struct results *results, const struct matrix *matrix,
	const char *setting, const char *level)
{
	double found = NAN;

	for (size_t i = 0; i < matrix->count; i++) {
		const struct settings *settings = &matrix->cells[i].settings;
		double memory = (double)settings_size(settings, "machine.memory", 0);
		double share;

		if (matrix->cells[i].role != CELL_STUDIED ||
			strcmp(settings_text(settings, setting, ""), level) != 0)
			continue;
		share = results_cell_mean(results, i, "run", "database_bytes") /
			(memory > 0 ? memory : machine_bytes(results));
		if (!isfinite(share))
			continue;
		/* Growth in a run and other page sizes move it a little. */
		if (isfinite(found) && fabs(log(share / found)) > 0.2)
			return NAN;
		found = isfinite(found) ? found : share;
	}
	return found;
}
