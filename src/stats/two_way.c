/* The additive two-way table with missing values (see two_way.h). */
#include "stats/two_way.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static bool has(const struct two_way *fit, size_t cell, size_t block)
{
	return !isnan(fit->values[cell * fit->blocks + block]);
}

static double share(const struct two_way *fit, size_t cell, size_t block)
{
	return has(fit, cell, block) ? 1.0 / (double)fit->counts[cell] : 0;
}

static size_t first_block(const struct two_way *fit, size_t cell)
{
	size_t block = 0;

	while (block < fit->blocks && !has(fit, cell, block))
		block++;
	return block;
}

/* A cell links all blocks that it has values in. Blocks are few: relabelling is cheap enough. */
static void find_components(struct two_way *fit)
{
	for (size_t block = 0; block < fit->blocks; block++)
		fit->components[block] = block;
	for (size_t cell = 0; cell < fit->cells; cell++) {
		size_t first = first_block(fit, cell);

		for (size_t block = first + 1; block < fit->blocks; block++) {
			size_t from = fit->components[block];

			if (!has(fit, cell, block) || from == fit->components[first])
				continue;
			for (size_t other = 0; other < fit->blocks; other++)
				if (fit->components[other] == from)
					fit->components[other] = fit->components[first];
		}
	}
}

/* The first block of each component is fixed at 0, and blocks without values are left out. */
static void place_blocks(struct two_way *fit)
{
	for (size_t block = 0; block < fit->blocks; block++) {
		bool any = false, first = true;

		for (size_t cell = 0; cell < fit->cells && !any; cell++)
			any = has(fit, cell, block);
		for (size_t other = 0; other < block; other++)
			first = first && fit->components[other] != fit->components[block];
		fit->places[block] = any && !first ? fit->order++ : fit->blocks;
	}
}

/* Cholesky, in place, lower triangle; the system is positive definite once a block of each
 * component is fixed. */
static void factorise(double *matrix, size_t order)
{
	for (size_t j = 0; j < order; j++) {
		for (size_t i = j; i < order; i++) {
			double sum = matrix[i * order + j];

			for (size_t k = 0; k < j; k++)
				sum -= matrix[i * order + k] * matrix[j * order + k];
			matrix[i * order + j] =
				i == j ? sqrt(fmax(sum, 1e-12)) : sum / matrix[j * order + j];
		}
	}
}

static void solve_lower(const double *factor, size_t order, double *vector)
{
	for (size_t i = 0; i < order; i++) {
		for (size_t k = 0; k < i; k++)
			vector[i] -= factor[i * order + k] * vector[k];
		vector[i] /= factor[i * order + i];
	}
}

static void solve_upper(const double *factor, size_t order, double *vector)
{
	for (size_t i = order; i-- > 0;) {
		for (size_t k = i + 1; k < order; k++)
			vector[i] -= factor[k * order + i] * vector[k];
		vector[i] /= factor[i * order + i];
	}
}

static double cell_mean(const struct two_way *fit, size_t cell)
{
	double sum = 0;

	for (size_t block = 0; block < fit->blocks; block++)
		if (has(fit, cell, block))
			sum += fit->values[cell * fit->blocks + block] - fit->block_effects[block];
	return fit->counts[cell] ? sum / (double)fit->counts[cell] : NAN;
}

/* Normal equations of the blocks with the cells eliminated. */
static void solve_blocks(struct two_way *fit)
{
	size_t order = fit->order;
	double *right = memory_new_array(order + 1, sizeof(*right));

	fit->factor = memory_new_array(order * order + 1, sizeof(*fit->factor));
	for (size_t cell = 0; cell < fit->cells; cell++) {
		double mean = cell_mean(fit, cell);

		for (size_t block = 0; block < fit->blocks; block++) {
			size_t i = fit->places[block];

			if (i == fit->blocks || !has(fit, cell, block))
				continue;
			right[i] += fit->values[cell * fit->blocks + block] - mean;
			fit->factor[i * order + i] += 1;
			for (size_t other = 0; other < fit->blocks; other++)
				if (fit->places[other] < fit->blocks)
					fit->factor[i * order + fit->places[other]] -=
						share(fit, cell, other);
		}
	}
	factorise(fit->factor, order);
	solve_lower(fit->factor, order, right);
	solve_upper(fit->factor, order, right);
	for (size_t block = 0; block < fit->blocks; block++)
		if (fit->places[block] < fit->blocks)
			fit->block_effects[block] = right[fit->places[block]];
	free(right);
}

