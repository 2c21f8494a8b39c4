/* Counters of the kernel's OpenZFS under /proc/spl/kstat/zfs. */
#include "doctor/collect/collect_internal.h"
#include "doctor/collect/zfs_text.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KSTAT "/proc/spl/kstat/zfs"

static void add_txgs(struct collector *collector, const char *pool)
{
	struct strbuf text = STRBUF_INIT;
	double longest_ns;

	if (!collect_text_at(&text, KSTAT "/%s/txgs", pool)) {
		facts_unseen(collector->facts, "zfs.txg", KSTAT "/%s/txgs can't be read", pool);
		strbuf_release(&text);
		return;
	}
	longest_ns = zfs_longest_sync_parse(text.data);
	if (longest_ns >= 0)
		facts_put_number(collector->facts, "zfs.txg.sync_max_ms",
			fmax(floor(longest_ns / NS_PER_MS),
				facts_number(collector->facts, "zfs.txg.sync_max_ms", 0)));
	strbuf_release(&text);
}

static void put_zil(json_t *dataset, const json_t *rows)
{
	static const struct {
		const char *row, *member;
	} members[] = {
		{ "zil_commit_count", "zil.commits" },
		{ "zil_itx_indirect_bytes", "zil.indirect_bytes" },
		{ "zil_itx_copied_bytes", "zil.copied_bytes" },
		{ "zil_itx_needcopy_bytes", "zil.needcopy_bytes" },
		{ "zil_itx_metaslab_normal_bytes", "zil.normal_bytes" },
		{ "zil_itx_metaslab_slog_bytes", "zil.slog_bytes" },
		{ "nwritten", "written_bytes" },
		{ "nread", "read_bytes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (json_is_number(facts_at(rows, members[i].row)))
			facts_put_number(
				dataset, members[i].member, facts_number(rows, members[i].row, 0));
}

static void add_objsets(struct collector *collector, const char *pool)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	struct strbuf text = STRBUF_INIT;
	bool seen = false;

	snprintf(pattern, sizeof(pattern), KSTAT "/%s/objset-*", pool);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (!collect_text(found.gl_pathv[i], &text))
				continue;
			json_t *rows = zfs_kstat_parse(text.data);
			const char *name = facts_text(rows, "dataset_name", "");
			size_t j;
			json_t *dataset;
			json_array_foreach(facts_at(collector->facts, "zfs.datasets"), j,
				dataset) if (strcmp(facts_text(dataset, "name", "?"), name) == 0)
				put_zil(dataset, rows);
			seen = seen || facts_at(rows, "zil_itx_indirect_bytes");
			json_decref(rows);
		}
	}
	if (!seen)
		facts_unseen(collector->facts, "zfs.zil",
			"no intent log counters below " KSTAT "/%s (2.2 and later have them)",
			pool);
	globfree(&found);
	strbuf_release(&text);
}

static void add_arcstats(struct collector *collector)
{
	struct strbuf text = STRBUF_INIT;

	if (collect_text(KSTAT "/arcstats", &text))
		facts_put(collector->facts, "zfs.arcstats", zfs_kstat_parse(text.data));
	else
		facts_unseen(collector->facts, "zfs.arcstats", KSTAT "/arcstats can't be read");
	strbuf_release(&text);
}

void collect_zfs_kstats(struct collector *collector, const char *pool)
{
	if (!pool) {
		add_arcstats(collector);
		return;
	}
	add_txgs(collector, pool);
	add_objsets(collector, pool);
}
