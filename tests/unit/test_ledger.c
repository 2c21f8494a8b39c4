/* ledger: levels and parts, factors between known levels only, the closing share, a day's bytes. */
#include "unit/unit.h"

#include "analysis/ledger.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* One usable trial of cell 0 with these values. */
struct value {
	const char *phase, *name;
	double value;
};

static void fill(struct results *results, const struct value *values, size_t count)
{
	struct results_trial *trial;

	results_init(results);
	for (size_t i = 0; i < count; i++)
		results_metric_add(results, values[i].phase, values[i].name);
	results->trials = memory_new_array(1, sizeof(*results->trials));
	results->trial_count = 1;
	results->cells = memory_new_array(1, sizeof(*results->cells));
	results->cell_count = 1;
	trial = &results->trials[0];
	trial->state = TRIAL_DONE;
	trial->value_count = results->metric_count;
	trial->values = arena_new_array(&results->arena, results->metric_count, sizeof(double));
	for (size_t i = 0; i < count; i++)
		trial->values[results_metric_index(results, values[i].phase, values[i].name)] =
			values[i].value;
}

static const struct ledger_row *find(
	const struct ledger_row *rows, size_t count, const char *level, const char *part)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].direction, "write") == 0 && strcmp(rows[i].level, level) == 0 &&
			(part ? rows[i].part && strcmp(rows[i].part, part) == 0 : !rows[i].part))
			return &rows[i];
	return NULL;
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) < 1e-9 * fabs(want) + 1e-12))
		fail_msg("%g is not %g", got, want);
}

static void levels_factors_and_shares(void **state UNUSED)
{
	static const struct value values[] = {
		{ "run", "transactions", 1000 },
		{ "run", "window_s", 50 },
		{ "closing", "closing_s", 10 },
		{ "run", "row_change_bytes", 300e3 },
		{ "run", "wal_bytes", 3e6 },
		{ "run", "wal_fpi_bytes", 1.5e6 },
		{ "run", "file_write_wal_bytes", 4e6 },
		{ "run", "file_write_data_bytes", 1e6 },
		{ "closing", "file_write_data_bytes", 5e6 },
		{ "run", "device_write_bytes", 8e6 },
		{ "closing", "device_write_bytes", 12e6 },
		{ "run", "device_write_requests", 2000 },
		{ "run", "device_flushes", 500 },
		{ "run", "device_medium_write_bytes", 40e6 },
	};
	struct ledger_row rows[LEDGER_ROWS_MOST];
	const struct ledger_row *row;
	struct results results;
	size_t count;

	fill(&results, values, ARRAY_SIZE(values));
	count = ledger_build(&results, 0, rows);
	assert_near(find(rows, count, "rows changed", NULL)->bytes, 300);
	assert_true(isnan(find(rows, count, "rows changed", NULL)->factor));
	row = find(rows, count, "WAL", NULL);
	assert_near(row->bytes, 3000);
	assert_near(row->factor, 10);
	assert_near(find(rows, count, "WAL", "full-page images")->level_percent, 50);
	row = find(rows, count, "files", NULL);
	assert_near(row->bytes, 10000);
	assert_near(row->closing_percent, 50);
	assert_near(row->factor, 10.0 / 3);
	assert_near(find(rows, count, "files", "data")->level_percent, 60);
	assert_null(find(rows, count, "files", "temporary"));
	row = find(rows, count, "device", NULL);
	assert_near(row->bytes, 20000);
	assert_near(row->requests, 2);
	assert_near(row->factor, 2);
	assert_near(row->closing_percent, 60);
	assert_near(row->bytes_per_day, 20e6 / 60 * 86400);
	assert_near(find(rows, count, "medium", NULL)->factor, 2);
	assert_near(find(rows, count, "flushes", NULL)->requests, 0.5);
	results_release(&results);
}

static void unknown_levels_are_left_out(void **state UNUSED)
{
	static const struct value values[] = {
		{ "run", "transactions", 10 },
		{ "run", "wal_bytes", 100 },
		{ "run", "device_write_bytes", 400 },
	};
	struct ledger_row rows[LEDGER_ROWS_MOST];
	struct results results;
	size_t count;

	fill(&results, values, ARRAY_SIZE(values));
	count = ledger_build(&results, 0, rows);
	assert_int_equal(count, 2);
	assert_near(find(rows, count, "device", NULL)->factor, 4);
	assert_true(isnan(find(rows, count, "device", NULL)->bytes_per_day));
	results_release(&results);
}

static void no_transactions_no_ledger(void **state UNUSED)
{
	static const struct value values[] = { { "run", "wal_bytes", 100 } };
	struct ledger_row rows[LEDGER_ROWS_MOST];
	struct results results;

	fill(&results, values, ARRAY_SIZE(values));
	assert_int_equal(ledger_build(&results, 0, rows), 0);
	results_release(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_factors_and_shares),
		cmocka_unit_test(unknown_levels_are_left_out),
		cmocka_unit_test(no_transactions_no_ledger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
