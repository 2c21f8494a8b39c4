/* Loading the analytic data set into a server over libpq, each part timed apart. */
#ifndef WORKLOAD_ANALYTIC_LOAD_H
#define WORKLOAD_ANALYTIC_LOAD_H

#include "base/clock.h"
#include "base/err.h"
#include "workload/analytic/analytic_generator.h"

enum analytic_part {
	ANALYTIC_PART_TABLES, /* CREATE TABLE */
	ANALYTIC_PART_COPY,   /* generate and COPY, all tables */
	ANALYTIC_PART_KEYS,   /* primary keys */
	ANALYTIC_PART_FOREIGN_KEYS,
	ANALYTIC_PART_INDEXES,
	ANALYTIC_PART_STATISTICS, /* VACUUM FREEZE, ANALYZE */
	ANALYTIC_PARTS,
};
extern const char *const analytic_part_names[ANALYTIC_PARTS];

struct analytic_load {
	const char *connection; /* libpq connection string */
	double scale;
	int jobs;  /* connections that COPY at once */
	bool text; /* COPY in text form */
	bool foreign_keys;
	int statistics_target; /* of ANALYZE */
	struct clock *clock;
	/* Optional. Called from one thread, several times a second; true: stop with -EINTR. */
	bool (*progress)(void *listener, enum analytic_part part, double fraction);
	void *listener;
};

struct analytic_load_result {
	int64_t part_ns[ANALYTIC_PARTS];
	struct analytic_checksum tables[ANALYTIC_TABLES];
	int64_t generate_ns; /* of part_ns[COPY], summed over jobs: time not waiting for libpq */
	int64_t send_ns;     /* the rest of that sum: libpq and the server */
};

/* Make the tables in an empty database and fill them. -ECONNREFUSED, -EPROTO (err has the
 * server's message), -EINTR. */
int analytic_load_run(
	const struct analytic_load *load, struct analytic_load_result *ret_result, struct err *err);

#endif
