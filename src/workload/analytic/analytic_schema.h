/*
 * The analytic data set: a parcel network as a star of two facts (parcel, shipment) and four
 * dimensions. Names, columns, sizes and skew are plumb's own; results are not comparable to TPC
 * results. Everything here is data: definitions as SQL, row counts by scale.
 */
#ifndef WORKLOAD_ANALYTIC_SCHEMA_H
#define WORKLOAD_ANALYTIC_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum analytic_table_id {
	ANALYTIC_DEPOT,
	ANALYTIC_CARRIER,
	ANALYTIC_ARTICLE,
	ANALYTIC_SENDER,
	ANALYTIC_SHIPMENT,
	ANALYTIC_PARCEL,
	ANALYTIC_TABLES,
};

struct analytic_table {
	const char *name;
	const char *columns;	 /* of CREATE TABLE */
	uint64_t fixed_rows;	 /* at any scale */
	uint64_t rows_per_scale; /* at scale 1; parcels: shipments, each with 1 to 12 parcels */
	uint64_t bytes_per_row;	 /* about, in the heap, for the space check */
	const char *primary_key; /* ALTER TABLE ... */
};
extern const struct analytic_table analytic_tables[ANALYTIC_TABLES];

/* Each ends with NULL: statements of the phases "foreign_keys" and "indexes". */
extern const char *const analytic_foreign_keys[];
extern const char *const analytic_indexes[];

#define ANALYTIC_SCALE_MIN 0.001
#define ANALYTIC_SCALE_MAX 10000.0

/* Rows that a generator is asked for: for parcels the number of shipments. */
uint64_t analytic_units(enum analytic_table_id table, double scale);
/* About how much the loaded database takes, indexes included; scale 1 is about 1.1 GB. */
uint64_t analytic_database_bytes(double scale);

#endif
