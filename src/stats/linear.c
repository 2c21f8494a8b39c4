/* Least squares by pivoted QR (see linear.h). */
#include "stats/linear.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE 1e-9

static double tail_squares(const double *column, size_t from, size_t rows)
{
	double sum = 0;

	for (size_t i = from; i < rows; i++)
		sum += column[i] * column[i];
	return sum;
}

/* Bring the column with the longest rest to position step. Returns the squared length. */
static double pivot(struct linear_fit *fit, double **columns, size_t step)
{
	size_t best = step;
	double longest = -1;

	for (size_t j = step; j < fit->columns; j++) {
		double squares = tail_squares(columns[j], step, fit->rows);

		/* Only a clearly longer one: ties keep the caller's order, so that results do not
		 * hang on rounding. */
		if (squares > longest * (1 + 1e-9)) {
			longest = squares;
			best = j;
		}
	}
	double *column = columns[best];
	size_t number = fit->pivots[best];

	columns[best] = columns[step];
	fit->pivots[best] = fit->pivots[step];
	columns[step] = column;
	fit->pivots[step] = number;
	return longest;
}

static void reflect(
	const double *reflector, double squares, double *target, size_t from, size_t rows)
{
	double product = 0;

	for (size_t i = from; i < rows; i++)
		product += reflector[i] * target[i];
	for (size_t i = from; i < rows; i++)
		target[i] -= 2 * product / squares * reflector[i];
}

/* Turn the columns into R above the diagonal and rotate response along. Returns the rank. */
static size_t factorise(struct linear_fit *fit, double **columns, double *response)
{
	double *reflector = memory_new_array(fit->rows, sizeof(*reflector));
	size_t steps = fit->rows < fit->columns ? fit->rows : fit->columns;
	double first = 0;
	size_t step;

	for (step = 0; step < steps; step++) {
		double squares = pivot(fit, columns, step);

		if (step == 0)
			first = squares;
		if (squares <= first * RANK_TOLERANCE * RANK_TOLERANCE || squares == 0)
			break;
		double *column = columns[step];
		double diagonal = column[step] > 0 ? -sqrt(squares) : sqrt(squares);

		memcpy(reflector + step, column + step, (fit->rows - step) * sizeof(*reflector));
		reflector[step] -= diagonal;
		double length = tail_squares(reflector, step, fit->rows);

		for (size_t j = step; j < fit->columns; j++)
			reflect(reflector, length, columns[j], step, fit->rows);
		reflect(reflector, length, response, step, fit->rows);
	}
	free(reflector);
	return step;
}

static void solve_upper(struct linear_fit *fit, const double *rotated)
{
	double *solution = memory_new_array(fit->columns, sizeof(*solution));

	for (size_t i = fit->rank; i-- > 0;) {
		double sum = rotated[i];

		for (size_t j = i + 1; j < fit->rank; j++)
			sum -= fit->upper[i * fit->columns + j] * solution[j];
		solution[i] = sum / fit->upper[i * fit->columns + i];
	}
	for (size_t i = 0; i < fit->rank; i++)
		fit->coefficients[fit->pivots[i]] = solution[i];
	free(solution);
}

void linear_fit_init(struct linear_fit *fit, const double *design, size_t rows, size_t columns,
	const double *response)
{
	assert(rows > 0 && columns > 0);
	double *work = memory_new_array(rows * columns, sizeof(*work));
	double **column = memory_new_array(columns, sizeof(*column));
	double *rotated = memory_new_array(rows, sizeof(*rotated));

	*fit = (struct linear_fit){
		.rows = rows,
		.columns = columns,
		.coefficients = memory_new_array(columns, sizeof(double)),
		.residuals = memory_new_array(rows, sizeof(double)),
		.upper = memory_new_array(columns * columns, sizeof(double)),
		.pivots = memory_new_array(columns, sizeof(size_t)),
	};
	for (size_t j = 0; j < columns; j++) {
		column[j] = work + j * rows;
		fit->pivots[j] = j;
		for (size_t i = 0; i < rows; i++)
			column[j][i] = design[i * columns + j];
	}
	memcpy(rotated, response, rows * sizeof(*rotated));
	fit->rank = factorise(fit, column, rotated);
	for (size_t i = 0; i < fit->rank; i++)
		for (size_t j = i; j < columns; j++)
			fit->upper[i * columns + j] = column[j][i];
	solve_upper(fit, rotated);
	for (size_t i = 0; i < rows; i++) {
		double fitted = 0;

		for (size_t j = 0; j < columns; j++)
			fitted += design[i * columns + j] * fit->coefficients[j];
		fit->residuals[i] = response[i] - fitted;
	}
	fit->residual_squares = tail_squares(rotated, fit->rank, rows);
	free(rotated);
	free(column);
	free(work);
}

void linear_fit_release(struct linear_fit *fit)
{
	free(fit->coefficients);
	free(fit->residuals);
	free(fit->upper);
	free(fit->pivots);
	*fit = (struct linear_fit){ 0 };
}

bool linear_contrast(
	const struct linear_fit *fit, const double *weights, double *ret_value, double *ret_vector)
{
	size_t columns = fit->columns;
	double *vector = memory_new_array(columns, sizeof(*vector));
	double largest = 0;
	double value = 0;
	bool determined = true;

	/* vector = R11^-T w1; the contrast is determined if R12^T vector gives back w2. */
	for (size_t i = 0; i < fit->rank; i++) {
		double sum = weights[fit->pivots[i]];

		for (size_t j = 0; j < i; j++)
			sum -= fit->upper[j * columns + i] * vector[j];
		vector[i] = sum / fit->upper[i * columns + i];
	}
	for (size_t i = 0; i < columns; i++) {
		largest = fmax(largest, fabs(weights[i]));
		value += weights[i] * fit->coefficients[i];
	}
	for (size_t k = fit->rank; k < columns; k++) {
		double implied = 0;

		for (size_t i = 0; i < fit->rank; i++)
			implied += fit->upper[i * columns + k] * vector[i];
		if (fabs(implied - weights[fit->pivots[k]]) > 1e-6 * largest)
			determined = false;
	}
	if (determined) {
		*ret_value = value;
		if (ret_vector)
			memcpy(ret_vector, vector, columns * sizeof(*vector));
	}
	free(vector);
	return determined;
}