double two_way_residual(const struct two_way *fit, size_t cell, size_t block)
{
	return fit->values[cell * fit->blocks + block] - fit->cell_effects[cell] -
	       fit->block_effects[block];
}

static void count_values(struct two_way *fit)
{
	size_t most = 0;

	for (size_t cell = 0; cell < fit->cells; cell++) {
		for (size_t block = 0; block < fit->blocks; block++)
			fit->counts[cell] += has(fit, cell, block);
		most = fit->counts[cell] > most ? fit->counts[cell] : most;
	}
	fit->complete = true;
	for (size_t cell = 0; cell < fit->cells; cell++)
		if (fit->counts[cell] > 0 &&
			(fit->counts[cell] != most || (!fit->unblocked && most != fit->blocks)))
			fit->complete = false;
}

void two_way_init(
	struct two_way *fit, const double *values, size_t cells, size_t blocks, bool unblocked)
{
	size_t rows = 0, levels = 0, block_rank = 0;

	*fit = (struct two_way){
		.cells = cells,
		.blocks = blocks,
		.values = values,
		.unblocked = unblocked,
		.counts = memory_new_array(cells, sizeof(size_t)),
		.cell_effects = memory_new_array(cells, sizeof(double)),
		.block_effects = memory_new_array(blocks, sizeof(double)),
		.components = memory_new_array(blocks, sizeof(size_t)),
		.places = memory_new_array(blocks, sizeof(size_t)),
	};
	count_values(fit);
	if (!unblocked) {
		find_components(fit);
		place_blocks(fit);
		solve_blocks(fit);
		block_rank = fit->order;
	}
	for (size_t cell = 0; cell < cells; cell++) {
		fit->cell_effects[cell] = cell_mean(fit, cell);
		rows += fit->counts[cell];
		levels += fit->counts[cell] > 0;
		for (size_t block = 0; block < blocks; block++)
			if (has(fit, cell, block))
				fit->residual_squares += two_way_residual(fit, cell, block) *
							 two_way_residual(fit, cell, block);
	}
	fit->df = (double)(rows - levels - block_rank);
}

void two_way_release(struct two_way *fit)
{
	free(fit->counts);
	free(fit->cell_effects);
	free(fit->block_effects);
	free(fit->components);
	free(fit->places);
	free(fit->factor);
	*fit = (struct two_way){ 0 };
}

bool two_way_linked(const struct two_way *fit, size_t cell, size_t baseline)
{
	if (fit->counts[cell] == 0 || fit->counts[baseline] == 0)
		return false;
	return fit->unblocked || fit->components[first_block(fit, cell)] ==
					 fit->components[first_block(fit, baseline)];
}

void two_way_block_part(const struct two_way *fit, size_t cell, size_t baseline, double *ret_vector)
{
	for (size_t i = 0; i < fit->order; i++)
		ret_vector[i] = 0;
	for (size_t block = 0; block < fit->blocks && fit->order > 0; block++)
		if (fit->places[block] < fit->blocks)
			ret_vector[fit->places[block]] =
				share(fit, cell, block) - share(fit, baseline, block);
	solve_lower(fit->factor, fit->order, ret_vector);
}

double two_way_variance(const struct two_way *fit, size_t cell, size_t baseline)
{
	double *vector = memory_new_array(fit->order + 1, sizeof(*vector));
	double variance = 1.0 / (double)fit->counts[cell] + 1.0 / (double)fit->counts[baseline];

	two_way_block_part(fit, cell, baseline, vector);
	for (size_t i = 0; i < fit->order; i++)
		variance += vector[i] * vector[i];
	free(vector);
	return variance;
}
