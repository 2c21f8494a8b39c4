/* Facts of the machine: system, virtualisation, kernel options, limits. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Value of "init_on_alloc=" on the command line, else the kernel's configured default. */
static void add_init_on_alloc(struct collector *collector, const char *release)
{
	struct strbuf text = STRBUF_INIT;
	const char *option;

	if (collect_text("/proc/cmdline", &text) && (option = strstr(text.data, "init_on_alloc=")))
		facts_put_bool(collector->facts, "host.init_on_alloc",
			option[strlen("init_on_alloc=")] == '1');
	else if (collect_text_at(&text, "/boot/config-%s", release))
		facts_put_bool(collector->facts, "host.init_on_alloc",
			strstr(text.data, "CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y") != NULL);
	else
		facts_unseen(collector->facts, "host.init_on_alloc",
			"not on the kernel's command line, and no /boot/config-%s", release);
	strbuf_release(&text);
}

static void add_memlock(struct collector *collector)
{
	struct strbuf text = STRBUF_INIT;
	static const char label[] = "Max locked memory";

	if (collector->server_pid <= 0 ||
		!collect_text_at(&text, "/proc/%d/limits", (int)collector->server_pid)) {
		facts_unseen(collector->facts, "host.memlock_bytes",
			"/proc/PID/limits of the server can't be read");
	} else {
		const char *line = strstr(text.data, label);
		char *end = NULL;
		double bytes = line ? strtod(line + strlen(label), &end) : 0;
		if (line && end == line + strlen(label))
			bytes = 9e15; /* unlimited */
		if (line)
			facts_put_number(collector->facts, "host.memlock_bytes", bytes);
	}
	strbuf_release(&text);
}

void collect_host(struct collector *collector)
{
	struct utsname names;
	struct strbuf text = STRBUF_INIT;

	if (uname(&names) != 0)
		return;
	facts_put_text(collector->facts, "host.system", names.sysname);
	facts_put_text(collector->facts, "host.release", names.release);
	facts_put_text(collector->facts, "host.machine", names.machine);
	if (collector->options->names)
		facts_put_text(collector->facts, "host.name", names.nodename);
	if (collect_text("/sys/class/dmi/id/sys_vendor", &text))
		facts_put_text(collector->facts, "host.vendor", text.data);
	if (collect_text("/proc/uptime", &text))
		facts_put_number(
			collector->facts, "host.uptime_s", (double)strtol(text.data, NULL, 10));
	facts_put_number(
		collector->facts, "host.processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
	facts_put_bool(
		collector->facts, "host.selinux", access("/sys/fs/selinux/enforce", F_OK) == 0);
	strbuf_release(&text);
	add_init_on_alloc(collector, names.release);
	add_memlock(collector);
}
