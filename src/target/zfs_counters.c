/* Counters of the kernel's OpenZFS (see zfs_counters.h). */
#include "target/zfs_counters.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

/* KSTAT_DATA_INT32 to KSTAT_DATA_UINT64 are 1 to 4; the two lines of heading have no such type. */
#define TYPE_FIRST 1
#define TYPE_LAST  4

void zfs_counters_parse(json_t *counters, const char *prefix, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char name[96], full[160], rest[8];
		long long value;
		int type;

		if (sscanf(line, "%95s %d %lld %7s", name, &type, &value, rest) != 3 ||
			type < TYPE_FIRST || type > TYPE_LAST)
			continue;
		snprintf(full, sizeof(full), "%s.%s", prefix, name);
		json_object_set_new(counters, full, json_integer(value));
	}
}

void zfs_counters_add(json_t *counters, const char *prefix, const char *path)
{
	struct strbuf text = STRBUF_INIT;

	if (file_read(path, &text, NULL) == 0)
		zfs_counters_parse(counters, prefix, text.data);
	strbuf_release(&text);
}
