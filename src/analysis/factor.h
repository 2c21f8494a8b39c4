/*
 * Which setting mattered, by how much, and what depends on what: the study's factors taken apart by
 * stats/anova.h. Only for studies made of factors; arms are a ladder, their rungs differ in several
 * settings at once.
 */
#ifndef ANALYSIS_FACTOR_H
#define ANALYSIS_FACTOR_H

#include "base/arena.h"
#include "stats/verdict.h"
#include "study/matrix.h"
#include <stdbool.h>
#include <stddef.h>

#define FACTOR_COUNT_MOST 8

struct factor_level_effect {
	size_t factor; /* in factor_findings.names */
	const char *level;
	const char *reference;
	size_t by_factor; /* of an interaction: the setting it depends on; else the factor itself */
	const char *by_level;
	const char *by_reference;
	double ratio; /* level over reference, averaged over the other factors; of an interaction:
			 this ratio at by_level over the one at by_reference */
	double low, high;     /* together at 95 % over all rows of the table */
	enum verdict verdict; /* of a main effect; NONE for an interaction */
	bool differs;	      /* the interval excludes 1 */
	const char *sentence;
};

struct factor_share {
	const char *name; /* "recordsize" or "recordsize x block_size" */
	double share;	  /* of the variance, unbiased; may be slightly below 0; NAN: untestable */
	double f;
	double df, error_df;
	double p_adjusted; /* Benjamini & Hochberg over the table */
};

struct factor_findings {
	const char **names; /* settings that vary: "filesystem.recordsize" */
	size_t name_count;
	struct factor_share *shares; /* largest first */
	size_t share_count;
	struct factor_level_effect *effects;
	size_t effect_count;
	const char *reason; /* why there is no such analysis; NULL: there is */
};

struct findings;
struct results;

/* Fills findings->factors from findings->values; everything lies in findings->arena. */
void factors_analyse(
	struct findings *findings, const struct results *results, const struct matrix *matrix);

#endif
