/* fio's result in JSON (fio(1), "--output-format=json"): text of another program. */
#ifndef WORKLOAD_FILE_IO_FIO_RESULT_H
#define WORKLOAD_FILE_IO_FIO_RESULT_H

#include "base/err.h"

struct fio_direction {
	double bytes_per_s, iops;
	double latency_mean_ns, latency_p50_ns, latency_p99_ns, latency_p999_ns, latency_max_ns;
	double bytes; /* moved */
};
struct fio_result {
	struct fio_direction read, write;
	double user_percent, system_percent; /* CPU of fio's jobs */
	double runtime_ms;
	double errors;
};

/* All jobs of the report added up (rates, bytes) or the worst of them (latencies). fio may print
 * lines before the JSON; they are skipped. -EINVAL: no such report, or rates that are none
 * (negative, beyond all bounds). */
int fio_result_parse(const char *text, struct fio_result *ret_result, struct err *err);

#endif
