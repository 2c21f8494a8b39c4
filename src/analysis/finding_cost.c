/* What a cell costs beside its speed: bytes written per transaction, space, load time, closing
 * checkpoint. Apart from finding.c because these are plain means, without intervals or claims; for
 * those that are weighed against speed there are values of each set-up too. */
#include "analysis/finding_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum cost {
	COST_LOAD,
	COST_TRANSACTIONS,
	COST_WAL_RUN,
	COST_WAL_CLOSING,
	COST_DEVICE_RUN,
	COST_DEVICE_CLOSING,
	COST_SIZE_FILESYSTEM,
	COST_SIZE_DATABASE,
	COST_CLOSING,
	COST_LATENCY_P95,
	COST_COUNT
};

static const struct {
	const char *phase, *name;
	bool geometric;
} rows[COST_COUNT] = {
	[COST_LOAD] = { "load", "load_s", true },
	[COST_TRANSACTIONS] = { "run", "transactions", false },
	[COST_WAL_RUN] = { "run", "wal_bytes", false },
	[COST_WAL_CLOSING] = { "closing", "wal_bytes", false },
	[COST_DEVICE_RUN] = { "run", "device_write_bytes", false },
	[COST_DEVICE_CLOSING] = { "closing", "device_write_bytes", false },
	[COST_SIZE_FILESYSTEM] = { "closing", "filesystem_used_bytes", false },
	[COST_SIZE_DATABASE] = { "closing", "database_bytes", false },
	[COST_CLOSING] = { "closing", "closing_s", false },
	[COST_LATENCY_P95] = { "run", "latency_p95_ns", true },
};

/* Sums over the usable trials of one cell. */
struct cost_sums {
	double sum[COST_COUNT];
	size_t count[COST_COUNT];
};

static void add_trial(
	struct cost_sums *sums, const struct results_trial *trial, const size_t *metrics)
{
	for (size_t c = 0; c < COST_COUNT; c++) {
		double value = results_value(trial, metrics[c]);

		if (!isfinite(value) || (rows[c].geometric && value <= 0))
			continue;
		sums->sum[c] += rows[c].geometric ? log(value) : value;
		sums->count[c]++;
	}
}

static double mean_of(const struct cost_sums *sums, enum cost cost)
{
	double mean = sums->sum[cost] / (double)sums->count[cost];

	if (sums->count[cost] == 0)
		return NAN;
	return rows[cost].geometric ? exp(mean) : mean;
}

/* Bytes of window and closing phase by the window's transactions: what is written late was caused
 * by them too. */
static double per_transaction(const struct cost_sums *sums, enum cost run, enum cost closing)
{
	double transactions = sums->sum[COST_TRANSACTIONS];

	if (sums->count[run] == 0 || transactions <= 0)
		return NAN;
	return (sums->sum[run] + sums->sum[closing]) / transactions;
}

static void fill_costs(struct finding_costs *costs, const struct cost_sums *sums)
{
	double size = mean_of(sums, COST_SIZE_FILESYSTEM);

	costs->load_s = mean_of(sums, COST_LOAD);
	costs->wal_bytes_per_transaction = per_transaction(sums, COST_WAL_RUN, COST_WAL_CLOSING);
	costs->device_write_bytes_per_transaction =
		per_transaction(sums, COST_DEVICE_RUN, COST_DEVICE_CLOSING);
	costs->size_bytes = isfinite(size) ? size : mean_of(sums, COST_SIZE_DATABASE);
	costs->closing_s = mean_of(sums, COST_CLOSING);
	costs->latency_p95_ns = mean_of(sums, COST_LATENCY_P95);
}

static void find_metrics(const struct results *results, size_t metrics[COST_COUNT])
{
	for (size_t c = 0; c < COST_COUNT; c++)
		metrics[c] = results_metric_index(results, rows[c].phase, rows[c].name);
}

void finding_setup_costs(const struct findings *findings, const struct results *results,
	enum setup_cost cost, double *values)
{
	size_t count = findings->cell_count * findings->block_count;
	struct cost_sums *sums = memory_new_array(count, sizeof(*sums));
	size_t metrics[COST_COUNT];

	find_metrics(results, metrics);
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];

		if (trial->cell < findings->cell_count && finding_is_usable(trial))
			add_trial(&sums[trial->cell * findings->block_count + trial->block], trial,
				metrics);
	}
	for (size_t i = 0; i < count; i++) {
		struct finding_costs costs;

		fill_costs(&costs, &sums[i]);
		values[i] = cost == SETUP_COST_SIZE ? costs.size_bytes
						    : costs.device_write_bytes_per_transaction;
	}
	free(sums);
}

void finding_fill_costs(struct findings *findings, const struct results *results)
{
	struct cost_sums *sums = memory_new_array(findings->cell_count, sizeof(*sums));
	size_t metrics[COST_COUNT];

	find_metrics(results, metrics);
	for (size_t t = 0; t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];

		if (trial->cell < findings->cell_count && finding_is_usable(trial))
			add_trial(&sums[trial->cell], trial, metrics);
	}
	for (size_t i = 0; i < findings->cell_count; i++)
		fill_costs(&findings->cells[i].costs, &sums[i]);
	free(sums);
}
