/* Facts of memory: the machine's, huge pages, swap, and the limit of the server's cgroup. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A limit of this size or more is version 1's way to say "none". */
#define NO_LIMIT_BYTES 4e18

static void add_meminfo(struct collector *collector)
{
	static const struct {
		const char *label, *path;
		double scale;
	} rows[] = {
		{ "MemTotal:", "memory.total_bytes", 1024 },
		{ "MemAvailable:", "memory.available_bytes", 1024 },
		{ "SwapTotal:", "memory.swap_total_bytes", 1024 },
		{ "HugePages_Total:", "memory.huge_pages_total", 1 },
		{ "HugePages_Free:", "memory.huge_pages_free", 1 },
		{ "Hugepagesize:", "memory.huge_page_bytes", 1024 },
	};
	struct strbuf text = STRBUF_INIT;

	if (!collect_text("/proc/meminfo", &text))
		facts_unseen(collector->facts, "memory", "/proc/meminfo can't be read");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *row = strstr(text.data, rows[i].label);
		if (row)
			facts_put_number(collector->facts, rows[i].path,
				rows[i].scale * strtod(row + strlen(rows[i].label), NULL));
	}
	strbuf_release(&text);
}

static void add_swap(struct collector *collector)
{
	struct strbuf text = STRBUF_INIT;
	json_t *devices = json_array();
	char *line, *rest;

	if (collect_text("/proc/swaps", &text)) {
		strtok_r(text.data, "\n", &rest); /* heading */
		while ((line = strtok_r(NULL, "\n", &rest))) {
			line[strcspn(line, " \t")] = '\0';
			json_array_append_new(devices, json_string(line));
		}
		facts_put(collector->facts, "memory.swap_devices", devices);
	} else {
		json_decref(devices);
		facts_unseen(collector->facts, "memory.swap_devices", "/proc/swaps can't be read");
	}
	strbuf_release(&text);
}

/* The tightest limit of a cgroup folder and all above it; INFINITY if none is set. */
static double tightest_limit(const char *root, const char *group, const char *file)
{
	struct strbuf path = STRBUF_INIT;
	double tightest = INFINITY, limit;
	size_t length = strlen(group);

	for (;;) {
		strbuf_clear(&path);
		strbuf_add_format(&path, "%s%.*s/%s", root, (int)length, group, file);
		if (collect_number(path.data, &limit) && limit < NO_LIMIT_BYTES)
			tightest = fmin(tightest, limit);
		if (length <= 1)
			break;
		while (length > 0 && group[--length] != '/')
			;
	}
	strbuf_release(&path);
	return tightest;
}

static void add_cgroup(struct collector *collector)
{
	struct strbuf text = STRBUF_INIT;
	char *line, *rest;
	double limit = INFINITY;
	pid_t pid = collector->server_pid > 0 ? collector->server_pid : getpid();

	if (!collect_text_at(&text, "/proc/%d/cgroup", (int)pid)) {
		facts_unseen(collector->facts, "memory.cgroup_limit_bytes",
			"/proc/PID/cgroup of the server can't be read");
		strbuf_release(&text);
		return;
	}
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		controllers++;
		if (*controllers == '\0')
			limit = fmin(limit, tightest_limit("/sys/fs/cgroup", group, "memory.max"));
		else if (strcmp(controllers, "memory") == 0)
			limit = fmin(limit, tightest_limit("/sys/fs/cgroup/memory", group,
						    "memory.limit_in_bytes"));
	}
	if (isfinite(limit))
		facts_put_number(collector->facts, "memory.cgroup_limit_bytes", limit);
	else
		facts_unseen(collector->facts, "memory.cgroup_limit_bytes", "no limit is set");
	strbuf_release(&text);
}

static void add_container(struct collector *collector)
{
	static const char *const words[] = { "docker", "lxc", "kubepods", "containerd", "libpod" };
	struct strbuf text = STRBUF_INIT;
	bool container = access("/.dockerenv", F_OK) == 0 ||
			 access("/run/.containerenv", F_OK) == 0 ||
			 access("/run/systemd/container", F_OK) == 0;

	if (collect_text("/proc/1/cgroup", &text))
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			container = container || strstr(text.data, words[i]) != NULL;
	facts_put_bool(collector->facts, "memory.container", container);
	strbuf_release(&text);
}

void collect_memory(struct collector *collector)
{
	add_meminfo(collector);
	add_swap(collector);
	add_cgroup(collector);
	add_container(collector);
}
