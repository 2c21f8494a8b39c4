/* Differences of counters, and the factor from each known step to the next. */
#include "doctor/cross/write_ledger.h"
#include "doctor/facts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct steps {
	const json_t *begin, *end;
	json_t *list;
	double before; /* bytes of the last known step */
	double largest;
	const char *multiplies;
};

/* End minus begin of a counter; NAN if it was not seen twice or went backwards. */
static double delta(const struct steps *steps, const char *path)
{
	double begin = facts_number(steps->begin, path, NAN);
	double end = facts_number(steps->end, path, NAN);

	return end >= begin ? end - begin : NAN;
}

static void add_step(struct steps *steps, const char *name, double bytes, const char *note)
{
	if (isnan(bytes))
		return;
	json_t *step = json_object();
	facts_put_text(step, "name", name);
	facts_put_number(step, "bytes", bytes);
	facts_put_text(step, "note", note);
	if (steps->before > 0) {
		double factor = bytes / steps->before;
		facts_put_number(step, "factor", round(100 * factor) / 100);
		if (factor > steps->largest) {
			steps->largest = factor;
			steps->multiplies = name;
		}
	}
	if (bytes > 0)
		steps->before = bytes;
	json_array_append_new(steps->list, step);
}

/* What the server wrote into files: its own I/O counters where it has them (from 16 on), else
 * the pages of checkpointer, background writer and backends; WAL comes on top. */
static double file_bytes(const struct steps *steps, const json_t *facts, const char **note)
{
	double wal = delta(steps, "wal_position");
	double files = delta(steps, "file_write_bytes");
	double wal_files = delta(steps, "wal_file_write_bytes");
	double page = facts_number(facts, "postgres.control.block_size", 8192);

	*note = "WAL and data, by pg_stat_io";
	if (isnan(files)) {
		files = delta(steps, "buffers_written") * page;
		*note = "WAL and pages written; extending files and temporary files left out";
	}
	return files + (isnan(wal_files) ? wal : wal_files);
}

/* The sum of a member's differences over rows of two lists that have the same name. */
static double list_delta(const struct steps *steps, const char *list, const char *member)
{
	double sum = NAN;
	size_t i, j;
	json_t *begin, *end;

	json_array_foreach(facts_at(steps->begin, list), i, begin)
	{
		json_array_foreach(facts_at(steps->end, list), j, end)
		{
			double a = facts_number(begin, member, NAN);
			double b = facts_number(end, member, NAN);
			if (strcmp(facts_text(begin, "name", "a"), facts_text(end, "name", "b")) ||
				!(b >= a))
				continue;
			sum = (isnan(sum) ? 0 : sum) + b - a;
		}
	}
	return sum;
}

static double pool_log_bytes(const struct steps *steps)
{
	double normal = list_delta(steps, "datasets", "zil.normal_bytes");
	double log = list_delta(steps, "datasets", "zil.slog_bytes");

	return normal + log;
}

/* Busiest device of the ledger's time, in percent. */
static double busy_percent(const struct steps *steps, double seconds)
{
	double busiest = NAN;
	size_t i, j;
	json_t *begin, *end;

	json_array_foreach(facts_at(steps->begin, "devices"), i, begin)
	{
		json_array_foreach(facts_at(steps->end, "devices"), j, end)
		{
			double busy = facts_number(end, "busy_ms", NAN) -
				      facts_number(begin, "busy_ms", NAN);
			if (strcmp(facts_text(begin, "name", "a"), facts_text(end, "name", "b")) ||
				!(busy >= 0))
				continue;
			busy = fmin(100, floor(busy / (10 * seconds)));
			busiest = isnan(busiest) ? busy : fmax(busiest, busy);
		}
	}
	return busiest;
}

json_t *write_ledger(const json_t *facts)
{
	struct steps steps = { .begin = facts_at(facts, "ledger.begin"),
		.end = facts_at(facts, "ledger.end"),
		.list = json_array() };
	double seconds = facts_number(facts, "ledger.seconds", 0);
	const char *note;

	if (!json_is_object(steps.begin) || !json_is_object(steps.end) || seconds <= 0) {
		json_decref(steps.list);
		return NULL;
	}
	json_t *ledger = json_object();
	double rows = delta(&steps, "rows_inserted") + delta(&steps, "rows_updated") +
		      delta(&steps, "rows_deleted");
	facts_put_number(ledger, "seconds", seconds);
	facts_put_number(ledger, "rows_changed", rows);
	facts_put_number(ledger, "commits", delta(&steps, "commits"));
	facts_put_number(ledger, "full_pages", delta(&steps, "wal_full_pages"));
	facts_put_number(ledger, "device_busy_percent", busy_percent(&steps, seconds));
	add_step(&steps, "WAL", delta(&steps, "wal_position"), "bytes of WAL made");
	double files = file_bytes(&steps, facts, &note);
	add_step(&steps, "files", files, note);
	double pool = pool_log_bytes(&steps);
	if (!isnan(pool)) {
		/* Beside the files, not after them: shown, but no step of the chain. */
		facts_put_number(ledger, "pool_log_bytes", pool);
	}
	add_step(&steps, "pool", list_delta(&steps, "embedded_pools", "vdev.write_bytes"),
		"bytes that plumb-zfsd sent to its devices");
	add_step(&steps, "device", list_delta(&steps, "devices", "write_bytes"),
		"all that was written to the devices, by others too");
	facts_put(ledger, "steps", steps.list);
	facts_put_text(ledger, "multiplies", steps.multiplies);
	return ledger;
}
