/*
 * Effects of cells against a baseline: the default analysis of a study. Values are taken as
 * logarithms; a cell's value is its own level plus the block's level plus noise; the noise of all
 * cells is pooled, so that three set-ups of each of five cells estimate it with eight degrees of
 * freedom, not two (Box, Hunter & Hunter, Statistics for Experimenters, 2005, chapter 4; the method
 * page's section 6 has the simulation).
 */
#ifndef STATS_EFFECT_H
#define STATS_EFFECT_H

#include "base/err.h"
#include "stats/two_way.h"

#include <stdbool.h>
#include <stddef.h>

#define EFFECT_SETUPS_LEAST   3 /* below: the ratio, but no interval */
#define EFFECT_SETUPS_SETTLED 5 /* below: a screening number */

struct effect_table {
	size_t cells;
	size_t blocks;
	const double
		*values; /* [cell * blocks + block], one per set-up, above 0; NAN: no valid one */
	bool unblocked;	 /* columns are only a count: cells were not set up block by block */
};

enum effect_status {
	EFFECT_OK,
	EFFECT_TOO_FEW, /* fewer than 3 valid set-ups in the cell or the baseline: no interval */
	EFFECT_NOT_COMPARABLE /* no set-up at all, or no chain of shared blocks: no ratio either */
};

enum effect_family {
	EFFECT_SINGLE,		 /* one comparison on its own (A/A gate) */
	EFFECT_AGAINST_BASELINE, /* all cells against one: Dunnett */
	EFFECT_ALL_PAIRS	 /* every cell against every other: max-T */
};

struct effect {
	enum effect_status status;
	size_t setups; /* of the cell or the baseline, whichever has fewer */
	double ratio;  /* cell over baseline, NAN if not comparable */
	double low;    /* interval of the ratio at the asked-for confidence, NAN if none */
	double high;
	double inner_low; /* interval at 90 % for the equivalence question, NAN if none */
	double inner_high;
	double standard_error; /* of the logarithm of the ratio */
	double df;
};

struct effect_fit {
	size_t cells;
	size_t blocks;
	double df;	    /* of the pooled residual; 0: no noise estimate */
	double residual_sd; /* of one set-up's logarithm: about the relative SD */
	bool unequal;	    /* residuals clearly differ between cells: each pair stands alone */
	bool unblocked;
	double *logs;	      /* cells x blocks, NAN: missing */
	const size_t *setups; /* valid set-ups a cell */
	struct two_way table;
};

/* -EDOM with cell and block (from 0) in err if a value is zero, negative or infinite; -ENODATA if
 * there is no value at all. On failure nothing needs releasing. */
int effect_fit_init(struct effect_fit *fit, const struct effect_table *table, struct err *err);
void effect_fit_release(struct effect_fit *fit); /* fine twice */

/* What a standard error is multiplied with so that all intervals of the family hold together with
 * the given confidence. Against a baseline Dunnett, by simulation
 * with a fixed seed where set-ups are missing; all pairs Tukey-Kramer, which errs on the wide side
 * there (Hayter, Ann. Stat. 12, 1984). NAN if no comparison of the family has an interval. baseline
 * matters for EFFECT_AGAINST_BASELINE only. */
double effect_fit_multiplier(const struct effect_fit *fit, enum effect_family family,
	size_t baseline, double confidence);

/* One comparison. multiplier and inner_multiplier come from effect_fit_multiplier at the asked-for
 * confidence and at 0.90; where fit->unequal holds they are ignored and the pair's own differences
 * are used (effect_fit_pair_alone). */
void effect_fit_compare(const struct effect_fit *fit, size_t cell, size_t baseline,
	const double multipliers[2], struct effect *ret_effect);

/* The pair by itself: paired t over shared blocks (Welch if unblocked), Bonferroni over
 * comparisons. */
void effect_fit_pair_alone(const struct effect_fit *fit, const size_t pair[2], size_t comparisons,
	double confidence, struct effect *ret_effect);

/* All of it at once for the usual table: every cell against baseline, ret_effects has table->cells
 * elements (the baseline's own is 1 [1, 1]). Errors as effect_fit_init. */
int effect_against_baseline(const struct effect_table *table, size_t baseline, double confidence,
	struct effect *ret_effects, struct err *err);

#endif
