/*
 * The machine: CPU time (proc(5), /proc/stat), pressure (/proc/pressure), memory, the control
 * group's limits, and who the machine is. Stolen CPU time above 1 % spoils a trial: somebody else
 * used the machine.
 */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "probe/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define STEAL_LIMIT_PERCENT	1.0
#define THROTTLED_LIMIT_PERCENT 1.0

static const char *const cpu_names[] = { "cpu_user", "cpu_nice", "cpu_system", "cpu_idle",
	"cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal" };

struct machine_counts {
	struct probe base;
	json_t *before, *last;
	int64_t before_ns;
};

static struct machine_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct machine_counts, base);
}

static void read_cpu(json_t *counters)
{
	struct strbuf text = STRBUF_INIT;
	char *at;

	read_small("/proc/stat", &text);
	at = text.data + strcspn(text.data, " ");
	for (size_t i = 0; i < ARRAY_SIZE(cpu_names); i++)
		counter_add(counters, cpu_names[i], strtod(at, &at));
	strbuf_release(&text);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" in microseconds. */
static void read_pressure(json_t *counters)
{
	static const char *const kinds[] = { "cpu", "io", "memory" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		char *path = memory_format("/proc/pressure/%s", kinds[i]);
		char *name = memory_format("pressure_%s", kinds[i]);
		struct strbuf text = STRBUF_INIT;
		const char *total;

		read_small(path, &text);
		total = strstr(text.data, "total=");
		if (total)
			counter_add(counters, name, strtod(total + strlen("total="), NULL));
		strbuf_release(&text);
		free(name);
		free(path);
	}
}

/* Sum over the CPUs of a small file below /sys/devices/system/cpu/cpuN; negative: no CPU has it. */
static double sum_over_cpus(const char *file, size_t *ret_cpus)
{
	struct strbuf text = STRBUF_INIT;
	double sum = 0;
	long online = sysconf(_SC_NPROCESSORS_CONF);

	*ret_cpus = 0;
	for (long cpu = 0; cpu < online; cpu++) {
		char *path = memory_format("/sys/devices/system/cpu/cpu%ld/%s", cpu, file);

		read_small(path, &text);
		free(path);
		if (text.length == 0)
			continue;
		sum += strtod(text.data, NULL);
		++*ret_cpus;
	}
	strbuf_release(&text);
	return *ret_cpus ? sum : -1;
}

/* Times that a core was slowed down because it was too hot (kernel documentation,
 * thermal_throttle). */
static void read_thermal(json_t *counters)
{
	size_t cpus;
	double count = sum_over_cpus("thermal_throttle/core_throttle_count", &cpus);

	if (count >= 0)
		counter_add(counters, "thermal_throttles", count);
}

/* Mean over the CPUs now; kilohertz in the file. */
static void sample_frequency(const char *phase, int64_t at_ns, struct trial_record *record)
{
	size_t cpus;
	double khz = sum_over_cpus("cpufreq/scaling_cur_freq", &cpus);

	if (khz > 0)
		trial_record_sample(record, &(struct sample){ "frequency_hz", phase, "cpufreq",
						    khz * 1000 / (double)cpus, at_ns });
}

/* cgroup v2 cpu.stat: throttled_usec; v1: throttled_time in ns. */
static void read_throttling(const struct probe *probe, json_t *counters)
{
	struct strbuf text = STRBUF_INIT;
	char *path;
	double value;

	if (!probe->context.cgroup_folder)
		return;
	path = memory_format("%s/cpu.stat", probe->context.cgroup_folder);
	read_small(path, &text);
	value = line_number(text.data, "throttled_usec");
	if (value >= 0)
		counter_add(counters, "cgroup_throttled_ns", value * NS_PER_US);
	value = line_number(text.data, "throttled_time");
	if (value >= 0)
		counter_add(counters, "cgroup_throttled_ns", value);
	strbuf_release(&text);
	free(path);
}

static json_t *read_all(const struct probe *probe)
{
	json_t *counters = json_object();

	read_cpu(counters);
	read_pressure(counters);
	read_throttling(probe, counters);
	read_thermal(counters);
	return counters;
}

static int machine_check(const struct probe_context *context UNUSED, struct err *why)
{
	return access("/proc/stat", R_OK) == 0 ? 0
					       : err_set(why, -ENOTSUP, "cannot read /proc/stat");
}

static int machine_open(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	struct machine_counts *counts = memory_new(sizeof(*counts));

	*ret_probe = &counts->base;
	return 0;
}

static int machine_begin(struct probe *probe, struct err *err UNUSED)
{
	struct machine_counts *counts = counts_of(probe);

	json_decref(counts->before);
	json_decref(counts->last);
	counts->before = read_all(probe);
	counts->last = json_incref(counts->before);
	counts->before_ns = probe->context.clock->now_ns(probe->context.clock);
	return 0;
}

static double total_ticks(const json_t *before, const json_t *after)
{
	double total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cpu_names); i++)
		total += counter_difference(before, after, cpu_names[i]);
	return total;
}

