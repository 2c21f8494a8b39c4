/* fio's JSON (see fio_result.h). */
#include "workload/file_io/fio_result.h"

#include "base/macros.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void add_direction(const json_t *from, struct fio_direction *to)
{
	const json_t *latency = json_object_get(from, "clat_ns");
	const json_t *percentile = json_object_get(latency, "percentile");

	to->bytes_per_s += number(from, "bw_bytes");
	to->iops += number(from, "iops");
	to->bytes += number(from, "io_bytes");
	to->latency_mean_ns = MAX(to->latency_mean_ns, number(latency, "mean"));
	to->latency_max_ns = MAX(to->latency_max_ns, number(latency, "max"));
	to->latency_p50_ns = MAX(to->latency_p50_ns, number(percentile, "50.000000"));
	to->latency_p99_ns = MAX(to->latency_p99_ns, number(percentile, "99.000000"));
	to->latency_p999_ns = MAX(to->latency_p999_ns, number(percentile, "99.900000"));
}

static bool is_rate(const struct fio_direction *direction)
{
	const double rates[] = { direction->bytes_per_s, direction->iops, direction->bytes };

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (!isfinite(rates[i]) || rates[i] < 0)
			return false;
	return true;
}

int fio_result_parse(const char *text, struct fio_result *ret_result, struct err *err)
{
	struct fio_result result = { 0 };
	const char *start = strchr(text, '{');
	json_error_t where;
	json_t *root = json_loads(start ? start : "", JSON_DISABLE_EOF_CHECK, &where);
	const json_t *jobs = json_object_get(root, "jobs");
	size_t count = json_array_size(jobs);

	for (size_t i = 0; i < count; i++) {
		const json_t *job = json_array_get(jobs, i);

		add_direction(json_object_get(job, "read"), &result.read);
		add_direction(json_object_get(job, "write"), &result.write);
		result.user_percent += number(job, "usr_cpu");
		result.system_percent += number(job, "sys_cpu");
		result.errors += number(job, "error") != 0;
		result.runtime_ms = MAX(result.runtime_ms, number(job, "job_runtime"));
	}
	json_decref(root);
	if (count == 0)
		return err_set(err, -EINVAL, "fio printed no result%s%s", root ? "" : ": ",
			root ? "" : where.text);
	if (!is_rate(&result.read) || !is_rate(&result.write))
		return err_set(err, -EINVAL, "fio's result has rates that are none");
	*ret_result = result;
	return 0;
}
