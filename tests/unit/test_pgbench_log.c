/* pgbench_log: lines, cut files, quantiles, summaries of several versions, load times. */
#include "unit/unit.h"

#include "workload/pgbench_log.h"
#include <string.h>

static const char lines[] = "0 199 2241 0 1175850568 995598\n"
			    "0 200 2465 0 1175850568 998079\n"
			    "0 201 3513 0 1175850569 608\n"
			    "0 202 skipped 0 1175850569 2663\n"
			    "0 203 failed 0 1175850569 2664\n"
			    "3 0 47423 0 1499414500 34501 12 3\n"
			    "rubbish\n"
			    "0 204 2038 0 11758";

static void log_lines(void **state UNUSED)
{
	struct pgbench_log log;

	pgbench_log_init(&log, 1175850568);
	pgbench_log_add(&log, lines, strlen(lines));
	assert_int_equal(log.count, 4);
	assert_int_equal(log.skipped, 1);
	assert_int_equal(log.failed, 1);
	assert_int_equal(log.retries, 3);
	assert_int_equal(log.bad_lines, 1);
	assert_true(log.sum_us == 2241 + 2465 + 3513 + 47423);
	assert_int_equal(log.seconds[0].count, 2);
	assert_int_equal(log.seconds[1].count, 1);
	assert_true(log.second_count < 100); /* 1499414500 is out of range, not a huge array */
	pgbench_log_sort(&log);
	assert_true(pgbench_log_quantile_us(&log, 0.5) == 2465);
	assert_true(pgbench_log_quantile_us(&log, 1) == 47423);
	assert_true(pgbench_log_quantile_us(&log, 0) == 2241);
	pgbench_log_release(&log);
}

static void sort_matches_order(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct pgbench_log log;

	for (uint32_t i = 0; i < 100000; i++)
		strbuf_add_format(&text, "0 %u %u 0 100 0\n", i, (i * 2654435761u) >> 8);
	pgbench_log_init(&log, 100);
	pgbench_log_add(&log, text.data, text.length);
	pgbench_log_sort(&log);
	assert_int_equal(log.count, 100000);
	for (size_t i = 1; i < log.count; i++)
		assert_true(log.latencies_us[i - 1] <= log.latencies_us[i]);
	pgbench_log_add(&log, text.data, text.length); /* can grow after a sort */
	assert_int_equal(log.count, 200000);
	pgbench_log_release(&log);
	strbuf_release(&text);
}

static void summaries(void **state UNUSED)
{
	static const char new_text[] = "pgbench (15.18)\ntransaction type: <builtin: TPC-B>\n"
				       "number of transactions actually processed: 12345\n"
				       "number of failed transactions: 2 (0.016%)\n"
				       "latency average = 4.624 ms\nlatency stddev = 1.5 ms\n"
				       "initial connection time = 36.558 ms\n"
				       "tps = 865.137263 (without initial connection time)\n";
	static const char old_text[] = "number of transactions actually processed: 10\n"
				       "latency average = 1.5 ms\n"
				       "tps = 100.5 (including connections establishing)\n"
				       "tps = 101.5 (excluding connections establishing)\n";
	struct pgbench_summary summary;

	pgbench_summary_parse(new_text, &summary);
	assert_true(summary.has_tps && summary.tps == 865.137263);
	assert_true(summary.transactions == 12345 && summary.failed == 2);
	assert_true(summary.latency_stddev_ms == 1.5 && summary.lag_mean_ms < 0);
	pgbench_summary_parse(old_text, &summary);
	assert_true(summary.tps == 101.5);
	pgbench_summary_parse("pgbench: error\n", &summary);
	assert_false(summary.has_tps);
}

static void count_parts(void *context, const char *part, double seconds)
{
	struct strbuf *text = context;

	strbuf_add_format(text, "%s=%.2f;", part, seconds);
}

static void load_times(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	double total = pgbench_init_parse("creating tables...\ndone in 3.21 s (drop tables 0.00 s, "
					  "create tables 0.01 s, client-side generate 2.30 s, "
					  "vacuum 0.20 s, primary keys 0.70 s).\n",
		count_parts, &text);

	assert_true(total == 3.21);
	assert_string_equal(text.data,
		"drop tables=0.00;create tables=0.01;client-side generate=2.30;vacuum=0.20;"
		"primary keys=0.70;");
	assert_true(pgbench_init_parse("nothing", count_parts, &text) < 0);
	assert_true(pgbench_init_parse("done in 1 s (((,,, x", count_parts, &text) == 1);
	strbuf_release(&text);
}

static void progress_lines(void **state UNUSED)
{
	double tps = 7;

	assert_true(pgbench_progress_parse("progress: 5.0 s, 812.3 tps, lat 1.2 ms", &tps));
	assert_true(tps == 812.3);
	assert_false(pgbench_progress_parse("starting vacuum...end.", &tps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_lines),
		cmocka_unit_test(sort_matches_order),
		cmocka_unit_test(summaries),
		cmocka_unit_test(load_times),
		cmocka_unit_test(progress_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