static double share(const json_t *before, const json_t *after, const char *name)
{
	double total = total_ticks(before, after);

	return total > 0 ? counter_difference(before, after, name) / total * 100 : 0;
}

static int machine_tick(struct probe *probe, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err UNUSED)
{
	static const char *const shown[] = { "cpu_user", "cpu_system", "cpu_idle", "cpu_steal" };
	struct machine_counts *counts = counts_of(probe);
	json_t *now = read_all(probe);

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		trial_record_sample(record, &(struct sample){ shown[i], phase, "/proc/stat",
						    share(counts->last, now, shown[i]), at_ns });
	sample_frequency(phase, at_ns, record);
	json_decref(counts->last);
	counts->last = now;
	return 0;
}

static void whole(struct trial_record *record, const char *phase, const char *metric,
	const char *source, double value)
{
	trial_record_sample(record, &(struct sample){ metric, phase, source, value, SAMPLE_WHOLE });
}

static void record_cpu(
	const json_t *before, const json_t *after, const char *phase, struct trial_record *record)
{
	double steal = share(before, after, "cpu_steal");

	whole(record, phase, "cpu_user", "/proc/stat",
		share(before, after, "cpu_user") + share(before, after, "cpu_nice"));
	whole(record, phase, "cpu_system", "/proc/stat",
		share(before, after, "cpu_system") + share(before, after, "cpu_irq") +
			share(before, after, "cpu_softirq"));
	whole(record, phase, "cpu_idle", "/proc/stat", share(before, after, "cpu_idle"));
	whole(record, phase, "cpu_iowait", "/proc/stat", share(before, after, "cpu_iowait"));
	whole(record, phase, "cpu_steal", "/proc/stat", steal);
	if (steal > STEAL_LIMIT_PERCENT && strcmp(phase, "run") == 0)
		trial_record_note(record, NOTE_SPOILED, "steal",
			"the hypervisor took %.1f %% of the CPU time (limit %.0f %%)", steal,
			STEAL_LIMIT_PERCENT);
}

static void record_pressure(const json_t *before, const json_t *after, double wall_us,
	const char *phase, struct trial_record *record)
{
	static const char *const names[] = { "pressure_cpu", "pressure_io", "pressure_memory" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (counter_has(after, names[i]) && wall_us > 0)
			whole(record, phase, names[i], "/proc/pressure",
				MIN(counter_difference(before, after, names[i]) / wall_us * 100,
					100.0));
}

/* v2: memory.current, memory.max; v1: memory.usage_in_bytes, memory.limit_in_bytes. */
static void record_memory(const struct probe *probe, const char *phase, struct trial_record *record)
{
	static const struct {
		const char *file, *metric;
	} files[] = { { "memory.current", "memory_used_bytes" },
		{ "memory.usage_in_bytes", "memory_used_bytes" },
		{ "memory.peak", "memory_peak_bytes" },
		{ "memory.max_usage_in_bytes", "memory_peak_bytes" } };
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; probe->context.cgroup_folder && i < ARRAY_SIZE(files); i++) {
		char *path = memory_format("%s/%s", probe->context.cgroup_folder, files[i].file);

		read_small(path, &text);
		if (text.length)
			whole(record, phase, files[i].metric, "cgroup", strtod(text.data, NULL));
		free(path);
	}
	read_small("/proc/meminfo", &text);
	whole(record, phase, "memory_available_bytes", "/proc/meminfo",
		line_number(text.data, "MemAvailable") * 1024);
	whole(record, phase, "memory_page_cache_bytes", "/proc/meminfo",
		line_number(text.data, "Cached") * 1024);
	strbuf_release(&text);
}

