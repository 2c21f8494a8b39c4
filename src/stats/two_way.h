/*
 * The additive two-way table: value = cell + block + noise, with values missing anywhere. Cells are
 * eliminated first, which leaves a system of the size of the blocks (Searle, Linear Models, 1971,
 * 7.1), so that thousands of cells cost no more than reading them.
 */
#ifndef STATS_TWO_WAY_H
#define STATS_TWO_WAY_H

#include <stdbool.h>
#include <stddef.h>

struct two_way {
	size_t cells, blocks;
	const double *values; /* lent: [cell * blocks + block], NAN missing */
	size_t *counts;	      /* values a cell */
	double *cell_effects; /* level of each cell; NAN without values */
	double *block_effects;
	double df;		 /* of the residual */
	double residual_squares; /* sum */
	bool complete;		 /* every cell that has values has one in every block */
	/* private */
	bool unblocked;
	size_t *components; /* of each block: blocks that no cell links lie in different ones */
	size_t *places;	    /* of each block: row in factor, or blocks: fixed at 0 */
	size_t order;	    /* of factor */
	double *factor;	    /* Cholesky factor of the blocks' system, order x order */
};

/* unblocked: columns are only a count, all block effects are 0. */
void two_way_init(
	struct two_way *fit, const double *values, size_t cells, size_t blocks, bool unblocked);
void two_way_release(struct two_way *fit); /* fine twice */

/* Do the data determine the difference of two cells? */
bool two_way_linked(const struct two_way *fit, size_t cell, size_t baseline);

/* What the variance of the difference has beside 1 / counts[cell] + 1 / counts[baseline]: the
 * squared length of ret_vector (order values), by which covariances of differences follow too.
 * Zero when both have the same blocks. */
void two_way_block_part(
	const struct two_way *fit, size_t cell, size_t baseline, double *ret_vector);

/* Variance of the difference of two linked cells, in units of the residual variance. */
double two_way_variance(const struct two_way *fit, size_t cell, size_t baseline);

/* Residuals, [cell * blocks + block], NAN where missing. */
double two_way_residual(const struct two_way *fit, size_t cell, size_t block);

#endif
