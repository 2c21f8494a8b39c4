/* Distributions and their quantiles (see distribution.h). */
#include "stats/distribution.h"

#include <assert.h>
#include <float.h>
#include <math.h>

double normal_density(double x)
{
	return exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
}

double normal_cdf(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

double normal_quantile(double p)
{
	assert(p > 0 && p < 1);
	double tail = p < 0.5 ? p : 1.0 - p;
	double t = sqrt(-2.0 * log(tail));
	/* The lower tail's quantile, so that nothing cancels. */
	double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
				 (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));

	for (int i = 0; i < 4; i++) {
		double step = (normal_cdf(x) - tail) / normal_density(x);

		x -= step / (1.0 + 0.5 * x * step);
	}
	return p < 0.5 ? x : -x;
}

/* The continued fraction of I_x(a, b), good for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1.0;
	double d = 1.0 - (a + b) * x / (a + 1.0);
	double result;

	d = 1.0 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 20000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
		double factor;

		d = 1.0 + even * d;
		c = 1.0 + even / c;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		result *= c * d;
		d = 1.0 + odd * d;
		c = 1.0 + odd / c;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		factor = c * d;
		result *= factor;
		if (fabs(factor - 1.0) < 4 * DBL_EPSILON)
			break;
	}
	return result;
}

double beta_cdf(double x, double a, double b)
{
	int sign;

	assert(a > 0 && b > 0);
	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
			   a * log(x) + b * log1p(-x));

	if (x < (a + 1.0) / (a + b + 2.0))
		return front * beta_fraction(x, a, b) / a;
	return 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

double t_two_sided_p(double t, double df)
{
	return beta_cdf(df / (df + t * t), df / 2.0, 0.5);
}

double t_cdf(double t, double df)
{
	double half = 0.5 * t_two_sided_p(t, df);

	return t > 0 ? 1.0 - half : half;
}

/* Where an increasing function of the positive numbers reaches target: double an upper bound, then
 * halve. 200 halvings end at neighbouring doubles; it stops there. */
static double invert(double (*function)(double, const double *), const double *given, double target)
{
	double low = 0;
	double high = 1;

	while (function(high, given) < target && high < 1e300) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 200; i++) {
		double middle = 0.5 * (low + high);

		if (middle <= low || middle >= high)
			break;
		if (function(middle, given) < target)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

static double negative_t_tail(double t, const double *df)
{
	return -t_two_sided_p(t, *df);
}

double t_quantile(double p, double df)
{
	assert(p > 0 && p < 1 && df > 0);
	double tail = p < 0.5 ? p : 1.0 - p;
	double t = invert(negative_t_tail, &df, -2.0 * tail);

	return p < 0.5 ? -t : t;
}

double f_upper_p(double f, double df1, double df2)
{
	if (!(f > 0))
		return 1;
	return beta_cdf(df2 / (df2 + df1 * f), df2 / 2.0, df1 / 2.0);
}

static double negative_f_tail(double f, const double *df)
{
	return -f_upper_p(f, df[0], df[1]);
}

double f_quantile(double p, double df1, double df2)
{
	const double df[2] = { df1, df2 };

	assert(p > 0 && p < 1);
	return invert(negative_f_tail, df, -(1.0 - p));
}

double binomial_cdf(uint64_t k, uint64_t n, double p)
{
	if (k >= n)
		return 1;
	return beta_cdf(1.0 - p, (double)(n - k), (double)k + 1.0);
}

uint64_t binomial_quantile(double q, uint64_t n, double p)
{
	uint64_t low = 0;
	uint64_t high = n;

	assert(q > 0 && q < 1);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		/* A hair of slack, as in R: a cdf equal to q must not be missed by rounding. */
		if (binomial_cdf(middle, n, p) >= q * (1 - 64 * DBL_EPSILON))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double sd_ratio_density(double s, double df)
{
	int sign;

	if (!(s > 0))
		return df == 1 ? sqrt(2.0 / M_PI) : 0;
	return exp(0.5 * df * log(df) - lgamma_r(df / 2.0, &sign) - (df / 2.0 - 1.0) * M_LN2 +
		   (df - 1.0) * log(s) - 0.5 * df * s * s);
}

void sd_ratio_range(double df, double *ret_low, double *ret_high)
{
	double spread = 8.0 / sqrt(2.0 * df);

	*ret_low = fmax(0.0, 1.0 - spread);
	*ret_high = 1.0 + spread;
}
