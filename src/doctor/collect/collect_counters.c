/* Counters of the write ledger below the server: datasets and block devices. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <stdio.h>
#include <string.h>

/* /sys/block/NAME/stat, Documentation/block/stat.rst: I/Os, sectors of 512 bytes, ms. */
static void add_device(json_t *into, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	unsigned long long reads, read_sectors, writes, write_sectors, busy_ms, flushes = 0, skip;

	if (!collect_text_at(&text, "/sys/block/%s/stat", name)) {
		strbuf_release(&text);
		return;
	}
	int fields = sscanf(text.data,
		"%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu",
		&reads, &skip, &read_sectors, &skip, &writes, &skip, &write_sectors, &skip, &skip,
		&busy_ms, &skip, &skip, &skip, &skip, &skip, &flushes);
	if (fields >= 11) {
		json_t *row = json_object();
		facts_put_text(row, "name", name);
		facts_put_number(row, "read_requests", (double)reads);
		facts_put_number(row, "read_bytes", 512.0 * (double)read_sectors);
		facts_put_number(row, "write_requests", (double)writes);
		facts_put_number(row, "write_bytes", 512.0 * (double)write_sectors);
		facts_put_number(row, "busy_ms", (double)busy_ms);
		facts_put_number(row, "flushes", (double)flushes);
		json_array_append_new(into, row);
	}
	strbuf_release(&text);
}

/* The datasets' counters of now, copied from where the kstat reader puts them. */
static json_t *dataset_counters(struct collector *collector)
{
	json_t *rows = json_array();
	size_t i;
	json_t *item;

	json_array_foreach(facts_at(collector->facts, "zfs.pools"), i, item)
		collect_zfs_kstats(collector, facts_text(item, "name", ""));
	json_array_foreach(facts_at(collector->facts, "zfs.datasets"), i, item)
	{
		json_t *row = json_object();
		facts_put(row, "name", json_deep_copy(facts_at(item, "name")));
		facts_put(row, "zil", json_deep_copy(facts_at(item, "zil")));
		facts_put(row, "written_bytes", json_deep_copy(facts_at(item, "written_bytes")));
		json_array_append_new(rows, row);
	}
	return rows;
}

void collect_counters(struct collector *collector, const char *path)
{
	char member[96];
	json_t *devices = json_array();
	size_t i;
	json_t *device;

	json_array_foreach(facts_at(collector->facts, "devices"), i, device)
		add_device(devices, facts_text(device, "name", ""));
	snprintf(member, sizeof(member), "%s.devices", path);
	facts_put(collector->facts, member, devices);
	snprintf(member, sizeof(member), "%s.datasets", path);
	facts_put(collector->facts, member, dataset_counters(collector));
	collect_zfsd_counters(collector, path);
}
