/* Counters of the kernel's OpenZFS (see zfs_counters.h). */
#include "target/zfs_counters.h"

#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KSTAT "/proc/spl/kstat/zfs"

/* KSTAT_DATA_INT32 to KSTAT_DATA_UINT64 are 1 to 4; the two lines of heading have no such type. */
#define TYPE_FIRST 1
#define TYPE_LAST  4

/* Most rows of these files are sizes at a moment; here are those that count. */
static const struct counter_row {
	enum zfs_kstat kstat;
	const char *row, *counter;
} rows[] = {
	{ ZFS_KSTAT_ARC, "hits", "arc.hits" },
	{ ZFS_KSTAT_ARC, "misses", "arc.misses" },
	{ ZFS_KSTAT_ARC, "demand_data_hits", "arc.demand_data_hits" },
	{ ZFS_KSTAT_ARC, "demand_data_misses", "arc.demand_data_misses" },
	{ ZFS_KSTAT_ARC, "demand_metadata_hits", "arc.demand_metadata_hits" },
	{ ZFS_KSTAT_ARC, "demand_metadata_misses", "arc.demand_metadata_misses" },
	{ ZFS_KSTAT_ARC, "prefetch_data_hits", "arc.prefetch_data_hits" },
	{ ZFS_KSTAT_ARC, "prefetch_data_misses", "arc.prefetch_data_misses" },
	{ ZFS_KSTAT_ARC, "prefetch_metadata_hits", "arc.prefetch_metadata_hits" },
	{ ZFS_KSTAT_ARC, "prefetch_metadata_misses", "arc.prefetch_metadata_misses" },
	{ ZFS_KSTAT_ARC, "mru_hits", "arc.mru_hits" },
	{ ZFS_KSTAT_ARC, "mfu_hits", "arc.mfu_hits" },
	{ ZFS_KSTAT_ARC, "mru_ghost_hits", "arc.mru_ghost_hits" },
	{ ZFS_KSTAT_ARC, "mfu_ghost_hits", "arc.mfu_ghost_hits" },
	{ ZFS_KSTAT_ARC, "deleted", "arc.evicted" },
	{ ZFS_KSTAT_ARC, "memory_throttle_count", "arc.memory_throttles" },
	{ ZFS_KSTAT_ARC, "l2_hits", "arc.l2_hits" },
	{ ZFS_KSTAT_ARC, "l2_misses", "arc.l2_misses" },
	{ ZFS_KSTAT_ARC, "l2_read_bytes", "arc.l2_read_bytes" },
	{ ZFS_KSTAT_ARC, "l2_write_bytes", "arc.l2_write_bytes" },
	{ ZFS_KSTAT_ZIL, "writes", "dataset.write_ops" },
	{ ZFS_KSTAT_ZIL, "nwritten", "dataset.write_bytes" },
	{ ZFS_KSTAT_ZIL, "reads", "dataset.read_ops" },
	{ ZFS_KSTAT_ZIL, "nread", "dataset.read_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_commit_count", "zil.commits" },
	{ ZFS_KSTAT_ZIL, "zil_commit_writer_count", "zil.commit_writers" },
	{ ZFS_KSTAT_ZIL, "zil_itx_count", "zil.records" },
	{ ZFS_KSTAT_ZIL, "zil_itx_indirect_count", "zil.indirect" },
	{ ZFS_KSTAT_ZIL, "zil_itx_indirect_bytes", "zil.indirect_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_copied_count", "zil.copied" },
	{ ZFS_KSTAT_ZIL, "zil_itx_copied_bytes", "zil.copied_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_needcopy_count", "zil.need_copy" },
	{ ZFS_KSTAT_ZIL, "zil_itx_needcopy_bytes", "zil.need_copy_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_normal_count", "zil.normal_blocks" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_normal_bytes", "zil.normal_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_normal_alloc", "zil.normal_alloc_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_slog_count", "zil.slog_blocks" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_slog_bytes", "zil.slog_bytes" },
	{ ZFS_KSTAT_ZIL, "zil_itx_metaslab_slog_alloc", "zil.slog_alloc_bytes" },
	{ ZFS_KSTAT_DMU, "dmu_tx_dirty_throttle", "dmu.throttle_waits" },
	{ ZFS_KSTAT_DMU, "dmu_tx_delay", "dmu.delays" },
	{ ZFS_KSTAT_DMU, "dmu_tx_dirty_delay", "dmu.dirty_delays" },
};

/* Is line "name type value", with a type of whole numbers? */
static bool number_row(const char *line, char name[96], long long *ret_value)
{
	char rest[8];
	int type;

	return sscanf(line, "%95s %d %lld %7s", name, &type, ret_value, rest) == 3 &&
	       type >= TYPE_FIRST && type <= TYPE_LAST;
}

void zfs_counters_parse(json_t *counters, enum zfs_kstat kstat, char *text)
{
	char *line, name[96];
	long long value;

	while ((line = strsep(&text, "\n"))) {
		if (!number_row(line, name, &value))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			json_int_t sum;

			if (rows[i].kstat != kstat || strcmp(rows[i].row, name) != 0)
				continue;
			sum = json_integer_value(json_object_get(counters, rows[i].counter));
			json_object_set_new(counters, rows[i].counter, json_integer(sum + value));
		}
	}
}

void zfs_counters_parse_txgs(json_t *counters, char *text)
{
	unsigned long long txg, newest = 0;
	char *line, state;

	while ((line = strsep(&text, "\n")))
		if (sscanf(line, "%llu %*d %c", &txg, &state) == 2 && state == 'C')
			newest = MAX(newest, txg);
	if (newest)
		json_object_set_new(counters, "txg.count", json_integer((json_int_t)newest));
}

static void read_kstat(json_t *counters, enum zfs_kstat kstat, const char *path)
{
	struct strbuf text = STRBUF_INIT;

	if (file_read(path, &text, NULL) == 0)
		zfs_counters_parse(counters, kstat, text.data);
	strbuf_release(&text);
}

void zfs_counters_read(json_t *counters, const char *pool)
{
	char *objsets = memory_format(KSTAT "/%s/objset-*", pool);
	char *txgs = memory_format(KSTAT "/%s/txgs", pool);
	struct strbuf text = STRBUF_INIT;
	glob_t found = { 0 };

	read_kstat(counters, ZFS_KSTAT_ARC, KSTAT "/arcstats");
	read_kstat(counters, ZFS_KSTAT_DMU, KSTAT "/dmu_tx");
	if (glob(objsets, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			read_kstat(counters, ZFS_KSTAT_ZIL, found.gl_pathv[i]);
	if (file_read(txgs, &text, NULL) == 0)
		zfs_counters_parse_txgs(counters, text.data);
	globfree(&found);
	strbuf_release(&text);
	free(txgs);
	free(objsets);
}

int64_t zfs_arc_gauge(const char *row)
{
	struct strbuf text = STRBUF_INIT;
	char *line, *rest, name[96];
	long long value, found = -1;

	if (file_read(KSTAT "/arcstats", &text, NULL) == 0) {
		rest = text.data;
		while ((line = strsep(&rest, "\n")))
			if (number_row(line, name, &value) && strcmp(name, row) == 0)
				found = value;
	}
	strbuf_release(&text);
	return found;
}
