/* The settings the doctor reads, and numbers out of their texts. */
#include "doctor/guc_list.h"
#include <stdlib.h>
#include <string.h>

#define SINCE(version) .from = version

const struct guc guc_list[] = {
	{ "autovacuum_max_workers", GUC_NUMBER, NULL, "3" },
	{ "autovacuum_work_mem", GUC_BYTES, "kB", "-1" },
	{ "backend_flush_after", GUC_BYTES, "8kB", "0" },
	{ "bgwriter_flush_after", GUC_BYTES, "8kB", "512kB" },
	{ "block_size", GUC_NUMBER, NULL, NULL },
	{ "checkpoint_completion_target", GUC_NUMBER, NULL, "0.9", .fallback_before = "0.5",
		.changed = 140000 },
	{ "checkpoint_flush_after", GUC_BYTES, "8kB", "256kB" },
	{ "checkpoint_timeout", GUC_TIME, "s", "5min" },
	{ "data_checksums", GUC_TEXT, NULL, NULL },
	{ "data_directory", GUC_TEXT, NULL, NULL },
	{ "debug_io_direct", GUC_TEXT, NULL, "", SINCE(160000) },
	{ "default_toast_compression", GUC_TEXT, NULL, "pglz", SINCE(140000) },
	{ "dynamic_shared_memory_type", GUC_TEXT, NULL, NULL },
	{ "effective_cache_size", GUC_BYTES, "8kB", "4GB" },
	{ "effective_io_concurrency", GUC_NUMBER, NULL, "16", .fallback_before = "1",
		.changed = 180000 },
	{ "file_copy_method", GUC_TEXT, NULL, "copy", SINCE(180000) },
	{ "file_extend_method", GUC_TEXT, NULL, NULL, SINCE(160000) },
	{ "fsync", GUC_TEXT, NULL, "on" },
	{ "full_page_writes", GUC_TEXT, NULL, "on" },
	{ "hash_mem_multiplier", GUC_NUMBER, NULL, "2", .fallback_before = "1", .changed = 150000 },
	{ "huge_page_size", GUC_BYTES, "kB", "0", SINCE(140000) },
	{ "huge_pages", GUC_TEXT, NULL, "try" },
	{ "huge_pages_status", GUC_TEXT, NULL, NULL, SINCE(170000) },
	{ "io_combine_limit", GUC_BYTES, "8kB", "128kB", SINCE(170000) },
	{ "io_method", GUC_TEXT, NULL, "worker", SINCE(180000) },
	{ "io_workers", GUC_NUMBER, NULL, "3", SINCE(180000) },
	{ "maintenance_io_concurrency", GUC_NUMBER, NULL, "16", .fallback_before = "10",
		.changed = 180000 },
	{ "maintenance_work_mem", GUC_BYTES, "kB", "64MB" },
	{ "max_connections", GUC_NUMBER, NULL, "100" },
	{ "max_wal_size", GUC_BYTES, "MB", "1GB" },
	{ "min_wal_size", GUC_BYTES, "MB", "80MB" },
	{ "random_page_cost", GUC_NUMBER, NULL, "4" },
	{ "recovery_prefetch", GUC_TEXT, NULL, "try", SINCE(150000) },
	{ "segment_size", GUC_BYTES, "8kB", NULL },
	{ "seq_page_cost", GUC_NUMBER, NULL, "1" },
	{ "shared_buffers", GUC_BYTES, "8kB", "128MB" },
	{ "synchronous_commit", GUC_TEXT, NULL, "on" },
	{ "temp_buffers", GUC_BYTES, "8kB", "8MB" },
	{ "temp_tablespaces", GUC_TEXT, NULL, "" },
	{ "track_io_timing", GUC_TEXT, NULL, "off" },
	{ "track_wal_io_timing", GUC_TEXT, NULL, "off", SINCE(140000) },
	{ "wal_block_size", GUC_NUMBER, NULL, NULL },
	{ "wal_buffers", GUC_BYTES, "8kB", "-1" },
	{ "wal_compression", GUC_TEXT, NULL, "off" },
	{ "wal_init_zero", GUC_TEXT, NULL, "on" },
	{ "wal_level", GUC_TEXT, NULL, "replica" },
	{ "wal_log_hints", GUC_TEXT, NULL, "off" },
	{ "wal_recycle", GUC_TEXT, NULL, "on" },
	{ "wal_segment_size", GUC_BYTES, "B", NULL },
	{ "wal_sync_method", GUC_TEXT, NULL, NULL },
	{ "wal_writer_delay", GUC_TIME, "ms", "200ms" },
	{ "work_mem", GUC_BYTES, "kB", "4MB" },
	{ 0 },
};

const struct guc *guc_find(const char *name)
{
	for (const struct guc *guc = guc_list; guc->name; guc++)
		if (strcmp(guc->name, name) == 0)
			return guc;
	return NULL;
}

const char *guc_fallback(const struct guc *guc, long version)
{
	if (guc->from && version < guc->from)
		return NULL;
	if (guc->changed && version < guc->changed)
		return guc->fallback_before;
	return guc->fallback;
}

/* Bytes or ms of a unit such as "8kB", "MB", "min"; 0 if it is none. */
static double unit_scale(const char *unit, enum guc_kind kind)
{
	static const struct {
		const char *word;
		enum guc_kind kind;
		double scale;
	} units[] = {
		{ "B", GUC_BYTES, 1 },
		{ "kB", GUC_BYTES, 1024.0 },
		{ "MB", GUC_BYTES, 1024.0 * 1024 },
		{ "GB", GUC_BYTES, 1024.0 * 1024 * 1024 },
		{ "TB", GUC_BYTES, 1024.0 * 1024 * 1024 * 1024 },
		{ "us", GUC_TIME, 0.001 },
		{ "ms", GUC_TIME, 1 },
		{ "s", GUC_TIME, 1000 },
		{ "min", GUC_TIME, 60000 },
		{ "h", GUC_TIME, 3600000 },
		{ "d", GUC_TIME, 86400000 },
	};
	char *word;
	double times = strtod(unit, &word);

	if (word == unit)
		times = 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].kind == kind && strcmp(units[i].word, word) == 0)
			return times * units[i].scale;
	return 0;
}

json_t *guc_value(const struct guc *guc, const char *text, const char *unit)
{
	char *end;

	if (guc->kind == GUC_TEXT)
		return json_string(text);
	double number = strtod(text, &end);
	if (end == text)
		return NULL;
	while (*end == ' ')
		end++;
	if (guc->kind == GUC_NUMBER)
		return *end ? NULL : json_real(number);
	double scale = unit_scale(*end ? end : unit ? unit : guc->unit, guc->kind);
	if (scale <= 0)
		return NULL;
	return json_real(number == -1 ? -1 : number * scale);
}
