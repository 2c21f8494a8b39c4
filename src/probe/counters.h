/* Counters as a flat JSON object of numbers; most probes read one at both ends of a phase and
 * record the differences. */
#ifndef PROBE_COUNTERS_H
#define PROBE_COUNTERS_H

#include "probe/probe.h"
#include <jansson.h>
#include <stdbool.h>

/* counters[name] = value, adding to what is there. */
void counter_add(json_t *counters, const char *name, double value);
double counter_get(const json_t *counters, const char *name); /* 0 when it is not there */
bool counter_has(const json_t *counters, const char *name);

/* After minus before; 0 when the counter is in neither. A counter that went backwards (a server
 * that was restarted) counts from zero, like the kernel's own tools do. */
double counter_difference(const json_t *before, const json_t *after, const char *name);

/* One whole sample for each name that is in both, as a difference. */
void counter_record(const json_t *before, const json_t *after, const char *phase,
	const char *source, struct trial_record *record);

/* Value of "key: 123 kB" lines (meminfo, /proc/PID/io) or "key 123" lines (cgroup files);
 * negative when there is none. */
double line_number(const char *text, const char *key);

/* A small file of /proc or /sys, empty text when it can't be read. */
void read_small(const char *path, struct strbuf *text);

#endif
