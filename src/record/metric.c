/*
 * Every metric plumb knows. To add one: add a row; docs/metrics.md follows. Names say unit last; a
 * family ("zfs_arc_*") is for counters that a driver passes through under its own names.
 */
#include "record/metric.h"

#include "base/macros.h"

#include <stdbool.h>

#include <string.h>

static const struct metric rows[] = {
	/* speed */
	{ "tps", "1/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN,
		"transactions a second in the window, without connection time; the closing "
		"checkpoint is not in it" },
	{ "tps_charged", "1/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN,
		"transactions divided by window plus closing checkpoint and filesystem sync" },
	{ "transactions", "count", METRIC_HIGHER, METRIC_SUM, "transactions done in the window" },
	{ "transactions_failed", "count", METRIC_LOWER, METRIC_SUM, "transactions that failed" },
	{ "transactions_retried", "count", METRIC_LOWER, METRIC_SUM, "transactions tried again" },
	{ "latency_mean_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"mean time of a transaction" },
	{ "latency_stddev_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"standard deviation of transaction times" },
	{ "latency_p50_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "median transaction time" },
	{ "latency_p90_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "90th percentile" },
	{ "latency_p95_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "95th percentile" },
	{ "latency_p99_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "99th percentile" },
	{ "latency_p999_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "99.9th percentile" },
	{ "latency_max_ns", "ns", METRIC_LOWER, METRIC_MAX, "longest transaction" },
	{ "schedule_lag_mean_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"with a rate: how late transactions began" },
	/* phases */
	{ "load_s", "s", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "load, all parts" },
	{ "load_*", "s", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"one part of the load: load_generate_s, load_vacuum_s, load_keys_s, ..." },
	{ "step_*", "s", METRIC_LOWER, METRIC_MEAN,
		"time of a step of the rig: step_mkfs_s, step_initdb_s, ..." },
	{ "window_s", "s", METRIC_NEITHER, METRIC_MEAN, "length of the measured window" },
	{ "closing_s", "s", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"closing CHECKPOINT and filesystem sync, charged to the trial" },
	{ "closing_checkpoint_s", "s", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"the CHECKPOINT alone" },
	{ "closing_sync_s", "s", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "the filesystem sync alone" },
	/* write ledger: server */
	{ "wal_bytes", "bytes", METRIC_LOWER, METRIC_SUM, "WAL generated" },
	{ "wal_records", "count", METRIC_LOWER, METRIC_SUM, "WAL records" },
	{ "wal_fpi", "count", METRIC_LOWER, METRIC_SUM, "full-page images in WAL" },
	{ "wal_fpi_bytes", "bytes", METRIC_LOWER, METRIC_SUM,
		"bytes of full-page images (pg_waldump over the window's LSN range)" },
	{ "wal_write_requests", "count", METRIC_LOWER, METRIC_SUM, "writes of WAL to its files" },
	{ "wal_sync_requests", "count", METRIC_LOWER, METRIC_SUM, "fsyncs of WAL" },
	{ "wal_buffers_full", "count", METRIC_LOWER, METRIC_SUM,
		"WAL writes because buffers were full" },
	{ "checkpoints_timed", "count", METRIC_NEITHER, METRIC_SUM, "checkpoints by the clock" },
	{ "checkpoints_requested", "count", METRIC_NEITHER, METRIC_SUM,
		"checkpoints by request or WAL size; the closing one is in its own phase" },
	{ "buffers_written_*", "count", METRIC_LOWER, METRIC_SUM,
		"buffers written by whom: _checkpointer, _bgwriter, _backend" },
	{ "buffers_allocated", "count", METRIC_LOWER, METRIC_SUM, "buffers allocated" },
	{ "backend_fsyncs", "count", METRIC_LOWER, METRIC_SUM,
		"fsyncs that backends did themselves" },
	{ "blocks_read", "count", METRIC_LOWER, METRIC_SUM, "blocks read into shared buffers" },
	{ "blocks_hit", "count", METRIC_NEITHER, METRIC_SUM, "blocks found in shared buffers" },
	{ "temporary_bytes", "bytes", METRIC_LOWER, METRIC_SUM, "temporary files written" },
	{ "database_bytes", "bytes", METRIC_LOWER, METRIC_LAST, "pg_database_size" },
	{ "row_change_bytes", "bytes", METRIC_NEITHER, METRIC_SUM,
		"row data that the workload changed, from knowledge of the workload" },
	{ "server_read_bytes", "bytes", METRIC_LOWER, METRIC_SUM,
		"bytes the server's processes read by system calls (/proc/PID/io rchar)" },
	{ "server_write_bytes", "bytes", METRIC_LOWER, METRIC_SUM,
		"bytes the server's processes wrote by system calls (/proc/PID/io wchar)" },
	{ "file_write_*", "bytes", METRIC_LOWER, METRIC_SUM,
		"file writes of the server by kind: file_write_wal_bytes, _data_bytes, "
		"_temporary_bytes" },
	{ "file_read_*", "bytes", METRIC_LOWER, METRIC_SUM, "file reads of the server by kind" },
	/* write ledger: device */
	{ "device_write_bytes", "bytes", METRIC_LOWER, METRIC_SUM,
		"bytes written to the block devices" },
	{ "device_write_requests", "count", METRIC_LOWER, METRIC_SUM, "write requests" },
	{ "device_read_bytes", "bytes", METRIC_LOWER, METRIC_SUM,
		"bytes read from the block devices" },
	{ "device_read_requests", "count", METRIC_LOWER, METRIC_SUM, "read requests" },
	{ "device_flushes", "count", METRIC_LOWER, METRIC_SUM, "flush requests" },
	{ "device_discard_bytes", "bytes", METRIC_NEITHER, METRIC_SUM, "bytes discarded" },
	{ "device_busy", "percent", METRIC_NEITHER, METRIC_MEAN,
		"time the device (of several the busiest) was busy" },
	{ "device_*", "", METRIC_NEITHER, METRIC_SUM, "counters of the emulated disk" },
	{ "zfs_*", "", METRIC_NEITHER, METRIC_SUM,
		"counters of OpenZFS: zfs_arc_hits, zfs_zil_bytes, ..." },
	{ "filesystem_used_bytes", "bytes", METRIC_LOWER, METRIC_LAST,
		"space used in the filesystem" },
	{ "filesystem_available_bytes", "bytes", METRIC_HIGHER, METRIC_LAST, "space left in it" },
	{ "filesystem_*", "", METRIC_NEITHER, METRIC_LAST, "other figures of the filesystem" },
	{ "compression_ratio", "ratio", METRIC_HIGHER, METRIC_LAST,
		"logical bytes by stored bytes" },
	{ "backing_bytes", "bytes", METRIC_LOWER, METRIC_LAST,
		"space allocated in the backing files" },
	/* machine */
	{ "cpu_user", "percent", METRIC_NEITHER, METRIC_MEAN,
		"CPU time of all cores in user mode" },
	{ "cpu_system", "percent", METRIC_NEITHER, METRIC_MEAN, "CPU time in the kernel" },
	{ "cpu_idle", "percent", METRIC_NEITHER, METRIC_MEAN, "CPU time idle" },
	{ "cpu_iowait", "percent", METRIC_NEITHER, METRIC_MEAN,
		"CPU time idle with I/O outstanding" },
	{ "cpu_steal", "percent", METRIC_LOWER, METRIC_MEAN, "CPU time taken by the hypervisor" },
	{ "cpu_server_*", "ns", METRIC_LOWER, METRIC_SUM,
		"CPU time of the server: _user_ns, _system_ns" },
	{ "cpu_client_*", "ns", METRIC_LOWER, METRIC_SUM, "CPU time of the client" },
	{ "cpu_plumb_ns", "ns", METRIC_LOWER, METRIC_SUM, "CPU time of plumb itself" },
	{ "cpu_*", "", METRIC_NEITHER, METRIC_SUM, "other CPU times" },
	{ "memory_*", "bytes", METRIC_NEITHER, METRIC_LAST,
		"memory: limit, used, page cache, ..." },
	{ "pressure_*", "percent", METRIC_LOWER, METRIC_MEAN,
		"PSI: share of time stalled on cpu, io, memory" },
	{ "cgroup_throttled_ns", "ns", METRIC_LOWER, METRIC_SUM,
		"time throttled by the CPU quota" },
	{ "thermal_throttles", "count", METRIC_LOWER, METRIC_SUM,
		"times that a core was slowed down because it was too hot" },
	{ "frequency_hz", "1/s", METRIC_NEITHER, METRIC_MEAN,
		"clock of the CPUs, mean over them, where the kernel tells it" },
	{ "wraparound_vacuums", "count", METRIC_LOWER, METRIC_MAX,
		"autovacuum workers at work against transaction id wraparound" },
	{ "steady_range", "ratio", METRIC_LOWER, METRIC_MAX,
		"of the window's bins of speed: (largest - smallest) / mean" },
	{ "steady_slope", "ratio", METRIC_LOWER, METRIC_MAX,
		"of the window's bins of speed: trend from its first to its last, by its mean" },
	{ "steady_cut_s", "s", METRIC_LOWER, METRIC_MAX,
		"beginning of the window that MSER would leave out" },
	{ "canary_*", "", METRIC_NEITHER, METRIC_MEAN, "fixed small tests around a trial" },
	/* other workloads */
	{ "query_*", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"time of one query: query_NN_cold_ns, query_NN_warm_ns" },
	{ "m_time_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"queries whose plans are the same in all cells; made by the analysis" },
	{ "queries_cold_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN,
		"all queries, first pass on the start state" },
	{ "queries_total_ns", "ns", METRIC_LOWER, METRIC_GEOMETRIC_MEAN, "all queries, warm" },
	{ "io_bytes_per_s", "bytes/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN,
		"read and written together by a workload on files" },
	{ "read_bytes_per_s", "bytes/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN, "read throughput" },
	{ "write_bytes_per_s", "bytes/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN,
		"write throughput" },
	{ "read_iops", "1/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN, "reads a second" },
	{ "write_iops", "1/s", METRIC_HIGHER, METRIC_GEOMETRIC_MEAN, "writes a second" },
	{ "fio_*", "", METRIC_NEITHER, METRIC_MEAN, "other figures of fio" },
};

static bool family_matches(const char *family, const char *name)
{
	size_t stem = strlen(family) - 1;

	return family[stem] == '*' && strncmp(family, name, stem) == 0;
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (family_matches(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const struct metric *metric_rows(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(rows);
	return rows;
}

void metric_document(struct strbuf *text)
{
	static const char *const better[] = { "higher", "lower", "-" };
	static const char *const aggregate[] = { "geometric mean", "mean", "sum", "last",
		"largest" };

	strbuf_add_text(text,
		"# Metrics\n\nMade from src/record/metric.c. \"Together\" says how the runs of one "
		"set-up become one number.\nA name that ends in * is a family.\n\n"
		"| name | unit | better | together | meaning |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		strbuf_add_format(text, "| `%s` | %s | %s | %s | %s |\n", rows[i].name,
			rows[i].unit[0] ? rows[i].unit : "by name", better[rows[i].better],
			aggregate[rows[i].aggregate], rows[i].help);
}
