/* What a window of pgbench leaves: its summary, its log of each transaction (see pgbench_log.h). */
#include "workload/pgbench_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "workload/pgbench_log.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_logs(struct pgbench_run *run, struct pgbench_log *log, struct trial_record *record,
	struct err *err)
{
	const char *folder = run->base.context.raw_folder;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return err_set_errno(err, -errno, "cannot list '%s'", folder);
	while (r == 0 && (entry = readdir(dir))) {
		char *path;

		if (strncmp(entry->d_name, run->log_prefix, strlen(run->log_prefix)) != 0)
			continue;
		path = memory_format("%s/%s", folder, entry->d_name);
		r = pgbench_log_add_file(log, path, err);
		trial_record_file(record, "pgbench-log", entry->d_name);
		free(path);
	}
	closedir(dir);
	return r;
}

static void record_latencies(const struct pgbench_log *log, struct trial_record *record)
{
	static const struct {
		const char *metric;
		double p;
	} quantiles[] = { { "latency_p50_ns", 0.5 }, { "latency_p90_ns", 0.9 },
		{ "latency_p95_ns", 0.95 }, { "latency_p99_ns", 0.99 },
		{ "latency_p999_ns", 0.999 }, { "latency_max_ns", 1 } };
	double n = (double)log->count, mean = log->sum_us / n;

	pgbench_sample(record, "run", "latency_mean_ns", mean * NS_PER_US);
	pgbench_sample(record, "run", "latency_stddev_ns",
		sqrt(MAX(log->sum_squares_us / n - mean * mean, 0)) * NS_PER_US);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		pgbench_sample(record, "run", quantiles[i].metric,
			pgbench_log_quantile_us(log, quantiles[i].p) * NS_PER_US);
}

/* Whole seconds only: the first and the last one are cut by the window. */
static void record_seconds(
	const struct pgbench_run *run, const struct pgbench_log *log, struct trial_record *record)
{
	int64_t last = run->measure_ns / NS_PER_S;

	for (size_t i = 1; i < log->second_count && (int64_t)i < last; i++) {
		const struct pgbench_second *second = &log->seconds[i];
		int64_t at_ns = (log->base_s + (int64_t)i) * NS_PER_S - run->measure_began_utc_ns;

		trial_record_sample(record, &(struct sample){ "tps", "run", "pgbench log",
						    second->count / run->sampling, at_ns });
		if (second->count)
			trial_record_sample(record,
				&(struct sample){ "latency_mean_ns", "run", "pgbench log",
					second->sum_us / second->count * NS_PER_US, at_ns });
	}
}

static int collect_log(struct pgbench_run *run, struct trial_record *record, struct err *err)
{
	struct pgbench_log log;
	int r;

	pgbench_log_init(&log, run->measure_began_utc_ns / NS_PER_S);
	r = read_logs(run, &log, record, err);
	if (r == 0 && log.count > 0) {
		pgbench_log_sort(&log);
		record_latencies(&log, record);
		record_seconds(run, &log, record);
	}
	if (r == 0 && log.bad_lines)
		trial_record_note(record, NOTE_WARNING, "log-lines",
			"%llu lines of pgbench's log could not be read",
			(unsigned long long)log.bad_lines);
	if (r == 0 && run->sampling < 1)
		trial_record_note(record, NOTE_INFO, "log-sampled",
			"latencies from %.1f %% of the transactions (workload.log_limit)",
			run->sampling * 100);
	pgbench_log_release(&log);
	return r;
}

/*
 * Row data that a transaction changes: widths of the new row versions without headers, from the
 * table definitions of pgbench (accounts 97, tellers 97, branches 97, history 24 bytes).
 */
static void record_row_change(
	struct pgbench_run *run, double transactions, struct trial_record *record)
{
	const char *builtin = pgbench_text(run, "script") ? NULL : pgbench_text(run, "builtin");
	double bytes;

	if (!builtin || strchr(builtin, ' '))
		return;
	bytes = strcmp(builtin, "tpcb-like") == 0	? 97 + 97 + 97 + 24
		: strcmp(builtin, "simple-update") == 0 ? 97 + 24
							: 0;
	pgbench_sample(record, "run", "row_change_bytes", bytes * transactions);
}

static void record_summary(
	struct pgbench_run *run, const struct pgbench_summary *summary, struct trial_record *record)
{
	pgbench_sample(record, "run", "tps", summary->tps);
	pgbench_sample(record, "run", "transactions", summary->transactions);
	pgbench_sample(record, "run", "transactions_failed", summary->failed);
	pgbench_sample(record, "run", "transactions_retried", summary->retried);
	pgbench_sample(record, "run", "cpu_client_user_ns", (double)run->usage.user_ns);
	pgbench_sample(record, "run", "cpu_client_system_ns", (double)run->usage.system_ns);
	if (summary->lag_mean_ms >= 0)
		pgbench_sample(
			record, "run", "schedule_lag_mean_ns", summary->lag_mean_ms * NS_PER_MS);
	if (summary->latency_mean_ms >= 0 && !run->log_prefix)
		pgbench_sample(
			record, "run", "latency_mean_ns", summary->latency_mean_ms * NS_PER_MS);
	record_row_change(run, summary->transactions, record);
	if (summary->failed > 0)
		trial_record_note(record, NOTE_SPOILED, "transactions-failed",
			"%.0f of %.0f transactions failed", summary->failed,
			summary->failed + summary->transactions);
}

int pgbench_collect(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct pgbench_run *run = CONTAINER_OF(workload, struct pgbench_run, base);
	struct pgbench_summary summary;
	struct strbuf text = STRBUF_INIT;
	int r = file_read_limited(run->output_path, 16 << 20, &text, err);

	if (r < 0)
		return r;
	pgbench_summary_parse(text.data, &summary);
	strbuf_release(&text);
	if (!summary.has_tps)
		return err_set(err, -EPROTO, "pgbench printed no tps; see '%s'", run->output_path);
	trial_record_file(record, "pgbench-output", strrchr(run->output_path, '/') + 1);
	trial_record_file(record, "pgbench-progress", strrchr(run->error_path, '/') + 1);
	if (run->log_prefix)
		r = collect_log(run, record, err);
	if (r == 0)
		record_summary(run, &summary, record);
	return r;
}
