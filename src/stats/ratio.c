/* Ratios of two sets of positive values (see ratio.h). */
#include "stats/ratio.h"
#include "stats/distribution.h"
#include "stats/summary.h"

#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The logarithms, or NULL with err set. */
static double *logarithms(const double *values, size_t count, struct err *err)
{
	double *logs = memory_new_array(count ? count : 1, sizeof(*logs));

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0) || isinf(values[i])) {
			err_set(err, -EDOM, "value %zu is %g: a ratio needs values above zero",
				i + 1, values[i]);
			free(logs);
			return NULL;
		}
		logs[i] = log(values[i]);
	}
	return logs;
}

static void finish(struct ratio *ratio, double confidence)
{
	double half = t_quantile(0.5 + confidence / 2, ratio->df) * ratio->standard_error;

	ratio->ratio = exp(ratio->log_ratio);
	ratio->low = exp(ratio->log_ratio - half);
	ratio->high = exp(ratio->log_ratio + half);
	if (ratio->standard_error > 0) {
		ratio->t = ratio->log_ratio / ratio->standard_error;
		ratio->p = t_two_sided_p(ratio->t, ratio->df);
	} else {
		ratio->t = ratio->log_ratio == 0 ? 0 : copysign(INFINITY, ratio->log_ratio);
		ratio->p = ratio->log_ratio == 0 ? 1 : 0;
	}
}

int ratio_paired(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err)
{
	size_t count = a.count;

	if (a.count != b.count)
		return err_set(
			err, -EINVAL, "%zu values cannot be paired with %zu", a.count, b.count);
	if (count < 2)
		return err_set(err, -ENODATA, "%zu pairs: an interval needs at least two", count);
	double *first = logarithms(a.values, count, err);
	double *second = first ? logarithms(b.values, count, err) : NULL;

	if (!second) {
		free(first);
		return -EDOM;
	}
	for (size_t i = 0; i < count; i++)
		second[i] -= first[i];
	struct ratio ratio = {
		.log_ratio = summary_mean(second, count),
		.standard_error = sqrt(summary_variance(second, count) / (double)count),
		.df = (double)count - 1,
	};

	finish(&ratio, confidence);
	*ret_ratio = ratio;
	free(first);
	free(second);
	return 0;
}

/* Degrees of freedom and standard error from the two variances of one value each. */
typedef void combine(const double variance[2], const double count[2], struct ratio *ratio);

static void combine_welch(const double variance[2], const double count[2], struct ratio *ratio)
{
	double u = variance[0] / count[0];
	double w = variance[1] / count[1];
	double below = u * u / (count[0] - 1) + w * w / (count[1] - 1);

	ratio->standard_error = sqrt(u + w);
	/* No spread at all: any degrees of freedom do. */
	ratio->df = below > 0 ? (u + w) * (u + w) / below : count[0] + count[1] - 2;
}

static void combine_pooled(const double variance[2], const double count[2], struct ratio *ratio)
{
	ratio->df = count[0] + count[1] - 2;
	double pooled = (variance[0] * (count[0] - 1) + variance[1] * (count[1] - 1)) / ratio->df;

	ratio->standard_error = sqrt(pooled * (1 / count[0] + 1 / count[1]));
}

static int unpaired(const struct ratio_sample sets[2], combine *method, double confidence,
	struct ratio *ret_ratio, struct err *err)
{
	double mean[2];
	double variance[2];
	double count[2];
	struct ratio ratio = { 0 };

	for (int i = 0; i < 2; i++) {
		if (sets[i].count < 2)
			return err_set(err, -ENODATA,
				"%zu values on one side: an interval needs at least two",
				sets[i].count);
		double *logs = logarithms(sets[i].values, sets[i].count, err);

		if (!logs)
			return -EDOM;
		mean[i] = summary_mean(logs, sets[i].count);
		variance[i] = summary_variance(logs, sets[i].count);
		count[i] = (double)sets[i].count;
		free(logs);
	}
	ratio.log_ratio = mean[1] - mean[0];
	method(variance, count, &ratio);
	finish(&ratio, confidence);
	*ret_ratio = ratio;
	return 0;
}

int ratio_welch(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err)
{
	const struct ratio_sample sets[2] = { a, b };

	return unpaired(sets, combine_welch, confidence, ret_ratio, err);
}

int ratio_pooled(struct ratio_sample a, struct ratio_sample b, double confidence,
	struct ratio *ret_ratio, struct err *err)
{
	const struct ratio_sample sets[2] = { a, b };

	return unpaired(sets, combine_pooled, confidence, ret_ratio, err);
}

struct tost ratio_tost(double log_ratio, double standard_error, double df, double log_margin)
{
	return (struct tost){
		.p_lower = t_cdf(-(log_ratio + log_margin) / standard_error, df),
		.p_upper = t_cdf((log_ratio - log_margin) / standard_error, df),
	};
}
