/*
 * Published ratios beside measured ones. A study's [published] section names pairs:
 *
 *	NAME = METRIC rows IDS / IDS cells SETTINGS / SETTINGS
 *	NAME = METRIC ratio IDS cells SETTINGS / SETTINGS
 *
 * IDS are rows of data/published.csv: the values of one side, or a ratio that the author states
 * (unit x, or % more). SETTINGS pick cells ("section.key=value", "arm=NAME"). METRIC is what is
 * measured, "tps" say. Only ratios are compared: numbers of two machines are not.
 */
#ifndef ANALYSIS_PUBLISHED_H
#define ANALYSIS_PUBLISHED_H

#include "analysis/finding.h"

/* A row of published.csv, as far as it is used. */
struct published_row {
	long id;
	double value;
	const char *unit;
};

/* One NAME = ... line taken apart; strings are the arena's. */
#define PUBLISHED_IDS_MAX 16
struct published_pair {
	const char *metric;
	bool is_ratio; /* IDS state the ratio itself */
	long over_ids[PUBLISHED_IDS_MAX], under_ids[PUBLISHED_IDS_MAX];
	size_t over_count, under_count;
	const char *over_cells, *under_cells;
};

/* -EINVAL says what is wrong with the text. Pure. */
int published_pair_parse(
	const char *text, struct arena *arena, struct published_pair *ret_pair, struct err *err);

/* Row of a table in published.csv's form, NULL: of the one compiled in. -ENOENT; -EINVAL: its value
 * is no positive number, or it has no unit. */
int published_row_find(const char *csv, long id, struct arena *arena, struct published_row *ret_row,
	struct err *err);

/* The word for two intervals of a ratio. margin: differences below it count as none. */
enum agreement published_agreement(
	double published_low, double published_high, double low, double high, double margin);

/* All pairs of the study into findings->published. */
int published_build(struct findings *findings, const struct results *results,
	const struct study *study, const struct matrix *matrix, struct err *err);

#endif
