/*
 * pgbench's per-transaction log (pgbench(1), "Per-Transaction Logging") and its summary: text of
 * another program, so a parser of its own with tests and a fuzz target.
 */
#ifndef WORKLOAD_PGBENCH_LOG_H
#define WORKLOAD_PGBENCH_LOG_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one or more log files hold, added up. */
struct pgbench_log {
	uint32_t *latencies_us; /* one a transaction, sorted by pgbench_log_sort() */
	size_t count, size;
	double sum_us, sum_squares_us; /* of latencies */
	uint64_t failed, skipped, retries;
	double sum_lag_us;
	uint64_t bad_lines; /* neither a transaction nor cut off at the end of a file */
	/* By second since base_s (epoch): transactions and the sum of their latencies. */
	int64_t base_s;
	struct pgbench_second {
		uint32_t count;
		double sum_us;
	} * seconds;
	size_t second_count;
};

#define PGBENCH_SECONDS_MAX 1000000

void pgbench_log_init(struct pgbench_log *log, int64_t base_s);
void pgbench_log_release(struct pgbench_log *log);
/* Add the text of a file (or of a part that ends with a whole line). */
void pgbench_log_add(struct pgbench_log *log, const char *text, size_t length);
int pgbench_log_add_file(struct pgbench_log *log, const char *path, struct err *err);
void pgbench_log_sort(struct pgbench_log *log);
/* Latency that a share p (0 to 1) of transactions did not exceed: nearest rank; 0 when empty. */
double pgbench_log_quantile_us(const struct pgbench_log *log, double p);

/* The summary that pgbench prints at its end. */
struct pgbench_summary {
	bool has_tps;
	double tps; /* without initial connection time */
	double transactions, failed, retried, skipped;
	double latency_mean_ms, latency_stddev_ms, lag_mean_ms; /* negative: not printed */
	double connection_ms;
};
void pgbench_summary_parse(const char *text, struct pgbench_summary *ret_summary);

/* A line of "pgbench -P 1": "progress: 5.0 s, 812.3 tps, lat ..."; false if it is none. */
bool pgbench_progress_parse(const char *line, double *ret_tps);

/* "done in 3.21 s (drop tables 0.00 s, create tables 0.01 s, ...)": each part as
 * visit(context, "create tables", 0.01); returns the total, negative if there is none. */
double pgbench_init_parse(const char *text,
	void (*visit)(void *context, const char *part, double seconds), void *context);

#endif
