/* Power of a study (see power.h). */
#include "stats/power.h"
#include "stats/distribution.h"
#include "stats/dunnett.h"

#include "base/macros.h"

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
	size_t high = SETUPS_LEAST;

	assert(effect > bound && power > 0 && power < 1);
	for (trial.setups = high; high < SETUPS_MOST && power_of(&trial, effect, bound) < power;) {
		low = high + 1;
		high = MIN(2 * high, (size_t)SETUPS_MOST);
		trial.setups = high;
	}
	while (low < high) {
		trial.setups = low + (high - low) / 2;
		if (power_of(&trial, effect, bound) >= power)
			high = trial.setups;
		else
			low = trial.setups + 1;
	}
	return low;
}

static const double table_noise[] = { 0.005, 0.01, 0.02, 0.03, 0.05 };
static const double table_effects[] = { 0.01, 0.02, 0.03, 0.05, 0.10 };

static void document_table(struct strbuf *text, size_t cells, double margin)
{
	strbuf_add_text(text, "| SD of a set-up |");
	for (size_t e = 0; e < ARRAY_SIZE(table_effects); e++)
		if (table_effects[e] > margin)
			strbuf_add_format(text, " %g %% |", 100 * table_effects[e]);
	strbuf_add_text(text, "\n| --- |");
	for (size_t e = 0; e < ARRAY_SIZE(table_effects); e++)
		if (table_effects[e] > margin)
			strbuf_add_text(text, " --- |");
	for (size_t n = 0; n < ARRAY_SIZE(table_noise); n++) {
		const struct power_design design = { table_noise[n], cells, 0, 0.95 };

		strbuf_add_format(text, "\n| %g %% |", 100 * table_noise[n]);
		for (size_t e = 0; e < ARRAY_SIZE(table_effects); e++)
			if (table_effects[e] > margin)
				strbuf_add_format(text, " %zu |",
					power_setups(&design, log1p(table_effects[e]),
						log1p(margin), 0.8));
	}
	strbuf_add_text(text, "\n");
}

void power_document(struct strbuf *text)
{
	static const size_t cells[] = { 2, 3, 5, 12 };

	strbuf_add_text(text, "# How many set-ups a study needs\n\n"
			      "Set-ups of each cell (`[design] repeats`) with which a true effect "
			      "is found in 80 % of "
			      "studies: complete\nblocks, intervals that hold together at 95 %. "
			      "The SD is that of one "
			      "set-up's value, the block's luck taken\nout; `plumb report` prints "
			      "it as residual SD. "
			      "Published pgbench series have 1 % on quiet machines, "
			      "virtual\nmachines 2 to 5 %. Fewer "
			      "than 3 give no interval, fewer than 5 a screening number.\n\n"
			      "This page is printed by `plumb document power.md`.\n");
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		strbuf_add_format(
			text, "\n## %zu cells\n\nTo exclude \"no difference\":\n\n", cells[i]);
		document_table(text, cells[i], 0);
		strbuf_add_text(text, "\nTo say \"faster\" by more than a margin of 2 %:\n\n");
		document_table(text, cells[i], 0.02);
	}
}
