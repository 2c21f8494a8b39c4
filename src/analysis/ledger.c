/* See ledger.h. The table below is the ledger; the rest is division. */
#include "analysis/ledger.h"

#include <math.h>

#define SECONDS_PER_DAY 86400.0

/* Levels from the top down; a part stands behind its level. A level without bytes of its own is the
 * sum of its parts. */
static const struct {
	const char *direction, *level, *part;
	const char *bytes, *requests; /* metrics; NULL: none */
	bool by_day;
} levels[] = {
	{ "write", "rows changed", NULL, "row_change_bytes", NULL, false },
	{ "write", "WAL", NULL, "wal_bytes", "wal_records", false },
	{ "write", "WAL", "full-page images", "wal_fpi_bytes", "wal_fpi", false },
	{ "write", "files", NULL, NULL, NULL, false },
	{ "write", "files", "WAL", "file_write_wal_bytes", "wal_write_requests", false },
	{ "write", "files", "data", "file_write_data_bytes", NULL, false },
	{ "write", "files", "temporary", "file_write_temporary_bytes", NULL, false },
	{ "write", "device", NULL, "device_write_bytes", "device_write_requests", true },
	{ "write", "device", "intent log", "zfs_vdev_log_write_bytes", "zfs_vdev_log_write_ops",
		false },
	{ "write", "device", "data", "zfs_vdev_data_write_bytes", "zfs_vdev_data_write_ops",
		false },
	{ "write", "device", "metadata", "zfs_vdev_metadata_write_bytes",
		"zfs_vdev_metadata_write_ops", false },
	{ "write", "device", "labels", "zfs_vdev_label_write_bytes", "zfs_vdev_label_write_ops",
		false },
	{ "write", "medium", NULL, "device_medium_write_bytes", NULL, true },
	{ "write", "flushes", NULL, NULL, "device_flushes", false },
	{ "read", "files", NULL, "server_read_bytes", NULL, false },
	{ "read", "device", NULL, "device_read_bytes", "device_read_requests", true },
};

struct ledger {
	const struct results *results;
	size_t cell;
	double transactions, seconds;
};

/* Of window and closing phase together; NAN: nobody counted. */
static double sum_of(const struct ledger *ledger, const char *metric, double *ret_closing)
{
	double run, closing;

	*ret_closing = 0;
	if (!metric)
		return NAN;
	run = results_cell_mean(ledger->results, ledger->cell, "run", metric);
	closing = results_cell_mean(ledger->results, ledger->cell, "closing", metric);
	if (isnan(run))
		return NAN;
	if (!isnan(closing))
		*ret_closing = closing;
	return run + *ret_closing;
}

static void fill_bytes(
	struct ledger_row *row, const struct ledger *ledger, double sum, double closing)
{
	row->bytes = sum / ledger->transactions;
	row->closing_percent = sum > 0 ? 100 * closing / sum : NAN;
}

static struct ledger_row fill_row(const struct ledger *ledger, size_t level)
{
	struct ledger_row row = { levels[level].direction, levels[level].level, levels[level].part,
		NAN, NAN, NAN, NAN, NAN, NAN };
	double closing, sum = sum_of(ledger, levels[level].bytes, &closing), unused;

	if (!isnan(sum))
		fill_bytes(&row, ledger, sum, closing);
	row.requests = sum_of(ledger, levels[level].requests, &unused) / ledger->transactions;
	if (levels[level].by_day && !isnan(sum) && ledger->seconds > 0)
		row.bytes_per_day = sum / ledger->seconds * SECONDS_PER_DAY;
	return row;
}

/* Bytes of a level that is the sum of its parts. */
static void add_up(const struct ledger *ledger, size_t level, struct ledger_row *row)
{
	double sum = 0, closing = 0;
	bool any = false;

	for (size_t part = level + 1; part < ARRAY_SIZE(levels) && levels[part].part; part++) {
		double part_closing, bytes = sum_of(ledger, levels[part].bytes, &part_closing);

		if (isnan(bytes))
			continue;
		any = true;
		sum += bytes;
		closing += part_closing;
	}
	if (any)
		fill_bytes(row, ledger, sum, closing);
}

size_t ledger_build(
	const struct results *results, size_t cell, struct ledger_row rows[LEDGER_ROWS_MOST])
{
	struct ledger ledger = { results, cell,
		results_cell_mean(results, cell, "run", "transactions"),
		results_cell_mean(results, cell, "run", "window_s") };
	double closing_s = results_cell_mean(results, cell, "closing", "closing_s");
	const struct ledger_row *above = NULL; /* the last level with bytes */
	size_t count = 0;

	if (!(ledger.transactions > 0))
		return 0;
	if (closing_s > 0)
		ledger.seconds += closing_s;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		struct ledger_row row = fill_row(&ledger, i);

		if (!row.part && !levels[i].bytes)
			add_up(&ledger, i, &row);
		if (isnan(row.bytes) && isnan(row.requests))
			continue;
		if (row.part && above)
			row.level_percent = 100 * row.bytes / above->bytes;
		else if (above && above->direction == row.direction)
			row.factor = row.bytes / above->bytes;
		rows[count] = row;
		if (!row.part && !isnan(row.bytes))
			above = &rows[count];
		count++;
	}
	return count;
}