/* A quota that the study asks for may throttle: it is what the study is about. */
static void record_throttling(const struct probe *probe, const json_t *now, double wall_ns,
	const char *phase, struct trial_record *record)
{
	struct machine_counts *counts = CONTAINER_OF(probe, struct machine_counts, base);
	double throttled_ns;

	if (!counter_has(now, "cgroup_throttled_ns"))
		return;
	throttled_ns = counter_difference(counts->before, now, "cgroup_throttled_ns");
	whole(record, phase, "cgroup_throttled_ns", "cgroup", throttled_ns);
	if (strcmp(phase, "run") == 0 &&
		settings_real(probe->context.settings, "machine.cpus", 0) <= 0 &&
		throttled_ns > wall_ns * THROTTLED_LIMIT_PERCENT / 100)
		trial_record_note(record, NOTE_SPOILED, "throttled",
			"the control group was held back for %.1f %% of the window (limit %.0f %%) "
			"although "
			"the study sets no machine.cpus",
			throttled_ns / wall_ns * 100, THROTTLED_LIMIT_PERCENT);
}

static int machine_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err UNUSED)
{
	struct machine_counts *counts = counts_of(probe);
	int64_t now_ns = probe->context.clock->now_ns(probe->context.clock);
	json_t *now = read_all(probe);

	record_cpu(counts->before, now, phase, record);
	record_pressure(counts->before, now, (double)(now_ns - counts->before_ns) / NS_PER_US,
		phase, record);
	record_throttling(probe, now, (double)(now_ns - counts->before_ns), phase, record);
	if (counter_has(now, "thermal_throttles"))
		whole(record, phase, "thermal_throttles", "thermal_throttle",
			counter_difference(counts->before, now, "thermal_throttles"));
	sample_frequency(phase, SAMPLE_WHOLE, record);
	record_memory(probe, phase, record);
	json_decref(now);
	return 0;
}

/* First line of "key : value" in a file, as a fact. */
static void fact_line(
	struct trial_record *record, const char *name, const char *path, const char *key)
{
	struct strbuf text = STRBUF_INIT;
	const char *line;

	read_small(path, &text);
	line = key ? strstr(text.data, key) : text.data;
	if (line && *line) {
		char *value;

		line = key ? strchr(line, ':') + 1 : line;
		line += strspn(line, " \t");
		value = memory_copy_bytes(line, strcspn(line, "\n"));
		trial_record_fact(record, name, NULL, value);
		free(value);
	}
	strbuf_release(&text);
}

static int machine_describe(
	struct probe *probe UNUSED, struct trial_record *record, struct err *err UNUSED)
{
	char number[32];
	struct utsname system;

	if (uname(&system) == 0) {
		trial_record_fact(record, "machine.kernel", NULL, system.release);
		trial_record_fact(record, "machine.architecture", NULL, system.machine);
	}
	snprintf(number, sizeof(number), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	trial_record_fact(record, "machine.cpus_online", NULL, number);
	fact_line(record, "machine.cpu_model", "/proc/cpuinfo", "model name");
	fact_line(record, "machine.memory_total", "/proc/meminfo", "MemTotal");
	fact_line(record, "machine.swap_total", "/proc/meminfo", "SwapTotal");
	fact_line(record, "machine.clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL);
	fact_line(record, "machine.cpu_governor",
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL);
	fact_line(record, "machine.transparent_hugepage",
		"/sys/kernel/mm/transparent_hugepage/enabled", NULL);
	fact_line(record, "machine.os", "/etc/os-release", NULL);
	return 0;
}

static void machine_done(struct probe *probe)
{
	struct machine_counts *counts = counts_of(probe);

	json_decref(counts->before);
	json_decref(counts->last);
	free(counts);
}

const struct probe_driver machine_probe = {
	.name = "machine",
	.check = machine_check,
	.open = machine_open,
	.begin = machine_begin,
	.tick = machine_tick,
	.end = machine_end,
	.describe = machine_describe,
	.close = machine_done,
};
