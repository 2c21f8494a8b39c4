/*
 * Least squares by Householder QR with column pivoting (Golub & Van Loan, Matrix Computations, 4th
 * edition, 5.4.2): models with missing cells and redundant columns are found out and handled, not
 * divided by zero.
 */
#ifndef STATS_LINEAR_H
#define STATS_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

struct linear_fit {
	size_t rows;
	size_t columns;
	size_t rank;
	double residual_squares; /* sum of squared residuals; df is rows - rank */
	double *coefficients;	 /* columns; those of redundant columns are 0 */
	double *residuals;	 /* rows */
	double *upper;		 /* private: R, columns x columns, row after row */
	size_t *pivots;		 /* private: which column came when */
};

/* Fit response = design * coefficients; design is rows x columns, row after row. rows, columns > 0.
 * Always succeeds; what can't be told apart shows in rank and in linear_contrast. */
void linear_fit_init(struct linear_fit *fit, const double *design, size_t rows, size_t columns,
	const double *response);
void linear_fit_release(struct linear_fit *fit); /* fine twice */

/*
 * The estimate of sum(weights * coefficients) and, in ret_vector (columns values, may be NULL), v
 * with variance = sigma^2 * v.v and covariance of two contrasts = sigma^2 * v1.v2. False, nothing
 * written, if the data do not determine the contrast.
 */
bool linear_contrast(
	const struct linear_fit *fit, const double *weights, double *ret_value, double *ret_vector);

#endif
