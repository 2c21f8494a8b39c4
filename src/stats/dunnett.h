/*
 * Critical values of the largest of several |t|: what a whole table of comparisons needs so that
 * all its intervals hold together.
 */
#ifndef STATS_DUNNETT_H
#define STATS_DUNNETT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Two-sided Dunnett: count cells of equal size against one common baseline, df of the residual.
 * c with P(max |t_i| <= c) = confidence. Dunnett, JASA 50 (1955) 1096, by integration over the
 * baseline's mean and the residual SD. count = 1 is the t quantile.
 */
double dunnett_critical(size_t count, double df, double confidence);
double dunnett_probability(double critical, size_t count, double df);

/* All pairs of count cells of equal size: the studentised range quantile over sqrt(2). Tukey 1953;
 * integral as in Copenhaver & Holland, J. Stat. Comput. Simul. 30 (1988). count >= 2. */
double all_pairs_critical(size_t count, double df, double confidence);
double all_pairs_probability(double critical, size_t count, double df);

/*
 * Against one baseline where cells have different numbers of values or different blocks. Each
 * difference is own[i] * z[i] - baseline_own * z0 + shared[i] . w, all z and w independent normal
 * (own: 1 / sqrt(values); shared: stats/two_way.h). Quantile of max |t| by simulation with a fixed
 * seed, 5,000 to 200,000 draws as count and width allow: standard error 0.005 to 0.03. Genz & Bretz
 * 2009 describe the distribution. df >= 1.
 */
struct max_t_family {
	size_t count;
	size_t width;
	double baseline_own;
	const double *own;    /* count */
	const double *shared; /* count x width */
};
double max_t_critical(const struct max_t_family *family, double df, double confidence);

#endif
