/*
 * Simulated studies whose truth is known, with the published variance components: log value =
 * cell + block + set-up + run. Counts how often the analysis calls a difference that is not there,
 * how often its intervals hold the truth, and how often it finds an effect at the set-ups that the
 * power table names. Also times the bootstrap. Prints "name value unit" a line and a "#" line for
 * each kind of study. usage: simulated_studies STUDIES
 */
#include "base/memory.h"
#include "base/clock.h"
#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/effect.h"
#include "stats/power.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
#define SETUP_SD   0.0095 /* published: between set-ups, and between the runs of one */
#define RUN_SD	   0.0053
#define BLOCK_SD   0.03
#define EFFECT	   0.05 /* 5 % */

struct kind {
	const char *name;
	size_t cells;
	size_t setups;
	size_t runs;
	double noise; /* times the published components */
	int lost;     /* set-ups taken out, always the same ones */
	bool heavy;   /* set-up luck from Student's t with 5 degrees, same SD */
};

/* Quiet and noisy machines; screening, usual and long studies; lost set-ups; wild luck. */
static const struct kind kinds[] = {
	{ "two cells, 3 set-ups", 2, 3, 1, 1, 0, false },
	{ "5 cells, 3 set-ups", 5, 3, 1, 1, 0, false },
	{ "3 cells, 5 set-ups", 3, 5, 1, 1, 0, false },
	{ "5 cells, 5 set-ups of 3 runs", 5, 5, 3, 1, 0, false },
	{ "5 cells, 5 set-ups, 3 x noise", 5, 5, 1, 3, 0, false },
	{ "12 cells, 5 set-ups, 5 x noise", 12, 5, 1, 5, 0, false },
	{ "8 cells, 10 set-ups", 8, 10, 1, 1, 0, false },
	{ "5 cells, 6 set-ups, 3 lost", 5, 6, 1, 2, 3, false },
	{ "4 cells, 6 set-ups, heavy tails", 4, 6, 1, 2, 0, true },
};

/* What all studies of one kind share. */
struct setting {
	const struct kind *kind;
	double effect[64]; /* log ratio of each cell to cell 0 */
	double multipliers[2];
	double single;
};

struct tally {
	double studies;
	double false_by_margin;	 /* studies with a faster or slower that is not there */
	double false_any;	 /* also slightly */
	double covered_together; /* all Dunnett intervals of the study hold */
	double covered_single;	 /* one interval of one pair */
	double excluded;	 /* of the cell with an effect */
	double faster;
	double alone; /* analysed pair by pair */
};

static double heavy_normal(struct rng *rng)
{
	double squares = 0;

	for (int i = 0; i < 5; i++) {
		double z = rng_normal(rng);

		squares += z * z;
	}
	return rng_normal(rng) / sqrt(squares / 5) * sqrt(3.0 / 5);
}

static void simulate(const struct setting *setting, uint64_t study, double *values)
{
	const struct kind *kind = setting->kind;
	struct rng rng;

	rng_init(&rng, 20220414, study);
	for (size_t block = 0; block < kind->setups; block++) {
		double stretch = BLOCK_SD * rng_normal(&rng);

		for (size_t cell = 0; cell < kind->cells; cell++) {
			double luck = kind->heavy ? heavy_normal(&rng) : rng_normal(&rng);
			double runs = 0;

			for (size_t run = 0; run < kind->runs; run++)
				runs += rng_normal(&rng) / (double)kind->runs;
			values[cell * kind->setups + block] =
				exp(8 + stretch + setting->effect[cell] +
					kind->noise * (SETUP_SD * luck + RUN_SD * runs));
		}
	}
	for (int i = 0; i < kind->lost; i++)
		values[(size_t)i * kind->setups + (size_t)i] = NAN;
}

static void judge(const struct setting *setting, const struct effect_fit *fit, struct tally *tally)
{
	bool together = true, margin = false, any = false;
	struct effect single;
	const double alone[] = { setting->single, setting->single };

	for (size_t cell = 1; cell < setting->kind->cells; cell++) {
		const size_t pair[] = { cell, 0 };
		double truth = exp(setting->effect[cell]);
		struct effect effect;

		if (fit->unequal)
			effect_fit_pair_alone(
				fit, pair, setting->kind->cells - 1, CONFIDENCE, &effect);
		else
			effect_fit_compare(fit, cell, 0, setting->multipliers, &effect);
		enum verdict verdict = verdict_of(&effect, VERDICT_MARGIN, false);

		together = together && effect.low < truth && effect.high > truth;
		if (setting->effect[cell] == 0) {
			margin = margin || verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER;
			any = any || verdict_is_difference(verdict);
		} else {
			tally->excluded += effect.low > 1;
			tally->faster += verdict == VERDICT_FASTER;
		}
	}
	effect_fit_compare(fit, 1, 0, alone, &single);
	tally->studies++;
	tally->false_by_margin += margin;
	tally->false_any += any;
	tally->covered_together += together;
	tally->covered_single +=
		single.low < exp(setting->effect[1]) && single.high > exp(setting->effect[1]);
	tally->alone += fit->unequal;
}

