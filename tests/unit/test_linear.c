/* linear: known fits, redundant columns, contrasts that the data do not determine. */
#include "unit/close.h"

#include "stats/linear.h"

static void straight_line(void **state UNUSED)
{
	const double design[] = { 1, 1, 1, 2, 1, 3, 1, 4 };
	const double response[] = { 6, 5, 7, 10 };
	const double slope[] = { 0, 1 };
	struct linear_fit fit;
	double value, vector[2];

	linear_fit_init(&fit, design, 4, 2, response);
	assert_int_equal(fit.rank, 2);
	assert_near(fit.coefficients[0], 3.5, 1e-12);
	assert_near(fit.coefficients[1], 1.4, 1e-12);
	assert_near(fit.residual_squares, 4.2, 1e-12);
	assert_near(fit.residuals[0], 1.1, 1e-12);
	assert_true(linear_contrast(&fit, slope, &value, vector));
	assert_near(value, 1.4, 1e-12);
	assert_near(vector[0] * vector[0] + vector[1] * vector[1], 1.0 / 5, 1e-12);
	linear_fit_release(&fit);
	linear_fit_release(&fit);
}

static void redundant_columns(void **state UNUSED)
{
	/* Two groups, and a column for each next to the constant. */
	const double design[] = { 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1 };
	const double response[] = { 1, 3, 10, 12 };
	const double difference[] = { 0, -1, 1 };
	const double one_group[] = { 0, 0, 1 };
	struct linear_fit fit;
	double value = 7;

	linear_fit_init(&fit, design, 4, 3, response);
	assert_int_equal(fit.rank, 2);
	assert_near(fit.residual_squares, 4, 1e-12);
	assert_true(linear_contrast(&fit, difference, &value, NULL));
	assert_near(value, 9, 1e-12);
	value = 7;
	assert_false(linear_contrast(&fit, one_group, &value, NULL));
	assert_close(value, 7, 0);
	linear_fit_release(&fit);
}

static void more_columns_than_rows(void **state UNUSED)
{
	const double design[] = { 1, 2, 3 };
	const double response[] = { 6 };
	struct linear_fit fit;

	linear_fit_init(&fit, design, 1, 3, response);
	assert_int_equal(fit.rank, 1);
	assert_close(fit.residual_squares, 0, 1e-20);
	linear_fit_release(&fit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_line),
		cmocka_unit_test(redundant_columns),
		cmocka_unit_test(more_columns_than_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
