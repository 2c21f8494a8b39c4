/* two_way: against least squares by QR on tables with holes, links between blocks, large tables. */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/linear.h"
#include "stats/two_way.h"
#include <stdlib.h>

enum { CELLS = 5, BLOCKS = 4 };

static void fill(double *values, uint64_t stream)
{
	struct rng rng;

	rng_init(&rng, 9, stream);
	for (int i = 0; i < CELLS * BLOCKS; i++)
		values[i] = i / BLOCKS + 0.3 * (i % BLOCKS) + rng_normal(&rng);
	for (int i = 0; i < 6; i++)
		values[rng_below(&rng, CELLS * BLOCKS)] = NAN;
}

static void fit_by_qr(const double *values, struct linear_fit *fit)
{
	double design[CELLS * BLOCKS * (CELLS + BLOCKS)] = { 0 }, response[CELLS * BLOCKS];
	size_t rows = 0;

	for (size_t i = 0; i < CELLS * BLOCKS; i++) {
		if (isnan(values[i]))
			continue;
		design[rows * (CELLS + BLOCKS) + i / BLOCKS] = 1;
		design[rows * (CELLS + BLOCKS) + CELLS + i % BLOCKS] = 1;
		response[rows++] = values[i];
	}
	linear_fit_init(fit, design, rows, CELLS + BLOCKS, response);
}

static void compare_pair(const struct two_way *fit, const struct linear_fit *qr, size_t a, size_t b)
{
	double weights[CELLS + BLOCKS] = { 0 }, vector[CELLS + BLOCKS], value, squares = 0;

	weights[a] = 1;
	weights[b] = -1;
	bool known = linear_contrast(qr, weights, &value, vector);

	assert_int_equal(known && fit->counts[a] && fit->counts[b], two_way_linked(fit, a, b));
	if (!known)
		return;
	for (size_t i = 0; i < CELLS + BLOCKS; i++)
		squares += vector[i] * vector[i];
	assert_close(fit->cell_effects[a] - fit->cell_effects[b], value, 1e-9);
	assert_close(two_way_variance(fit, a, b), squares, 1e-9);
}

static void agrees_with_least_squares(void **state UNUSED)
{
	for (uint64_t study = 0; study < 200; study++) {
		double values[CELLS * BLOCKS];
		struct linear_fit qr;
		struct two_way fit;

		fill(values, study);
		fit_by_qr(values, &qr);
		two_way_init(&fit, values, CELLS, BLOCKS, false);
		assert_close(fit.df, qr.rows - qr.rank, 0);
		assert_close(fit.residual_squares, qr.residual_squares, 1e-9);
		for (size_t a = 0; a < CELLS; a++)
			for (size_t b = 0; b < a; b++)
				compare_pair(&fit, &qr, a, b);
		linear_fit_release(&qr);
		two_way_release(&fit);
		two_way_release(&fit);
	}
}

static void blocks_that_nothing_links(void **state UNUSED)
{
	const double values[] = { 1, 2, NAN, NAN, 3, 5, NAN, NAN, NAN, NAN, 7, 8, NAN, NAN, NAN,
		NAN };
	struct two_way fit;

	two_way_init(&fit, values, 4, 4, false);
	assert_true(two_way_linked(&fit, 0, 1));
	assert_false(two_way_linked(&fit, 0, 2));
	assert_false(two_way_linked(&fit, 0, 3));
	assert_close(fit.cell_effects[1] - fit.cell_effects[0], 2.5, 1e-12);
	assert_close(fit.df, 1, 0);
	two_way_release(&fit);
}

static void thousands_of_cells(void **state UNUSED)
{
	const size_t cells = 5000, blocks = 5;
	double *values = calloc(cells * blocks, sizeof(*values));
	struct two_way fit;
	struct rng rng;

	rng_init(&rng, 3, 3);
	for (size_t i = 0; i < cells * blocks; i++)
		values[i] =
			rng_below(&rng, 50) ? 0.1 * (double)(i % blocks) + rng_normal(&rng) : NAN;
	two_way_init(&fit, values, cells, blocks, false);
	assert_close(fit.residual_squares / fit.df, 1, 0.03);
	two_way_release(&fit);
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_least_squares),
		cmocka_unit_test(blocks_that_nothing_links),
		cmocka_unit_test(thousands_of_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
