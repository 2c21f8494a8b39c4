/* Critical values of the largest |t| (see dunnett.h). */
#include "stats/dunnett.h"
#include "stats/distribution.h"

#include "base/memory.h"
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define MAX_T_DRAWS_MOST  200000
#define MAX_T_DRAWS_LEAST 5000
#define MAX_T_WORK	  2e7 /* normal values and products that a call may cost: about a second */
#define MAX_T_SEED	  0x6d61782d74ULL

/* P(no |t| above critical) given the residual SD is s times the true one. */
typedef double given_sd(double scaled, size_t count);

/* Trapezoid sums of smooth functions that fall off like a normal density converge faster than any
 * power of the step; 0.4 gives 1e-12 here. */
#define STEP	   0.4
#define HALF_STEPS 21

static double dunnett_given_sd(double scaled, size_t count)
{
	double width = M_SQRT2 * scaled;
	double sum = 0;

	for (int i = 0; i <= HALF_STEPS; i++) {
		double x = i * STEP;

		sum += (i == 0 ? 1 : 2) * normal_density(x) *
		       pow(normal_cdf(x + width) - normal_cdf(x - width), (double)count);
	}
	return sum * STEP;
}

static double range_given_sd(double scaled, size_t count)
{
	double width = M_SQRT2 * scaled;
	double sum = 0;

	for (int i = -HALF_STEPS; i <= HALF_STEPS; i++) {
		double x = i * STEP;

		sum += normal_density(x) *
		       pow(normal_cdf(x) - normal_cdf(x - width), (double)count - 1);
	}
	return fmin(1.0, sum * STEP * (double)count);
}

/* Average over the distribution of the residual SD, by Simpson's rule. */
static double over_sd(given_sd *function, double critical, size_t count, double df)
{
	/* With few degrees the density does not reach zero smoothly at s = 0. */
	const int intervals = df < 5 ? 256 : 64;
	double low, high, sum = 0;

	sd_ratio_range(df, &low, &high);
	double step = (high - low) / intervals;

	for (int i = 0; i <= intervals; i++) {
		double s = low + i * step;
		double weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;

		sum += weight * sd_ratio_density(s, df) * function(critical * s, count);
	}
	return fmin(1.0, sum * step / 3.0);
}

/* Regula falsi with the Illinois change on P(c) - confidence: the function is smooth and rising. */
static double solve(given_sd *function, size_t count, double df, double confidence)
{
	double low = 0;
	double at_low = -confidence;
	double high = t_quantile(0.5 + confidence / 2, df);
	double at_high = over_sd(function, high, count, df) - confidence;

	while (at_high < 0) {
		low = high;
		at_low = at_high;
		high *= 1.5;
		at_high = over_sd(function, high, count, df) - confidence;
	}
	for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
		double next = (low * at_high - high * at_low) / (at_high - at_low);
		double at_next = over_sd(function, next, count, df) - confidence;

		if (fabs(at_next) < 1e-12)
			return next;
		if (at_next < 0) {
			low = next;
			at_low = at_next;
			at_high /= 2;
		} else {
			high = next;
			at_high = at_next;
			at_low /= 2;
		}
	}
	return 0.5 * (low + high);
}

double dunnett_probability(double critical, size_t count, double df)
{
	return over_sd(dunnett_given_sd, critical, count, df);
}

double dunnett_critical(size_t count, double df, double confidence)
{
	assert(count > 0 && df > 0 && confidence > 0 && confidence < 1);
	if (count == 1)
		return t_quantile(0.5 + confidence / 2, df);
	return solve(dunnett_given_sd, count, df, confidence);
}

double all_pairs_probability(double critical, size_t count, double df)
{
	return over_sd(range_given_sd, critical, count, df);
}

double all_pairs_critical(size_t count, double df, double confidence)
{
	assert(count > 1 && df > 0 && confidence > 0 && confidence < 1);
	if (count == 2)
		return t_quantile(0.5 + confidence / 2, df);
	return solve(range_given_sd, count, df, confidence);
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

/* S/sigma from one normal value: Wilson & Hilferty, PNAS 17 (1931); for few degrees of freedom the
 * sum of squares itself. */
static double draw_sd_ratio(struct rng *rng, double df)
{
	double sum = 0;

	if (df > 30) {
		double cube = 1 - 2 / (9 * df) + rng_normal(rng) * sqrt(2 / (9 * df));

		return sqrt(cube * cube * cube);
	}
	for (int i = 0; i < (int)(df + 0.5); i++) {
		double z = rng_normal(rng);

		sum += z * z;
	}
	return sqrt(sum / floor(df + 0.5));
}

/* One draw of the largest |t|, the residual SD being the true one. */
static double draw_largest(const struct max_t_family *family, const double *lengths,
	double *shared_normals, struct rng *rng)
{
	double baseline = family->baseline_own * rng_normal(rng);
	double most = 0;

	for (size_t k = 0; k < family->width; k++)
		shared_normals[k] = rng_normal(rng);
	for (size_t i = 0; i < family->count; i++) {
		double sum = family->own[i] * rng_normal(rng) - baseline;

		for (size_t k = 0; k < family->width; k++)
			sum += family->shared[i * family->width + k] * shared_normals[k];
		most = fmax(most, fabs(sum) / lengths[i]);
	}
	return most;
}

static double length_of(const struct max_t_family *family, size_t i)
{
	double squares =
		family->own[i] * family->own[i] + family->baseline_own * family->baseline_own;

	for (size_t k = 0; k < family->width; k++)
		squares += family->shared[i * family->width + k] *
			   family->shared[i * family->width + k];
	return sqrt(squares);
}

double max_t_critical(const struct max_t_family *family, double df, double confidence)
{
	double affordable = MAX_T_WORK / ((double)family->count * (1 + (double)family->width / 10));
	size_t draws = (size_t)fmin(MAX_T_DRAWS_MOST, fmax(MAX_T_DRAWS_LEAST, affordable));
	double *largest = memory_new_array(draws, sizeof(*largest));
	double *normals = memory_new_array(family->width + 1, sizeof(*normals));
	double *lengths = memory_new_array(family->count, sizeof(*lengths));
	struct rng rng;

	assert(family->count > 0 && df >= 1);
	rng_init(&rng, MAX_T_SEED, 0);
	for (size_t i = 0; i < family->count; i++)
		lengths[i] = length_of(family, i);
	for (size_t draw = 0; draw < draws; draw++)
		largest[draw] =
			draw_largest(family, lengths, normals, &rng) / draw_sd_ratio(&rng, df);
	qsort(largest, draws, sizeof(*largest), compare_doubles);
	double result = largest[(size_t)ceil(confidence * (double)draws) - 1];

	free(lengths);
	free(normals);
	free(largest);
	return result;
}
