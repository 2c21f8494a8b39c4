/* distribution: against values of R 4.2.2 and SciPy 1.10, and against themselves. */
#include "unit/close.h"

#include "stats/distribution.h"

static void normal(void **state UNUSED)
{
	assert_near(normal_quantile(1e-10), -6.361340902404056, 1e-13);
	assert_near(normal_quantile(0.001), -3.090232306167813, 1e-14);
	assert_near(normal_quantile(0.025), -1.9599639845400545, 1e-14);
	assert_near(normal_quantile(0.9), 1.2815515655446004, 1e-14);
	assert_near(normal_quantile(0.9999), 3.719016485455709, 1e-12);
	assert_close(normal_quantile(0.5), 0, 1e-15);
	for (double p = 0.001; p < 1; p += 0.007)
		assert_close(normal_cdf(normal_quantile(p)), p, 1e-14);
}

static void student(void **state UNUSED)
{
	static const double cases[][3] = {
		{ 0.975, 1, 12.706204736432095 },
		{ 0.975, 2, 4.302652729911275 },
		{ 0.975, 3.280212, 3.0340427772163223 },
		{ 0.975, 4, 2.7764451051977987 },
		{ 0.995, 8, 3.3553873313333957 },
		{ 0.9, 100, 1.2900747613398769 },
		{ 0.975, 1e5, 1.9599877075346093 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_near(t_quantile(cases[i][0], cases[i][1]), cases[i][2], 1e-10);
		assert_near(t_quantile(1 - cases[i][0], cases[i][1]), -cases[i][2], 1e-10);
		assert_close(t_cdf(cases[i][2], cases[i][1]), cases[i][0], 1e-11);
	}
	assert_near(t_two_sided_p(6.7757501, 3.280212), 0.004918763164383836, 1e-11);
	assert_near(t_two_sided_p(-9.2525083, 5), 0.0002478181399764935, 1e-11);
	assert_near(t_two_sided_p(40, 3), 3.438068078915854e-05, 1e-11);
}

static void fisher(void **state UNUSED)
{
	assert_near(f_upper_p(8.8313225, 6, 14), 0.00041893956223466394, 1e-10);
	assert_near(f_upper_p(9.88976, 1, 8), 0.013705604072154445, 1e-10);
	assert_near(f_upper_p(581.47201, 1, 8), 9.326884159833574e-09, 1e-10);
	assert_near(f_upper_p(0.5, 3, 20), 0.6865186128364029, 1e-12);
	assert_close(f_upper_p(0, 3, 20), 1, 0);
	assert_near(f_quantile(0.95, 6, 14), 2.8477259959253582, 1e-10);
	assert_near(f_quantile(0.99, 1, 8), 11.258624143272643, 1e-10);
	assert_near(f_quantile(0.5, 40, 2), 1.417839443660824, 1e-10);
}

static void binomial(void **state UNUSED)
{
	assert_near(binomial_cdf(3, 10, 0.5), 0.171875, 1e-13);
	assert_near(binomial_cdf(365, 368, 0.99), 0.7126080337483476, 1e-11);
	assert_near(binomial_cdf(0, 5, 0.1), 0.59049, 1e-13);
	assert_int_equal(binomial_quantile(0.025, 368, 0.99), 360);
	assert_int_equal(binomial_quantile(0.975, 368, 0.99), 367);
	assert_int_equal(binomial_quantile(0.975, 367, 0.99), 367);
	assert_int_equal(binomial_quantile(0.975, 3688, 0.999), 3687);
	assert_int_equal(binomial_quantile(0.025, 100, 0.5), 40);
	assert_int_equal(binomial_quantile(0.975, 100, 0.5), 60);
	assert_int_equal(binomial_quantile(0.59049, 5, 0.1), 0);
}

static void sd_density_has_mass_one(void **state UNUSED)
{
	for (double df = 1; df < 3000; df *= 3) {
		double low, high, sum = 0;

		sd_ratio_range(df, &low, &high);
		for (int i = 0; i < 20000; i++)
			sum += sd_ratio_density(low + (i + 0.5) * (high - low) / 20000, df);
		assert_close(sum * (high - low) / 20000, 1, 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal),
		cmocka_unit_test(student),
		cmocka_unit_test(fisher),
		cmocka_unit_test(binomial),
		cmocka_unit_test(sd_density_has_mass_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
