/*
 * Which cell to use, and which cells nobody should: speed, space, device writes and safety weighed
 * against each other, not added up.
 */
#ifndef ANALYSIS_RECOMMENDATION_H
#define ANALYSIS_RECOMMENDATION_H

#include "analysis/safety.h"
#include "base/err.h"
#include "stats/effect.h"
#include "study/matrix.h"
#include <stdbool.h>
#include <stddef.h>

struct cell_choice {
	enum safety safety;
	const char *safety_reason; /* NULL when durable */
	size_t beaten_by;	   /* shown better in one, worse in none; its own index: none */
	bool with_fastest;	   /* its interval against the fastest acceptable cell holds 1 */
};

struct recommendation {
	struct cell_choice *cells; /* as findings->cells */
	bool found;
	size_t cell;	      /* the recommended one */
	const char *sentence; /* never NULL */
};

struct findings;
struct results;

/* Fills findings->recommendation. fit: of all cells; NULL when there is nothing to compare. */
void recommendation_make(struct findings *findings, const struct results *results,
	const struct matrix *matrix, const struct effect_fit *fit);

#endif