static void run_studies(struct setting *setting, uint64_t studies, struct tally *tally)
{
	const struct kind *kind = setting->kind;
	double *values = memory_new_array(kind->cells * kind->setups, sizeof(*values));
	const struct effect_table table = {
		.cells = kind->cells, .blocks = kind->setups, .values = values
	};

	for (uint64_t study = 0; study < studies; study++) {
		struct effect_fit fit;

		simulate(setting, study, values);
		if (effect_fit_init(&fit, &table, NULL) < 0)
			abort();
		if (study == 0) {
			/* They depend on which set-ups there are, not on the values. */
			setting->multipliers[0] =
				effect_fit_multiplier(&fit, EFFECT_AGAINST_BASELINE, 0, CONFIDENCE);
			setting->multipliers[1] =
				effect_fit_multiplier(&fit, EFFECT_AGAINST_BASELINE, 0, 0.90);
			setting->single = effect_fit_multiplier(&fit, EFFECT_SINGLE, 0, CONFIDENCE);
		}
		judge(setting, &fit, tally);
		effect_fit_release(&fit);
	}
	free(values);
}

struct extremes {
	double false_by_margin, false_any, least_covered, most_covered, least_excluded,
		least_faster;
};

static void studies_without_effects(uint64_t studies, struct extremes *extremes)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct setting setting = { .kind = &kinds[i] };
		struct tally tally = { 0 };

		run_studies(&setting, studies, &tally);
		double n = tally.studies / 100;

		printf("# %s: false faster/slower %.2f %%, with slightly %.2f %%, covered together "
		       "%.2f %%, one pair %.2f %%, pair by pair %.2f %%\n",
			kinds[i].name, tally.false_by_margin / n, tally.false_any / n,
			tally.covered_together / n, tally.covered_single / n, tally.alone / n);
		extremes->false_by_margin =
			fmax(extremes->false_by_margin, tally.false_by_margin / n);
		extremes->false_any = fmax(extremes->false_any, tally.false_any / n);
		extremes->least_covered = fmin(extremes->least_covered,
			fmin(tally.covered_together, tally.covered_single) / n);
		extremes->most_covered = fmax(extremes->most_covered,
			fmax(tally.covered_together, tally.covered_single) / n);
	}
}

/* One cell 5 % faster, at the set-ups that the power table names for this noise. */
static void studies_with_an_effect(uint64_t studies, struct extremes *extremes)
{
	static const struct {
		size_t cells;
		double noise;
	} plans[] = { { 2, 1 }, { 5, 1 }, { 2, 3 }, { 5, 3 }, { 3, 5 } };

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		double sd = plans[i].noise * sqrt(SETUP_SD * SETUP_SD + RUN_SD * RUN_SD);
		struct power_design design = { sd, plans[i].cells, 0, CONFIDENCE };

		for (int word = 0; word < 2; word++) {
			double bound = word ? log1p(VERDICT_MARGIN) : 0;
			struct kind kind = { "", plans[i].cells,
				power_setups(&design, log1p(EFFECT), bound, 0.8), 1,
				plans[i].noise };
			struct setting setting = { .kind = &kind, .effect = { 0, log1p(EFFECT) } };
			struct tally tally = { 0 };

			run_studies(&setting, studies, &tally);
			printf("# %zu cells, SD %.2f %%, %zu set-ups: 1 excluded %.2f %%, faster "
			       "%.2f %%\n",
				kind.cells, 100 * sd, kind.setups,
				100 * tally.excluded / tally.studies,
				100 * tally.faster / tally.studies);
			double rate = 100 * (word ? tally.faster : tally.excluded) / tally.studies;
			double *least = word ? &extremes->least_faster : &extremes->least_excluded;

			*least = fmin(*least, rate);
		}
	}
}

static double bootstrap_seconds(void)
{
	enum { CELLS = 24, SETUPS = 10 };
	const struct bootstrap_options options = { 10000, 1, CONFIDENCE };
	struct clock *clock = clock_system();
	struct bootstrap_cell cells[CELLS];
	struct bootstrap_result results[CELLS];
	double values[CELLS * SETUPS];
	double best = INFINITY;
	struct rng rng;

	rng_init(&rng, 1, 1);
	for (size_t i = 0; i < CELLS * SETUPS; i++)
		values[i] = exp(8 + 0.02 * rng_normal(&rng));
	for (size_t cell = 0; cell < CELLS; cell++)
		cells[cell] = (struct bootstrap_cell){ values + cell * SETUPS, NULL, SETUPS };
	for (int i = 0; i < 7; i++) {
		int64_t begin = clock->now_ns(clock);

		if (bootstrap_ratios(cells, CELLS, &options, 0, results) < 0)
			abort();
		best = fmin(best, (double)(clock->now_ns(clock) - begin) / NS_PER_S);
	}
	return best;
}

int main(int argc, char **argv)
{
	struct extremes extremes = { 0, 0, 100, 0, 100, 100 };
	uint64_t studies = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;

	if (studies == 0) {
		fprintf(stderr, "usage: %s STUDIES\n", argv[0]);
		return 1;
	}
	studies_without_effects(studies, &extremes);
	studies_with_an_effect(studies, &extremes);
	printf("false_faster_slower %.2f percent\n", extremes.false_by_margin);
	printf("false_with_slightly %.2f percent\n", extremes.false_any);
	printf("coverage_least %.2f percent\n", extremes.least_covered);
	printf("coverage_most %.2f percent\n", extremes.most_covered);
	printf("effect_excluded_least %.2f percent\n", extremes.least_excluded);
	printf("effect_faster_least %.2f percent\n", extremes.least_faster);
	printf("bootstrap_seconds %.4f s\n", bootstrap_seconds());
	return 0;
}
