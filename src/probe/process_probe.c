/*
 * The server's processes from /proc: bytes by system calls (rchar, wchar) and CPU time. The kernel
 * adds a reaped child's figures to its parent, so the postmaster's own figures hold the backends
 * that have ended, and its living children are added one by one.
 */
#include "probe/probe_drivers.h"

#include "base/memory.h"
#include "postgres/cluster.h"
#include "probe/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct process_counts {
	struct probe base;
	json_t *before;
	double before_own_ns; /* CPU time of plumb itself */
};

static struct process_counts *counts_of(struct probe *probe)
{
	return CONTAINER_OF(probe, struct process_counts, base);
}

static void add_io(pid_t pid, json_t *counters)
{
	char *path = memory_format("/proc/%d/io", (int)pid);
	struct strbuf text = STRBUF_INIT;

	read_small(path, &text);
	if (text.length) {
		counter_add(counters, "server_read_bytes", line_number(text.data, "rchar"));
		counter_add(counters, "server_write_bytes", line_number(text.data, "wchar"));
	}
	strbuf_release(&text);
	free(path);
}

/* proc(5): utime 14, stime 15, cutime 16, cstime 17, in clock ticks; after the name in (). */
static void add_cpu(pid_t pid, bool with_children, json_t *counters)
{
	char *path = memory_format("/proc/%d/stat", (int)pid);
	double tick_ns = (double)NS_PER_S / (double)sysconf(_SC_CLK_TCK);
	struct strbuf text = STRBUF_INIT;
	unsigned long user, system;
	long child_user, child_system;
	const char *after;

	read_small(path, &text);
	after = strrchr(text.data, ')');
	if (after &&
		sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
			&user, &system, &child_user, &child_system) == 4) {
		if (with_children) {
			user += (unsigned long)child_user;
			system += (unsigned long)child_system;
		}
		counter_add(counters, "cpu_server_user_ns", (double)user * tick_ns);
		counter_add(counters, "cpu_server_system_ns", (double)system * tick_ns);
	}
	strbuf_release(&text);
	free(path);
}

static json_t *read_all(const struct probe *probe)
{
	pid_t postmaster = probe->context.cluster->postmaster.pid;
	char *path = memory_format("/proc/%d/task/%d/children", (int)postmaster, (int)postmaster);
	struct strbuf text = STRBUF_INIT;
	json_t *counters = json_object();
	char *at;

	add_io(postmaster, counters);
	add_cpu(postmaster, true, counters);
	read_small(path, &text);
	at = text.data;
	for (;;) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		add_io((pid_t)pid, counters);
		add_cpu((pid_t)pid, false, counters);
		at = end;
	}
	strbuf_release(&text);
	free(path);
	return counters;
}

static double own_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
}

static int process_check(const struct probe_context *context, struct err *why)
{
	char *path;
	int r = 0;

	if (!context->cluster || context->cluster->postmaster.pid <= 0)
		return err_set(why, -ENOTSUP, "no server runs");
	path = memory_format("/proc/%d/io", (int)context->cluster->postmaster.pid);
	if (access(path, R_OK) < 0)
		r = err_set(why, -ENOTSUP, "no permission to read '%s'", path);
	free(path);
	return r;
}

static int process_open(const struct probe_context *context UNUSED, struct probe **ret_probe,
	struct err *err UNUSED)
{
	struct process_counts *counts = memory_new(sizeof(*counts));

	*ret_probe = &counts->base;
	return 0;
}

static int process_begin(struct probe *probe, struct err *err UNUSED)
{
	struct process_counts *counts = counts_of(probe);

	json_decref(counts->before);
	counts->before = read_all(probe);
	counts->before_own_ns = own_cpu_ns();
	return 0;
}

static int process_end(
	struct probe *probe, const char *phase, struct trial_record *record, struct err *err UNUSED)
{
	struct process_counts *counts = counts_of(probe);
	json_t *now = read_all(probe);

	counter_record(counts->before, now, phase, "/proc", record);
	trial_record_sample(record, &(struct sample){ "cpu_plumb_ns", phase, "getrusage",
					    own_cpu_ns() - counts->before_own_ns, SAMPLE_WHOLE });
	json_decref(now);
	return 0;
}

static void process_done(struct probe *probe)
{
	struct process_counts *counts = counts_of(probe);

	json_decref(counts->before);
	free(counts);
}

const struct probe_driver process_probe = {
	.name = "process",
	.check = process_check,
	.open = process_open,
	.begin = process_begin,
	.end = process_end,
	.close = process_done,
};
