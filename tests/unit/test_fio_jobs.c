/* Job files for fio, and options that would break out of them. */
#include "unit.h"

#include "workload/file_io/fio_jobs.h"

#include <errno.h>
#include <string.h>

static void test_shipped(void **state UNUSED)
{
	static const char *const names[] = { "seq-read", "seq-write", "seq-rw", "rand-read",
		"rand-write", "rand-rw" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_non_null(fio_job_find(names[i]));
	assert_null(fio_job_find("rand"));
}

static void test_text(void **state UNUSED)
{
	struct fio_plan plan = { .directory = "/m/d",
		.job = fio_job_find("rand-rw"),
		.options = "bs=16k  fsync=1",
		.file_bytes = 1 << 20,
		.jobs = 2,
		.io_depth = 1,
		.warmup_ns = 1500 * NS_PER_MS,
		.measure_ns = 3 * NS_PER_S };
	struct strbuf text = STRBUF_INIT;

	fio_plan_text(&plan, &text);
	assert_non_null(strstr(text.data, "directory=/m/d\n"));
	assert_non_null(strstr(text.data, "ioengine=psync\n"));
	assert_non_null(strstr(text.data, "refill_buffers=1\n"));
	assert_non_null(strstr(text.data, "ramp_time=1500ms\nruntime=3000ms\n"));
	assert_non_null(strstr(text.data, "rw=randrw\nbs=8k\noverwrite=1\nbs=16k\nfsync=1\n"));
	strbuf_clear(&text);
	plan.io_depth = 8;
	plan.zeros = true;
	fio_layout_text(&plan, &text);
	assert_non_null(strstr(text.data, "ioengine=libaio\n"));
	assert_non_null(strstr(text.data, "zero_buffers=1\n"));
	assert_non_null(strstr(text.data, "[layout]\nrw=write\n"));
	strbuf_release(&text);
}

static const struct {
	const char *options;
	int error;
} cases[] = {
	{ "", 0 },
	{ "bs=8k", 0 },
	{ "  bs=8k   rwmixread=70 ", 0 },
	{ "log_avg_msec=500 write_bw_log=x", 0 },
	{ "bs", -EINVAL },
	{ "=8k", -EINVAL },
	{ "bs=8k [other]", -EINVAL },
	{ "name=[x]", -EINVAL },
	{ "bs=8k\nexec_prerun=x", -EINVAL },
	{ "exec_prerun=reboot", -EINVAL },
	{ "include=/etc/x", -EINVAL },
	{ "BS=8k", -EINVAL },
};

static void test_options(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		if (fio_options_check(cases[i].options, &err) != cases[i].error)
			fail_msg("'%s': %s", cases[i].options, err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_text), cmocka_unit_test(test_options) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
