/* Shared by the files of the pgbench driver. */
#ifndef WORKLOAD_PGBENCH_INTERNAL_H
#define WORKLOAD_PGBENCH_INTERNAL_H

#include "base/subprocess.h"
#include "workload/workload.h"

enum pgbench_phase { PHASE_IDLE, PHASE_WARMUP, PHASE_MEASURE, PHASE_ENDED };

struct pgbench_run {
	struct workload base;
	struct arena arena;
	struct subprocess process;
	enum pgbench_phase phase;
	int64_t warmup_ns, measure_ns;
	int64_t phase_began_ns, measure_began_utc_ns;
	double rate; /* last progress line */
	double sampling;
	const char *output_path, *error_path; /* of the running pgbench */
	const char *log_prefix;
	struct subprocess_usage usage; /* of the measured pgbench */
	off_t error_read;	       /* progress lines read so far */
};

/* Value of workload.KEY; NULL or fallback when unset. */
const char *pgbench_text(const struct pgbench_run *run, const char *key);
int64_t pgbench_integer(const struct pgbench_run *run, const char *key, int64_t fallback);

/* Add a whole-phase sample with source "pgbench". */
void pgbench_sample(
	struct trial_record *record, const char *phase, const char *metric, double value);

/* Samples, series and files of the window (pgbench_collect.c). */
int pgbench_collect(struct workload *workload, struct trial_record *record, struct err *err);

/* Rows and the checks of one cell (pgbench_settings.c). */
extern const struct setting pgbench_settings[];
int pgbench_check_settings(const struct settings *settings, struct err *err);
uint64_t pgbench_expected_bytes(const struct settings *settings);

#endif
