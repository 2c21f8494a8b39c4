/* Reader for the text that "zpool status -p -P" prints: the one form that all releases share. */
#ifndef DOCTOR_COLLECT_ZPOOL_STATUS_H
#define DOCTOR_COLLECT_ZPOOL_STATUS_H

#include <jansson.h>

/*
 * Pools as the facts want them; owned by the caller:
 *	[{"name", "state", "errors", "scan", "scan_running": BOOL, "vdevs": [{"class": "data" |
 *	"log" | "special" | "dedup" | "cache" | "spare", "name", "type": "disk" | "file" | "mirror"
 *	| "raidz1" ... | "draid", "redundancy", "devices": [PATH...]}]}]
 * errors counts read, write and checksum errors of all vdevs, and files with lost data. redundancy
 * is the number of its devices that may fail.
 */
json_t *zpool_status_parse(const char *text);

#endif
