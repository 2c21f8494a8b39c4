/* Space by record size; formulas and their sources are in the header. */
#include "doctor/cross/space_forecast.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUGGESTED_BYTES 32768

uint64_t raidz_allocated_bytes(
	uint64_t psize_bytes, unsigned ashift, unsigned width, unsigned parity)
{
	uint64_t sector = 1ULL << ashift;
	uint64_t sectors = (psize_bytes + sector - 1) / sector;
	uint64_t rows = (sectors + width - parity - 1) / (width - parity);

	sectors += parity * rows;
	sectors = (sectors + parity) / (parity + 1) * (parity + 1);
	return sectors * sector;
}

uint64_t record_stored_bytes(uint64_t record_bytes, double ratio, unsigned ashift)
{
	uint64_t sector = 1ULL << ashift;
	double packed = (double)record_bytes / fmax(ratio, 1);
	uint64_t stored = (uint64_t)ceil(packed / (double)sector) * sector;

	/* zio_compress.c: not worth it unless it saves 12.5 % */
	return stored > record_bytes - record_bytes / 8 ? record_bytes : stored;
}

static json_t *row(const json_t *pool, double record, double ratio, double current)
{
	unsigned ashift = (unsigned)facts_number(pool, "ashift", 12);
	double parity = facts_number(pool, "raidz", 0);
	double width = facts_number(pool, "raidz_width", 0);
	uint64_t stored = record_stored_bytes((uint64_t)record, ratio, ashift);
	double raw = (double)stored;
	json_t *entry = json_object();

	if (parity >= 1 && width > parity)
		raw = (double)raidz_allocated_bytes(
			stored, ashift, (unsigned)width, (unsigned)parity);
	else
		raw *= 1 + facts_number(pool, "data_redundancy", 0);
	facts_put_number(entry, "record_bytes", record);
	facts_put_number(entry, "raw_per_byte", round(1000 * raw / record) / 1000);
	facts_put_bool(entry, "current", record == current);
	facts_put_bool(entry, "suggested", record == SUGGESTED_BYTES);
	return entry;
}

static json_t *forecast(const json_t *subject)
{
	static const double records[] = { 8192, 16384, 32768, 65536, 131072 };
	const json_t *pool = json_object_get(subject, "pool");
	double ashift = facts_number(pool, "ashift", -1);
	double current = facts_number(subject, "dataset.recordsize", -1);
	double ratio = facts_number(subject, "dataset.compressratio", 1);
	bool listed = false;
	char kind[64];

	if (ashift < 9 || ashift > 16 || current < 512 || current > 16777216 ||
		!facts_at(pool, "raidz") || facts_number(pool, "raidz_width", 0) > 1024)
		return NULL;
	json_t *table = json_object(), *rows = json_array();
	if (facts_number(pool, "raidz", 0) >= 1)
		snprintf(kind, sizeof(kind), "raidz%.0f of %.0f disks",
			facts_number(pool, "raidz", 0), facts_number(pool, "raidz_width", 0));
	else
		snprintf(kind, sizeof(kind), "%.0f copies",
			1 + facts_number(pool, "data_redundancy", 0));
	facts_put_text(table, "location", facts_text(subject, "location.name", "?"));
	facts_put_text(table, "pool_kind", kind);
	facts_put_number(table, "ashift", ashift);
	facts_put_number(table, "ratio", ratio);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (!listed && current < records[i])
			json_array_append_new(rows, row(pool, current, ratio, current));
		listed = listed || current <= records[i];
		json_array_append_new(rows, row(pool, records[i], ratio, current));
	}
	if (!listed)
		json_array_append_new(rows, row(pool, current, ratio, current));
	facts_put(table, "rows", rows);
	return table;
}

json_t *space_forecasts(const struct view *view)
{
	json_t *tables = json_array();
	size_t i;
	json_t *subject;

	json_array_foreach(view->locations, i, subject)
	{
		const char *role = facts_text(subject, "location.role", "");
		json_t *table = strcmp(role, "wal") == 0 ? NULL : forecast(subject);
		if (table)
			json_array_append_new(tables, table);
	}
	return tables;
}
