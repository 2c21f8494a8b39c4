/* The memory ledger; the header says what is added up. */
#include "doctor/cross/memory_ledger.h"
#include "doctor/facts.h"
#include <math.h>

struct ledger {
	const json_t *root;
	json_t *lines;
	json_t *missing;
	double sum, limit;
};

static void add_line(struct ledger *ledger, const char *name, double bytes)
{
	if (!(bytes > 0)) /* NAN too: a line that was not seen */
		return;
	json_t *line = json_object();
	ledger->sum += bytes;
	facts_put_text(line, "name", name);
	facts_put_number(line, "bytes", bytes);
	facts_put_number(line, "sum_bytes", ledger->sum);
	facts_put_bool(line, "overflows",
		ledger->sum > ledger->limit && ledger->sum - bytes <= ledger->limit);
	json_array_append_new(ledger->lines, line);
}

/* The number, or NAN with its name noted as missing. */
static double need(struct ledger *ledger, const char *name)
{
	const json_t *value = facts_at(ledger->root, name);

	if (json_is_number(value))
		return json_number_value(value);
	json_array_append_new(ledger->missing, json_string(name));
	return NAN;
}

static void add_buffers(struct ledger *ledger)
{
	double buffers = need(ledger, "setting.shared_buffers");
	double huge = facts_number(ledger->root, "memory.huge_page_pool_bytes", 0);
	const char *mode = facts_text(ledger->root, "setting.huge_pages", "off");
	bool inside = huge >= buffers && mode[0] != 'o' ? true : mode[0] == 'o' && mode[1] == 'n';

	add_line(ledger, inside ? "shared_buffers (in huge pages)" : "shared_buffers", buffers);
	add_line(ledger, "huge pages reserved and not used by PostgreSQL",
		inside ? huge - buffers : huge);
}

static void add_sessions(struct ledger *ledger)
{
	double work = need(ledger, "setting.work_mem");
	double sessions = need(ledger, "setting.max_connections");
	double workers = need(ledger, "setting.autovacuum_max_workers");
	double vacuum = facts_number(ledger->root, "setting.autovacuum_work_mem", -1);

	add_line(ledger, "max_connections x work_mem", sessions * work);
	if (vacuum < 0)
		vacuum = need(ledger, "setting.maintenance_work_mem");
	add_line(ledger, "autovacuum workers x their memory", workers * vacuum);
}

static void fill(struct ledger *ledger, double limit, bool with_kernel_arc)
{
	ledger->sum = 0;
	ledger->limit = limit;
	json_array_clear(ledger->lines);
	json_array_clear(ledger->missing);
	add_buffers(ledger);
	add_sessions(ledger);
	if (facts_bool(ledger->root, "layout.any_zfs", true) ||
		facts_at(ledger->root, "zfs.arc.c_max")) {
		double arc = need(ledger, "zfs.arc.c_max");
		bool kernel = facts_bool(ledger->root, "layout.kernel_zfs", true);
		if (with_kernel_arc || !kernel)
			add_line(ledger, kernel ? "ARC limit" : "ARC limit of plumb-zfsd", arc);
	}
}

json_t *memory_ledger(const json_t *root)
{
	double total = facts_number(root, "memory.total_bytes", 0);
	double cgroup = facts_number(root, "memory.cgroup_limit_bytes", 0);
	struct ledger ledger = { .root = root, .lines = json_array(), .missing = json_array() };
	const char *limit_name = "memory of the machine";

	fill(&ledger, total, true);
	double machine_ratio = total > 0 ? ledger.sum / total : 0;
	if (cgroup > 0 && (total <= 0 || cgroup < total)) {
		fill(&ledger, cgroup, false);
		if (ledger.sum / cgroup >= machine_ratio)
			limit_name = "memory limit of the cgroup";
		else
			fill(&ledger, total, true);
	}
	json_t *result = NULL;
	if (ledger.limit > 0) {
		result = json_object();
		json_object_set(result, "lines", ledger.lines);
		json_object_set(result, "missing", ledger.missing);
		facts_put_number(result, "sum_bytes", ledger.sum);
		facts_put_number(result, "limit_bytes", ledger.limit);
		facts_put_text(result, "limit_name", limit_name);
	}
	json_decref(ledger.lines);
	json_decref(ledger.missing);
	return result;
}
