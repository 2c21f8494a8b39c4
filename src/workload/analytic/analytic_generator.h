/*
 * Rows of the analytic data set. Every row is a function of (seed, table, row number) alone, so
 * that chunks can be made in any order, in parallel, and again; checksums add up to the same total
 * whatever the chunks were.
 *
 * Skew, by design and tested: a parcel's article is floor(n * u^3) (1 % of the articles get 21.5 %
 * of the parcels, 10 % get 46.4 %), a shipment's sender and a parcel's destination floor(n * u^2)
 * (1 % get 10 %, 10 % get 31.6 %), u uniform; popular rows are scattered over the table. Shipments
 * are numbered roughly by date: the date of a row follows its place, with 30 days of disorder.
 */
#ifndef WORKLOAD_ANALYTIC_GENERATOR_H
#define WORKLOAD_ANALYTIC_GENERATOR_H

#include "workload/analytic/analytic_schema.h"

#define ANALYTIC_SEED	      20150101
#define ANALYTIC_FIRST_DAY    5479 /* 2015-01-01, in days since 2000-01-01 */
#define ANALYTIC_DAYS	      3653 /* ten years */
#define ANALYTIC_PARCELS_MAX  12   /* of a shipment */
#define ANALYTIC_PARCELS_MEAN 4.875

struct analytic_generator {
	uint64_t seed;
	uint64_t units[ANALYTIC_TABLES];
	bool text; /* COPY's text form instead of the binary one */
};

/* Sum of the rows' hashes, modulo 2^64: independent of their order. */
struct analytic_checksum {
	uint64_t rows;
	uint64_t bytes;
	uint64_t sum;
};

/* A range of a table; for parcels a range of shipments. */
struct analytic_chunk {
	enum analytic_table_id table;
	uint64_t first, count;
};

/* Takes a block of whole rows. Negative errno: stop. */
typedef int analytic_sink(void *context, const char *bytes, size_t length);

void analytic_generator_init(struct analytic_generator *generator, double scale, bool text);

/* Make the rows of a chunk, give them to sink (NULL: only the checksum), add to *sum. Returns 0
 * or what sink returned. Thread-safe. */
int analytic_generate(const struct analytic_generator *generator,
	const struct analytic_chunk *chunk, analytic_sink *sink, void *context,
	struct analytic_checksum *sum);

/* Checksum of a whole table. */
void analytic_table_checksum(const struct analytic_generator *generator,
	enum analytic_table_id table, struct analytic_checksum *ret_sum);

#endif
