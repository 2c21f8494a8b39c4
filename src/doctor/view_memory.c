/* memory.* and the engine-wide zfs.* of the view. */
#include "doctor/view_internal.h"
#include "doctor/facts.h"
#include "doctor/cross/memory_ledger.h"
#include "base/strbuf.h"
#include <math.h>
#include <string.h>

/* Rules of the whole cluster see the engine that its data lies on. */
static void add_engine(struct view *view)
{
	size_t i;
	json_t *entry;

	json_array_foreach(view->locations, i, entry)
	{
		if (strcmp(facts_text(entry, "location.role", ""), "data") != 0)
			continue;
		json_t *zfs = json_object_get(entry, "zfs");
		if (zfs)
			json_object_set(view->root, "zfs", zfs);
	}
	if (!json_object_get(view->root, "zfs")) {
		const json_t *kernel = facts_at(view->facts, "zfs");
		json_object_set(view->root, "zfs", view_zfs(view, kernel));
	}
}

static void add_swap(struct view *view)
{
	const json_t *devices = facts_at(view->facts, "memory.swap_devices");
	size_t i;
	json_t *device;

	if (!json_is_array(devices))
		return;
	facts_put_bool(view->root, "memory.swap_on_zvol", false);
	json_array_foreach(devices, i, device)
	{
		const char *path = json_string_value(device);
		if (!path || (strncmp(path, "/dev/zd", 7) != 0 && strncmp(path, "/dev/zvol/", 10)))
			continue;
		facts_put_bool(view->root, "memory.swap_on_zvol", true);
		facts_put_text(view->root, "memory.swap_zvol", path);
	}
}

static void add_huge_pages(struct view *view)
{
	double pages = facts_number(view->facts, "memory.huge_pages_total", -1);
	double page = facts_number(view->facts, "memory.huge_page_bytes", -1);
	double buffers = facts_number(view->root, "setting.shared_buffers", -1);

	if (pages < 0 || page <= 0)
		return;
	facts_put_number(view->root, "memory.huge_page_pool_bytes", pages * page);
	/* 3 % on top: shared memory holds more than the buffers. */
	if (buffers > 0)
		facts_put_number(
			view->root, "memory.huge_pages_wanted", ceil(1.03 * buffers / page));
}

static void note_missing_lines(struct view *view, const json_t *missing)
{
	struct strbuf reason = STRBUF_INIT;
	size_t i;
	json_t *name;

	json_array_foreach(missing, i, name) strbuf_add_format(&reason, "%s%s",
		i > 0 ? ", " : "the memory ledger lacks ", json_string_value(name));
	if (reason.length > 0)
		json_object_set_new(
			view->reasons, "memory.committed_bytes", json_string(reason.data));
	strbuf_release(&reason);
}

static void add_ledger(struct view *view)
{
	json_t *ledger = memory_ledger(view->root);
	size_t i;
	json_t *line;
	double sum = facts_number(ledger, "sum_bytes", 0);

	if (!ledger)
		return;
	facts_put(view->root, "memory.limit_bytes", view_copy(facts_at(ledger, "limit_bytes")));
	/* With a line missing the sum is a lower bound: good enough to overflow, not to be fine. */
	if (json_array_size(json_object_get(ledger, "missing")) == 0 ||
		sum > 0.9 * facts_number(ledger, "limit_bytes", INFINITY))
		facts_put_number(view->root, "memory.committed_bytes", sum);
	note_missing_lines(view, json_object_get(ledger, "missing"));
	facts_put_text(view->root, "memory.overflow_line", "none yet");
	json_array_foreach(
		json_object_get(ledger, "lines"), i, line) if (facts_bool(line, "overflows", false))
		facts_put(view->root, "memory.overflow_line", view_copy(facts_at(line, "name")));
	json_decref(ledger);
}

void view_add_memory(struct view *view)
{
	add_engine(view);
	facts_put(view->root, "memory", view_copy(facts_at(view->facts, "memory")));
	if (!json_is_object(json_object_get(view->root, "memory")))
		facts_put(view->root, "memory", json_object());
	add_swap(view);
	add_huge_pages(view);
	add_ledger(view);
	double buffers = facts_number(view->root, "setting.shared_buffers", -1);
	double arc = facts_number(view->root, "zfs.arc.c_max", -1);
	if (buffers >= 0 && arc >= 0)
		facts_put_number(
			view->root, "memory.cache_wanted_mb", ceil((buffers + arc / 2) / 1048576));
}
