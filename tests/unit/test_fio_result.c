/* fio's JSON: rates of several jobs add up, latencies are the worst, rubbish is refused. */
#include "unit.h"

#include "workload/file_io/fio_result.h"

#include <errno.h>

static const char two_jobs[] =
	"fio: some warning\n"
	"{ \"fio version\": \"fio-3.33\", \"jobs\": ["
	"{ \"error\": 0, \"job_runtime\": 3000, \"usr_cpu\": 1.5, \"sys_cpu\": 10,"
	"  \"read\": { \"io_bytes\": 4096, \"bw_bytes\": 100, \"iops\": 2.5,"
	"    \"clat_ns\": { \"mean\": 10.5, \"max\": 70,"
	"      \"percentile\": { \"50.000000\": 9, \"99.000000\": 50, \"99.900000\": 60 } } },"
	"  \"write\": { \"io_bytes\": 0, \"bw_bytes\": 0, \"iops\": 0 } },"
	"{ \"error\": 5, \"job_runtime\": 2000, \"usr_cpu\": 0.5, \"sys_cpu\": 1,"
	"  \"read\": { \"io_bytes\": 1, \"bw_bytes\": 11, \"iops\": 1,"
	"    \"clat_ns\": { \"mean\": 3, \"max\": 90, \"percentile\": {} } },"
	"  \"write\": { \"io_bytes\": 7, \"bw_bytes\": 5, \"iops\": 3 } } ] }\ntrailing\n";

static void test_sums(void **state UNUSED)
{
	struct fio_result result;
	struct err err = ERR_INIT;

	assert_int_equal(fio_result_parse(two_jobs, &result, &err), 0);
	assert_true(result.read.bytes_per_s == 111 && result.read.iops == 3.5);
	assert_true(result.read.bytes == 4097 && result.write.bytes == 7);
	assert_true(result.read.latency_mean_ns == 10.5 && result.read.latency_max_ns == 90);
	assert_true(result.read.latency_p99_ns == 50 && result.read.latency_p999_ns == 60);
	assert_true(result.write.iops == 3 && result.user_percent == 2);
	assert_true(result.errors == 1 && result.runtime_ms == 3000);
}

static void test_rubbish(void **state UNUSED)
{
	static const char *const texts[] = { "", "fio: no such job", "{", "{}", "[]",
		"{\"jobs\": []}", "{\"jobs\": 3}", "{\"jobs\": [" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct fio_result result = { .errors = 77 };
		struct err err = ERR_INIT;

		assert_int_equal(fio_result_parse(texts[i], &result, &err), -EINVAL);
		assert_true(result.errors == 77 && err.message[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums),
		cmocka_unit_test(test_rubbish) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
