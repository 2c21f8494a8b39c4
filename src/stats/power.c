/* Power of a study (see power.h). */
#include "stats/power.h"
#include "stats/distribution.h"
#include "stats/dunnett.h"

#include <assert.h>
#include <math.h>

#define SETUPS_LEAST 3
#define SETUPS_MOST  10000
#define INTERVALS    400 /* of Simpson's rule over the residual SD */

double power_of(const struct power_design *design, double effect, double bound)
{
	assert(design->cells >= 2 && design->setups >= 2 && design->sd > 0);
	double df = (double)(design->cells - 1) * (double)(design->setups - 1);
	double critical = dunnett_critical(design->cells - 1, df, design->confidence);
	double error = design->sd * sqrt(2.0 / (double)design->setups);
	double low, high, sum = 0;

	sd_ratio_range(df, &low, &high);
	double step = (high - low) / INTERVALS;

	for (int i = 0; i <= INTERVALS; i++) {
		double s = low + i * step;
		double weight = i == 0 || i == INTERVALS ? 1 : i % 2 == 1 ? 4 : 2;

		sum += weight * sd_ratio_density(s, df) *
		       normal_cdf((effect - bound) / error - critical * s);
	}
	return fmin(1, sum * step / 3);
}

size_t power_setups(const struct power_design *design, double effect, double bound, double power)
{
	struct power_design trial = *design;
	size_t low = SETUPS_LEAST;
	size_t high = SETUPS_MOST;

	assert(effect > bound && power > 0 && power < 1);
	while (low < high) {
		trial.setups = low + (high - low) / 2;
		if (power_of(&trial, effect, bound) >= power)
			high = trial.setups;
		else
			low = trial.setups + 1;
	}
	return low;
}
